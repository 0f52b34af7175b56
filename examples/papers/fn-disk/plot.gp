# Fang & Negrut, figures of section 4.2: run in the folder that holds fn-disk.csv.
set datafile separator ","
set terminal pngcairo noenhanced size 1100,440 font "sans,11"
set output "fn-disk.png"
set multiplot layout 1,2 title "A disk slides, rolls and rests"
set grid
set xlabel "t [s]"
set title "speed and R omega [m/s]"
plot "fn-disk.csv" index 0 using 2:3 with lines lw 2 title "v", "" index 0 using 2:(0.2*$4) with lines lw 2 title "R omega"
set title "rolling torque [N m]"
plot "fn-disk.csv" index 1 using 2:6 with lines lw 1 lc rgb "#d55e00" title "constant torque", \
     "" index 0 using 2:6 with lines lw 2 lc rgb "#0072b2" title "tracked contact"
unset multiplot
