#!/usr/bin/env python3
"""skein flame: boxes, formats, messages.

usage: flame_test.py SKEIN CXX
"""
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stacks

skein = sys.argv[1]
here = pathlib.Path(__file__).parent
scratch = pathlib.Path(tempfile.mkdtemp(prefix="skein-flame-"))
PEER = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"


def flame(*options, text="", code=0):
    return stacks.run(skein, "flame", *options, text=text, code=code)


def some_stacks(seed, count):
    """Stacks of a random call tree; names begin with each other and have odd characters."""
    draw = random.Random(seed)
    names = ["main", "a", "ab", "a(b)", "b", "std::map<int, char>::find", "operator new", "f&g", "<x>", "é"]
    stack, lines = ["main"], []
    for _ in range(count):
        stack = stack[:draw.randint(1, len(stack))]
        while draw.random() < 0.7 and len(stack) < 30:
            stack.append(draw.choice(names))
        lines.append(f"{';'.join(stack)} {draw.randint(1, 50)}")
    return "\n".join(lines) + "\n"


def close(found, wanted, what):
    """Boxes are equal up to the rounding of the picture to hundredths."""
    found, wanted = sorted(found), sorted(wanted)
    assert [box[:2] for box in found] == [box[:2] for box in wanted], (what, len(found), len(wanted))
    for one, other in zip(found, wanted):
        assert abs(one[2] - other[2]) < 0.02 and abs(one[3] - other[3]) < 0.02, (what, one, other)


def test_boxes():
    for seed in range(6):
        text = some_stacks(seed, 400)
        for width, options in (1200, []), (400, ["--width", "400"]), (1200, ["--icicle"]), (1200, ["--reverse"]):
            boxes = stacks.boxes_of(flame("-", *options, text=text).stdout)
            wanted = stacks.expected(stacks.parse(text), width, reverse="--reverse" in options)
            # A box as narrow as the limit may be on either side of it.
            clear = [box for box in wanted if abs(box[3] - 0.1) > 1e-6]
            assert len(clear) == len(wanted)
            close(stacks.rows(boxes), clear, (seed, options))


def test_against_flamegraph_pl():
    if not os.path.exists(PEER) or not shutil.which("perl"):
        print("flamegraph.pl is not installed (libdevel-nytprof-perl)")
        return
    for seed, options in (1, []), (2, ["--inverted"]), (3, ["--width", "800"]), (4, ["--minwidth", "5"]):
        # Siblings are sorted by name; flamegraph.pl sorts lines, in which ';' and ' ' follow a name. Names without
        # characters below ';' that begin with each other have the same order.
        text = re.sub(r"ab|a\(b\)|f&g|<x>|é|operator new|std::[^;]*find", "c", some_stacks(seed, 300))
        peer = subprocess.run(["perl", PEER, *options], input=text, capture_output=True, text=True, check=True).stdout
        ours = stacks.rows(stacks.boxes_of(flame("-", *options, text=text).stdout))
        theirs = stacks.rows(stacks.peer_boxes(peer))
        # flamegraph.pl rounds to tenths.
        assert len(ours) == len(theirs), (options, len(ours), len(theirs))
        key = lambda box: (box[0], box[1], round(box[2]))
        for one, other in zip(sorted(ours, key=key), sorted(theirs, key=key)):
            assert one[:2] == other[:2], (options, one, other)
            assert abs(one[2] - other[2]) < 0.11 and abs(one[3] - other[3]) < 0.11, (options, one, other)


