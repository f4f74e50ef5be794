#!/usr/bin/env python3
"""skein record --sample: the callers of functions without frame pointers, of a program whose stacks are known (callers.cc).

usage: callers_test.py SKEIN CALLERS PLUGIN"""
import collections
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

skein, program, plugin = sys.argv[1:]
if platform.machine() != "x86_64":
    print("skipped: code of this architecture has frame pointers")
    sys.exit(77)


def expect(what, good, shown=""):
    if not good:
        sys.exit(f"FAILED: {what}: {shown}")


source = pathlib.Path(__file__).with_name("callers.cc").read_text()
expected = {int(chain): names.split() for chain, names in re.findall(r"^// chain (\d+): (.*)$", source, re.M)}
known = {name for names in expected.values() for name in names}

with tempfile.TemporaryDirectory(prefix="skein-callers-") as folder:
    trace = pathlib.Path(folder) / "trace"
    done = subprocess.run([program, plugin], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "SKEIN_TRACE": f"{trace},sample=2000"})
    expect("the program", done.returncode == 0, done)
    drawn = subprocess.run([skein, "flame", trace, "--time", "cpu", "-o", "-", "--format", "folded"],
                           capture_output=True, text=True, check=True).stdout
    complete, wrong = collections.Counter(), collections.Counter()
    for line in drawn.splitlines():
        stack, count = line.rsplit(" ", 1)
        names = [re.sub(r"^(void )?app::|\(.*", "", name) for name in stack.split(";")]
        chains = [int(found[1]) for name in names if (found := re.match(r"burn(\d)$", name))]
        if not chains:
            continue
        callers = [name for name in names if name in known]
        if callers == expected[chains[0]]:
            complete[chains[0]] += int(count)
        else:
            wrong[stack] += int(count)
    all_of_it = complete.total() + wrong.total()
    print(f"{complete.total()} of {all_of_it} samples have their callers; {dict(complete)}")
    text = "\n".join(f"{count} {stack}" for stack, count in wrong.most_common(8))
    expect("each chain", set(complete) == set(expected), text or drawn)
    expect("99 % are complete", complete.total() >= 0.99 * all_of_it, text)
