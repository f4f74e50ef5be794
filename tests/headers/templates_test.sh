#!/bin/sh
# templates_test.sh SOURCE RECORDER COMPILER...: templates.cc, traced, has no warning of -Wnoexcept (g++), and links
# and runs with -fno-implicit-templates. allocating.cc has no warning that needs optimisation. RECORDER: libskein.a.
set -e
source=$1 recorder=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tried=
for compiler; do
  command -v "$compiler" >/dev/null || continue
  case $compiler in *clang*) noexcept= ;; *) noexcept=-Wnoexcept ;; esac
  for optimise in -O0 -O2; do
    set -- -std=c++20 $optimise -fno-implicit-templates "$source/tests/headers/templates.cc"
    "$compiler" "$@" -o "$scratch/plain"
    "$compiler" "$@" -Wall -Wextra -pedantic $noexcept -Werror -I"$source/record/include" -I"$source/format/include" \
      -I"$source/record/include/skein/wrappers" "$recorder" -pthread -o "$scratch/traced"
    "$scratch/plain" >"$scratch/plain.txt"
    SKEIN_TRACE=$scratch/trace-$compiler$optimise "$scratch/traced" >"$scratch/traced.txt"
    cmp "$scratch/plain.txt" "$scratch/traced.txt"
    [ -e "$scratch/trace-$compiler$optimise/metadata" ]
    tried="$tried $compiler$optimise"
  done
  for optimise in -O1 -O2; do
    "$compiler" -std=c++20 $optimise -Wall -Wextra -Werror -I"$source/record/include" -I"$source/format/include" \
      -I"$source/record/include/skein/wrappers" "$source/tests/headers/allocating.cc" "$recorder" -pthread -o "$scratch/traced"
    "$scratch/traced"
  done
done
[ -n "$tried" ] || { echo "skipped: none of these compilers is installed"; exit 77; }
echo "equal:$tried"
