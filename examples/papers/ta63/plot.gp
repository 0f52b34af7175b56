# Tasora & Anitescu, figures 10 to 13: run in the folder that holds ta63.csv and profiles.csv.
set datafile separator ","
set terminal pngcairo size 1600,520 font "sans,11"
set output "ta63.png"
stats "profiles.csv" using 2 nooutput
half = STATS_blocks / 4
set multiplot layout 1,3 title "A heap of gravel, mu 0.6, rolling and spinning friction rho"
set grid
set xlabel "distance from the axis [m]"
set ylabel "height of the surface [m]"
set title "open floor: Coulomb law (lines), convex law (dashes)"
set yrange [0:*]
plot for [i=0:half-1] "profiles.csv" index i using 3:4 with lines lw 2 lc i+1 \
         title sprintf("rho %s mm", system(sprintf("awk -F, '/coulomb/ && !s[$2]++ {if (n++==%d) print 1000*$2}' profiles.csv", i))), \
     for [i=0:half-1] "profiles.csv" index half+i using 3:4 with lines lw 2 dt 2 lc i+1 notitle
set xlabel "rho [mm]"
set ylabel "degrees"
set title "angle of repose"
set key top left
plot "ta63.csv" index 0 using (1000*$2):3 with linespoints lw 2 pt 7 lc rgb "#0072b2" title "flank, Coulomb", \
     "" index 1 using (1000*$2):3 with linespoints lw 2 dt 2 pt 6 lc rgb "#0072b2" title "flank, convex", \
     "" index 0 using (1000*$2):4 with linespoints lw 2 pt 7 lc rgb "#d55e00" title "cone, Coulomb", \
     "" index 1 using (1000*$2):4 with linespoints lw 2 dt 2 pt 6 lc rgb "#d55e00" title "cone, convex"
set ylabel "micrometres"
set title "mean gap of loaded contacts, while pouring"
plot "ta63.csv" index 0 using (1000*$2):($8*1e6) with linespoints lw 2 pt 7 lc rgb "#0072b2" title "Coulomb law", \
     "" index 1 using (1000*$2):($8*1e6) with linespoints lw 2 dt 2 pt 6 lc rgb "#d55e00" title "convex law"
unset multiplot
