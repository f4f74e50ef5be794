#!/usr/bin/env python3
"""skein flame reads perf.data: the same stacks as perf script prints, for a program with threads, system calls
and a forked child. Skipped without perf, or without permission to use it.

usage: perf_test.py SKEIN CXX
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stacks

skein, compiler = sys.argv[1:]
PROGRAM = r"""
#include <cstdio>
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
int main() {
  std::thread other([] { for (int i = 0; i < 40; i++) app::serve(1000000); });
  for (int i = 0; i < 20; i++) { app::serve(1000000); app::reads(); }
  other.join();
  if (fork() == 0) { for (int i = 0; i < 40; i++) app::parse(1000000L); _exit(0); }
  wait(nullptr);
}
"""


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def from_perf_script(text):
    """Folds it as stackcollapse-perf.pl --kernel does, with the name of the file for functions without names."""
    folded = collections.Counter()
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
            stack.append(plain(symbol) + ("_[k]" if kernel else ""))
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


def compare(scratch, kind, flags, graph):
    """The stacks of one recording, by both."""
    source, program, data = scratch / "work.cc", scratch / f"work-{kind}", scratch / f"{kind}.data"
    source.write_text(PROGRAM)
    subprocess.run([compiler, *flags, "-fno-optimize-sibling-calls", "-pthread", str(source), "-o", str(program)], check=True)
    recording = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", *graph, "-o", str(data),
                                "--", str(program)], capture_output=True, text=True)
    if recording.returncode != 0:
        skip("perf record: " + recording.stderr.strip()[-200:])
    script = subprocess.run(["perf", "script", "-i", str(data), "--no-inline", "-F",
                             "comm,tid,time,period,event,ip,sym,dso"], capture_output=True, text=True, check=True)
    wanted = from_perf_script(script.stdout)
    done = stacks.run(skein, "flame", str(data), "--format", "folded")
    found = collections.Counter()
    for stack, count in stacks.parse(done.stdout):
        name, *functions = stack
        annotated = [(function.removesuffix("_[k]"), function.endswith("_[k]")) for function in functions]
        found[";".join([name] + [plain(one) + "_[k]" * kernel for one, kernel in annotated])] += count
    total = sum(wanted.values())
    assert total > 0 and sum(found.values()) == total, (sum(found.values()), total)
    equal = sum(min(count, found[stack]) for stack, count in wanted.items())
    # Symbols of assembly, and other names of a function in libc, differ in a few samples: those that start and end a
    # process, of which there are few whatever it does.
    sample = min(wanted.values())
    print(f"{kind}: {100 * equal / total:.2f} % of {total / sample:.0f} samples have the same stacks")
    if total - equal > max(0.005 * total, 4 * sample):
        for stack, count in (wanted - found).most_common(8):
            print("perf: ", count, stack)
        for stack, count in (found - wanted).most_common(8):
            print("skein:", count, stack)
        sys.exit(f"{kind}: only {100 * equal / total:.2f} % of the samples have the same stacks")
    assert f"work-{kind};" in done.stdout and "app::serve" in done.stdout
    return program, data


if not shutil.which("perf"):
    skip("no perf")
scratch = pathlib.Path(tempfile.mkdtemp(prefix="skein-perf-"))
try:
    compare(scratch, "cfi", ["-O2", "-fomit-frame-pointer"], ["--call-graph", "dwarf,16384"])
    program, data = compare(scratch, "fp", ["-O1", "-fno-omit-frame-pointer"], ["-g"])
    svg = stacks.run(skein, "flame", str(data)).stdout
    assert re.search(r"<title>app::leaf \([0-9.]+ m?s, [0-9.]+%\)</title>", svg), re.findall("<title>app::leaf.*?</title>", svg)[:3]
    stream = subprocess.run(f"perf record -q -e cpu-clock -F 999 -g -o - -- {program} | {skein} flame - --format folded",
                            shell=True, capture_output=True, text=True)
    assert "app::leaf" in stream.stdout, stream.stderr
finally:
    shutil.rmtree(scratch)
