#!/bin/sh
# svg.sh SKEIN TRACE [OPTION...]: prints the SVG that `skein render` writes.
set -eu
skein=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$skein" render "$@" -o "$folder/picture.svg"
cat "$folder/picture.svg"
