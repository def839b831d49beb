# Sourced by bin/ade and bin/test: find a Python, and have its environment ready.
# Needs $root. Talks on standard error only, so that `bin/ade … --json` stays clean.

# Container images like to set this. Without compiled files every command would take a second or two longer to start.
unset PYTHONDONTWRITEBYTECODE

find_python() {
    for candidate in "${ADE_PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    found=$(python3 --version 2>/dev/null || echo "no python3")
    echo "ade: needs Python 3.11 or newer and found $found." >&2
    echo "     Install one, or name it: ADE_PYTHON=/path/to/python3.12 $0" >&2
    exit 1
}

# What an environment was made from: when any of it changes (or the clone moves), it is made again.
stamp() {
    printf '%s\n' "$root"
    cat "$root/requirements/$1.txt" "$root/tools/environment.py" "$root"/packages/*/pyproject.toml
}

prepare() {
    environment="${ADE_ENVIRONMENTS:-$root/.venvs}/$1"
    if [ -x "$environment/bin/python" ] && stamp "$1" | cmp -s - "$environment/stamp" 2>/dev/null; then
        return
    fi
    python=$(find_python)
    stamp "$1" | "$python" "$root/tools/environment.py" "$1" "$environment"
}
