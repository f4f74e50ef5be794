#!/usr/bin/env python3
"""skein flame reads perf.data: the same stacks as perf script prints, for a program with threads, system calls
and a forked child. Skipped without perf, or without permission to use it.

usage: perf_test.py SKEIN CXX [--all]

--all: the program in all variants of tests/unwind/variants.py; at least 99.5 % of the samples of all of them together, and
99 % of each, must have the same stacks. perf 6.1 does not unwind programs without .eh_frame_hdr or with tables in
.debug_frame only: of these, 99 % of skein's stacks must begin where a thread does.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "../unwind")]
import stacks
import variants

skein, compiler = sys.argv[1:3]
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
namespace app {
volatile unsigned sink;
[[gnu::noinline]] void leaf(int n) { for (int i = 0; i < n; i++) sink = sink + 1; }
template <class T> [[gnu::noinline]] void parse(T n) { leaf(n); sink = sink + 1; }
[[gnu::noinline]] void serve(int n) { parse(n); leaf(n / 2); sink = sink + 1; }
[[gnu::noinline]] void reads() {
  char bytes[4096];
  FILE* zero = std::fopen("/dev/zero", "r");
  for (int i = 0; i < 3000 && std::fread(bytes, 1, sizeof bytes, zero) != 0; i++) sink = sink + 1;
  std::fclose(zero);
}
}
int main(int argc, char** argv) {
  const int times = argc > 1 ? std::atoi(argv[1]) : 1;
  std::thread other([=] { for (int i = 0; i < 40 * times; i++) app::serve(1000000); });
  for (int i = 0; i < 20 * times; i++) { app::serve(1000000); app::reads(); }
  other.join();
  if (fork() == 0) { for (int i = 0; i < 40 * times; i++) app::parse(1000000L); _exit(0); }
  wait(nullptr);
}
"""


# Functions that are inlined into each other, in a loop and behind a call.
INLINED = r"""
#include <cstdlib>
#include <vector>
namespace app {
volatile unsigned sink;
struct Hash { unsigned value = 1; void add(unsigned n) { value = (value ^ n) * 16777619u; value ^= value >> 7; } };
template <class T> inline unsigned digest(const std::vector<T>& all) {
  Hash hash;
  for (const T& one : all) hash.add(one);
  return hash.value;
}
static inline unsigned twice(const std::vector<unsigned>& all) { return digest(all) + digest(all); }
[[gnu::noinline]] void leaf(int n) { for (int i = 0; i < n; i++) sink = sink + 1; }
static inline void middle(int n) { leaf(n); sink = sink + 1; }
[[gnu::noinline]] void serve(std::vector<unsigned>& all) { all[0] = twice(all); middle(30000); sink = sink + all[0]; }
}
int main(int argc, char** argv) {
  std::vector<unsigned> all(50000, 3);
  for (int i = 0; i < 1500 * (argc > 1 ? std::atoi(argv[1]) : 1); i++) app::serve(all);
}
"""


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def from_perf_script(text):
    """Folds it as stackcollapse-perf.pl --kernel does, with the name of the file for functions without names."""
    folded = collections.Counter()  # with inlined functions, if perf printed them
    for sample in text.strip().split("\n\n"):
        head, *frames = sample.splitlines()
        name, period = re.match(r"\s*(.*?)\s+\d+\s+[\d.]+:\s+(\d+) ", head).groups()
        stack = [name]
        for frame in reversed(frames):
            symbol, module = re.match(r"\s*[0-9a-f]+ (.*) \((.*?)\)$", frame).groups()
            symbol = re.sub(r"\+0x[0-9a-f]+$", "", symbol)
            if symbol == "[unknown]" and module != "[unknown]":
                symbol = module if module.startswith("[") else f"[{module.rsplit('/', 1)[-1]}]"
            kernel = module.startswith("[kernel") or module.endswith(".ko")
            stack.append(plain(symbol) + ("_[k]" if kernel else "_[i]" if module == "inlined" else ""))
        folded[re.sub(r"(;\[unknown\])+", ";[unknown]", ";".join(stack))] += int(period)
    return folded


