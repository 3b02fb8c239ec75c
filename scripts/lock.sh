#!/bin/sh
# Brings the locked requirements up to pyproject.toml: what is locked already stays as it is, unless --upgrade is given.
# usage: sh scripts/lock.sh [OPTIONS FOR "uv pip compile"]    (needs uv; UV overrides the program)
set -eu
cd "$(dirname "$0")/.."
uv=${UV:-uv}
run="--extra slack --extra telegram --extra feishu --extra dingtalk --extra documents --extra rules"

lock() { # lock FILE OPTION...
    file=requirements/$1
    shift
    # shellcheck disable=SC2086 # options are words
    "$uv" pip compile --quiet --no-header --no-emit-index-url --generate-hashes --python-version 3.11 \
        "$@" -o "$file" pyproject.toml
}

# shellcheck disable=SC2086
lock test.txt $run --extra voice --extra tracing --extra mcp --extra workspace --group dev "$@"
for file in run image; do
    # Of a package there is one version everywhere: uv prefers those that it finds in its output.
    cp requirements/test.txt requirements/$file.txt
done
# shellcheck disable=SC2086
lock run.txt $run
# shellcheck disable=SC2086
lock image.txt $run --extra voice --extra postgres --extra tracing --extra mcp --extra workspace
# What builds the wheel in the image.
printf 'setuptools>=77\npip>=25\n' | "$uv" pip compile --quiet --no-header --no-annotate --no-emit-index-url \
    --generate-hashes --allow-unsafe --python-version 3.11 -o requirements/build.txt -
# What reads deploy/ in tests.
"$uv" pip compile --quiet --no-header --no-emit-index-url --generate-hashes --python-version 3.11 \
    --group deploy -o requirements/deploy.txt
# What builds the documents' site.
"$uv" pip compile --quiet --no-header --no-emit-index-url --generate-hashes --python-version 3.11 \
    --universal --group docs -o requirements/docs.txt
