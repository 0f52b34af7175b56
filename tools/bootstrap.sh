# Sourced by ./run and ./test. `bootstrap SECTION...` installs the packages of those sections of tools/packages.txt that
# are missing, and says which; when none is, it asks dpkg and nothing else. `lacking SECTION...` prints those that are missing.

lacking() {
    local package
    for package in $(awk -v sections=" $* " '
        /^[ \t]*(#|$)/ { next }
        /^\[/ { gsub(/[][]/, ""); on = index(sections, " " $0 " "); next }
        on' tools/packages.txt); do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
    done
}

bootstrap() {
    local missing as_root=()
    mapfile -t missing < <(lacking "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! command -v dpkg-query >/dev/null; then
        echo "This is not a Debian system, nothing is installed. Needed (names of Debian 12):" "${missing[@]}"
        return 0
    fi

    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { echo "Missing packages, and neither root nor sudo to install them: ${missing[*]}" >&2; return 1; }
        as_root=(sudo)
    fi
    echo "Installing Debian packages: ${missing[*]}"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600) log
    log=$(mktemp)
    if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "The packages could not be installed." >&2
        return 1
    fi
    rm -f "$log"
}

# Warnings are errors where the compiler is that of Debian 12, which has none to give; a newer one's are no reason not to build. ./test asks
# for the same always: with the same flags it does not compile again what ./run has compiled.
strict_settings() {
    case $(${CC:-cc} -dumpfullversion 2>/dev/null) in 12.*) echo -DSCREE_WERROR=ON ;; esac
}

# timed NAME COMMAND...: runs it, prints its seconds, and shows what it said only if it failed.
timed() {
    local name=$1 start=$SECONDS log status=0
    shift
    printf '%-22s' "$name"
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    printf '%4d s\n' $((SECONDS - start))
    if [ $status -ne 0 ]; then
        cat "$log"
        echo "$name failed" >&2
    fi
    rm -f "$log"
    return $status
}
