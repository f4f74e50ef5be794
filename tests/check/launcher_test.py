#!/usr/bin/env python3
"""launcher_test.py SKEIN SOURCE [CMAKE]: plain ctest explains tests that hang if CMake has skein_check_tests()."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from common import PROGRAMS, SKEIN, SECONDS, can_trace, expect, explains

if not can_trace() or not shutil.which("cmake"):
    print("skipped: no g++ or cmake, or ptrace is forbidden")
    sys.exit(77)

LISTS = """
cmake_minimum_required(VERSION 3.24)
project(tests LANGUAGES CXX)
enable_testing()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_FLAGS "-g -O1 -pthread")
include("@SOURCE@/cmake/SkeinCheck.cmake")
file(WRITE "${CMAKE_BINARY_DIR}/good.cc" [[
#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) { puts("its output"); if (argc > 2) abort(); return argc > 1 ? atoi(argv[1]) : 0; }
]])
add_executable(good "${CMAKE_BINARY_DIR}/good.cc")
add_executable(coroutine "@PROGRAMS@/coroutine.cc")
add_executable(busy "@PROGRAMS@/busy.cc")
skein_check_tests(good coroutine)
add_test(NAME good COMMAND good)
add_test(NAME three COMMAND good 3)
add_test(NAME dies COMMAND good 0 0)
add_test(NAME skipped COMMAND good 77)
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME hangs COMMAND coroutine)
set_tests_properties(hangs PROPERTIES TIMEOUT 8)
skein_check_tests(busy TIMEOUT 1)
add_test(NAME busy COMMAND busy)
@MORE@
"""


def run(*words, **options):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=SECONDS, **options)


def results(text):
    return dict(re.findall(r"^ *\d+/\d+ Test +#\d+: (\w+) \.*[ *]*(\w[\w ]*\w)(?:  |\*)", text, re.M))


cmake = sys.argv[3] if len(sys.argv) > 3 else "cmake"
ctest = str(pathlib.Path(cmake).parent / "ctest") if "/" in cmake else "ctest"
with tempfile.TemporaryDirectory(prefix="skein-check-test-") as folder:
    folder = pathlib.Path(folder)

    def write(more=""):
        (folder / "CMakeLists.txt").write_text(LISTS.replace("@SOURCE@", sys.argv[2]).replace("@MORE@", more)
                                               .replace("@PROGRAMS@", str(PROGRAMS)))

    write()
    build = folder / "build"
    done = run(cmake, "-S", folder, "-B", build, f"-DSKEIN_PROGRAM={SKEIN}")
    expect("cmake", done.returncode == 0, done)
    done = run(cmake, "--build", build)
    expect("the build", done.returncode == 0, done)
    done = run(ctest, "--test-dir", build, "--output-on-failure")
    expected = {"good": "Passed", "three": "Failed", "dies": "Subprocess aborted", "skipped": "Skipped",
                "hangs": "Failed", "busy": "Failed"}
    expect("results of ctest", results(done.stdout) == expected, (results(done.stdout), done.stdout))
    for name in ("coroutine", "busy"):
        expect(f"{name} is explained", explains(done.stdout, f"{name}.cc"), done.stdout)
    expect("its timeout", "coroutine: it did not end within 6.40 s" in done.stdout, done.stdout)
    verbose = run(ctest, "--test-dir", build, "-V", "-R", "^(good|three)$").stdout
    shown = [line.split(": ", 1)[1] for line in verbose.splitlines() if re.match(r"^\d+: (?!Test|Working)", line)]
    expect("nothing but the output of tests that end", [text for text in shown if text == "its output"]
           and not any("skein:" in text for text in shown), verbose)
    # Without skein nothing changes.
    done = run(cmake, "-S", folder, "-B", folder / "plain", "-DSKEIN_PROGRAM=SKEIN_PROGRAM-NOTFOUND",
               env=os.environ | {"PATH": "/usr/bin:/bin"})
    expect("cmake without skein", done.returncode == 0, done)
    if not pathlib.Path("/usr/bin/skein").exists():
        listed = run(ctest, "--test-dir", folder / "plain", "--show-only=json-v1").stdout
        expect("no launcher", "--launcher" not in listed, listed)
    write("skein_check_tests(missing)")
    done = run(cmake, "-S", folder, "-B", folder / "wrong", f"-DSKEIN_PROGRAM={SKEIN}")
    expect("a target that does not exist", done.returncode != 0 and "no target missing" in done.stderr, done)
