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
# Blocks: one bed of the slice, or four beds each of the slice and of half of the drum, its end turning and standing.
name(i) = i % 4 ? "" : word("slice end-turning end-standing", i / 4 + 1)
plot for [i=0:STATS_blocks-1] "drum.csv" index i using ($3 > 0.1 ? $3 : NaN):4 with lines lw 2 lc i/4+1 title name(i), \
     20.9 with lines dt 2 lc rgb "black" title "glass beads, about to stop", 32.76 with lines dt 3 lc rgb "black" title "glass beads, fast"
