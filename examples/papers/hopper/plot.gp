# Mass that has run out over time: run in the folder that holds hopper.csv.
set datafile separator ","
set terminal pngcairo size 900,520 font "sans,11"
set output "hopper.png"
stats "hopper.csv" using 1 nooutput
set grid
set xlabel "time [s]"
set ylabel "mass below the outlet [kg]"
set key top left
plot for [i=0:STATS_blocks-1] "hopper.csv" index i using 3:4 with lines lw 2 lc i+1 \
         title sprintf("grains of %s mm", system(sprintf("awk -F, '$1+0>0 && !s[$1,$2]++ && n++==%d {print 1000*$1}' hopper.csv", i)))
