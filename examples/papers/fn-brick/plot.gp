# Fang & Negrut, figures of section 4.1: run in the folder that holds fn-brick.csv.
set datafile separator ","
set terminal pngcairo noenhanced size 1100,440 font "sans,11"
set output "fn-brick.png"
set multiplot layout 1,2 title "A brick on an incline"
set grid
set xlabel "t [s]"
set key bottom right
set title "friction [N]"
plot "fn-brick.csv" index 0 using 2:5 with lines lw 2 title "0.18 rad", "" index 3 using 2:5 with lines lw 2 title "0.25 rad", \
     "" index 4 using 2:5 with lines lw 1 title "0.18 rad, undamped"
set title "speed [m/s]"
plot "fn-brick.csv" index 0 using 2:4 with lines lw 2 title "0.18 rad", "" index 3 using 2:4 with lines lw 2 title "0.25 rad", \
     "" index 4 using 2:4 with lines lw 1 title "0.18 rad, undamped"
unset multiplot
