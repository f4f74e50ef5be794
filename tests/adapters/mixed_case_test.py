#!/usr/bin/python3
"""mixed_case_test.py COMPILER SOURCE SCRATCH LIBSKEIN: the program that crashed when Asio's operations had
another layout with skein (not in the repository): a library without skein, an executable with skein::asio."""
import os
import pathlib
import subprocess
import sys

from trace import equal, record, run

compiler, source, scratch, recorder = sys.argv[1:]
data = pathlib.Path(os.environ.get("SKEIN_DATA", pathlib.Path(source) / "../shared/data"))
case = data.parent / "cases/mixed_build"
if not case.exists():
    print("skipped: no folder cases/mixed_build beside the data")
    sys.exit(77)
scratch = pathlib.Path(scratch)
scratch.mkdir(parents=True, exist_ok=True)
TRACED = [f"-I{source}/record/include", f"-I{source}/record/include/skein/wrappers", "-include", "skein/asio_tracking.h"]


def build(name, *options):
    out = str(scratch / name)
    subprocess.run([compiler, "-std=c++20", "-O2", "-include", "utility", *options, "-o", out, "-pthread"], check=True)
    return out


library = build("lib.o", "-c", str(case / "lib.cc"))
app = build("app.o", *TRACED, "-c", str(case / "app.cc"))
static = str(scratch / "lib.a")
pathlib.Path(static).unlink(missing_ok=True)
subprocess.run(["ar", "rcs", static, library], check=True)
plain_app = build("plain.o", "-c", str(case / "app.cc"))
expected = run([build("plain", plain_app, static)])
assert expected.endswith("end\n"), expected
expected = sorted(expected.splitlines())
for parts in ([app, static], [library, app]):
    trace = record([build("mixed", *parts, recorder)], any_order=True)
    equal("output", trace.output, expected)
    equal("coroutine of the traced source", [task.end for task in trace.of("work")], ["resolve"])
