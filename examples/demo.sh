#!/usr/bin/env bash
# Plays a session over a copy of the example workspace, which gets the marker that git refuses to keep.
# usage: demo.sh [path of the guidefs program]
set -euo pipefail
guidefs=${1:-guidefs}
here=$(cd "$(dirname "$0")" && pwd)
workspace=$(mktemp -d)
trap 'rm -rf "$workspace"' EXIT
cp -R "$here/monorepo/." "$workspace"
mkdir "$workspace/.git"

"$guidefs" simulate "$workspace" --home "$workspace/no-home" \
  packages/api/src/orders.py \
  packages/api/src/orders.py \
  packages/api/src/billing/invoices.py \
  --edit 'packages/api/AGENTS.md=- Money is an integer number of cents.' \
  packages/web/src/app.js \
  --rm packages/api/AGENTS.md \
  packages/web/src/app.js
