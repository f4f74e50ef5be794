#!/usr/bin/env python3
"""skein html and serve pack the files of a trace and no others: a page is given away.

usage: page_files_test.py SKEIN SOURCE"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
import zlib

from common import SKEIN, expect, run, start, work_in_new_folder

source = pathlib.Path(sys.argv[2]).resolve()
EVERY = source / "tests/data/skein/every-event"
folder = work_in_new_folder("page-files")
SECRET = b"the password is swordfish"
pathlib.Path("secret").write_bytes(SECRET)
r = run("html", EVERY, "-o", "built.html")
if "built without the page" in r.stderr:
    print("skipped: this build has no page")
    sys.exit(77)


def html(trace, *more):
    pathlib.Path("page.html").unlink(missing_ok=True)
    return run("html", trace, "-o", "page.html", *more)


def served(trace):
    """Returns all data that a page gets from skein serve, and what serve reports."""
    server = start([SKEIN, "serve", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    link = server.stdout.readline().strip()
    address = re.fullmatch(r"(.*)/\?(token=.*)", link)
    data = b""
    if address:
        page = urllib.request.urlopen(f"{address[1]}/bundle?{address[2]}", timeout=60).read()
        data = zlib.decompress(page, 47)
        server.send_signal(signal.SIGTERM)
    said = server.communicate(timeout=60)[1]
    return data, said


def copy(name):
    shutil.copytree(EVERY, name)
    return pathlib.Path(name)


# ---- inside a directory: other files, links, FIFOs

trace = copy("trace")
expect("a page", html("trace").returncode == 0)
plain_page, (plain_data, _) = pathlib.Path("page.html").read_bytes(), served("trace")
expect("serve sends the trace", len(plain_data) > 1000, plain_data)
stream = next(name for name in sorted(os.listdir(trace)) if name.startswith("s"))

(trace / "id_rsa").write_bytes(SECRET)
(trace / "s00099-0").write_bytes(SECRET)  # has the name of a chunk
(trace / "s00098-0").symlink_to("../secret")
(trace / "s00097-0").symlink_to(pathlib.Path(stream))  # even to a chunk
(trace / "names-9").symlink_to("/dev/zero")
(trace / "gone").symlink_to("nowhere")
(trace / "folder").symlink_to("..")
os.mkfifo(trace / "s00096-0")
r = html("trace")
expect("a page of a directory with other files", r.returncode == 0, r)
expect("the page has none of them", pathlib.Path("page.html").read_bytes() == plain_page, r)
for name in "s00098-0", "s00097-0", "names-9", "folder":
    expect("a link is reported", f"trace/{name}: a symbolic link; not in the page" in r.stderr, r)
data, said = served("trace")
expect("serve sends none of them", data == plain_data, said)
expect("serve reports links", "s00098-0: a symbolic link" in said, said)

# Metadata and packets that are links do not make a trace.
for name in "metadata", "all":
    trace = copy("linked-" + name)
    for file in trace.iterdir():
        if name in ("all", file.name):
            file.rename(folder.name + "/moved-" + file.name)
            file.symlink_to(folder.name + "/moved-" + file.name)
    r = html(trace)
    expect("a link is reported, of any name", "metadata: a symbolic link" in r.stderr, r)
    expect("it is no trace", r.returncode == 2, r)
    expect("other commands follow links", run("info", trace).returncode == 0)

(copy("text") / "metadata").write_bytes(SECRET)
r = html("text")
expect("metadata that is not", SECRET not in served("text")[0], r)

# ---- the trace itself: a link that the user names is followed

os.symlink("linked", "twice")
os.symlink(EVERY, "linked")
for name in "linked", "linked/", "twice":
    r = html(name)
    expect(f"the link {name} to a trace", r.returncode == 0 and "symbolic" not in r.stderr, r)
os.symlink("secret", "link")
os.symlink(SKEIN, "program")
os.mkfifo("fifo")
for name, what in {"secret": "not a trace", "link": "not a trace",
                   "program": "an ELF file, not a trace", "/bin/ls": "an ELF file, not a trace",
                   "fifo": "a FIFO without a writer"}.items():
    for command in "html", "serve":
        r = html(name) if command == "html" else run("serve", name)
        expect(f"{command} refuses {name}", r.returncode == 2 and what in r.stderr, r)
        expect(f"{command} names the expected formats", name == "fifo" or
               re.search("expected a directory that `skein record` wrote.*, perf.data, or -$", r.stderr, re.M), r)
        expect("there is no page", not os.path.exists("page.html"))

# Of a file that only contains a trace, the page has only the trace.
mirage = (source / "tests/data/mirage/straight.ctf").read_bytes()
pathlib.Path("core").write_bytes(SECRET.ljust(4096, b"!") + mirage)
data, _ = served("core")
expect("the page has the trace", b"CTF 1.8" in data)
expect("not the bytes before it", SECRET not in data)
