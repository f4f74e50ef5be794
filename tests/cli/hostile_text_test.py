#!/usr/bin/env python3
"""No command prints a string of a trace, a file name or a peer's text in a form that a terminal or a
spreadsheet would execute, in any output format.

usage: hostile_text_test.py SKEIN SOURCE"""
import csv
import io
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading

from common import SECONDS, SKEIN, expect, run, work_in_new_folder

source = pathlib.Path(sys.argv[2]).resolve()
folder = work_in_new_folder("hostile-text")
EVERY = source / "tests/data/skein/every-event"

# ---- a trace in which every string is hostile

CONTROLS = [*range(1, 0x20), 0x7f, *range(0x80, 0xa0)]
DIRECTIONS = [0x61c, 0x200e, 0x200f, *range(0x202a, 0x202f), *range(0x2066, 0x206a)]
FORBIDDEN = {chr(code) for code in CONTROLS + DIRECTIONS}
ALL = "".join(sorted(FORBIDDEN)) + "\x1b[2J\x1b]0;title\x07\u009b31m\r\n"
STARTS = ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "=cmd|' /C calc'!A0", '=HYPERLINK("http://x")']


def hostile(text, count=[0]):
    count[0] += 1
    return STARTS[count[0] % len(STARTS)] + text + ALL


r = run("export", "chrome", EVERY)
trace = json.loads(r.stdout)
for event in trace["traceEvents"]:
    args = event.get("args", {})
    for key in set(args) & {"text", "file", "function", "name", "host", "program"}:
        if isinstance(args[key], str):
            args[key] = hostile(args[key])
# Slices of another tool: names, categories, labels, counters, threads.
for number, start in enumerate(STARTS):
    name = hostile(f"slice {number}")
    trace["traceEvents"] += [
        {"ph": "M", "pid": 7, "tid": number, "name": "thread_name", "args": {"name": hostile("thread")}},
        {"ph": "X", "pid": 7, "tid": number, "ts": number, "dur": 5, "name": name, "cat": hostile("cat")},
        {"ph": "i", "pid": 7, "tid": number, "ts": number + 1, "name": hostile("label")},
        {"ph": "b", "pid": 7, "tid": number, "ts": number, "id": number, "cat": "c", "name": hostile("async")},
        {"ph": "C", "pid": 7, "tid": number, "ts": number, "name": hostile("counter"),
         "args": {hostile("series"): number}}]
NAME = "=" + "".join(c for c in ALL if c not in "\0/")[:60] + "\u202e\x1b[2J"
OTHERS, OURS, SLICES = NAME + ".json", NAME + ".skein", NAME + ".slices.json"
pathlib.Path(OTHERS).write_text(json.dumps(trace))
pathlib.Path(SLICES).write_text(json.dumps({"traceEvents": [
    event for event in trace["traceEvents"] if event.get("pid") == 7 and event.get("cat") != "skein"]}))
r = run("export", "ctf", OTHERS, "-o", OURS)
expect("the trace in our format", r.returncode == 0, r)
dump = run("dump", "--json", OURS).stdout
expect("it has hostile strings", r"\u202e" in dump and r"\u001b" in dump and "=cmd" in dump, dump[:2000])

# ---- every command, in every output format, on a terminal and not

TABLES = [name for name in re.findall(r"^(\w+)", run("query", OURS, ".tables").stdout, re.M)]
TRACES = [OURS, OTHERS, SLICES]
TEXT, CSV, JSON, SVG = "text", "csv", "json", "svg"
COMMANDS = [
    (TEXT, "info"), (JSON, "info", "--json"), (TEXT, "dump"), ("lines", "dump", "--json"),
    (TEXT, "ps"), (JSON, "ps", "--json"), (TEXT, "ps", "--tree"), (TEXT, "ps", "--wide"),
    (TEXT, "show"), (TEXT, "show", "--all", "--color", "always"), (TEXT, "show", "--select", ALL),
    (TEXT, "why"), (JSON, "why", "--json"), (TEXT, "why", "{trace}", "1"), (TEXT, "why", "{trace}", ALL),
    (TEXT, "doctor", "--strict"), (JSON, "doctor", "--json"), (TEXT, "doctor", "--only", ALL),
    (TEXT, "doctor", "--longer-than", ALL),
    (TEXT, "critical", "{trace}", "1"), (JSON, "critical", "{trace}", "1", "--json"),
    (TEXT, "critical", "{trace}", ALL), (TEXT, "critical", "--from", ALL),
    (TEXT, "critical", "--from", "0", "--all"),
    (TEXT, "stats"), (JSON, "stats", "--json"), (TEXT, "stats", "--by", "location"),
    (TEXT, "stats", "--by", "kind"), (TEXT, "stats", "{trace}", ALL), (TEXT, "stats", "--by", ALL),
    (TEXT, "diff", "{trace}", "{trace}"), (JSON, "diff", "{trace}", "{trace}", "--json"),
    (TEXT, "diff", "{trace}", OTHERS), (JSON, "diff", "{trace}", SLICES, "--json"),
    (TEXT, "export", "folded"), (TEXT, "export", "folded", "--running"), (JSON, "export", "speedscope"),
    (JSON, "export", "chrome"), (CSV, "export", "csv"), (CSV, "export", "csv", "--table", "tasks"),
    (TEXT, "export", "csv", "--table", ALL), (TEXT, "export", ALL), (TEXT, ALL), (TEXT, "info", ALL),
    (TEXT, "info", "--" + ALL), (TEXT, "html", "-o", ALL + "/x"), (TEXT, "render", "-o", ALL),
    (TEXT, "render", "-o", NAME + ".svg"), (TEXT, "html", "-o", NAME + ".html"),
    (TEXT, "html", "-o", "-", "--critical-path", ALL), (TEXT, "serve", "--critical-path", ALL),
    (TEXT, "show", "--theme", ALL), (TEXT, "show", "--from", ALL), (TEXT, "info", "--memory", ALL),
    (TEXT, "snapshot", "-o", ALL), (TEXT, "query", "{trace}", "SELECT " + ALL),
    (TEXT, "query", "{trace}", "." + ALL), (TEXT, "query", "{trace}", ".schema " + ALL),
    (CSV, "query", "--csv", "{trace}", 'SELECT 1 AS "=x", 2 AS "\x1b[2J", 3 AS "\u202e"'),
    (TEXT, "query", "{trace}", 'SELECT 1 AS "=x", 2 AS "\x1b[2J", 3 AS "\u202e"'),
]
for table in TABLES:
    for form, option in ((TEXT, []), (CSV, ["--csv"]), (JSON, ["--json"])):
        COMMANDS.append((form, "query", *option, "{trace}", f"SELECT * FROM {table}"))
        COMMANDS.append((form, "query", *option, "{trace}", f"SELECT quote(name) FROM {table}"))


