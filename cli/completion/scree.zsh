#compdef scree
# Completion of scree in zsh; made by: scree help --completion zsh
_scree() {
    local -a commands
    commands=(
        'run:simulate a scene'
        'check:validate a scene and print what would be simulated'
        'play:one HTML file in which a scene runs, to slide values and drag bodies'
        'picture:draw a frame of a run as PNG, or its frames as GIF or MP4'
        'report:one HTML file to look at a run\: replay, plots, tables; compares two runs'
        'heap:measure the heap of a run\: angle of repose, height, profile'
        'sweep:run a scene many times with other values, and tabulate the results'
        'contact:solve one contact\: reaction, velocity, mode, every solution'
        'solve:solve a problem of many contacts, with a certificate'
        'solvers:list the solvers and their options'
        'generate:contact problems of sphere piles, of any size, to measure solvers on'
        'export:write a scene of soft spheres as input of LAMMPS'
        'import:make the folder of a run of what LAMMPS has written'
        'convert:problem files from one format into another; frames of a run to VTK, dump, CSV'
        'devices:list the machines that step soft contacts\: processor, GPUs'
        'verify:compare with theory\: expected, computed, error'
        'bench:measure speed, with the accuracy reached'
        'help:explain a command\: scree help contact; completion for shells'
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command=${words[2]}
    (( CURRENT > 3 )) && [[ $command == bench ]] && command="bench ${words[3]}"
    shift words
    (( CURRENT -= 1 ))
    case $command in
    'run')
        _arguments \
            '-o[where results go]:DIR:_files' \
            '*--set[changes a value of the scene, as in --set materials.stone.friction=0.3]:PATH=VALUE:' \
            '--until[simulated time to stop at, instead of the scene'\''s]:T:' \
            '--every[simulated time between frames, instead of the scene'\''s]:T:' \
            '--threads[threads]:N:' \
            '--ranks[steps spheres and their walls with so many ranks of MPI, by scree-lmp (docs/cluster.md)]:N:' \
            '--device[which machine steps soft contacts of spheres, or solves rigid ones, instead of the scene'\''s (docs/gpu.md)]:cpu|gpu:' \
            '--problems[stores the contact problem of every N-th step with its solution, DIR/problems/step_000100.hdf5]:every=N:' \
            '--resume[resumes from DIR/checkpoint.h5, with the same bits as a run that was never interrupted]' \
            '--force[replaces the run that DIR holds]' \
            '--quiet[no progress, no table]' \
            '-q[the same]' \
            '--verbose[a line for every frame, on standard error]' \
            '-v[the same]' \
            '--watch[prints the address of a page on 127.0.0.1 that shows the run while it goes]' \
            '--watch-at[the same, on another IPv4 address or a port of your choice]:ADDRESS\[\:PORT\]:' \
            '--json[prints summary.json on standard output, and nothing else there]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'check')
        _arguments \
            '*--set[changes a value of the scene]:PATH=VALUE:' \
            '--json[prints the figures as JSON, and nothing else]' \
            '--schema[prints the JSON Schema of scene files, for editors]' \
            '--reference[prints the reference of scene files, in Markdown]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'play')
        _arguments \
            '-o[the page]:FILE:_files' \
            '*--set[changes a value of the scene, as in --set materials.stone.friction=0.3]:PATH=VALUE:' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'picture')
        _arguments \
            '-o[the file to write]:FILE:_files' \
            '--frame[the frame numbered N from 0, or last]:N:' \
            '--time[the frame nearest to this time]:T:' \
            '--size[pixels]:WxH:' \
            '--view[from where]:A,E:' \
            '--from[where the eye is, instead of --view]:X,Y,Z:' \
            '--at[what it looks at]:X,Y,Z:' \
            '--zoom[F times as large]:F:' \
            '--color[what colours show]:WHAT:(body speed size contacts material)' \
            '--forces[contact forces as lines over paled bodies]' \
            '--cut[leaves out bodies and parts of walls between the eye and a plane across x, y or z]:AXIS\[=PLACE\]:' \
            '--glass[what is seen through]:WHAT:(walls bodies both)' \
            '--stripes[a stripe on each sphere, so that one sees it roll]' \
            '--no-joints[without the red marks of joints]' \
            '--plain[no scale bar, legend and time]' \
            '--speed[animations]:F:' \
            '--fps[animations]:N:' \
            '--threads[threads]:N:' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'report')
        _arguments \
            '-o[default]:FILE:_files' \
            '--size[the file becomes no larger (default 40)]:MB:' \
            '--verify[a table of checks to show]:FILE:_files' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'heap')
        _arguments \
            '--frame[this frame, numbered from 0, instead of the last]:N:' \
            '--floor[height of the floor]:Z:' \
            '-o[the profiles as STEM.svg and STEM.png]:STEM:_files' \
            '--json[one JSON object on standard output, and nothing else there]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'sweep')
        _arguments \
            '*--vary[an input of the sweep]:PATH=VALUES:' \
            '--zip[pairs the first values, the second values, ..., instead of all combinations]' \
            '--seeds[as --vary seed=1,2,...,N]:N:' \
            '*--set[changes a value of the scene for all cases]:PATH=VALUE:' \
            '*--result[a column of the index]:NAME:' \
            '-j[processes]:N:' \
            '-o[where results go]:DIR:_files' \
            '--keep[what each case leaves]:value:(row full)' \
            '*--plot[a plot of a result]:NAME:' \
            '--plan[runs nothing]' \
            '--case[runs cases K to L of the sweep in DIR]:K\[\:L\]:' \
            '--threads[with --case, --slurm]:N:' \
            '--slurm[runs nothing]' \
            '--submit[with --slurm]' \
            '--chunk[with --slurm]:N:' \
            '--limit[with --slurm]:N:' \
            '*--sbatch[with --slurm]:OPTION:' \
            '--retry[cases that failed, or did not converge, count as missing]' \
            '--collect[makes the index from the cases that are finished]:DIR:_files' \
            '--resume[DIR must hold this sweep]' \
            '--force[replaces the sweep that DIR holds]' \
            '--quiet[no progress, no table]' \
            '-q[the same]' \
            '--json[one JSON object on standard output, and nothing else there]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'contact')
        _arguments \
            '--all[list every solution, not only the one of smallest normal force]' \
            '--json[one JSON object on standard output, and nothing else there]' \
            '--method[how to solve]:NAME:(exact quartic_t quartic_alpha fixed_point extragradient newton_natural newton_alart_curnier)' \
            '--tol[residual to reach]:X:' \
            '--max-iter[iterations at most, for iterative methods]:N:' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'solve')
        _arguments \
            '--solver[auto (default), or a name that '\''scree solvers'\'' lists]:S:(auto stepping momentum newton ipm ipm_shift path admm nsgs psor apgd bb anderson fixed_point extragradient)' \
            '--tol[residual to reach (default 1e-8)]:X:' \
            '--max-iter[iterations at most]:N:' \
            '--time-limit[time at most]:T:' \
            '--law[the friction law]:value:(coulomb convex)' \
            '--threads[threads (default 1)]:N:' \
            '--device[the machine that sweeps contacts of spheres, with --solver momentum]:cpu|gpu:' \
            '--local[FILE holds W and q]' \
            '--global[FILE holds M, H, f and w]' \
            '--warm[start from these reactions, as --out P.txt wrote them]:P.txt:_files' \
            '--certify[do not solve]' \
            '--unique[also whether the friction cone is pointed, and whether velocities and reactions are the only ones]' \
            '--smallest[of all reactions with the velocities found, the smallest]' \
            '--out[the results]:X:_files' \
            '--trace[iteration, seconds, residual and solver, a line per evaluation of the residual]:X.csv:_files' \
            '*--set[an option of the solvers, as '\''scree solvers'\'' lists them]:NAME=V:' \
            '--json[one JSON object on standard output, and nothing else there]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'solvers')
        _arguments \
            '--json[one JSON object on standard output, and nothing else there]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'generate')
        _arguments \
            '--grains[number of spheres]:N:' \
            '--dim[components of a contact]:N:' \
            '--mu[sliding coefficient]:X:' \
            '--rho[rolling and spinning coefficient, in mean diameters]:X:' \
            '--spread[radii uniform in (1 - X, 1 + X)/2, X from 0 to 0.9]:X:' \
            '--mass-ratio[every 20th sphere is X times heavier]:X:' \
            '--moving[random velocities, normally distributed]:X:' \
            '--width[width of the box in diameters]:X:' \
            '--seed[of the random numbers]:N:' \
            '--help[this text]' \
            '*:name:(pile)'
        ;;
    'export')
        _arguments \
            '-o[where the files go]:DIR:_files' \
            '*--set[changes a value of the scene]:PATH=VALUE:' \
            '--help[this text]' \
            '*:name:(lammps)'
        ;;
    'import')
        _arguments \
            '-o[the folder of the run]:DIR:_files' \
            '--scene[the scene whose bodies the atoms are, in their order]:SCENE:_files' \
            '--step[length of a time step, where neither the dump (ITEM]:H:' \
            '--density[of spheres of which no file tells the mass]:RHO:' \
            '--force[replaces the run that DIR holds]' \
            '--quiet[prints errors only]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'convert')
        _arguments \
            '--to[the format of frames]:FORMAT:(csv vtp dump contacts bodies)' \
            '--frames[these frames only, numbered from 0]:FIRST\:LAST:' \
            '--local[IN is a local problem (W, q)]' \
            '--global[IN is a global problem (M, H, f, w)]' \
            '--assemble[write the local problem of a global one]' \
            '--json[one JSON object on standard output, and nothing else there]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'devices')
        _arguments \
            '--json[one JSON object on standard output, and nothing else there]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'verify')
        _arguments \
            '--list[names and explanations, nothing is computed]' \
            '--table[scree with default settings, and with exact ones, beside other engines (docs/evidence.md)]' \
            '--papers[the examples of the papers, in their quick form]' \
            '--peers[cases of other groups with their published figures]' \
            '--long[with --papers]' \
            '-o[with --papers]:DIR:_files' \
            '--threads[with --papers and --peers]:N:' \
            '--device[with --papers and --peers]:cpu|gpu:' \
            '--brief[one line a row]' \
            '--json[one JSON object on standard output, and nothing else there]' \
            '--help[this text]' \
            '*:name:(bonnefon-daviet/exact bonnefon-daviet/quartic_t bonnefon-daviet/quartic_alpha bonnefon-daviet/residual-exact bonnefon-daviet/residual-t bonnefon-daviet/residual-alpha bonnefon-daviet/P(alpha) bonnefon-daviet/rounding-in-alpha bonnefon-daviet/P(t) projection/moreau several-solutions/exact several-solutions/quartic_t several-solutions/quartic_alpha several-solutions/loads convex/load convex/opening convex/power coulomb/power modes/take_off modes/stick modes/slide modes/roll modes/slide+roll modes/spin_plus modes/slide+spin_plus modes/roll+spin_plus modes/slide+roll+spin_plus modes/spin_minus modes/slide+spin_minus modes/roll+spin_minus modes/slide+roll+spin_minus block/angle sphere-rolls/deceleration sphere-rolls/distance sphere-rolls/slips sphere-grips/time sphere-grips/force-before sphere-grips/force-after sphere-grips/distance sphere-slides/deceleration sphere-slides/rotation-ends sphere-slides/moment-before sphere-slides/moment-after sphere-slides/distance disk/time disk/distance spin-down/rate spin-down/time incline/rest-angle incline/rolling-angle incline/10-deg incline/20-deg incline/28-deg stick/drift rolling/distance rolling/at-45-degrees rolling/mass-1000 rolling/step-1/60 rolling/anitescu-tasora rolling/not-centred rolling/rest incline/3-degrees incline/5-degrees incline/5.5-degrees incline/10-degrees incline/20-degrees incline/28-degrees spin/with-rolling spin/without-rolling spin/end-with-rolling spin/end-without-rolling slide-to-roll/speed slide-to-roll/time three-balls/0.015 three-balls/0.022 three-balls/0.025 three-balls/0.03 three-balls/0.1 three-balls/rest box/below box/above ten-boxes/rest ten-boxes/weight pile/drift pile/penetration restitution/0 restitution/0.25 restitution/0.5 restitution/0.75 restitution/1 compliance/depth mass-ratio/rest mass-ratio/weight top/precession tumbling/energy tumbling/momentum tippe/jellett tippe/turned pendulum/period pendulum/energy pendulum/force double-pendulum/first double-pendulum/second double-pendulum/energy four-bar/rocker four-bar/energy motor/starts motor/reaches motor/stalls motor-ramp/moment motor-ramp/angle motor-ramp/work motor-ramp/bound servo/sine hinge-friction/angle hinge-friction/rest ball-joint/swing ball-joint/swing-rests ball-joint/friction ball-joint/friction-rests ball-joint/twist ball-joint/twist-stops ball-joint/slows ball-joint/stops spring/free spring/damped door/share door/rest chain/weight chain/whole brick/holds brick/slides brick/stops brick/stays ball-restick/stops ball-restick/stays mesh-ball/rest mesh-ball/plane mesh-ball/heights mesh-ball/bumps mesh-ball/bumps-heights mesh-ball/fast mesh-ball/fast-slope incline/box-stands incline/cylinder-stands incline/hull-stands incline/box-slides incline/cylinder-slides incline/hull-slides incline/box-before-tipping incline/box-tips incline/cylinder-before incline/cylinder-tips incline/cylinder-rolls incline/cylinder-rolls-mesh tower/boxes tower/hulls soft-ledger/impact soft-ledger/impact-spheres soft-ledger/impact-error soft-ledger/impact-error-spheres soft-ledger/slide soft-ledger/slide-spheres soft-ledger/roll soft-ledger/roll-spheres soft-ledger/spin soft-ledger/spin-spheres soft-ledger/held soft-ledger/held-spheres soft-ledger/order soft-ledger/order-spheres soft-ledger/order-sds soft-ledger/order-sds-spheres)'
        ;;
    'bench')
        _arguments \
            '--help[this text]' \
            '*:name:(laws pile solve)'
        ;;
    'bench laws')
        _arguments \
            '--repeat[passes over each batch, of which the fastest counts]:N:' \
            '--json[one JSON object on standard output, and nothing else there]' \
            '--csv[one line of comma-separated values per measurement, with machine, compiler, commit and date]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'bench pile')
        _arguments \
            '--settle[steps before timing]:N:' \
            '--steps[steps timed]:N:' \
            '--tol[tolerance of the solver]:X:' \
            '--max-iter[most sweeps in a step]:N:' \
            '--threads[threads]:N:' \
            '--device[the machine that solves, a GPU by momentum (docs/gpu.md)]:cpu|gpu:' \
            '--csv[one line of comma-separated values per size]' \
            '--json[one JSON object on standard output, and nothing else there]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'bench solve')
        _arguments \
            '--solvers[default]:A,B,..:' \
            '--tols[tolerances]:X,Y,..:' \
            '--time-limit[time that a solver may take on a problem]:T:' \
            '--repeat[runs of each, the shortest time counts]:N:' \
            '--law[the friction law]:value:(coulomb convex)' \
            '--threads[threads]:N:' \
            '*--set[an option of the solvers, as '\''scree solvers'\'' lists them]:NAME=V:' \
            '--curves[for each problem also a plot of the residual over time, and its figures]' \
            '-o[write DIR/solve.csv, DIR/table.md, DIR/profile-TOL.svg, DIR/curve-PROBLEM.svg and .csv]:DIR:_files' \
            '--json[one JSON object on standard output instead of the tables]' \
            '--help[this text]' \
            '*:file:_files'
        ;;
    'help')
        _arguments \
            '--completion[prints the script that completes commands and options in a shell]:value:(bash zsh fish)' \
            '--manual[prints what docs/man/scree.1 has from the tables of options]' \
            '--help[this text]' \
            '*:name:(run check play picture report heap sweep contact solve solvers generate export import convert devices verify bench help)'
        ;;
    esac
}
_scree "$@"
