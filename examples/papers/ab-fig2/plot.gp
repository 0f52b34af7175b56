# Acary & Bourrier, figure 2: run in the folder that holds ab-fig2.csv.
set datafile separator ","
set terminal pngcairo noenhanced size 1400,620 font "sans,11"
set output "ab-fig2.png"
set multiplot layout 1,2
set xlabel "mu"
set ylabel "rho [m]"
set zlabel "X_max [m]" rotate offset -3
set logscale z
set view 62,130
set title "stopping distance: formula (grid), scree (points)"
splot "ab-fig2.csv" using 1:2:4 with lines lc rgb "#999999" notitle, \
      "" using 1:2:3 with points pt 7 ps 0.6 lc rgb "#d55e00" notitle
unset logscale z
set title "relative difference"
set format z "%.1e"
set zlabel ""
splot "ab-fig2.csv" using 1:2:($3/$4-1) with linespoints pt 7 ps 0.5 lc rgb "#0072b2" notitle
unset multiplot
