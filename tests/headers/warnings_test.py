#!/usr/bin/env python3
"""warnings_test.py SOURCE COMPILER...: each public header, the single header, and a program that is traced
compile without a warning under -Wall -Wextra -pedantic, in a folder that is not a system folder. Compilers
that are not installed are left out. The single header, which is usually no system header either, has no warning of
-Wshadow and -Wold-style-cast in C++."""
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[1])
compilers = [name for name in sys.argv[2:] if shutil.which(name)]
FLAGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", f"-I{source}", f"-I{source}/record/include",
         f"-I{source}/format/include"]
BOOST = pathlib.Path("/usr/include/boost")
COROUTINE = [f"-I{source}/record/include/skein/wrappers"]
ASIO = [*COROUTINE, "-include", "skein/asio_tracking.h"]


def cases(compiler, single):
    """Yields the arguments of each compilation and the text of its source, or None."""
    headers = [*source.glob("record/include/skein/*.h"), *source.glob("format/include/skein/*.h")]
    assert len(headers) > 8, headers
    for header in headers:
        if header.name == "asio.h" or (header.name == "boost_fiber.h" and not (BOOST / "fiber").exists()):
            continue  # Asio reads asio.h, in the last case
        if header.name == "gtest.h" and not pathlib.Path("/usr/include/gtest/gtest.h").exists():
            continue
        for standard in ("c++20", "c++23" if compiler == "g++" else "c++2b"):
            yield [f"-std={standard}", "-x", "c++", "-"], f"#include <skein/{header.name}>\nint main() {{}}\n"
    for standard in ("c99", "c11", "gnu17"):
        yield [f"-std={standard}", "-x", "c", "-"], "#include <skein/skein.h>\nint main(void) { return 0; }\n"
        yield [f"-std={standard}", "-x", "c", *ASIO, "-"], "int main(void) { return 0; }\n"
    for standard in ("c++98", "c++11", "c++17"):  # nothing is traced
        yield [f"-std={standard}", "-x", "c++", *ASIO, "-"], "int main() {}\n"
    for options in ([], ["-DSKEIN_COROUTINE"], ["-DSKEIN_DISABLE"], ["-DSKEIN_IMPLEMENTATION"]):
        yield ["-std=c++20", "-Wshadow", "-Wold-style-cast", *options, "-x", "c++", "-"], f'#include "{single}"\nint main() {{}}\n'
    yield ["-std=c11", "-x", "c", "-"], f'#include "{single}"\nint main(void) {{ return 0; }}\n'
    for program in ("examples/020-coroutine.cc", "tests/install/unmodified/main.cc"):
        yield ["-std=c++20", *COROUTINE, str(source / program)], None
    if (BOOST / "asio").exists() and compiler != "clang++-14":  # see cmake/SkeinCheckAsio.cmake
        define = ["-DBOOST_ASIO_HAS_CO_AWAIT=1"] if "clang" in compiler else []
        yield ["-std=c++20", *define, *ASIO, str(source / "examples/030-asio.cc")], None


def compile(compiler, arguments, text):
    done = subprocess.run([compiler, *FLAGS, *arguments], input=text or "", capture_output=True, text=True)
    problem = f"{compiler} {' '.join(arguments)}\n{text or ''}{done.stderr}"
    return None if done.returncode == 0 else problem


def main():
    if not compilers:
        print("skipped: none of these compilers is installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        single = pathlib.Path(scratch) / "single.h"
        subprocess.run([source / "tools/amalgamate", "-o", single], check=True)
        running = [pool.submit(compile, compiler, *case) for compiler in compilers for case in cases(compiler, single)]
        problems = [problem for job in running if (problem := job.result())]
    print(f"{len(running)} compilations by {', '.join(compilers)}")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
