# Stopping points of the stones as a map: run by rockfall.sh in the folder that holds points.csv.
set datafile separator ","
set terminal pngcairo size 1200,640 font "sans,11"
set output "rockfall.png"
stats "points.csv" using 1 nooutput
set grid
set size ratio -1
set xrange [0:160]
set yrange [0:80]
set xlabel "east [m]; the stones start between 8 m and 16 m"
set ylabel "north [m]"
set key outside right
plot for [i=0:STATS_blocks-1] "points.csv" index i using 2:3 with points pt 5+2*i ps 1.2 lc i+1 \
     title sprintf("rolling %s m", system(sprintf("awk -F, 'NF>1 && $1+0>0 && !s[$1]++ {if (n++==%d) print $1}' points.csv", i)))
