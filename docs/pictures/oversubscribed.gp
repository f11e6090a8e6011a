# What it costs to scatter jobs over an oversubscribed fabric, by placer (docs/comparing.md):
#   muster compare configs/experiments/oversubscribed.json --set /policy/backfill=easy --out out/oversubscribed \
#     $(for p in step_time network_aware whole_leaves topology_tree smallest_domain pack first spread; do echo --policy batch:placer=$p; done)
#   gnuplot docs/pictures/oversubscribed.gp        (writes docs/img/oversubscribed.png)
set terminal pngcairo size 1000,400 font "sans-serif,11" background "white"
set termoption noenhanced
set output "docs/img/oversubscribed.png"
set datafile separator ","
file = "out/oversubscribed/compare.csv"
set multiplot layout 1,3 margins 0.06,0.965,0.25,0.88 spacing 0.07
set style fill solid 0.9 noborder; set boxwidth 0.7
set grid ytics lc rgb "#dddddd"; set xtics rotate by -35 nomirror; set yrange [0:*]; unset key
name(p) = p[strstrt(p, "placer=") + 7 : ]
set title "waiting for the network, 1000 GPU-h"
plot file skip 1 using 0:(column(18) / 1000):xtic(name(strcol(1))) with boxes lc rgb "#d1495b"
set title "mean turnaround, hours"
plot file skip 1 using 0:(column(8) / 3600):xtic(name(strcol(1))) with boxes lc rgb "#3b6ea5"
set title "95 % of jobs wait less, hours"
plot file skip 1 using 0:(column(6) / 3600):xtic(name(strcol(1))) with boxes lc rgb "#edae49"
unset multiplot
