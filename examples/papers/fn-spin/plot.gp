# Fang & Negrut, figures of section 4.4: run in the folder that holds fn-spin.csv.
set datafile separator ","
set terminal pngcairo noenhanced size 1100,440 font "sans,11"
set output "fn-spin.png"
set multiplot layout 1,2 title "A sphere spins to rest"
set grid
set xlabel "t [s]"
set title "omega [rad/s]"
plot for [k=0:3] "fn-spin.csv" index k using 2:3 with lines lw 2 title sprintf("eta_psi %s", word("0.012 0.01 0.008 0.006", k+1))
set title "torque [N m]"
plot for [k=0:3] "fn-spin.csv" index k using 2:4 with lines lw 2 title sprintf("eta_psi %s", word("0.012 0.01 0.008 0.006", k+1))
unset multiplot
