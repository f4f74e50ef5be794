#!/usr/bin/env bash
# every_event.sh WRITER GOLDEN: what WRITER writes now is the folder GOLDEN, byte for byte. If the
# format was changed on purpose: tools/update-golden.
set -euo pipefail
written=$(mktemp -d)
trap 'rm -rf "$written"' EXIT
"$1" "$written/trace"
if [ -n "${SKEIN_UPDATE_GOLDEN:-}" ]; then
  rm -rf "$2"
  mkdir -p "$(dirname "$2")"
  cp -r "$written/trace" "$2"
else
  diff -r "$2" "$written/trace"
fi
