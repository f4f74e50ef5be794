#!/usr/bin/env python3
"""peers_test.py SKEIN PROGRAM: what `why`, `ps` and `query` print of tasks that wait for a peer: of a
running program, of one that was killed, and of a ring that has overwritten all operations."""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

skein, program = sys.argv[1:]
folder = tempfile.mkdtemp()


def run(*command):
    return subprocess.run([skein, *command], capture_output=True, text=True, check=False).stdout


def check(what, found, *patterns):
    for pattern in patterns:
        assert re.search(pattern, found, re.S), f"{what}: {pattern!r} is not in:\n{found}"


def peer(listener, kept):
    """Answers the first 20 bytes that begin with A or S; reads nothing of others."""
    while True:
        connection, _ = listener.accept()
        kept.append(connection)
        kind = connection.recv(1, socket.MSG_PEEK)
        if kind == b"A":
            connection.recv(20, socket.MSG_WAITALL)
            connection.sendall(b"b" * 20)
        elif kind == b"S":
            connection.recv(1)
            connection.sendall(b"request")


def diagnoses(trace):
    """Returns the peers and sentences of the diagnoses, by their last operation."""
    text = {}
    for d in json.loads(run("why", trace, "--json"))["diagnoses"]:
        last = d["chain"][-1]
        text.setdefault(last["task"]["name"], []).append((last["peer"], d["text"]))
    return text


def check_all(trace, live, port, own_port):
    here = f"127.0.0.1:{port}"
    text = diagnoses(trace)
    assert {at for at, _ in text["socket.async_receive"]} == {here}, text
    receives = "\n".join(sentence for _, sentence in text["socket.async_receive"])
    whose = "This socket" if live else "Operations of this socket"
    check("a peer that does not answer", receives,
          rf"waits for {here} to send\. {whose} sent 832 bytes, the last [^.]*[.]?[^.]* ago, and "
          r"received nothing since \(20 bytes before\)")
    # One byte was sent by a call that no hook sees: only the kernel knows it.
    check("an idle server", receives,
          rf"{whose} sent {8 if live else 7} bytes, the last [^(]* ago, and received nothing since "
          r"\(7 bytes before\)")
    (at, sends), = text["socket.async_send"]
    assert at == here, at
    check("a peer that does not read", sends, rf"waits for {here} to read\. {whose} sent [\d,]+ "
          "bytes, the last .* ago, and received nothing since")
    if live:
        check("what arrived", receives, "Everything that has arrived here has been read")
        check("what did not arrive", sends, r"The peer has not taken the last [\d,]+ bytes")
    (at, accepts), = text["socket.async_accept"]
    assert at == f"[::1]:{own_port}", at
    check("an acceptor", accepts, rf"waits for a connection to \[::1\]:{own_port}\.$")

    lines = [line for line in run("ps", trace).splitlines() if "socket.async" in line.split("(")[0]]
    assert len(lines) == 4 and sum(here in line for line in lines) == 3, lines
    tasks = json.loads(run("ps", trace, "--json"))["tasks"]
    assert sorted(t["peer"] for t in tasks if t["peer"]) == [here] * 3 + [f"[::1]:{own_port}"]
    assert all(t["duration_ns"] < 600 * 10**9 for t in tasks), tasks


def check_tables(trace, port):
    rows = [list(row.values()) for row in json.loads(
        run("query", "--json", trace,
            "select peer, sent, received, end_ns from socket order by sent"))]
    here = f"127.0.0.1:{port}"
    assert rows[0] == [None, 0, 0, None], rows
    assert rows[1] == [here, 7, 7, None] and rows[2] == [here, 832, 20, None], rows
    assert rows[3][0] == here and rows[3][1] > 2**16 and rows[3][2] == 0, rows


for mode in ("log", "ring"):
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    kept = []
    threading.Thread(target=peer, args=(listener, kept), daemon=True).start()
    trace = f"{folder}/{mode}"
    options = "size=64K" if mode == "ring" else "mode=log"
    process = subprocess.Popen([program, str(port)] + ["busy"] * (mode == "ring"),
                               env={**os.environ, "SKEIN_TRACE": f"{trace},{options}"},
                               stdout=subprocess.PIPE, text=True)
    try:
        own_port = int(process.stdout.readline())
        assert process.stdout.readline() == "waiting\n"
        check_all(str(process.pid), True, port, own_port)
    finally:
        process.kill()
        process.wait()
    check_all(trace, False, port, own_port)
    check_tables(trace, port)
    if mode == "ring":
        lost = run("query", trace, "select count(*) from event where kind = 'connection'")
        assert lost.split()[-1] == "0", lost
    else:
        copy = f"{folder}/copy"
        run("export", "ctf", trace, "-o", copy)
        check_tables(copy, port)
shutil.rmtree(folder)
