# Stopping points of the stones as a map, on lines of equal height of the ground: run by rockfall.sh in the folder that holds points.csv.
# `ground` is the grid of rockfall.yaml (ESRI ASCII: six lines of head, then rows from north to south, 4 m apart): gnuplot -e "ground='...'".
set terminal pngcairo size 1200,640 font "sans,11"
set contour base
set cntrparam levels incremental 5,5,80
unset surface
set table $lines
splot ground skip 6 matrix using (4*$1):(4*(20 - $2)):3
unset table
set output "rockfall.png"
stats "< tr , ' ' <points.csv 2>/dev/null" using 2 nooutput
set size ratio -1
set xrange [0:160]
set yrange [0:80]
set xlabel "east [m]; the stones start between 8 m and 16 m; lines of the ground: every 5 m of height"
set ylabel "north [m]"
set key outside right
plot $lines using 1:2 with lines lc rgb "#c0b090" notitle, \
     for [i=0:STATS_blocks-1] "< tr , ' ' <points.csv 2>/dev/null" index i using 2:3 with points pt 5+2*i ps 1.2 lc i+1 \
     title sprintf("rolling %s m", system(sprintf("awk -F, 'NF>1 && $1+0>0 && !s[$1]++ {if (n++==%d) print $1}' points.csv", i)))
