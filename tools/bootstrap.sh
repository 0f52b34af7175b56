# Sourced by ./run and ./test. `bootstrap SECTION...` installs the packages of those sections of tools/packages.txt that
# are missing, and says which; when none is, it asks dpkg and nothing else.

bootstrap() {
    local wanted missing=() package as_root=()
    wanted=$(awk -v sections=" $* " '
        /^[ \t]*(#|$)/ { next }
        /^\[/ { gsub(/[][]/, ""); on = index(sections, " " $0 " "); next }
        on' tools/packages.txt)
    if ! command -v dpkg-query >/dev/null; then
        echo "This is not a Debian system, nothing is installed. Needed (names of Debian 12):" $wanted
        return 0
    fi
    for package in $wanted; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0

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
