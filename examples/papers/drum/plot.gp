# Angle of the centre of mass over time, and the published range: run in the folder that holds drum.csv.
set datafile separator ","
set terminal pngcairo size 900,520 font "sans,11"
set output "drum.png"
stats "drum.csv" using 1 nooutput
set grid
set xlabel "time [s]"
set ylabel "angle of the centre of mass [deg]"
set yrange [0:45]
set key bottom right
plot for [i=0:STATS_blocks-1] "drum.csv" index i using ($3 > 0.1 ? $3 : NaN):4 with lines lw 2 lc i+1 \
         title sprintf("%s m of the drum", system(sprintf("awk -F, '$1+0>0 && !s[$1,$2]++ && n++==%d {print $1}' drum.csv", i))), \
     20.9 with lines dt 2 lc rgb "black" title "glass beads, about to stop", 32.76 with lines dt 3 lc rgb "black" title "glass beads, fast"
