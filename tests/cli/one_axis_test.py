#!/usr/bin/env python3
"""Two processes recorded on this machine, and copies of their traces, have one time axis.

    one_axis_test.py SKEIN ECHO_PROGRAM ONE_AXIS
"""
import os
import subprocess
import sys

from common import SECONDS, expect, run, start, work_in_new_folder

echo, one_axis = map(os.path.abspath, sys.argv[2:])
if not os.path.exists(echo):
    print("skipped: no Boost.Asio")
    sys.exit(77)
folder = work_in_new_folder("one-axis")


def environment(trace):
    return {**os.environ, "SKEIN_TRACE": f"{trace},mode=log"}


server = start([echo, "server"], env=environment("server"), stdout=subprocess.PIPE, text=True)
port = server.stdout.readline().split()[1]
client = subprocess.run([echo, "client", port, "200"], env=environment("client"), timeout=SECONDS,
                        capture_output=True, text=True)
expect("the client ends", client.returncode == 0, client)
server.terminate()
server.wait(timeout=SECONDS)


def check(what, first, second):
    said = subprocess.run([one_axis, first, second], capture_output=True, text=True, timeout=SECONDS)
    expect(what, said.returncode == 0, said)


check("the client's axis", "client", "server")
for trace in ("client", "server"):
    copy = run("export", "ctf", trace, "-o", f"{trace}-copy")
    expect("a copy", copy.returncode == 0, copy)
check("a copy and an original", "client-copy", "server")
check("copies", "client-copy", "server-copy")
