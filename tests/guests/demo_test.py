#!/usr/bin/env python3
"""./demo guest with an existing build: a hang, a killed QEMU and a crash, each read from outside.

usage: demo_test.py SKEIN SOURCE"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

skein, source = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
if shutil.which("qemu-system-x86_64") is None:
    print("skipped: no qemu-system-x86_64")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="skein-demo-") as work:
    done = subprocess.run([source / "demo", "guest"], capture_output=True, text=True, timeout=600,
                          env=dict(os.environ, SKEIN_BUILD=str(skein.parent), TMPDIR=work))
    if "was built without the page" in done.stdout + done.stderr:
        print("skipped: no page")
        sys.exit(77)
    assert done.returncode == 0, done
    for part in ("-d skein-demo-", "lost wake-up", "Arp::input arp.h:", "program     unikernel on",
                 "the guest left a note after"):
        assert part in done.stdout + done.stderr, (part, done)
    page = pathlib.Path(done.stdout.splitlines()[-1].strip())
    assert str(page).startswith(work) and page.read_text("utf-16").startswith("<!"), done
    unknown = subprocess.run([source / "demo", "gest"], capture_output=True, text=True, check=False)
    assert unknown.returncode == 2 and "usage" in unknown.stderr, unknown
print("passed")