def test_formats():
    text = "main;b 3\nmain;a_[k] 2\nmain;b;c 1.5\nmain;b 0.5\n"
    profile = scratch / "in.folded"
    profile.write_text(text)
    folded = "main;a_[k] 2\nmain;b 3.5\nmain;b;c 1.5\n"
    assert flame("-", "--format", "folded", text=text).stdout == folded
    for name in "x.svg", "x.html", "x.folded", "x.pb.gz", "x.speedscope.json":
        done = flame(str(profile), "-o", str(scratch / name))
        assert done.stdout == "" and ("rounded" in done.stderr) == (name == "x.pb.gz"), done
    assert (scratch / "x.folded").read_text() == folded
    page = (scratch / "x.html").read_text()
    assert page.startswith("<!doctype html>") and page.count("<script>") == 1
    xml.fromstring((scratch / "x.svg").read_text())

    scope = json.loads((scratch / "x.speedscope.json").read_text())
    assert scope["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    check_speedscope(scope)
    frames = [frame["name"] for frame in scope["shared"]["frames"]]
    one = scope["profiles"][0]
    named = [";".join(frames[i] for i in stack) for stack in one["samples"]]
    assert dict(zip(named, one["weights"])) == {"main;a": 2, "main;b": 3.5, "main;b;c": 1.5}

    if shutil.which("protoc"):
        message = gzip.decompress((scratch / "x.pb.gz").read_bytes())
        decoded = subprocess.run(["protoc", "--decode=perftools.profiles.Profile", f"-I{here}", str(here / "profile.proto")],
                                 input=message, capture_output=True, check=True).stdout.decode()
        assert not re.search(r"^\s*\d+:", decoded, re.M), decoded  # no unknown field
        strings = [json.loads(one) for one in re.findall(r"^string_table: (.*)$", decoded, re.M)]
        assert strings[0] == ""
        functions = {int(a): strings[int(b)] for a, b in re.findall(r"function \{\s+id: (\d+)\s+name: (\d+)", decoded)}
        samples = {}
        for body in re.findall(r"^sample \{(.*?)^\}", decoded, re.M | re.S):
            ids = [int(one) for one in re.findall(r"location_id: (\d+)", body)]
            samples[";".join(functions[one] for one in reversed(ids))] = int(re.search(r"value: (\d+)", body)[1])
        assert samples == {"main;a": 2, "main;b": 4, "main;b;c": 2}, samples
        assert set(re.findall(r"function_id: (\d+)", decoded)) == {str(one) for one in functions}


def check_speedscope(scope):
    """The rules of its schema for profiles of the type "sampled"."""
    assert set(scope) >= {"$schema", "shared", "profiles"} and set(scope["shared"]) == {"frames"}
    for frame in scope["shared"]["frames"]:
        assert isinstance(frame["name"], str) and set(frame) <= {"name", "file", "line", "col"}
    for profile in scope["profiles"]:
        assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
        assert profile["type"] == "sampled" and isinstance(profile["name"], str)
        assert profile["unit"] in ("bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds")
        assert len(profile["samples"]) == len(profile["weights"])
        assert abs(sum(profile["weights"]) - (profile["endValue"] - profile["startValue"])) < 1e-6
        for stack in profile["samples"]:
            assert all(0 <= one < len(scope["shared"]["frames"]) for one in stack)
    assert 0 <= scope["activeProfileIndex"] < len(scope["profiles"])


def test_differences():
    before, after = scratch / "before.folded", scratch / "after.folded"
    before.write_text("main;a 30\nmain;b 10\nmain;gone 10\n")
    after.write_text("main;a 10\nmain;b 10\nmain;new 5\n")
    svg = flame(str(after), "--diff", str(before)).stdout
    colours = dict(re.findall(r"<title>(\w+) \(.*?fill=\"#(\w+)\"", svg))
    assert "gone" not in colours  # it has no width
    red = lambda name: int(colours[name][:2], 16) - int(colours[name][4:], 16)
    assert red("a") < -50 and red("new") > 50 and red("b") == 0, colours
    negated = dict(re.findall(r"<title>(\w+) \(.*?fill=\"#(\w+)\"",
                              flame(str(after), "--diff", str(before), "--negate").stdout))
    assert negated["a"][:2] > negated["a"][4:], negated
    both = flame(str(after), "--diff", str(before), "--format", "folded").stdout
    assert both == "main;a 30 10\nmain;b 10 10\nmain;gone 10 0\nmain;new 0 5\n", both
    assert flame("-", "--format", "folded", text=both).stdout == both  # as difffolded.pl writes it
    half = flame(str(after), "--diff", str(before), "--normalize", "--format", "folded").stdout
    assert half.startswith("main;a 15 10\n"), half
    two = json.loads(flame(str(after), "--diff", str(before), "--format", "speedscope").stdout)
    check_speedscope(two)
    assert [one["name"] for one in two["profiles"]] == ["after", "before"]
    flame(str(after), "--negate", code=2)


def test_two_counts():
    """Two counts and --diff contradict each other; so do lines, or files, with one and with two."""
    one, two, mixed = scratch / "one.folded", scratch / "two.folded", scratch / "mixed.folded"
    one.write_text("main;a 1\n")
    two.write_text("# a comment\nmain;a 1 2\nmain;b 3 4\n")
    for inputs in (two, one), (one, two), (two, two):
        message = flame(str(inputs[0]), "--diff", str(inputs[1]), code=2).stderr
        assert "two.folded:2: two counts, a comparison already; --diff needs one" in message, message
    for inputs in (two, one), (one, two):
        message = flame(*map(str, inputs), code=2).stderr
        assert re.search(r"two.folded: two counts in each line, but \S+one.folded has one;", message), message
    for lines, first in ("main;a 1 2\nmain;b 3\n", 1), ("a 3\nno count\nb 3 4\nc 5 6\nd 2 2\n", 3):
        mixed.write_text(lines)
        for options in [], ["--diff", str(one)]:
            message = flame(str(mixed), *options, code=2).stderr
            assert f"mixed.folded:{first}: two counts, but 1 line has one; a comparison has two" in message, message
    # Names that end with a number.
    mixed.write_text("a 1\nworker 1 5\nb 1\nworker 2 3\nc 1\n")
    found = flame(str(mixed), "--format", "folded")
    assert "worker_1 5\n" in found.stdout
    assert "mixed.folded:2: two counts, but most lines have one; the first is read as a part of the name, in 2 lines" \
        in found.stderr, found.stderr


def test_options():
    text = "main;a 3\nmain;b 1\n"
    svg = flame("-", "--title", "A & <b>", "--subtitle", "sub", "--notes", "a note", "--countname", "bytes",
                "--nametype", "Function:", "--fonttype", 'x" onload="y', "--fontsize", "12", "--bgcolors", "yellow",
                "--hash", "--cp", "--width", "600", "--height", "20", "--colors", "mem", text=text).stdout
    root = xml.fromstring(svg)
    assert root.get("width") == "600" and root.get("font-family") == 'x" onload="y' and root.get("data-name") == "Function:"
    texts = [one.text for one in root.iter(stacks.SVG + "text")]
    assert "A & <b>" in texts and "sub" in texts
    assert root.find(stacks.SVG + "desc").text == "a note"
    assert "a (3 bytes, 75.00%)" in [one.text for one in root.iter(stacks.SVG + "title")]
    assert flame("-", text=text).stdout == flame("-", text=text).stdout  # nothing random
    wide = stacks.boxes_of(flame("-", "--total", "8", text=text).stdout)
    assert {box.name: box.width for box in wide} == {"all": 1180, "main": 590, "a": 442.5, "b": 147.5}, wide
    flame("-", "--total", "3", text=text, code=2)
    assert flame("-", "--factor", "2.5", "--format", "folded", text=text).stdout == "main;a 7.5\nmain;b 2.5\n"
    chart = [box.name for box in stacks.boxes_of(flame("-", "--flamechart", text="b 1\na 1\nb 1\n").stdout)]
    assert chart == ["all", "b", "a", "b"], chart
    least = stacks.boxes_of(flame("-", "--minwidth", "30%", text=text).stdout)
    assert [box.name for box in least] == ["all", "main", "a"], least
    flame("-", "--minwidth", "wide", text=text, code=2)
    for name in "hot", "js", "wakeup", "purple":
        flame("-", "--colors", name, text=text)


def test_options_of_flamegraph_pl():
    text = "main;a_function 3\nmain;b 1\nother;b 1\n"
    names = scratch / "attributes"
    names.write_text("b\thref=https://example.org/?x=1&y=2\tclass=known\nmain\ttitle=The start\n")
    svg = flame("-", "--nameattr", str(names), text=text).stdout
    links = [one for one in xml.fromstring(svg).iter(stacks.SVG + "a")]
    assert [one.attrib for one in links] == \
        2 * [{"class": "known", "href": "https://example.org/?x=1&y=2", "target": "_top"}], svg
    assert "<title>The start</title>" in svg and 'data-name="main"' in svg
    names.write_text("b\thref=x\nmain\tonclick=y\n")
    message = flame("-", "--nameattr", str(names), text=text, code=2).stderr
    assert "attributes:2: unknown attribute 'onclick'; use id" in message, message
    flame("-", "--nameattr", str(scratch / "absent"), text=text, code=2)
    flame("-", "--nameattr", "-", text=text, code=2)  # both from standard input

    def colours(*options):
        return re.findall(r"<title>b \(.*?fill=\"#(\w+)\"", flame("-", *options, text=text).stdout)
    assert len(set(colours())) == 1 and len(set(colours("--random"))) == 2
    assert colours("--random") == colours("--random")

    def label(*options):
        return re.search(r"<title>a_function .*?<text[^>]*>([^<]*)<", flame("-", *options, text=text).stdout)[1]
    assert label("--width", "150") == "a_function", label("--width", "150")
    assert label("--width", "150", "--fontwidth", "1.2") == "a_f..", label("--width", "150", "--fontwidth", "1.2")

    for name in "UTF-8", "utf-8":
        assert flame("-", "--encoding", name, text=text).stdout.startswith('<?xml version="1.0" encoding="UTF-8"?>')
    message = flame("-", "--encoding", "ISO-8859-1", text=text, code=2).stderr
    assert "unsupported encoding 'ISO-8859-1'; pictures are UTF-8" in message, message


def test_addresses():
    names = scratch / "names"
    names.write_text("0000000000401000 T main\n0000000000401100 T _ZN3app5serveEi\n0000000000402000 B data\n")
    text = "0x401005;00401105 3\n0x401005;0x999999 1\n"
    assert flame("-", "--map", str(names), "--format", "folded", text=text).stdout == \
        "main;0x999999 1\nmain;app::serve(int) 3\n"
    message = flame("-", "--map", str(names), text="0x1 1\n0x2 1\n").stderr
    assert "--map has no name for 0x1 and 1 other address;" in message, message
    names.write_text("nothing\n")
    assert "no functions" in flame("-", "--map", str(names), text=text, code=2).stderr


def test_messages():
    assert re.match(r"skein: standard input:2: no count at the end; 2 such lines are left out\n$",
                    flame("-", text="a 1\nb\nc\n").stderr)
    broken = scratch / "broken"
    for content, wanted in (b"", "broken: no stacks; the input is empty"), (b"a\nb\n", "broken:1: no count at the end; expected perf.data, a trace, or folded stacks: lines"), \
            (b"a 0\n", "broken: all counts are 0"), (b"\x1f\x8b\x08", "compressed"), (b"\x7fELF\0", "a program, not a profile; expected perf.data, a trace, or folded stacks"), \
            (b"PERFILE2", "header cut short"), (b"2ELIFREP", "big-endian"), (b"a\0b 1\n", "not a profile"), \
            (b"a -3\n", "broken:1: the count is negative"):
        broken.write_bytes(content)
        message = flame(str(broken), code=2).stderr
        assert wanted in message, (content, message)
    (scratch / "empty").mkdir()
    message = flame(str(scratch / "empty"), code=2).stderr
    assert "not a trace; expected a directory that" in message and message.endswith(", perf.data, folded stacks, or -\n"), message
    assert "No such file" in flame(str(scratch / "absent"), code=2).stderr or True
    flame(str(scratch / "absent"), code=2)
    flame("-", "-", text="a 1\n", code=2)
    assert "unknown format" in flame("-", "-o", str(scratch / "x.png"), text="a 1\n", code=2).stderr
    inside = scratch / "same.folded"
    inside.write_text("a 1\n")
    flame(str(inside), "-o", str(inside), code=2)
    assert inside.read_text() == "a 1\n"


def test_traces():
    """Time by logical stack: the same as skein export folded; groups, ranges, the subtitle."""
    trace = str(here.parent / "data/skein/every-event")
    for option, exported in ([], []), (["--time", "running"], ["--running"]):
        wanted = stacks.run(skein, "export", "folded", *exported, trace).stdout
        found = flame(trace, "--format", "folded", *option).stdout
        assert wanted and sorted(stacks.parse(found)) == sorted(stacks.parse(wanted)), (found, wanted)
        assert "<svg" in flame(trace, *option).stdout

    def times(*options):
        return {tuple(stack): count for stack, count in stacks.parse(flame(trace, "--format", "folded", *options).stdout)}

    parts = [sum(times("--time", time).values()) for time in ("running", "ready", "suspended")]
    assert sum(times("--time", "all").values()) == sum(parts), parts
    running = times("--time", "running")
    for by in "task", "executor", "thread", "label":
        grouped = times("--time", "running", "--by", by)
        assert sum(grouped.values()) == sum(running.values()), by
        assert {stack[1:] for stack in grouped} == set(running), (by, grouped)
    first, rest = times("--time", "running", "--to", "20us"), times("--time", "running", "--from", "20us")
    assert sum(first.values()) + sum(rest.values()) == sum(running.values()) and first and rest, (first, rest)
    texts = [one.text for one in xml.fromstring(flame(trace, "--to", "20us").stdout).iter(stacks.SVG + "text")]
    assert "every-event: suspended time by logical stack" in texts, texts
    assert any(text and "from 0 ns to 20.0 us" in text and "not ended" in text for text in texts), texts
    for options, wanted in (["--from", "99s"], "the trace ends at"), (["--from", "soon"], "'soon' is no time"), \
            (["--from", "2us", "--to", "1us"], "is not before"), (["--from", "1us", "--to", "2us"], "time in this range; try --time"):
        message = flame(trace, *options, code=2).stderr
        assert wanted in message, message
    for option, value in ("--time", "running"), ("--from", "0"), ("--to", "1s"), ("--by", "label"), ("--by", "thread"):
        message = flame("-", option, value, text="main;a 1\n", code=2).stderr
        assert f"{option}" in message and "needs a trace" in message, message
    # Files of traces, also from standard input.
    straight = here.parent / "data/mirage/straight.ctf"
    assert flame(str(straight), "--time", "running").stdout
    assert "no suspended time in this range; try --time running" in flame(str(straight), code=2).stderr
    assert "999999999" in flame("999999999", code=2).stderr


def test_hostile_names():
    name = "</title>]]><script>alert(1)</script>\x1b[2J\u202e\"'&\\\udc80"
    text = (name + ";b 1\n").encode(errors="surrogateescape")
    for form in "svg", "html", "folded", "speedscope", "pprof":
        out = subprocess.run([skein, "flame", "-", "--format", form], input=text, capture_output=True, check=True).stdout
        if form == "pprof":
            out = gzip.decompress(out)
        assert b"\x1b" not in out, form
        if form != "pprof":  # a binary format
            assert "\u202e" not in out.decode(), form
        if form in ("svg", "html"):
            assert b"<script>alert" not in out and out.count(b"<script>") == 1
        if form == "speedscope":
            json.loads(out)
        if form == "svg":
            xml.fromstring(out)


try:
    for test in [value for key, value in list(globals().items()) if key.startswith("test_")]:
        test()
finally:
    shutil.rmtree(scratch)
