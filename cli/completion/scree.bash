# Completion of scree in bash; made by: scree help --completion bash
_scree() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local options='' names='' values='' takes='' words=''
    if [ "$command" = bench ] && [ "$COMP_CWORD" -gt 2 ]; then command="bench ${COMP_WORDS[2]}"; fi
    case $command in
    'run')
        options='-o --set --until --every --threads --ranks --device --problems --resume --force --quiet -q --verbose -v --watch --watch-at --json --help'
        names=''
        case $before in
        -o) values='' takes=path ;;
        --set) values='' takes=text ;;
        --until) values='' takes=text ;;
        --every) values='' takes=text ;;
        --threads) values='' takes=text ;;
        --ranks) values='' takes=text ;;
        --device) values='' takes=text ;;
        --problems) values='' takes=text ;;
        --watch-at) values='' takes=text ;;
        esac
        ;;
    'check')
        options='--set --json --schema --reference --help'
        names=''
        case $before in
        --set) values='' takes=text ;;
        esac
        ;;
    'play')
        options='-o --set --help'
        names=''
        case $before in
        -o) values='' takes=path ;;
        --set) values='' takes=text ;;
        esac
        ;;
    'picture')
        options='-o --frame --time --size --view --from --at --zoom --color --forces --cut --glass --stripes --no-joints --plain --speed --fps --threads --help'
        names=''
        case $before in
        -o) values='' takes=path ;;
        --frame) values='' takes=text ;;
        --time) values='' takes=text ;;
        --size) values='' takes=text ;;
        --view) values='' takes=text ;;
        --from) values='' takes=text ;;
        --at) values='' takes=text ;;
        --zoom) values='' takes=text ;;
        --color) values='body speed size contacts material' takes=word ;;
        --cut) values='' takes=text ;;
        --glass) values='walls bodies both' takes=word ;;
        --speed) values='' takes=text ;;
        --fps) values='' takes=text ;;
        --threads) values='' takes=text ;;
        esac
        ;;
    'report')
        options='-o --size --verify --help'
        names=''
        case $before in
        -o) values='' takes=path ;;
        --size) values='' takes=text ;;
        --verify) values='' takes=path ;;
        esac
        ;;
    'heap')
        options='--frame --floor -o --json --help'
        names=''
        case $before in
        --frame) values='' takes=text ;;
        --floor) values='' takes=text ;;
        -o) values='' takes=path ;;
        esac
        ;;
    'sweep')
        options='--vary --zip --seeds --set --result -j -o --keep --plot --plan --case --threads --slurm --submit --chunk --limit --sbatch --retry --collect --resume --force --quiet -q --json --help'
        names=''
        case $before in
        --vary) values='' takes=text ;;
        --seeds) values='' takes=text ;;
        --set) values='' takes=text ;;
        --result) values='' takes=text ;;
        -j) values='' takes=text ;;
        -o) values='' takes=path ;;
        --keep) values='row full' takes=word ;;
        --plot) values='' takes=text ;;
        --case) values='' takes=text ;;
        --threads) values='' takes=text ;;
        --chunk) values='' takes=text ;;
        --limit) values='' takes=text ;;
        --sbatch) values='' takes=text ;;
        --collect) values='' takes=path ;;
        esac
        ;;
    'contact')
        options='--all --json --method --tol --max-iter --help'
        names=''
        case $before in
        --method) values='exact quartic_t quartic_alpha fixed_point extragradient newton_natural newton_alart_curnier' takes=word ;;
        --tol) values='' takes=text ;;
        --max-iter) values='' takes=text ;;
        esac
        ;;
    'solve')
        options='--solver --tol --max-iter --time-limit --law --threads --device --local --global --warm --certify --unique --smallest --out --trace --set --json --help'
        names=''
        case $before in
        --solver) values='auto stepping momentum newton ipm ipm_shift path admm nsgs psor apgd bb anderson fixed_point extragradient' takes=word ;;
        --tol) values='' takes=text ;;
        --max-iter) values='' takes=text ;;
        --time-limit) values='' takes=text ;;
        --law) values='coulomb convex' takes=word ;;
        --threads) values='' takes=text ;;
        --device) values='' takes=text ;;
        --warm) values='' takes=path ;;
        --out) values='' takes=path ;;
        --trace) values='' takes=path ;;
        --set) values='' takes=text ;;
        esac
        ;;
    'solvers')
        options='--json --help'
        names=''
        case $before in
        esac
        ;;
    'generate')
        options='--grains --dim --mu --rho --spread --mass-ratio --moving --width --seed --help'
        names='pile'
        case $before in
        --grains) values='' takes=text ;;
        --dim) values='' takes=text ;;
        --mu) values='' takes=text ;;
        --rho) values='' takes=text ;;
        --spread) values='' takes=text ;;
        --mass-ratio) values='' takes=text ;;
        --moving) values='' takes=text ;;
        --width) values='' takes=text ;;
        --seed) values='' takes=text ;;
        esac
        ;;
    'export')
        options='-o --set --help'
        names='lammps'
        case $before in
        -o) values='' takes=path ;;
        --set) values='' takes=text ;;
        esac
        ;;
    'import')
        options='-o --scene --step --density --force --quiet --help'
        names=''
        case $before in
        -o) values='' takes=path ;;
        --scene) values='' takes=path ;;
        --step) values='' takes=text ;;
        --density) values='' takes=text ;;
        esac
        ;;
    'convert')
        options='--to --frames --local --global --assemble --json --help'
        names=''
        case $before in
        --to) values='csv vtp dump contacts bodies' takes=word ;;
        --frames) values='' takes=text ;;
        esac
        ;;
    'devices')
        options='--json --help'
        names=''
        case $before in
        esac
        ;;
    'verify')
        options='--list --table --papers --peers --long -o --threads --device --brief --json --help'
        names='bonnefon-daviet/exact bonnefon-daviet/quartic_t bonnefon-daviet/quartic_alpha bonnefon-daviet/residual-exact bonnefon-daviet/residual-t bonnefon-daviet/residual-alpha bonnefon-daviet/P(alpha) bonnefon-daviet/rounding-in-alpha bonnefon-daviet/P(t) projection/moreau several-solutions/exact several-solutions/quartic_t several-solutions/quartic_alpha several-solutions/loads convex/load convex/opening convex/power coulomb/power modes/take_off modes/stick modes/slide modes/roll modes/slide+roll modes/spin_plus modes/slide+spin_plus modes/roll+spin_plus modes/slide+roll+spin_plus modes/spin_minus modes/slide+spin_minus modes/roll+spin_minus modes/slide+roll+spin_minus block/angle sphere-rolls/deceleration sphere-rolls/distance sphere-rolls/slips sphere-grips/time sphere-grips/force-before sphere-grips/force-after sphere-grips/distance sphere-slides/deceleration sphere-slides/rotation-ends sphere-slides/moment-before sphere-slides/moment-after sphere-slides/distance disk/time disk/distance spin-down/rate spin-down/time incline/rest-angle incline/rolling-angle incline/10-deg incline/20-deg incline/28-deg stick/drift rolling/distance rolling/at-45-degrees rolling/mass-1000 rolling/step-1/60 rolling/anitescu-tasora rolling/not-centred rolling/rest incline/3-degrees incline/5-degrees incline/5.5-degrees incline/10-degrees incline/20-degrees incline/28-degrees spin/with-rolling spin/without-rolling spin/end-with-rolling spin/end-without-rolling slide-to-roll/speed slide-to-roll/time three-balls/0.015 three-balls/0.022 three-balls/0.025 three-balls/0.03 three-balls/0.1 three-balls/rest box/below box/above ten-boxes/rest ten-boxes/weight pile/drift pile/penetration restitution/0 restitution/0.25 restitution/0.5 restitution/0.75 restitution/1 compliance/depth mass-ratio/rest mass-ratio/weight top/precession tumbling/energy tumbling/momentum tippe/jellett tippe/turned pendulum/period pendulum/energy pendulum/force double-pendulum/first double-pendulum/second double-pendulum/energy four-bar/rocker four-bar/energy motor/starts motor/reaches motor/stalls motor-ramp/moment motor-ramp/angle motor-ramp/work motor-ramp/bound servo/sine hinge-friction/angle hinge-friction/rest ball-joint/swing ball-joint/swing-rests ball-joint/friction ball-joint/friction-rests ball-joint/twist ball-joint/twist-stops ball-joint/slows ball-joint/stops spring/free spring/damped door/share door/rest chain/weight chain/whole brick/holds brick/slides brick/stops brick/stays ball-restick/stops ball-restick/stays mesh-ball/rest mesh-ball/plane mesh-ball/heights mesh-ball/bumps mesh-ball/bumps-heights mesh-ball/fast mesh-ball/fast-slope incline/box-stands incline/cylinder-stands incline/hull-stands incline/box-slides incline/cylinder-slides incline/hull-slides incline/box-before-tipping incline/box-tips incline/cylinder-before incline/cylinder-tips incline/cylinder-rolls incline/cylinder-rolls-mesh tower/boxes tower/hulls soft-ledger/impact soft-ledger/impact-spheres soft-ledger/impact-error soft-ledger/impact-error-spheres soft-ledger/slide soft-ledger/slide-spheres soft-ledger/roll soft-ledger/roll-spheres soft-ledger/spin soft-ledger/spin-spheres soft-ledger/held soft-ledger/held-spheres soft-ledger/order soft-ledger/order-spheres soft-ledger/order-sds soft-ledger/order-sds-spheres'
        case $before in
        -o) values='' takes=path ;;
        --threads) values='' takes=text ;;
        --device) values='' takes=text ;;
        esac
        ;;
    'bench')
        options='--help'
        names='laws pile solve'
        case $before in
        esac
        ;;
    'bench laws')
        options='--repeat --json --csv --help'
        names=''
        case $before in
        --repeat) values='' takes=text ;;
        esac
        ;;
    'bench pile')
        options='--settle --steps --tol --max-iter --threads --device --csv --json --help'
        names=''
        case $before in
        --settle) values='' takes=text ;;
        --steps) values='' takes=text ;;
        --tol) values='' takes=text ;;
        --max-iter) values='' takes=text ;;
        --threads) values='' takes=text ;;
        --device) values='' takes=text ;;
        esac
        ;;
    'bench solve')
        options='--solvers --tols --time-limit --repeat --law --threads --set --curves -o --json --help'
        names=''
        case $before in
        --solvers) values='' takes=text ;;
        --tols) values='' takes=text ;;
        --time-limit) values='' takes=text ;;
        --repeat) values='' takes=text ;;
        --law) values='coulomb convex' takes=word ;;
        --threads) values='' takes=text ;;
        --set) values='' takes=text ;;
        -o) values='' takes=path ;;
        esac
        ;;
    'help')
        options='--completion --manual --help'
        names='run check play picture report heap sweep contact solve solvers generate export import convert devices verify bench help'
        case $before in
        --completion) values='bash zsh fish' takes=word ;;
        esac
        ;;
    esac
    if [ "$COMP_CWORD" -eq 1 ]; then words='run check play picture report heap sweep contact solve solvers generate export import convert devices verify bench help --help --version'
    elif [ -n "$takes" ]; then words=$values
    else words="$names $options"; fi
    # shellcheck disable=SC2207
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _scree scree
