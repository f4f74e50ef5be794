#!/usr/bin/env python3
"""skein export in all formats, checked by independent readers where they exist; files of other
tools, read by every command.

usage: export_test.py SKEIN SOURCE"""
import collections
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from common import SKEIN, expect, info, run, work_in_new_folder
from fxt_counts import Fxt

source = pathlib.Path(sys.argv[2]).resolve()
shared = pathlib.Path(os.environ.get("SKEIN_DATA", source.parent / "shared/data"))
folder = work_in_new_folder("export")
EVERY = str(source / "tests/data/skein/every-event")
FORMATS = re.findall(r"^  ([a-z]+) ", run("export", "--help").stdout.split("Formats:")[1], re.M)
FILES = [form for form in FORMATS if " FILE" in run("export", form, "--help").stdout]
expect("formats of files", "csv" in FILES and "ctf" not in FILES, FILES)


def export(form, trace, to, *more, code=0):
    r = run("export", form, trace, "-o", to, *more)
    expect(f"export {form} of {trace}", r.returncode == code, r)
    return r.stderr


def events(trace):
    r = run("dump", "--json", trace)
    expect(f"dump of {trace}", r.returncode == 0, r)
    return [json.loads(line) for line in r.stdout.splitlines()]


def kinds(trace):
    return collections.Counter(e["event"] for e in events(trace))


# ---- Perfetto, decoded by protoc

def decoded(path):
    """Returns the packets, decoded by protoc, as nested lists of (field, value)."""
    with open(path, "rb") as file:
        r = subprocess.run(["protoc", f"--proto_path={source}/tests/cli", "--decode=Trace",
                            f"{source}/tests/cli/perfetto.proto"], stdin=file, capture_output=True,
                           text=True, check=False)
    expect(f"protoc decodes {path}", r.returncode == 0, r.stderr[:500])
    packets, stack = [], []
    for line in r.stdout.splitlines():
        line = line.strip()
        if line.endswith("{"):
            name, fields = line[:-1].strip(), []
            expect("a field that is in the schema", not name[0].isdigit(), line)
            (stack[-1] if stack else packets).append((name, fields))
            stack.append(fields)
        elif line == "}":
            stack.pop()
        else:
            name, value = line.split(": ", 1)
            expect("a field that is in the schema", not name[0].isdigit(), line)
            stack[-1].append((name, value))
    return [dict_of(fields) for _, fields in packets]


def dict_of(fields):
    return {name: dict_of(value) if isinstance(value, list) else value for name, value in fields}


def check_perfetto(trace):
    said = export("perfetto", trace, "p")
    packets = decoded("p")
    tracks = {p["track_descriptor"]["uuid"]: p["track_descriptor"] for p in packets
              if "track_descriptor" in p}
    for track in tracks.values():
        if "process" not in track:
            expect("each track has a parent", track["parent_uuid"] in tracks, track)
    threads = [t for t in tracks.values() if "thread" in t]
    facts = info(trace)
    expect("a thread for each executor", len(threads) == max(facts["streams"], 1), len(threads))
    expect("no two are one", len({t["thread"]["tid"] for t in threads}) == len(threads), threads)
    by_track = collections.defaultdict(list)
    flows = collections.Counter()
    for p in packets:
        event = p.get("track_event")
        if not event:
            continue
        expect("its track was described", event["track_uuid"] in tracks, event)
        by_track[event["track_uuid"]].append((int(p["timestamp"]), event))
        flows[event.get("flow_ids")] += 1
        flows[event.get("terminating_flow_ids")] += 1
    del flows[None]
    expect("each flow has two ends", set(flows.values()) <= {2}, flows)
    for uuid, of_track in by_track.items():
        open_slices, last = 0, 0
        for time, event in of_track:
            if event["type"] == "TYPE_SLICE_BEGIN":
                expect("slices in order", time >= last, (uuid, time, last))
                open_slices, last = open_slices + 1, time
            elif event["type"] == "TYPE_SLICE_END":
                expect("slices in order", time >= last, (uuid, time, last))
                open_slices, last = open_slices - 1, time
                expect("an end has a beginning", open_slices >= 0, uuid)
        expect("each slice ends", open_slices == 0, uuid)
    instants = collections.Counter(e["categories"] for of_track in by_track.values()
                                   for _, e in of_track if e["type"] == "TYPE_INSTANT")
    counts = kinds(trace)
    expect("a label, an instant", instants['"label"'] == counts["label"], (instants, counts))
    counters = sum(e["type"] == "TYPE_COUNTER" for of in by_track.values() for _, e in of)
    updates = counts["counter_add"] + counts["counter_set"]
    expect("counters", counters <= updates and (updates == 0) == (counters == 0), counters)
    return said, tracks


