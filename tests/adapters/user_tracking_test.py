#!/usr/bin/python3
"""user_tracking_test.py COMPILER SOURCE SCRATCH LIBSKEIN: a program that has another handler tracking.
Asio's built-in tracking works next to skein's. A custom one stays in use, with a warning of the compiler,
and skein records no operation."""
import os
import pathlib
import subprocess
import sys

from trace import EMULATOR, equal, record

compiler, source, scratch, recorder = sys.argv[1:]
scratch = pathlib.Path(scratch)
scratch.mkdir(parents=True, exist_ok=True)
here = f"{source}/tests/adapters/user_tracking"
CUSTOM = f'-DBOOST_ASIO_CUSTOM_HANDLER_TRACKING="{here}/custom.h"'
ENABLE = "-DBOOST_ASIO_ENABLE_HANDLER_TRACKING"


def build(*options):
    """Returns the program and the compiler's messages."""
    program = scratch / "program"
    done = subprocess.run(
        [compiler, "-std=c++20", "-O0", "-Wall", "-Wextra", f"-I{source}", f"-I{source}/record/include",
         f"-I{source}/record/include/skein/wrappers", "-include", "skein/asio_tracking.h", *options, f"{here}/program.cc", recorder, "-o",
         program, "-pthread"], capture_output=True, text=True)
    assert done.returncode == 0, f"{options}: {done.stderr}"
    return str(program), done.stderr


def operations(trace):
    return sorted((task.name.split(".")[1], task.end) for task in trace.tasks.values())


def check_built_in(*options):
    print("built-in", *options, flush=True)
    program, messages = build(*options)
    equal("messages of the compiler", messages, "")
    equal("operations", operations(record([program])), [("async_wait", "resolve"), ("execute", "resolve")])
    done = subprocess.run([*EMULATOR, program], capture_output=True, text=True)
    for line in (".async_wait", ".execute", "|>1|", "|<1|", "|>2|", "|<2|"):
        assert done.stderr.count(line) == 1, done.stderr


def check_custom(warning, *options):
    print("custom", *options, flush=True)
    program, messages = build(*options)
    assert warning in messages, messages
    trace = record([program])
    equal("output", trace.output, "posted\nexpired\ncreated 2, completed 2\n")
    equal("operations", operations(trace), [])


check_built_in(ENABLE)
check_built_in("-DDEFINE_ENABLE")
check_built_in(ENABLE, "-DBOOST_ASIO_SEPARATE_COMPILATION")
check_custom("skein does not record Asio's operations", CUSTOM)
check_custom("redefined", "-DDEFINE_CUSTOM")