def on_terminal(words):
    leader, follower = os.openpty()
    with subprocess.Popen([SKEIN, *words], stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
                          env={**os.environ, "TERM": "xterm-256color"}) as program:
        os.close(follower)
        out = b""
        try:
            while piece := os.read(leader, 65536):
                out += piece
        except OSError:  # end of output
            pass
    os.close(leader)
    return out.decode().replace("\r\n", "\n")


# What skein itself sends to a terminal: colours, hyperlinks, and erasing its progress bar.
OWN = re.compile("\x1b\\[[0-9;]*m|\x1b\\]8;;[!-~]*\x1b\\\\|\r[ -~]*|\x1b\\[K")


def is_number(text):
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text, re.I)


def check(what, form, text, blanks):
    left = OWN.sub("", text) if blanks != "\n\t" or form == TEXT else text
    expect(f"{what}: nothing that a terminal executes", not FORBIDDEN - set(blanks) & set(left),
           [repr(left[max(0, i - 80):i + 80]) for i, c in enumerate(left)
            if c in FORBIDDEN - set(blanks)][:3])


def check_csv(what, text):
    for row in csv.reader(io.StringIO(text, newline="")):
        for cell in row:
            expect(f"{what}: no formula", not re.match("[=+@\t\r\n\uff1d-]", cell) or is_number(cell), cell)


runs = 0
for form, *words in COMMANDS:
    for trace in TRACES:
        line = [word.replace("{trace}", trace) for word in words]
        if "{trace}" not in words and ALL not in (words[0], words[-1] if words[0] in ("info", "export") else ""):
            line.append(trace)
        program = subprocess.run([SKEIN, *line], stdin=subprocess.DEVNULL, capture_output=True,
                                 timeout=SECONDS, check=False)
        what = " ".join(words[:3])
        expect(f"{what} ends", program.returncode in (0, 1, 2), program)
        out, err = program.stdout.decode(), program.stderr.decode()
        # RFC 4180 has CR LF at the end of a line, and line feeds and tabs in cells.
        if form == CSV:
            check_csv(what, out)
            out = out.replace("\r\n", "\n")
        check(what, form, out, "\n\t" if form in (CSV,) else "\n")
        check(what + " (messages)", TEXT, err, "\n")
        if form == JSON and program.returncode != 2:
            json.loads(out)
        if form == "lines":
            for document in out.splitlines():
                json.loads(document)
        check(what + " on a terminal", TEXT, on_terminal(line), "\n\t" if form == CSV else "\n")
        runs += 1
expect("all commands ran", runs > 150, runs)

for trace in TRACES:
    r = run("render", trace, "-o", "picture.svg")
    if r.returncode == 0:
        check("render", SVG, pathlib.Path("picture.svg").read_text(), "\n\t")

# ---- a terminal by another name

for words in (["export", "fxt", OURS], ["export", "perfetto", OURS], ["export", "parquet", OURS],
              ["html", OURS]):
    for output in "/dev/stdout", "/dev/tty", "-":
        leader, follower = os.openpty()
        name = os.ttyname(follower) if output == "/dev/tty" else output
        r = subprocess.run([SKEIN, *words, "-o", name], stdin=subprocess.DEVNULL, stdout=follower,
                           stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
        expect(f"{words[:2]} to {output}", r.returncode == 2 and
               ("not written to a terminal" in r.stderr or "without the page" in r.stderr), r)
        os.close(follower)
        os.close(leader)
for output in "/dev/stdout", "-":
    text = on_terminal(["export", "csv", OURS, "-o", output]).replace("\r\n", "\n")  # RFC 4180
    check("CSV to a terminal", CSV, text, "\n\t")

# ---- the text of a peer

listener = socket.socket(socket.AF_UNIX)
listener.bind("socket")
listener.listen()


def answer():
    for reply in ("error " + ALL, ALL, "ok\n" + ALL, "state: " + ALL + "\n\n"):
        peer = listener.accept()[0]
        peer.recv(1000)
        peer.sendall(reply.encode())
        peer.close()


threading.Thread(target=answer, daemon=True).start()
for request in ["status"] * 4:
    r = subprocess.run([SKEIN, "control", "socket", request], stdin=subprocess.DEVNULL, timeout=SECONDS,
                       capture_output=True, check=False)
    check("control", TEXT, r.stdout.decode() + r.stderr.decode(), "\n")
print(f"{runs} outputs")