if shutil.which("protoc"):
    said, tracks = check_perfetto(EVERY)
    names = {t.get("name") for t in tracks.values()}
    expect("a task's track", '"session 7 (#1)"' in names, names)
    expect("omissions, with counts", "events of kind clock: 1" in said, said)
    check_perfetto_done = True
else:
    check_perfetto_done = False
    print("no protoc: Perfetto's format is not checked")

# ---- Chrome's JSON

def check_chrome(trace):
    export("chrome", trace, "c")
    with open("c", encoding="utf-8") as file:
        all_events = json.load(file)["traceEvents"]
    own = [e for e in all_events if e.get("cat") == "skein"]
    rows = [e for e in own if e.get("args", {}).get("event") not in ("trace", "thread")]
    expect("each event is one", len(rows) == len(events(trace)), len(rows))
    open_ids = set()
    for e in own:
        if e["ph"] == "b":
            expect("begins once", e["id"] not in open_ids, e)
            open_ids.add(e["id"])
        elif e["ph"] in "ne":
            expect("lies in its task's slice", e["id"] in open_ids, e)
            if e["ph"] == "e":
                open_ids.remove(e["id"])
    flows = collections.Counter((e["id"], e["ph"]) for e in all_events if e["ph"] in "sf")
    expect("each flow begins and ends", set(flows.values()) <= {1} and
           sum(ph == "s" for _, ph in flows) == sum(ph == "f" for _, ph in flows), flows)
    busy = collections.defaultdict(float)
    for e in all_events:
        if e["ph"] == "X":
            expect("one at a time", e["ts"] >= busy[e["tid"]] - 0.0005, e)
            busy[e["tid"]] = e["ts"] + e["dur"]


check_chrome(EVERY)

# ---- round trips: FXT and Chrome's JSON

def check_round_trip(trace):
    first = run("dump", trace)
    # Losses are reported for the original only.
    wanted = first.stdout
    for form in ("fxt", "chrome"):
        export(form, trace, "there")
        again = run("dump", "there")
        expect(f"{trace} comes back from {form}", again.stdout == wanted and wanted != "",
               again.stderr)
        shutil.rmtree("ours", ignore_errors=True)
        export("ctf", "there", "ours")
        expect("as ours, too", info("ours")["events"] >= info(trace)["events"])


def check_copy(trace, shift=0):
    """The copy has the same events as the original, with ids increased by `shift`."""
    shutil.rmtree("ours", ignore_errors=True)
    said = export("ctf", trace, "ours")
    expect("the change of ids is reported", ("ids are increased by one" in said) == (shift == 1), said)
    copies = events("ours")
    for first, copy in zip(events(trace), copies, strict=True):
        more = {key for key in first.keys() | copy.keys() if first.get(key) != copy.get(key)}
        expect(f"an event of {trace} comes back", all(
            isinstance(first.get(key), int) and copy.get(key) == first[key] + shift
            for key in more) and (shift == 1 or not more), (first, copy))
    before, after = info(trace), info("ours")
    for fact in ("tasks", "ended", "live", "start_utc_ns", "start_ns", "duration_ns",
                 "overwritten_packets", "complete_from_ns", "program", "pid", "streams"):
        expect(f"{fact} of {trace}", after.get(fact) == before.get(fact), (before, after))
    for command in ("why", "critical", "stats"):
        one, other = run(command, trace), run(command, "ours")
        expect(f"{command} has the same output", other.returncode == one.returncode and
               len(other.stdout.splitlines()) == len(one.stdout.splitlines()) and
               (shift == 1 or other.stdout == one.stdout), (one.stdout, other.stdout))
    return said


said = check_copy(EVERY)
expect("omissions", "clock pairs: 1" in said and "dropped by the recorder" in said, said)
check_copy(str(source / "tests/data/mirage/straight.ctf"), shift=1)
check_round_trip(EVERY)
check_round_trip(str(source / "tests/data/mirage/straight.ctf"))
said = export("fxt", EVERY, "there")
expect("omissions", "modules: 1" in said and "records of losses" in said, said)

# ---- the await graph

def weights(text):
    found = {}
    for line in text.splitlines():
        stack, weight = line.rsplit(" ", 1)
        expect("a stack once", stack not in found, stack)
        found[stack] = int(weight)
    return found


def check_stacks(trace):
    export("speedscope", trace, "s")
    with open("s", encoding="utf-8") as file:
        scope = json.load(file)
    expect("the schema's name", "speedscope" in scope["$schema"])
    frames = [f["name"] for f in scope["shared"]["frames"]]
    found = []
    for profile, more in zip(scope["profiles"], ([], ["--running"]), strict=True):
        expect("its unit and kind", (profile["type"], profile["unit"]) == ("sampled", "nanoseconds"))
        r = run("export", "folded", trace, *more)
        folded = weights(r.stdout)
        of_scope = collections.Counter()
        for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
            of_scope[";".join(frames[f] for f in stack)] += weight
        expect("folded and speedscope agree", folded == dict(of_scope), (folded, of_scope))
        expect("they add up", profile["endValue"] == sum(folded.values()), profile["name"])
        found.append(folded)
    return found


