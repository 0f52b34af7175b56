# Tasora & Anitescu, figures 2 and 3: run in the folder that holds ta61.csv.
set datafile separator ","
set terminal pngcairo size 1500,480 font "sans,11"
set output "ta61.png"
set multiplot layout 1,3 title "A rolling disk"
set grid
set xlabel "t [s]"
set key bottom right
set title "position x [m]"
plot "ta61.csv" index 0 using 2:7 every 8 with points pt 6 lc rgb "black" title "theory", \
     "" index 0 using 2:3 with lines lw 2 lc rgb "#0072b2" title "Coulomb law", \
     "" index 1 using 2:3 with lines lw 2 dt 2 lc rgb "#d55e00" title "convex law"
set title "omega [rad/s]"
plot "ta61.csv" index 0 using 2:8 every 8 with points pt 6 lc rgb "black" title "theory", \
     "" index 0 using 2:5 with lines lw 2 lc rgb "#0072b2" title "Coulomb law", \
     "" index 1 using 2:5 with lines lw 2 dt 2 lc rgb "#d55e00" title "convex law"
set title "gap between disk and floor [micrometres]"
set key top right
plot "ta61.csv" index 0 using 2:($6*1e6) with lines lw 2 lc rgb "#0072b2" title "Coulomb law", \
     "" index 1 using 2:($6*1e6) with lines lw 2 dt 2 lc rgb "#d55e00" title "convex law"
unset multiplot
