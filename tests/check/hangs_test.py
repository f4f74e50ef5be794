#!/usr/bin/env python3
"""hangs_test.py SKEIN [RECORDED]: `skein check` explains programs that hang, with function and line."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from common import (SKEIN, can_compile, can_trace, check, compile_program, expect, explains, places,
                    running)

if not can_trace():
    print("skipped: no g++, or ptrace is forbidden")
    sys.exit(77)

with tempfile.TemporaryDirectory(prefix="skein-check-test-") as folder:
    folder = pathlib.Path(folder)
    names = ["coroutine", "deadlock", "busy", "children"]
    if can_compile("#include <boost/asio.hpp>\n"):
        names.append("asio")
    for name in names:
        program = compile_program(name, folder)
        run = check("--timeout", "1s", "--", program)
        expect(f"{name} fails", run.returncode == 1, run)
        expect(f"{name}: the reason", f"skein: {name}: it did not end within 1.00 s" in run.stderr, run.stderr)
        expect(f"{name} is explained", explains(run.stderr, f"{name}.cc"), run.stderr)
        expect(f"{name}: which threads wait for each other", (name == "deadlock") == ("wait for each other's mutexes"
               in run.stderr and "a deadlock" in run.stderr), run.stderr)
        expect(f"{name}: its output", run.stdout in ("", "started\n"), run.stdout)
    # Without debug information, functions without lines.
    program = compile_program("busy", folder, "-g0")
    run = check("--timeout", "1s", "--", program)
    expect("a function without a line", "count_for_ever" in run.stderr and "busy.cc" not in run.stderr, run.stderr)
    expect("how to get lines", "has no lines: build it with -g." in run.stderr, run.stderr)
    program = compile_program("busy", folder, "-g0", "-s")
    run = check("--timeout", "1s", "--", program)
    expect("how to get functions", "do not strip it" in run.stderr and "count_for_ever" not in run.stderr, run.stderr)
    # Of a library the stack has them, and the program's own functions are not in it.
    library = folder / "libwaits.so"
    compile_program("library", folder, "-shared", "-fPIC").rename(library)
    program = compile_program("library", folder, "-DPROGRAM", "-g0", "-s", "-O2", library)
    run = check("--timeout", "1s", "--", program)
    expect("the library", explains(run.stderr, "library.cc"), run.stderr)
    expect("no advice about the program", "The program has no" not in run.stderr, run.stderr)
    run = check("--timeout", "1s", "--", "sleep", "1000")
    expect("no advice about sleep(1)", run.returncode == 1 and "The program has no" not in run.stderr, run.stderr)
    # The coroutines have ended.
    program = compile_program("ended", folder)
    run = check("--timeout", "1s", "--", program)
    expect("a program whose coroutines have ended", explains(run.stderr, "ended.cc"), run.stderr)
    expect("no coroutines", "There are no coroutines in its memory." in run.stderr and
           "where its coroutines wait" not in run.stderr, run.stderr)
    program = compile_program("coroutine", folder)

    # A program without coroutines has no such memory; each process of a test has its own.
    run = check("--timeout", "1s", "--keep", folder / "two", "--", "sh", "-c", f"{program} & {folder}/busy & wait")
    expect("two processes", explains(run.stderr, "coroutine.cc"), run.stderr)
    expect("one has coroutines", len(list((folder / "two").glob("*/memory*.core"))) == 1, run.stderr)

    # Through a shell: the child is explained, the shell is not.
    run = check("--timeout", "1s", "--", "sh", "-c", f"{program}; true")
    expect("the child of a shell", run.returncode == 1 and explains(run.stderr, "coroutine.cc"), run.stderr)

    # A program that waits for its child: itself first, then the child.
    parent = compile_program("waits_for_child", folder)
    run = check("--timeout", "1s", "--", parent)
    titles = re.findall(r"^Process (\d+) \((\w+)\)(.*):$", run.stderr, re.M)
    expect("two titles", len(titles) == 2, run.stderr)
    expect("the test", titles[0][1:] == ("waits_for_child", ", the test"), titles)
    expect("its child", titles[1][1:] == ("waits_for_child", f", a child of process {titles[0][0]}"), titles)
    expect("both are explained", explains(run.stderr, "waits_for_child.cc"), run.stderr)
    expect("in this order", run.stderr.index("wait_for_child ") < run.stderr.index("pause_in_child "), run.stderr)

    # Through a skein check of its own, and CTest: neither they nor their guards are explained.
    tree = folder / "tree"
    tree.mkdir()
    (tree / "CTestTestfile.cmake").write_text(f'add_test(inner "{SKEIN}" check --launcher --timeout 90 -- "{program}")\n')
    nested = [["check", "--timeout", "90", "--", program]]
    if shutil.which("ctest"):
        nested.append(["check", "--timeout", "90", "--ctest", tree])
    for words in nested:
        for seconds in (2, 5, 20):  # until the inner test has begun
            run = check("--timeout", f"{seconds}s", "--", SKEIN, *words)
            if explains(run.stderr, "coroutine.cc"):
                break
        expect("the test of a test", run.returncode == 1 and explains(run.stderr, "coroutine.cc"), run.stderr)
        expect("no other process", "Process " not in run.stderr and "guard" not in run.stderr, run.stderr)

    # The evidence.
    kept = folder / "kept"
    run = check("--timeout", "1s", "--keep", kept, "--junit", folder / "junit.xml", "--github", "--", program)
    report = (kept / "coroutine/report.txt").read_text()
    expect("a kept report", explains(report, "coroutine.cc"), report)
    memory = kept / "coroutine/memory.core"
    expect("the report names the memory", f"Kept for skein ps, why and html: {memory}\n" in report, report)
    expect("only its owner may read it", memory.stat().st_mode & 0o77 == 0, memory.stat())
    elsewhere = folder / "elsewhere.core"
    elsewhere.write_bytes(memory.read_bytes())
    away = program.rename(folder / "away")
    why = subprocess.run([SKEIN, "why", elsewhere], capture_output=True, text=True)
    expect("skein why of the kept memory", explains(why.stdout, "coroutine.cc"), why)
    page = folder / "page.html"
    html = subprocess.run([SKEIN, "html", elsewhere, "-o", page], capture_output=True, text=True)
    expect("skein html of it", html.returncode == 0 and page.stat().st_size > 10_000 or "without" in html.stderr, html)
    away.rename(program)
    function, place = places("coroutine.cc")[0]
    line = place.split(":")[1]
    annotation = [text for text in run.stdout.splitlines() if text.startswith("::")]
    expect("one annotation", len(annotation) == 1, run.stdout)
    expect("its place", f"coroutine.cc,line={line},title=coroutine::it did not end" in annotation[0], annotation)
    expect("its text", f"%0A     {function}" in annotation[0], annotation)
    xml = (folder / "junit.xml").read_text()
    expect("JUnit", '<failure type="timeout"' in xml and f'line="{line}"' in xml and function in xml, xml)

    if len(sys.argv) > 2:
        recorded = sys.argv[2]
        run = check("--timeout", "1s", "--keep", kept, "--", recorded, "hang")
        expect("a recorded program", run.returncode == 1 and explains(run.stderr, "recorded.cc"), run.stderr)
        expect("its trace answers", "is not recorded" not in run.stderr, run.stderr)
        memory = list(kept.glob("*recorded*/memory.core"))
        expect("a kept memory of a recorded program", len(memory) == 1, memory)
        why = subprocess.run([SKEIN, "why", memory[0]], capture_output=True, text=True)
        expect("skein why of it", explains(why.stdout, "recorded.cc"), why)
        traces = list(kept.glob("*recorded*/trace.skein"))
        expect("a kept trace", len(traces) == 1, traces)
        why = subprocess.run([SKEIN, "why", traces[0]], capture_output=True, text=True)
        expect("skein why of the kept trace", explains(why.stdout, "recorded.cc"), why)
        run = check("--timeout", "1s", "--no-record", "--", recorded, "hang")
        expect("the same from memory", explains(run.stderr, "recorded.cc") and "is not recorded" in run.stderr, run)
