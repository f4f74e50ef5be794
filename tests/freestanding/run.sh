#!/bin/sh
# The core compiles as in a unikernel, and has no dependency: no header of a hosted environment, no
# undefined symbol.
#     run.sh SOURCE COMPILER
set -eu
source=$1 compiler=$2
command -v "$compiler" >/dev/null || { echo "skipped: no $compiler"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own=$("$compiler" -print-file-name=include)
flags="-std=c++20 -O2 -nostdinc -nostdinc++ -ffreestanding -fno-exceptions -fno-rtti
  -fno-stack-protector -Wall -Wextra -Werror -isystem $own
  -I $source -I $source/format/include -I $source/record/include"
objects=
for file in "$source"/record/core/*.cc; do
  case $file in *_test.cc) continue ;; esac
  object=$scratch/$(basename "$file").o
  "$compiler" $flags -c "$file" -o "$object"
  objects="$objects $object"
done
ld -r -o "$scratch/core.o" $objects
undefined=$(nm -u "$scratch/core.o")
[ -z "$undefined" ] || { echo "undefined: $undefined"; exit 1; }

# The public headers need only stddef and stdint.
for header in skein/skein.h skein/format.h; do
  echo "#include <$header>" | "$compiler" $flags -x c++ -M - | tr ' \\' '\n\n' | grep '\.h$' |
    grep -v -e '/skein/' -e '/std\(def\|int\)[a-z-]*\.h$' -e '/__stddef_[a-z_]*\.h$' >"$scratch/more" || true
  [ ! -s "$scratch/more" ] || { echo "$header includes: $(cat "$scratch/more")"; exit 1; }
done
echo "$compiler: good"
