#!/bin/sh
# Makes a virtual environment with a Python of 3.11 or later.
# usage: sh scripts/venv.sh FOLDER
set -eu
venv=$1

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

usable() {
    "$venv/bin/python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:-} python3 python3.11 python3.12 python3.13; do
        if new_enough "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    fail "Parley needs Python 3.11 or later. On Debian: apt-get install python3"
}

# Debian keeps pip's wheels for new environments in a package of its own, named for the version.
install_venv_package() {
    package=$("$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    command -v apt-get >/dev/null 2>&1 ||
        fail "$1 cannot make virtual environments: install its 'venv' and 'ensurepip' modules, then try again."
    [ "$(id -u)" = 0 ] || fail "Python's venv module is not complete. Run this once, then try again:
    sudo apt-get install $package"
    say "Installing $package (once) ..."
    if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package"; } \
        >"$venv.log" 2>&1; then
        cat "$venv.log" >&2
        fail "$package could not be installed; the reason stands above."
    fi
    rm -f "$venv.log"
}

# Lets .venv/bin/parley, and any python of the environment, find this checkout.
link_checkout() {
    site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    root=$(cd "$(dirname "$0")/.." && pwd)
    printf '%s\n' "$root" >"$site/parley.pth"
    printf '#!/bin/sh\nexec "%s/bin/python" -m parley "$@"\n' "$(cd "$venv" && pwd)" >"$venv/bin/parley"
    chmod +x "$venv/bin/parley"
}

if ! usable; then
    python=$(find_python)
    "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 || install_venv_package "$python"
    say "Making a virtual environment in $venv ..."
    rm -rf "$venv"
    "$python" -m venv "$venv" || fail "$python could not make $venv; the reason stands above."
    # Python 3.11 brings it along, and nothing here needs it: 10 MB.
    "$venv/bin/python" -m pip --disable-pip-version-check uninstall --quiet --yes setuptools 2>/dev/null || true
fi
link_checkout
