# Tasora & Anitescu, figure 8: run in the folder that holds ta62.csv and pulled.csv.
set datafile separator ","
set terminal pngcairo size 1600,520 font "sans,11"
set output "ta62.png"
set multiplot layout 1,3 title "A linear guideway, pressed down with 490 N"
set grid
set key top left Left reverse
set yrange [0:32]
set xlabel "rho [micrometres]"
set ylabel "force [N]"
set title "what it takes to pull it"
plot "ta62.csv" index 0 using ($4*1e6):6 with lines lw 2 lc rgb "#0072b2" title "statics, two rows at 45 degrees: sqrt(2) zeta P", \
     "" index 0 using ($4*1e6):8 with lines lw 2 dt 2 lc rgb "#0072b2" title "maker, normals along the load: zeta P", \
     "" index 0 using ($4*1e6):5 with points pt 7 ps 1.3 lc rgb "#0072b2" title "scree, without seals", \
     "" index 1 using ($4*1e6):6 with lines lw 2 lc rgb "#d55e00" title "statics + S", \
     "" index 1 using ($4*1e6):8 with lines lw 2 dt 2 lc rgb "#d55e00" title "maker + S", \
     "" index 1 using ($4*1e6):5 with points pt 7 ps 1.3 lc rgb "#d55e00" title "scree, with seals", \
     "one-row.csv" using ($1*1e6):2 with points pt 4 ps 1.8 lw 2 lc rgb "black" title "scree, pressed along one row"
set yrange [*:*]
set ylabel "millinewton"
set title "scree - statics, without seals"
plot "ta62.csv" index 0 using ($4*1e6):(1e3*($5-$6)) with points pt 7 lc rgb "#0072b2" title "scree", \
     "" index 0 using ($4*1e6):(1e3*($7-$6)) with lines lw 2 lc rgb "black" title "what compliance adds, closed form"
set xlabel "pull [N]"
set ylabel "speed after 40 ms [mm/s]"
set title "sticking, zeta 0.005"
plot "pulled.csv" index 0 using 3:(1e3*$6) with linespoints pt 7 lw 2 lc rgb "#0072b2" title "without seals", \
     "" index 1 using 3:(1e3*$6) with linespoints pt 7 lw 2 lc rgb "#d55e00" title "with seals"
unset multiplot
