#!/usr/bin/python3
"""mixed_build_test.py COMPILER SOURCE SCRATCH LIBSKEIN ASIO LEVEL...: a program and a library that
use Asio, of which one, both or none is built with skein::asio, run and print the same, recorded or
not. ASIO is `boost`, `standalone`, or the folder to unpack Boost 1.81 to. The library is linked before and
after the program, as objects, static and shared."""
import pathlib
import subprocess
import sys

from trace import equal, record, run

compiler, source, scratch, recorder, asio, *levels = sys.argv[1:]
here = pathlib.Path(source) / "tests/adapters/mixed_build"
scratch = pathlib.Path(scratch)
flags = ["-std=c++20", "-fPIC", f"-I{source}", f"-I{source}/record/include"]
if asio == "standalone":
    flags += [f"-I{source}/tests/adapters/standalone", "-DASIO_STANDALONE"]
elif asio != "boost":
    if subprocess.run([f"{source}/tools/fetch-boost-1.81", asio]).returncode != 0:
        print("skipped: no Boost 1.81")
        sys.exit(77)
    flags += ["-isystem", f"{asio}/usr/include"]
TRACED = [f"-I{source}/record/include/skein/wrappers", "-include", "skein/asio_tracking.h"]


def build(name, file, *more):
    out = scratch / name
    subprocess.run([compiler, *flags, *more, "-c", here / file, "-o", out], check=True)
    return str(out)


def link(name, *parts):
    out = scratch / name
    subprocess.run([compiler, *parts, recorder, "-pthread", "-o", out], check=True)
    return str(out)


def objects(level, traced):
    options, suffix = ([level, *TRACED], "traced") if traced else ([level], "plain")
    lib = build(f"lib-{suffix}.o", "actions.cc", "-DWHERE=library", *options)
    program = [build(f"own-{suffix}.o", "actions.cc", "-DWHERE=program", *options),
               build(f"main-{suffix}.o", "main.cc", *options)]
    return lib, program


def check(name, program, program_traced, all_traced):
    trace = record([program])
    equal(f"{name}: output", trace.output, expected)
    if program_traced:
        equal(f"{name}: work", [task.end for task in trace.of("work")], ["resolve"])
        own = [task for task in trace.named("io_context.execute") if task.end == "resolve"]
        assert own, f"{name}: no handler"
    if all_traced:
        equal(f"{name}: live", [task for task in trace.unended()], [])
        equal(f"{name}: ends", {t.end for t in trace.named("deadline_timer.async_wait")},
              {"resolve", "fail", "cancel"})
        handlers = [t.end for t in trace.tasks.values() if t.kind == "handler"]
        assert handlers.count("resolve") >= 201, (name, len(handlers))  # and those of co_spawn

scratch.mkdir(parents=True, exist_ok=True)
for level in levels:
    made = {traced: objects(level, traced) for traced in (False, True)}
    expected = run([link("plain", *made[False][1], made[False][0])])
    print(level, expected, sep="\n", flush=True)
    for lib_traced, program_traced in ((False, True), (True, False), (True, True)):
        lib, own = made[lib_traced][0], made[program_traced][1]
        static, shared = str(scratch / "lib.a"), link("lib.so", "-shared", lib)
        pathlib.Path(static).unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", static, lib], check=True)
        for name, parts in {
                "objects after": [*own, lib], "objects before": [lib, *own], "static library after": [*own, static],
                "static library before": ["-Wl,--whole-archive", static, "-Wl,--no-whole-archive", *own],
                "shared library after": [*own, shared], "shared library before": ["-Wl,--no-as-needed", shared, *own]}.items():
            name = f"{level}, {name}, traced: library {lib_traced}, program {program_traced}"
            print(name, flush=True)
            check(name, link("mixed", *parts), program_traced, lib_traced and program_traced)
