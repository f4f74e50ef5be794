#!/bin/sh
# static_test.sh CXX SOURCE LIBRARY: a program linked with -static and the recorder links without a
# message, runs, and records.
set -eu
cxx=$1 source=$2 library=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

cat >main.cc <<'END'
#include <skein/skein.h>
int main() { skein_counter_set(skein_string("a counter"), 1); }
END
echo 'int main() {}' >empty.cc
"$cxx" -static empty.cc -o empty 2>/dev/null || { echo "skipped: no static C library"; exit 77; }

for option in -static -static-pie; do
  "$cxx" $option -I"$source/record/include" -I"$source/format/include" main.cc "$library" -o program \
    >messages 2>&1 || { cat messages; exit 1; }
  [ ! -s messages ] || { echo "messages of the linker with $option:"; cat messages; exit 1; }
  SKEIN_TRACE=trace$option ./program >messages 2>&1
  [ ! -s messages ] || { cat messages; exit 1; }
  grep -q "a counter" trace$option/names-0 || { echo "$option: nothing was recorded"; exit 1; }
done
echo "2 static programs"
