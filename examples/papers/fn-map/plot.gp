# Fang & Negrut, figure 10: run in the folder that holds fn-map.csv.
set datafile separator ","
set terminal pngcairo noenhanced size 700,560 font "sans,11"
set output "fn-map.png"
set title "0 static, 1 pure rolling, 2 pure slip, 3 rolling with slip; lines: theory"
set xlabel "angle [degrees]"
set ylabel "eta_r"
set xrange [1:30]
set yrange [0.2:0.5]
set palette maxcolors 4 defined (0 "#4575b4", 1 "#91cf60", 2 "#fee08b", 3 "#d73027")
set cbrange [-0.5:3.5]
set key outside bottom center horizontal
plot "fn-map.csv" using 1:2:3 with points pt 5 ps 0.6 palette notitle, \
     tan(x*pi/180)/(2*0.25) with lines lw 2 lc rgb "black" title "static", \
     (3.5*0.25-tan(x*pi/180))/(5*0.2) with lines lw 2 dt 2 lc rgb "black" title "pure rolling"
