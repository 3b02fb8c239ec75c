#!/bin/sh
# Brings everything that a machine without a network needs to install Parley into a folder: Parley's own wheel, and the
# locked packages with their hashes, for this Python and this system.
# usage: sh scripts/offline.sh FOLDER [OPTIONS FOR "pip download"]    (PYTHON overrides the interpreter)
set -eu
folder=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
pip="${PYTHON:-python3} -m pip --disable-pip-version-check"

mkdir -p "$folder"
echo "Building Parley's wheel ..."
rm -f "$folder"/parley_bridge-*.whl
# In a copy: the build leaves files behind, by which a checkout would be taken for an installed Parley.
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
for name in parley channels memory pyproject.toml README.md LICENSE; do
    cp -R -P "$root/$name" "$source/"
done
$pip wheel --quiet --no-deps --wheel-dir "$folder" "$source"
echo "Downloading the locked packages ..."
$pip download --quiet --only-binary :all: --require-hashes --dest "$folder" -r "$root/requirements/image.txt" "$@"
set -- "$folder"/*.whl
echo "$# wheels are in $folder. On the other machine: pip install --no-index --find-links $folder parley-bridge"
