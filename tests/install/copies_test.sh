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

# The program has a copy of the recorder's page (a copy relocation), and its plugin, which is opened with
# RTLD_DEEPBIND, uses the original. Both record; a forked child of the program does not.
cat >plugin.c <<'END'
#include <skein/skein.h>
void run(const char* name) {
  static const skein_source here = {__FILE__, "run", __LINE__, 1};
  skein_task task = {0};
  if (!skein_enabled()) return;
  skein_create(&task, SKEIN_KIND_task, name, &here);
  skein_resolve(&task, 0);
}
END
cat >program.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <skein/skein.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int status = 1;
  const int on = skein_enabled();
  void* plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_DEEPBIND);
  void (*run)(const char*) = plugin != NULL ? (void (*)(const char*))dlsym(plugin, "run") : NULL;
  if (run == NULL) return 2;
  run("first");
  if (fork() == 0) {
    run("in a child");
    _exit(0);
  }
  wait(&status);
  skein_stop();
  run("stopped");
  skein_start(NULL);
  run("second");
  return status + !on;
}
END
for linker in bfd gold lld mold; do
  if [ $linker != bfd ] && ! command -v ld.$linker >/dev/null; then continue; fi
  libraries=("$libdir/libskein.so" "-Wl,-rpath,$libdir" -ldl)
  cc -shared -fPIC -fuse-ld=$linker "-I$2/record/include" "-I$2/format/include" plugin.c "${libraries[@]}" -o plugin.so
  for pie in -fPIE\ -pie -fno-pie\ -no-pie; do
    # shellcheck disable=SC2086
    cc $pie -fuse-ld=$linker "-I$2/record/include" "-I$2/format/include" program.c "${libraries[@]}" -o program
    rm -rf trace trace.*
    SKEIN_TRACE=$scratch/trace ./program || { echo "$linker $pie, RTLD_DEEPBIND: exit status $?"; exit 1; }
    names=$(babeltrace2 trace | grep -o '"first"\|"second"\|"in a child"\|"stopped"' | tr '\n' ' ') || true
    [ "$names" = '"first" "second" ' ] || { echo "$linker $pie, RTLD_DEEPBIND: recorded $names"; exit 1; }
    runs=$((runs + 1))
  done
done
echo "$runs programs"
