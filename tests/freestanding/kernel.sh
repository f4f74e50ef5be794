#!/bin/sh
# The core and the arena's host compile as in a kernel: without vector registers, without a red zone,
# in the upper half of the address space. They need nothing but memory functions.
#     kernel.sh SOURCE COMPILER
set -eu
source=$1 compiler=$2
command -v "$compiler" >/dev/null || { echo "skipped: no $compiler"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own=$("$compiler" -print-file-name=include)
case $("$compiler" -dumpmachine) in
  x86_64*) machine="-mno-red-zone -mcmodel=kernel" tools= pair=cmpxchg16b vector='%xmm' ;;
  aarch64*) machine=-mno-outline-atomics tools=aarch64-linux-gnu- pair='\bstp\b' vector='[[:space:],{][qsv][0-9]{1,2}(,|\.|$)' ;;
esac
flags="-std=c++20 -O2 -nostdinc -nostdinc++ -ffreestanding -fno-exceptions -fno-rtti -fno-pic -fno-pie
  -fno-stack-protector -mgeneral-regs-only $machine -Wall -Wextra -Wconversion -Werror
  -DSKEIN_NAMES_BITS=9 -isystem $own -I $source -I $source/format/include -I $source/record/include"
objects=
for file in "$source"/record/core/*.cc "$source"/record/host/arena/*.cc; do
  case $file in *_test.cc) continue ;; esac
  object=$scratch/$(basename "$file").o
  "$compiler" $flags -c "$file" -o "$object"
  objects="$objects $object"
done
"${tools}ld" -r -o "$scratch/recorder.o" $objects
undefined=$("${tools}nm" -u "$scratch/recorder.o" | grep -v -x -E ' +U (memcpy|memset|memmove|memcmp)' || true)
[ -z "$undefined" ] || { echo "undefined: $undefined"; exit 1; }

# A packet's time and number are stored by one instruction, without a vector register.
code=$scratch/code
"${tools}objdump" -d --no-show-raw-insn "$scratch/recorder.o" >"$code"
! grep -E "$vector" "$code" || { echo "uses vector registers"; exit 1; }
sed -n '/write_packet_header.*>:$/,/^$/p' "$code" | grep -q -E "$pair" ||
  { echo "write_packet_header: no $pair"; exit 1; }

# The tables of names: 4.6 MB with the sizes of a process.
bss=$("${tools}size" "$scratch/recorder.o" | awk 'NR == 2 { print $3 }')
[ "$bss" -lt 131072 ] || { echo "$bss bytes of bss"; exit 1; }
echo "$compiler: good, $bss bytes of bss"
