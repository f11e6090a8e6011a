# The picture in the README: where the GPU time of the bundled week goes, under two policies.
#   for p in fifo easy; do muster run --trace traces/first/first.csv --fleet 16x8 --policy $p --out out/$p; done
#   gnuplot docs/pictures/week.gp        (writes docs/img/week.png)
set terminal pngcairo size 1000,680 font "sans-serif,11" background "white"
set output "docs/img/week.png"
set datafile separator ","
set multiplot layout 2,1 margins 0.09,0.79,0.09,0.93 spacing 0.11
set style fill solid 1.0 noborder
set yrange [0:128]; set xrange [0:9]; set ytics 32; set grid ytics lc rgb "#dddddd"
set ylabel "GPUs"; set key at graph 1.27,0.95 reverse Left samplen 1.5 width -4
held="#3b6ea5"; frag="#d1495b"; res="#edae49"; pol="#8d5a97"; few="#b0b0b0"; none="#ececec"
do for [p in "fifo easy"] {
  file = "out/".p."/series.csv"
  set title (p eq "fifo" ? "strict FIFO" : "EASY backfill, same trace") left
  if (p eq "easy") { set xlabel "days" } else { unset xlabel }
  plot file every ::1 using ($1/86400):($3+$4+$5+$8+$9+$10) with filledcurves x1 lc rgb none title "idle, no demand", \
       "" every ::1 using ($1/86400):($3+$4+$5+$8+$9) with filledcurves x1 lc rgb few title "idle, too few", \
       "" every ::1 using ($1/86400):($3+$4+$5+$8) with filledcurves x1 lc rgb pol title "idle, order", \
       "" every ::1 using ($1/86400):($3+$4+$5) with filledcurves x1 lc rgb res title "idle, reserved", \
       "" every ::1 using ($1/86400):($3+$4) with filledcurves x1 lc rgb frag title "idle, fragmented", \
       "" every ::1 using ($1/86400):3 with filledcurves x1 lc rgb held title "held by jobs"
}
unset multiplot
