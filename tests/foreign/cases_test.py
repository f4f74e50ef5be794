#!/usr/bin/env python3
"""Builds programs of $SKEIN_DATA/../cases that skein once changed, plain and with skein::coroutine.
They must compile and print the same. 77 (skipped) if the programs are absent.
tests/adapters/coroutine_unchanged_test.cc has the same promises.

cases_test.py COMPILER SOURCE_DIR RECORDER WORK_DIR"""
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path


def output(compiler, flags, sources, links, program):
    subprocess.run([compiler, "-std=c++20", "-O1", "-w", "-pthread", *flags, "-o", str(program),
                    *map(str, sources), *links], check=True)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SKEIN_")}
    return subprocess.run([str(program)], env=environment, check=True, capture_output=True,
                          text=True).stdout


def main():
    compiler, source, recorder, work = sys.argv[1:]
    data = Path(os.environ.get("SKEIN_DATA") or Path(source).parent / "shared/data").parent
    cases, archive = data / "cases", data / "foreign/libcoro.tar.xz"
    if not (cases / "yields_references.cc").exists() or not archive.exists():
        print("skipped: the programs are not there")
        return 77
    headers = [f"-I{source}/record/include", f"-I{source}/format/include",
               f"-I{source}/record/include/skein/wrappers"]
    Path(work).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work) as scratch:
        scratch = Path(scratch)
        with tarfile.open(archive) as packed:
            packed.extractall(scratch)
        coro = scratch / "libcoro"
        (coro / "include/coro/export.hpp").write_text("#define CORO_EXPORT\n")  # its build writes it
        library = [f for f in sorted(coro.glob("src/*.cpp")) if f.stem not in ("poll", "scheduler")]
        library.append(coro / "src/detail/task_self_deleting.cpp")
        programs = [(["-DFINAL=final"], [cases / "yields_references.cc"]),
                    (["-DFINAL="], [cases / "yields_references.cc"]),
                    ([f"-I{coro}/include"], [cases / "returns_braces.cc", *library])]
        for flags, sources in programs:
            plain = output(compiler, flags, sources, [], scratch / "plain")
            traced = output(compiler, flags + headers, sources, [recorder], scratch / "traced")
            name = f"{sources[0].name} {flags[0].split('/')[0]}"
            if plain != traced or not plain:
                print(f"{name}: plain: {plain!r}, with skein: {traced!r}")
                return 1
            print(f"{name}: {plain.strip()}")
    return 0


sys.exit(main())
