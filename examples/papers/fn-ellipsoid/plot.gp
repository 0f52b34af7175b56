# Fang & Negrut, section 4.5.1: run in the folder that holds fn-ellipsoid.csv.
set datafile separator ","
set terminal pngcairo noenhanced size 1100,440 font "sans,11"
set output "fn-ellipsoid.png"
set multiplot layout 1,2 title "An ellipsoid falls over"
set grid
set xlabel "t [s]"
set title "height of the centre [m], cosine of the long axis to the vertical"
plot "fn-ellipsoid.csv" using 1:3 with lines lw 2 title "height", "" using 1:4 with lines lw 2 title "cosine"
set title "angular velocity [rad/s]"
plot "fn-ellipsoid.csv" using 1:5 with lines lw 2 notitle
unset multiplot
