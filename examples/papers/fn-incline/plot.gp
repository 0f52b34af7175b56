# Fang & Negrut, figure 9a: run in the folder that holds fn-incline.csv.
set datafile separator ","
set terminal pngcairo noenhanced size 1100,440 font "sans,11"
set output "fn-incline.png"
set multiplot layout 1,2 title "A sphere up an incline of 35 degrees"
set grid
set xlabel "t [s]"
set title "speed and R omega [m/s]"
plot "fn-incline.csv" using 1:2 with lines lw 2 title "v", "" using 1:(0.2*$3) with lines lw 2 title "R omega"
set title "force [N], torque [N m]"
set y2tics
plot "fn-incline.csv" using 1:4 with lines lw 2 title "force", "" using 1:5 axes x1y2 with lines lw 2 title "torque (right)"
unset multiplot
