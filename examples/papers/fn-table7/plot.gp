# Fang & Negrut, table 7: run in the folder that holds fn-table7.csv.
set datafile separator ","
set terminal pngcairo noenhanced size 1100,440 font "sans,11"
set output "fn-table7.png"
set style data histogram
set style fill solid 0.6
set grid ytics
set title "Largest spinning torque [N m]"
set yrange [0:*]
plot "fn-table7.csv" using 6:xtic(1) every ::1 title "scree", "" using 7 every ::1 title "printed"