check_stacks(EVERY)

said = export("folded", source / "tests/data/mirage/straight.ctf", "f")
expect("a trace without waits is reported", "the trace contains no waits" in said and
       os.path.getsize("f") == 0, said)

# ---- tables

export("csv", EVERY, "e.csv")
with open("e.csv", newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
expect("a row for each event", len(rows) == len(events(EVERY)))
expect("as many of each kind", collections.Counter(r["kind"] for r in rows) == kinds(EVERY))
create = next(r for r in rows if r["kind"] == "create" and r["task"] == "1")
expect("an event's cells", (create["time_ns"], create["task_kind"], create["file"], create["line"]) ==
       ("1000", "coroutine", "src/server.cc", "10"), create)
expect("a place's column", create["column"] == "3", create)
expect("an explicit 0", next(r for r in rows if r["kind"] == "notify")["value"] == "0", rows)
expect("no 0 that was not", next(r for r in rows if r["kind"] == "resume")["value"] == "", rows)
said = export("csv", EVERY, "t.csv", "--table", "tasks")
with open("t.csv", newline="", encoding="utf-8") as file:
    tasks = {row["id"]: row for row in csv.DictReader(file)}
expect("a task's cells", (tasks["1"]["label"], tasks["1"]["kind"], tasks["1"]["start_ns"]) ==
       ("session 7", "coroutine", "1000"), tasks["1"])
expect("what a table of tasks leaves out", re.search(r"interactions: \d+", said), said)
for table, text, more in (("event", rows, {"column", "flags"}),
                          ("task", list(tasks.values()), {"column", "running_ns"})):
    found = run("query", "--csv", EVERY, f"SELECT * FROM {table}")
    if "built without SQLite" in found.stderr:
        break
    in_sql = list(csv.DictReader(found.stdout.splitlines(keepends=True)))
    expect(f"CSV columns that {table} has not", set(text[0]) - set(in_sql[0]) == more, (text[0], in_sql[0]))
    expect(f"as many rows as {table}", len(text) == len(in_sql), (len(text), len(in_sql)))
    for here, there in zip(text, in_sql):
        for column in set(text[0]) - more - {"name", "function", "value"}:
            expect(f"{column} as in {table}", here[column] == there[column], (here, there))
r = run("export", "csv", EVERY)
expect("without -o to standard output", r.stdout.startswith("time_ns,executor_id,kind"), r)
r = run("export", "csv", EVERY, "--table", "cows")
expect("another table is refused", r.returncode == 2, r)

# ---- Parquet: tests/export compares it with CSV through another project's reader

r = run("export", "parquet", EVERY, "-o", "it's.parquet", "--table", "tasks")
expect("it needs no other program", r.returncode == 0, r)
file = pathlib.Path("it's.parquet").read_bytes()
expect("it is a Parquet file", file[:4] == b"PAR1" and file[-4:] == b"PAR1", file[:4])
expect("and nothing else is left", [n for n in os.listdir() if ".parquet" in n] == ["it's.parquet"],
       os.listdir())
r = run("export", "parquet", EVERY, "-o", "/dev/full")
expect("a full disk is reported", r.returncode == 2 and "No space left" in r.stderr, r)

# ---- usage

r = run("export", "foo", EVERY)
expect("a format that is none is named", r.returncode == 2 and "unknown format 'foo'" in r.stderr and
       "perfetto, chrome, fxt" in r.stderr, r)
for form in ("ctf", "csv", "fxt"):
    r = run("export", form, EVERY, "-o", "")
    expect("no name is no file", r.returncode == 2 and "empty output path" in r.stderr, r)

for form in ("chrome", "perfetto", "csv"):
    said = export(form, source / "tests/data/mirage/hostile.ctf", "hostile")
    expect("strings that are not UTF-8 are reported", "not UTF-8" in said, said)

shutil.copy(source / "tests/data/mirage/straight.ctf", "trace.ctf")
before = pathlib.Path("trace.ctf").read_bytes()
for form in FILES:
    r = run("export", form, "trace.ctf", "-o", "trace.ctf")
    expect("the trace is not written over", r.returncode == 2 and "the trace itself" in r.stderr, r)
    if form != "folded":  # empty for this trace
        r = run("export", form, "trace.ctf", "-o", "/dev/full")
        expect("a full disk is reported", r.returncode == 2 and "No space left" in r.stderr, r)
    r = run("export", form, "/nowhere")
    expect("no trace", r.returncode == 2, r)
expect("it is as it was", pathlib.Path("trace.ctf").read_bytes() == before)

# A link to a file without a name, as /dev/stdout can be, is written to, not replaced.
os.symlink("/proc/self/fd/1", "stdout")
with tempfile.TemporaryFile() as nameless:
    r = subprocess.run([SKEIN, "export", "csv", EVERY, "-o", "stdout"], stdout=nameless,
                       stderr=subprocess.PIPE, timeout=60, check=False)
    expect("a file without a name", r.returncode == 0 and nameless.seek(0, os.SEEK_END) > 0, r)
expect("the link is still there", os.path.islink("stdout"))

# Binary data must not control the terminal; hostile_text_test.py checks the text formats.
leader, follower = os.openpty()
for form in ("parquet", "fxt"):
    with subprocess.Popen([SKEIN, "export", form, "trace.ctf"], stdout=follower,
                          stderr=subprocess.PIPE, text=True) as program:
        message = program.communicate(timeout=60)[1]
    expect("not to a terminal", program.returncode == 2 and "use -o FILE" in message, message)
os.close(follower)
os.close(leader)

# ---- files of other tools

pathlib.Path("other.json").write_text(json.dumps([
    {"ph": "X", "name": "work", "pid": 1, "tid": 2, "ts": 10, "dur": 5},
    {"ph": "i", "name": "tick", "pid": 1, "tid": 2, "ts": 12}]))
facts = info("other.json")
expect("Chrome's JSON is read", facts["format"] == "Chrome JSON" and facts["tasks"] == 1, facts)
pathlib.Path("not.json").write_text('{"nodes": []}')
expect("other JSON is none", run("info", "not.json").returncode == 2)

eio = shared / "eio-net.fxt"
if eio.exists():
    fxt = Fxt(eio)
    facts = info(eio)
    expect("who wrote it", facts["format"] == "FXT of eio-trace" and facts["lost"] == [], facts)
    # A page contains such a copy, in which domains have no tids.
    said = run("export", "ctf", eio, "-o", "eio.ctf")
    expect("a copy", said.returncode == 0, said)
    names = []
    for trace in (eio, "eio.ctf"):
        rows = run("query", "--json", trace, "SELECT executor.name, pid FROM executor JOIN process "
                   "ON process.id = executor.process").stdout
        names.append([(row["name"], row["pid"]) for row in json.loads(rows)])
    expect("domains keep their names", names[0] == names[1] and names[0], names)
    wire = {**facts["kinds"], **facts["definitions"]}
    expect("each record is read", wire == dict(fxt.records), (wire, fxt.records))
    got = kinds(eio)
    contexts = [e for e in fxt.events if e[:3] == ("eio", "cc", "duration_begin")]
    entered = [e for e in contexts if e[4]["type"] != "root"]
    expect("fibers", got["create"] == len(fxt.fibers) == 3 and facts["tasks"] ==
           len(fxt.fibers) + len(entered), (got, fxt.fibers))
    for kind, count in {
            "create": fxt.count("eio", "create-fiber", "instant"),
            "resolve": fxt.count("eio", "exit-fiber", "instant"),
            "suspend": fxt.count("eio.suspend", None, "duration_begin"),
            "span_begin": fxt.count("eio.span", None, "duration_begin"),
            "span_end": fxt.count("eio.span", None, "duration_end"),
            "scope_enter": len(entered),
            "scope_exit": fxt.count("eio", "cc", "duration_end"),
            "scope_cancel": fxt.count("eio", "error", "instant"),
            "idle": fxt.count("eio", "suspend-domain", "duration_begin"),
            "wake": fxt.count("eio", "suspend-domain", "duration_end"),
            "pause": fxt.count("gc", "stw_leader", "duration_begin")}.items():
        expect(f"as many {kind} as there are records of it", got[kind] == count, (got, count))
    times = [e[3] for e in fxt.events]
    expect("its span", facts["duration_ns"] <= max(times) - min(times), facts["duration_ns"])
    expect("nothing is stuck", run("why", eio).returncode == 0, run("why", eio).stdout)
    for command in (["show"], ["stats"], ["render", "-o", "eio.svg"], ["html", "-o", "eio.html"]):
        r = run(command[0], eio, *command[1:])
        built = "built without the page" not in r.stderr
        expect(f"{command[0]} takes it", r.returncode == 0 or not built, r)
    expect("fibers are drawn", "fiber7" in pathlib.Path("eio.svg").read_text())
    check_copy(eio)
    check_round_trip(eio)
    check_chrome(eio)
    waits = check_stacks(eio)[0]
    expect("what fibers wait in", waits["fiber1 (connect)"] > 0, waits)
    if check_perfetto_done:
        check_perfetto(eio)

net = shared / "net.ctf"
if net.exists():
    check_copy(net, shift=1)
    check_round_trip(net)
    check_chrome(net)
    if check_perfetto_done:
        check_perfetto(net)
