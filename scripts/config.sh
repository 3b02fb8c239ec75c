#!/bin/sh
# Compares config.yaml as committed (or about to be) with parley/app/settings/default.yaml, the one that is installed.
# What stands in the folder is not read: a user's own edits are nobody's business.
# usage: sh scripts/config.sh
set -eu

ours=config.yaml
installed=parley/app/settings/default.yaml

if ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "$ours is not compared with $installed: this is no clone."
    exit 0
fi
for file in "$ours" "$installed"; do
    git rev-parse --verify --quiet ":./$file" >/dev/null ||
        { echo "$file is not in git's index; git add $file" >&2; exit 1; }
done
[ "$(git rev-parse ":./$ours")" = "$(git rev-parse ":./$installed")" ] && exit 0

echo "$ours and $installed differ as they are in git's index; make them the same, and git add both:" >&2
git --no-pager diff --no-color ":./$ours" ":./$installed" >&2
exit 1