def plain(symbol):
    """Without template arguments and parameters, which tools print differently."""
    last = None
    while last != symbol:
        last, symbol = symbol, re.sub(r"<[^<>]*>|\([^()]*\)", "", symbol)
    # A function may have several names: read and __read, fork and __libc_fork, open64 and __libc_open. Both find only
    # one of them.
    symbol = re.sub(r"^(__GI_|__pi_|_IO_|_)+", "", symbol.split(" ")[-1].replace(";", ":").partition("@")[0])
    symbol = re.sub(r"^libc_(?=fork|open|read|write)|64$", "", symbol)
    return {"dl_start_user": "start", "clone_internal": "clone3"}.get(symbol, symbol)


def perf(scratch, *command):
    """Without perf's cache: of two programs with the same build id, it would read the one that it saw first."""
    return subprocess.run(["perf", "--buildid-dir", str(scratch / "cache"), *command], capture_output=True, text=True)


def record(scratch, program, data, graph, times):
    recording = perf(scratch, "record", "-q", "-e", "cpu-clock", "-F", "999", *graph, "-o", str(data), "--", str(program),
                     str(times))
    if recording.returncode != 0:
        skip("perf record: " + recording.stderr.strip()[-200:])


class Comparison:
    """The stacks of one recording by both, weighted."""

    def __init__(self, scratch, kind, data, inlined=False):
        is_stripped = "stripped" in kind
        self.kind = kind
        no_inline = [] if inlined else ["--no-inline"]
        script = perf(scratch, "script", "-i", str(data), *no_inline, "-F", "comm,tid,time,period,event,ip,sym,dso")
        assert script.returncode == 0, script.stderr
        wanted = from_perf_script(script.stdout)
        done = stacks.run(skein, "flame", str(data), *no_inline, "--format", "folded")
        found = collections.Counter()
        for stack, count in stacks.parse(done.stdout):
            name, *functions = stack
            if is_stripped and functions[:1] == ["_start"]:  # skein knows it from the header of the file
                functions[0] = f"[{name}]"
            # perf names the file only.
            functions = [re.sub(r"^(.*)\+0x[0-9a-f]+$", r"[\1]", function) for function in functions]
            annotated = [re.fullmatch(r"(.*?)(_\[[ki]\]|)", function).groups() for function in functions]
            found[";".join([name] + [plain(one) + suffix for one, suffix in annotated])] += count
        self.text = done.stdout
        self.wanted, self.found = wanted, found
        self.total = sum(wanted.values())
        assert self.total > 0 and sum(found.values()) == self.total, (sum(found.values()), self.total)
        self.sample = min(wanted.values())
        self.equal = sum(min(count, found[stack]) for stack, count in wanted.items())
        begins = ("start", "clone3", "clone", "fork")
        self.complete = sum(count for stack, count in found.items() if stack.split(";")[1] in begins) / self.total
        if not inlined:
            print(f"{kind}: {100 * self.equal / self.total:.2f} % of {self.total / self.sample:.0f} samples have the same stacks, "
                  f"{100 * self.complete:.2f} % are complete", flush=True)

    def differs(self, share):
        """More than in a share of the samples. Symbols of assembly, and other names of a function in libc, differ in a few
        samples: those that start and end a process, of which there are few whatever it does."""
        return self.total - self.equal > max(share * self.total, 4 * self.sample)

    def print(self):
        for stack, count in (self.wanted - self.found).most_common(8):
            print("perf: ", count, stack)
        for stack, count in (self.found - self.wanted).most_common(8):
            print("skein:", count, stack)


def inlined_into_serve(folded):
    """Of samples in app::serve itself, and in the kernel below it: what was inlined there. perf prints other functions for the
    callers of functions that were not inlined, as it looks behind the call, and marks compiled functions as inlined."""
    counts = collections.Counter()
    for stack, count in folded.items():
        functions = [one for one in stack.split(";") if not one.endswith("_[k]")]
        if "app::serve" in functions and "app::leaf" not in functions:
            counts[";".join(functions[functions.index("app::serve"):])] += count
    return counts


