# Acary & Bourrier, figure 5: run in the folder that holds means.csv.
set datafile separator ","
set terminal pngcairo size 1400,560 font "sans,11"
set output "ab62.png"
stats "means.csv" using 1 nooutput
set multiplot layout 1,2 title "Piles of spheres: mean over the seeds, bars of one standard deviation"
set grid
set logscale x
set format x "10^{%L}"
set xlabel "rho [m]"
set key top left
set title "height / diameter"
plot for [i=0:STATS_blocks-1] "means.csv" index i using 2:3:4 with yerrorlines lw 2 pt 7 ps 0.7 \
     title sprintf("mu %s", system(sprintf("awk -F, 'NF>1 && $1+0>0 && !s[$1]++ {if (n++==%d) print $1}' means.csv", i)))
set title "mean radius of the base / diameter"
set key top right
plot for [i=0:STATS_blocks-1] "means.csv" index i using 2:5:6 with yerrorlines lw 2 pt 7 ps 0.7 \
     title sprintf("mu %s", system(sprintf("awk -F, 'NF>1 && $1+0>0 && !s[$1]++ {if (n++==%d) print $1}' means.csv", i)))
unset multiplot
