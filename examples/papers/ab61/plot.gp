# Acary & Bourrier, figure 3: run in the folder that holds ab61.csv (scree verify --papers ab61 -o DIR does so by itself).
set datafile separator ","
set terminal pngcairo size 1500,840 font "sans,11"
set output "ab61.png"
set multiplot layout 2,3 title "A sphere on a plane: scree (lines) on top of the closed forms (points)"
set grid
set key center right
set xlabel "t [s]"
do for [i=0:2] {
    name = word("a b c", i + 1)
    set title "case ".name.": X [m], U [m/s], Omega [rad/s]"
    plot "ab61.csv" index i using 2:8 every 12 with points pt 6 lc rgb "#0072b2" notitle, \
         "" index i using 2:9 every 12 with points pt 4 lc rgb "#d55e00" notitle, \
         "" index i using 2:10 every 12 with points pt 8 lc rgb "#009e73" notitle, \
         "" index i using 2:3 with lines lw 2 lc rgb "#0072b2" title "X", \
         "" index i using 2:4 with lines lw 2 lc rgb "#d55e00" title "U", \
         "" index i using 2:5 with lines lw 2 lc rgb "#009e73" title "Omega"
}
do for [i=0:2] {
    name = word("a b c", i + 1)
    set title "case ".name.": loads over the normal load"
    plot "ab61.csv" index i using 2:(-$11) every 12 with points pt 6 lc rgb "#0072b2" notitle, \
         "" index i using 2:(-$12) every 12 with points pt 4 lc rgb "#d55e00" notitle, \
         "" index i using 2:(-$6) with lines lw 2 lc rgb "#0072b2" title "|r_T|/r_N", \
         "" index i using 2:(-$7) with lines lw 2 lc rgb "#d55e00" title "|m_R|/r_N [m]"
}
unset multiplot