def compare_inlined(scratch, compiled, level):
    kind = f"inlined-{os.path.basename(compiled)}{level}"
    source, program, data = scratch / "inlined.cc", scratch / kind, scratch / f"{kind}.data"
    source.write_text(INLINED)
    subprocess.run([compiled, level, "-g", "-fno-optimize-sibling-calls", str(source), "-o", str(program)], check=True)
    record(scratch, program, data, ["--call-graph", "dwarf,8192"], 1)
    comparison = Comparison(scratch, kind, data, True)
    wanted, found = inlined_into_serve(comparison.wanted), inlined_into_serve(comparison.found)
    equal = sum(min(count, found[stack]) for stack, count in wanted.items())
    print(f"{kind}: {100 * equal / wanted.total():.2f} % of {wanted.total() / comparison.sample:.0f} samples have the same "
          "inlined functions")
    assert wanted.total() - equal <= max(0.005 * wanted.total(), 4 * comparison.sample), (wanted, found)
    name = r"app::serve;(app::)?twice_\[i\];app::digest<.*>_\[i\];app::Hash::add_\[i\] "
    assert re.search(name, comparison.text), comparison.text
    assert re.search(r"app::serve;(app::)?middle_\[i\];app::leaf ", comparison.text), comparison.text
    without = stacks.run(skein, "flame", str(data), "--no-inline", "--format", "folded").stdout
    assert "_[i]" not in without and "app::serve;app::leaf " in without, without


def compare(scratch, kind, flags, graph):
    source, program, data = scratch / "work.cc", scratch / f"work-{kind}", scratch / f"{kind}.data"
    source.write_text(PROGRAM)
    subprocess.run([compiler, *flags, "-fno-optimize-sibling-calls", "-pthread", str(source), "-o", str(program)], check=True)
    record(scratch, program, data, graph, 1)
    comparison = Comparison(scratch, kind, data)
    if comparison.differs(0.005):
        comparison.print()
        sys.exit(f"{kind}: too many samples have other stacks")
    assert f"work-{kind};" in comparison.text and "app::serve" in comparison.text
    return program, data


def compare_variants(scratch):
    source = scratch / "work.cc"
    source.write_text(PROGRAM)
    total = equal = 0
    failed = []
    for number, variant in enumerate(variants.FEW + variants.MORE):
        folder = scratch / str(number)
        folder.mkdir()
        program = variants.build(variant + " -fno-optimize-sibling-calls", str(source), str(folder))
        if program is None:
            print(f"{variant}: not installed")
            continue
        has_pointers = "-fno-omit-frame-pointer" in variant
        graphs = {"copies": ["--call-graph", "dwarf,16384"], **({"pointers": ["-g"]} if has_pointers else {})}
        for name, graph in graphs.items():
            data = folder / f"{name}.data"
            record(folder, program, data, graph, 10)
            comparison = Comparison(folder, f"{variant}, {name}", data)
            is_beyond_perf = variant == "g++ -O2 -static" or "debug-frame" in variant
            if not is_beyond_perf:
                total += comparison.total
                equal += comparison.equal
            if comparison.complete < 0.99 if is_beyond_perf else comparison.differs(0.01):
                comparison.print()
                failed.append(comparison.kind)
            data.unlink()
    print(f"{100 * equal / total:.3f} % by weight are the same")
    if failed or equal < 0.995 * total:
        sys.exit(f"too many samples have other stacks: {failed}")


if not shutil.which("perf"):
    skip("no perf")
scratch = pathlib.Path(tempfile.mkdtemp(prefix="skein-perf-"))
try:
    if "--all" in sys.argv:
        compare_variants(scratch)
        sys.exit()
    compare(scratch, "cfi", ["-O2", "-fomit-frame-pointer"], ["--call-graph", "dwarf,16384"])
    program, data = compare(scratch, "fp", ["-O1", "-fno-omit-frame-pointer"], ["-g"])
    for compiled in [compiler, "clang++-14"]:
        for level in ["-O1", "-O2"]:
            if shutil.which(compiled):
                compare_inlined(scratch, compiled, level)
    svg = stacks.run(skein, "flame", str(data)).stdout
    assert re.search(r"<title>app::leaf \([0-9.]+ m?s, [0-9.]+%\)</title>", svg), re.findall("<title>app::leaf.*?</title>", svg)[:3]
    stream = subprocess.run(f"perf record -q -e cpu-clock -F 999 -g -o - -- {program} | {skein} flame - --format folded",
                            shell=True, capture_output=True, text=True)
    assert "app::leaf" in stream.stdout, stream.stderr
finally:
    shutil.rmtree(scratch)
