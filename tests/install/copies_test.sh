#!/bin/bash
# copies_test.sh COMPILER SOURCE LIBDIR: a program and its shared library, each linked with its own copy of the recorder
# (libskein.a) or with the common one (libskein.so), by each linker that is installed. The program prints the same,
# and its events, once each, are in one trace.
set -euo pipefail
compiler=$1 project=$2/tests/install/unmodified libdir=$3
command -v babeltrace2 >/dev/null || { echo "skipped: no babeltrace2"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
traced=("$compiler" -std=c++20 -O1 "-I$2/record/include" "-I$2/format/include" -include skein/coroutine.h)
cc -c -fPIC "$project/in_c.c" -o in_c.o
"${traced[@]}" -fPIC -c "$project/twice.cc" -o twice.o
runs=0
for linker in bfd gold lld mold; do
  if [ $linker != bfd ] && ! command -v ld.$linker >/dev/null; then continue; fi
  for pie in -fPIE\ -pie -fno-pie\ -no-pie; do
    for library in a so; do
      "$compiler" -shared -fuse-ld=$linker twice.o in_c.o "$libdir/libskein.$library" "-Wl,-rpath,$libdir" -pthread -o libtwice.so
      for program in a so; do
        name="$linker $pie, the program with libskein.$program, the library with libskein.$library"
        # shellcheck disable=SC2086
        "${traced[@]}" $pie -fuse-ld=$linker "$project/main.cc" "$project/once.cc" ./libtwice.so "$libdir/libskein.$program" \
          -Wl,-rpath,"$libdir" -Wl,-rpath-link,"$libdir" -pthread -o program
        rm -rf trace trace.*
        [ "$(./program)" = 5 ] || { echo "$name: not recorded: failed"; exit 1; }
        output=$(SKEIN_TRACE=$scratch/trace ./program 2>err) || { echo "$name: exit status $?"; cat err; exit 1; }
        events=$(babeltrace2 trace | grep -c create:) || true
        [ "$output $events $(cat err)" = "5 3 " ] ||
          { echo "$name: printed $output, $events coroutines"; ls -d trace*; cat err; exit 1; }
        runs=$((runs + 1))
      done
    done
  done
done

# The address of skein_create is in the program, but there is only one copy.
cat >address.c <<'END'
#include <skein/skein.h>
void (*volatile create)(skein_task*, uint32_t, const char*, const skein_source*) = skein_create;
void (*volatile const in_text)(skein_task*, uint32_t, const char*, const skein_source*) = skein_create;
int main(void) { return create == in_text && skein_enabled() ? 0 : 1; }
END
for linker in bfd gold lld mold; do
  if [ $linker != bfd ] && ! command -v ld.$linker >/dev/null; then continue; fi
  cc -fno-pie -no-pie -fuse-ld=$linker "-I$2/record/include" "-I$2/format/include" address.c "$libdir/libskein.so" \
    "-Wl,-rpath,$libdir" -o address
  SKEIN_TRACE=$scratch/address-$linker ./address || { echo "$linker, address of a function: not recorded"; exit 1; }
done
echo "$runs programs"
