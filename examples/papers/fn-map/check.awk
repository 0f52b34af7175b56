# check.awk: the index of the sweep in scene.yaml against the borders of Fang & Negrut, section 4.3: awk -f check.awk out/fn-map/index.csv
#
#     static          tan(slope) <= 2 eta_r mu_static
#     pure rolling    tan(slope) <= 3.5 mu_static - 5 eta_r mu_kinetic
#     pure slip       eta_r >= 0.5
#
# Columns are found by name. A run that is not as predicted must lie within one step of the grid of a place where it would be. Exit
# status: 0 no run is wrong farther away; 1 some are; 3 not such an index.
BEGIN { FS = ","; runs = across = far = 0; mu_static = 0.25; mu = 0.2; word[1] = "static"; word[2] = "pure slip"; word[3] = "pure rolling"; word[4] = "rolling with slip" }

function predicted(slope, eta,    t) {
    t = sin(slope) / cos(slope)
    if (t <= 2 * eta * mu_static) return 1
    if (t <= 3.5 * mu_static - 5 * eta * mu) return 3
    return eta >= 0.5 ? 2 : 4
}

# Is the mode that of a place within one step of the grid?
function by_a_border(slope, eta, mode,    k, l) {
    for (k = -8; k <= 8; ++k)
        for (l = -8; l <= 8; ++l)
            if (predicted(slope + k / 8 * slope_step, eta + l / 8 * eta_step) == mode) return 1
    return 0
}

FNR == 1 {
    for (c = 1; c <= NF; ++c) column[$c] = c
    s = column["slope"]; e = column["materials.rubber.dem.eta_r"]; m = column["mode"]; o = column["outcome"]
    if (!s || !e || !m || !o) { print "expected the columns slope, materials.rubber.dem.eta_r, mode and outcome"; bad = 3; exit }
    next
}

{
    slope[runs] = $s; eta[runs] = $e; mode[runs] = $o == "done" ? $m : 0; ++runs
    if (runs == 1) { slope_low = slope_high = $s; eta_low = eta_high = $e }
    if ($s < slope_low) slope_low = $s; if ($s > slope_high) slope_high = $s
    if ($e < eta_low) eta_low = $e; if ($e > eta_high) eta_high = $e
    slopes += !($s in seen_slope); seen_slope[$s]; etas += !($e in seen_eta); seen_eta[$e]
}

END {
    if (bad || slopes < 2 || etas < 2) { if (!bad) print "expected several slopes and several eta_r"; exit 3 }
    slope_step = (slope_high - slope_low) / (slopes - 1); eta_step = (eta_high - eta_low) / (etas - 1)
    for (k = 0; k < runs; ++k) {
        ++found[mode[k]]
        if (mode[k] == predicted(slope[k], eta[k])) continue
        ++across
        if (by_a_border(slope[k], eta[k], mode[k])) continue
        ++far; printf "slope %.4g rad, eta_r %.4g: %s, expected %s\n", slope[k], eta[k], word[mode[k]], word[predicted(slope[k], eta[k])]
    }
    for (k = 1; k <= 4; ++k) printf "%-18s %5d\n", word[k], found[k]
    printf "%d runs, %d not as predicted, %d of them farther than one step of the grid from a border\n", runs, across, far
    exit far > 0
}
