#!/usr/bin/env python3
"""mixed_sources_test.py SOURCE LIBSKEIN: a program of two sources that have inline coroutines in common. One is
compiled by each compiler, the other as well, with and without exceptions; at -O0 every inline function is a symbol,
of which the linker keeps the first. The program prints the same with skein/coroutine.h as without it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

source, libskein = map(pathlib.Path, sys.argv[1:])
FOLDER = source / "tests/adapters/mixed_sources"
INCLUDES = ["-I", source / "record/include/skein/wrappers", "-I", source / "record/include"]
COMPILERS = [name for name in ("g++", "clang++-14", "clang++-19") if shutil.which(name)]


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, **environment})
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)

    def compile(compiler, file, *options):
        traced = "traced" if INCLUDES[0] in options else "plain"
        object = scratch / "-".join([compiler, file, traced, *(o for o in options if str(o).startswith("-f")), ".o"])
        if not object.exists():
            run(compiler, "-std=c++20", "-O0", "-c", FOLDER / file, *options, "-o", object)
        return object

    def outputs(*objects):
        for order in (objects, objects[::-1]):
            run("g++", *order, libskein, "-o", scratch / "program")
            yield run(scratch / "program")
            shutil.rmtree(scratch / "trace", ignore_errors=True)
            yield run(scratch / "program", SKEIN_TRACE=str(scratch / "trace"))
            if (scratch / "trace").exists():
                run("babeltrace2", scratch / "trace")  # its strings are text

    tried = 0
    for main in COMPILERS:
        for other in COMPILERS:
            for exceptions in ([], ["-fno-exceptions"]):
                # By order: `both` is that of the first, and g++ 12 destroys an operand twice.
                plain = list(outputs(compile(main, "main.cc"), compile(other, "other.cc", *exceptions)))
                traced = list(outputs(compile(main, "main.cc", *INCLUDES),
                                      compile(other, "other.cc", *exceptions, *INCLUDES)))
                assert traced == plain, (main, other, exceptions, plain, traced)
                tried += 1
    print(f"{tried} programs")
    assert tried >= 2
