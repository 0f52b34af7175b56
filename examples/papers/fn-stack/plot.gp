# Fang & Negrut, figure 13: run in the folder that holds fn-stack.csv.
set datafile separator ","
set terminal pngcairo noenhanced size 700,480 font "sans,11"
set output "fn-stack.png"
set grid
set title "Critical mass of the top sphere [kg]"
set xlabel "eta_r"
set key bottom right
stats "fn-stack.csv" using 3 nooutput
plot for [k=0:STATS_blocks-1] "fn-stack.csv" index k using 2:3 with linespoints lw 2 title sprintf("gap %s R", word("0.3 0.2 0.4", k+1))
