#!/usr/bin/env python3
"""./demo with an existing build prints the path of a page at its end, and fails without a build.

usage: demo_test.py SKEIN PROGRAM SOURCE"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

skein, program, source = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
if shutil.which("babeltrace2") is None:
    print("skipped: no babeltrace2")
    sys.exit(77)


def demo(build, work):
    return subprocess.run([source / "demo"], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, SKEIN_BUILD=str(build), TMPDIR=str(work)))


with tempfile.TemporaryDirectory(prefix="skein-demo-") as name:
    work = pathlib.Path(name)
    build = work / "build"
    (build / "examples").mkdir(parents=True)
    (build / "examples/030-asio").symlink_to(program)
    (build / "examples/arp").symlink_to(program.parent / "arp")
    (build / "examples/050-hang").symlink_to(program.parent / "050-hang")

    (build / "skein").symlink_to(skein)
    good = demo(build, work)
    if "was built without the page" in good.stdout + good.stderr:
        print("skipped: no page")
        sys.exit(77)
    assert good.returncode == 0, good
    page = pathlib.Path(good.stdout.splitlines()[-1].strip())
    assert page.parent.parent == work and page.read_text("utf-16").startswith("<!"), good.stdout
    for of in ("which never expires", "cancelled the timer at"):  # from memory, and recorded
        assert of in good.stdout, good.stdout
    assert "not one acknowledged event was lost" in good.stdout, good.stdout
    assert "No stuck tasks found" in good.stdout, good.stdout
    assert "lost wake-up" in good.stdout and "arp.cc:" in good.stdout, good.stdout

    (build / "skein").unlink()
    (build / "skein").write_text(
        f'#!/bin/sh\n[ "$1" != html ] || {{ echo no room >&2; exit 2; }}\nexec {skein} "$@"\n')
    (build / "skein").chmod(0o755)
    bad = demo(build, work)
    assert bad.returncode == 1 and bad.stdout.endswith("    no room\n"), bad
print("passed")
