#!/usr/bin/env python3
"""`skein query` with SQL from the command line, standard input and a prompt. `skein dump` shows the
expected events.

    query_test.py SKEIN HANGING_PROGRAM
"""
import csv
import fcntl
import io
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time

from common import SECONDS, SKEIN, expect, run, start, until

hang = sys.argv[2]
EDITED = "libedit" in subprocess.run(["ldd", SKEIN], capture_output=True, text=True).stdout
# A query that runs practically forever and prints nothing.
ENDLESS = "SELECT count(*) FROM event a, event b, event c, event d, event e, event f"


def answer(trace, sql):
    said = run("query", "--json", trace, sql)
    expect(f"it goes well: {sql}", said.returncode == 0 and said.stderr == "", said)
    return json.loads(said.stdout)


def data(trace, events):
    """The tables agree with the output of other commands."""
    rows = answer(trace, "SELECT * FROM event")
    expect("every event", len(rows) == len(events), (len(rows), len(events)))
    for row, event in zip(rows, events):
        same = (row["time_ns"], row["kind"], row["text"], row["line"]) == (
            event["time"], event["event"], event.get("text"), event.get("location", {}).get("line"))
        expect("the same", same and row["other"] == event.get("other"), (row, event))
    median = events[len(events) // 2]["time"]
    later = [event for event in events if event["time"] > median]
    expect("by time", answer(trace, f"SELECT count(*) AS n FROM event WHERE time_ns > {median}") ==
           [{"n": len(later)}])
    groups = {group["name"]: group for group in
              json.loads(run("stats", "--json", "--by", "kind", trace).stdout)["groups"]}
    kinds = answer(trace, "SELECT kind, count(*) AS tasks, sum(state = 'live') AS live, "
                          "percentile(CASE state WHEN 'live' THEN NULL ELSE duration_ns END, 50) AS median "
                          "FROM task WHERE NOT resource GROUP BY kind")
    expect("tasks by kind", {k["kind"]: k["tasks"] for k in kinds} ==
           {name: group["tasks"] for name, group in groups.items()}, kinds)
    for kind in kinds:
        group = groups[kind["kind"]]
        expect("as in stats", (kind["live"], kind["median"] or 0) ==
               (group["live"], group["latency_ns"]["p50"]), (kind, group))
    expect("what a task is called", answer(
        trace, "SELECT title(id) AS title FROM task WHERE name = 'query'")[0]["title"]
        .startswith("query (#"))
    expect("times as people write them", answer(trace, "SELECT ns('20ms') AS a, duration(1250000) AS b") ==
           [{"a": 20_000_000, "b": "1.25 ms"}])


def formats(trace):
    sql = "SELECT id, time_ns, kind, text FROM event LIMIT 5"
    rows = answer(trace, sql)
    table = run("query", trace, sql).stdout.splitlines()
    expect("a head and rows", table[0].split() == ["id", "time_ns", "kind", "text"] and len(table) == 6, table)
    expect("aligned", len({line.index(row["kind"]) for line, row in zip(table[1:], rows)}) == 1, table)
    lines = list(csv.DictReader(io.StringIO(run("query", "--csv", trace, sql).stdout)))
    expect("CSV", [(line["kind"], int(line["time_ns"])) for line in lines] ==
           [(row["kind"], row["time_ns"]) for row in rows], lines)
    both = run("query", "--csv", "--json", trace, sql)
    expect("one format", both.returncode == 2, both)
    expect("several statements", run("query", trace, "SELECT 1 AS a; SELECT 2 AS b;").stdout ==
           "a\n1\nb\n2\n")
    expect("none", run("query", trace, "  -- nothing\n;").stdout == "")


def errors(trace):
    for sql, words, place in (
            ("SELECT *\nFORM event", ["near 'FORM'", "syntax error"], "  FORM event\n  ^ here"),
            ("SELECT 1; SELECT colour FROM event", ["no such column: colour", ".schema"],
             "SELECT colour FROM"),
            ("SELECT 1 FROM missing", ["no such table: missing", ".schema"], ""),
            ("DELETE FROM event", ["may not be modified"], ""),
            ("ATTACH '/etc/passwd' AS x", ["read-only"], ""),
            ("SELECT time_of('soon')", ["time_of", "2026-11-21"], ""),
            (".colours", ["no such command: .colours", ".help"], ""),
            (".schema nothing", ["no such table: nothing", ".tables"], "")):
        said = run("query", trace, sql)
        expect(f"{sql} is an error", said.returncode == 2, said)
        expect(f"{sql} reports the problem", all(word in said.stderr for word in words), said)
        expect(f"{sql} reports the position", place in said.stderr, said)
    nothing = run("query", trace / "nothing", "SELECT 1")
    expect("no trace", nothing.returncode == 2 and "nothing" in nothing.stderr, nothing)
    twice = run("query", "-", stdin=subprocess.DEVNULL)
    expect("either is read from standard input", twice.returncode == 2 and "SQL" in twice.stderr, twice)


def from_input(trace):
    said = run("query", trace, input="SELECT 1\n AS a;\n\n.tables\nSELECT ';' AS b -- ;\n")
    expect("statements across lines", said.returncode == 0 and said.stdout.startswith("a\n1\nevent ") and
           said.stdout.endswith("b\n;\n"), said)
    wrong = run("query", trace, input="SELECT 1;\n\nSELECT 2,\n  ;\nSELECT 3;\n")
    expect("the first error ends it, and has a line", wrong.returncode == 2 and wrong.stdout == "1\n1\n" and
           "line 4:   ;" in wrong.stderr, wrong)


class Terminal:
    """A user at a prompt."""

    def __init__(self, *words, **environment):
        self.keys, screen = pty.openpty()
        self.program = start([SKEIN, *map(str, words)], stdin=screen, stdout=screen, stderr=screen,
                             start_new_session=True, preexec_fn=self.take_terminal,
                             env=dict(os.environ, TERM="dumb", **environment))
        os.close(screen)
        self.seen = ""

    @staticmethod
    def take_terminal():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C sends a signal

    def until(self, *patterns):
        """Consumes and returns the output up to the end of the first match of a pattern."""
        end = time.monotonic() + SECONDS
        while True:
            for pattern in patterns:
                if found := re.search(pattern, self.seen, re.S):
                    before, self.seen = self.seen[:found.end()], self.seen[found.end():]
                    return before
            ready = select.select([self.keys], [], [], max(0, end - time.monotonic()))[0]
            expect(f"{patterns} comes", ready, self.seen)
            try:
                more = os.read(self.keys, 4096).decode(errors="replace")
            except OSError:  # all other descriptors are closed
                more = ""
            expect(f"{patterns} comes before the end", more, self.seen)
            self.seen += more.replace("\r", "")

    def type(self, text):
        os.write(self.keys, text.encode())

    def press(self, keys):
        """Types keys for the line editor, which takes the terminal shortly after its prompt."""
        if EDITED:
            until(lambda: not termios.tcgetattr(self.keys)[3] & termios.ICANON, "lines are edited")
        self.type(keys)

    def end(self):
        code = self.program.wait(SECONDS)
        os.close(self.keys)
        return code


def at_prompt(trace, folder):
    state = str(folder / "state")
    user = Terminal("query", trace, XDG_STATE_HOME=state, HOME=str(folder))
    user.until("skein> ")
    user.type("SELECT 40 +\n")
    user.until(r"\.\.\.> ")
    user.type("2 AS n;\n")
    expect("an answer", "\n42\n(1 row in " in user.until("skein> "))
    user.type(".schema label\n")
    expect("columns", "CREATE TABLE label(" in user.until(r"\);.*skein> "))
    user.type("SELECT oops;\n")
    expect("an error, and on it goes", "no such column: oops" in user.until("here.*skein> "))
    user.type("SELECT 'half\n")
    user.until(r"\.\.\.> ")
    user.press("\x03")
    user.until(r"\^C.*skein> ")
    user.type(ENDLESS + ";\n")
    user.until(r"searching \[ +\] +0 %")  # after a second; from then on Ctrl-C interrupts the query
    user.type("\x03")
    user.until("skein: interrupted.*skein> ")
    user.type("SELECT 'still' || ' there' AS a;\n")
    user.until("\nstill there\n.*skein> ")
    for nothing in (";\n", " ; ;\n"):
        user.type(nothing)
        user.until("skein> ")
    user.type(".quit\n")
    expect("a good end", user.end() == 0)
    if not EDITED:
        return
    expect("only the user reads what was typed",
           (folder / "state/skein/query_history").stat().st_mode & 0o777 == 0o600)
    # The editor's file: a header, then one line per entry, with spaces and line ends escaped.
    remembered = (folder / "state/skein/query_history").read_text().replace("\\040", " ").splitlines()
    expect("empty lines are not in the history", len(remembered) > 3 and
           not [line for line in remembered if not line.strip("; ")], remembered)
    user = Terminal("query", trace, XDG_STATE_HOME=state, HOME=str(folder))
    user.until("skein> ")
    user.press("\x10\x10\n")  # Ctrl-P twice: the entry before .quit
    user.until("\nstill there\n.*skein> ")
    user.press("\x12" "40\n")  # Ctrl-R and a part of the query; a second line end would end an empty line
    expect("found again", "\n42\n" in user.until("row in .*skein> "))
    user.press("\x04")
    expect("Ctrl-D ends it", user.end() == 0)


def interrupt(trace):
    """Without a prompt, Ctrl-C kills the program as usual."""
    program = start([SKEIN, "query", trace, "SELECT 1 AS begun; " + ENDLESS], stdout=subprocess.PIPE)
    expect("it runs", program.stdout.readline() == b"begun\n")
    program.send_signal(signal.SIGINT)
    expect("it ends", program.wait(SECONDS) == -signal.SIGINT)


def test(folder):
    trace = folder / "good.skein"
    subprocess.run([hang, "1"], env=dict(os.environ, SKEIN_TRACE=str(trace)), check=True,
                   stdout=subprocess.DEVNULL)
    events = [json.loads(line) for line in run("dump", "--json", trace).stdout.splitlines()]
    expect("there is something", len(events) > 20)
    data(trace, events)
    formats(trace)
    errors(trace)
    from_input(trace)
    at_prompt(trace, folder)
    interrupt(trace)


if "built without SQLite" in run("query", "/", "SELECT 1").stderr:
    print("skipped: built without SQLite")
    sys.exit(77)
if not os.path.exists(hang):
    print("skipped: the example is built only where there is Boost.Asio")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="skein-query-") as name:
    test(pathlib.Path(name))
print("passed")
