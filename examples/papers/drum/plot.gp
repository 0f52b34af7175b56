# Angle of the centre of mass over time, and the published range; in full also velocities (flow.csv): run in the folder that holds drum.csv.
set datafile separator ","
set terminal pngcairo size 900,520 font "sans,11"
set output "drum.png"
stats "drum.csv" using 1 nooutput
set grid
set xlabel "time [s]"
set ylabel "angle of the centre of mass [deg]"
set yrange [0:45]
set key bottom right
# Blocks: one bed of the slice; or four, and two each of half of the drum, its end turning and standing.
kind(i) = i < 4 ? 1 : i < 6 ? 2 : 3
name(i) = i == 0 || i == 4 || i == 6 ? word("slice end-turning end-standing", kind(i)) : ""
plot for [i=0:STATS_blocks-1] "drum.csv" index i using ($3 > 0.1 ? $3 : NaN):4 with lines lw 2 lc kind(i) title name(i), \
     20.9 with lines dt 2 lc rgb "black" title "glass beads, about to stop", 32.76 with lines dt 3 lc rgb "black" title "glass beads, fast"
if (system("test -s flow.csv && echo 1") eq "1") {
    set output "flow.png"
    set xlabel "distance below the axis [m]"
    set ylabel "velocity down along the surface [m/s]"
    set yrange [*:*]
    set key top left
    plot "flow.csv" every ::1::36 using 1:2 with points pt 2 title "measured", "" every ::1::36 using 1:3 with points pt 6 title "LIGGGHTS", \
         "" using 1:5 with points pt 7 ps 0.5 title "scree", 1.2147 * x with lines dt 2 title "with the drum"
}
