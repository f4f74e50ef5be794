#!/usr/bin/env python3
"""skein and babeltrace2 decode random traces identically.

    differential_test.py DIFFERENTIAL_TRACES [COUNT [SEED]]

babeltrace2 decodes the files using only the metadata. This script derives the model's events from
that by the rules of docs/format.md, and compares them with skein's columns: times to the
nanosecond, names, subjects, arguments, texts, locations, executors, and the numbers of lost events
and packets.
"""
import ipaddress
import pathlib
import struct
import subprocess
import sys
import tempfile

try:
    import bt2
except ImportError:
    print("skipped: babeltrace2's Python bindings (python3-bt2) are not installed")
    sys.exit(77)

NAMES_STREAM = 0xFFFFFFFF
KINDS = {"counter_add": "counter_add", "resume_by": "resume", "executor": "executor_begin",
         "label_text": "label", "create_under": "create", "fail_text": "fail"}
RESOURCE_EVENTS = ("acquire", "release", "resource", "capacity")
FIRST_OBJECT_KIND, FIRST_OWN_KIND = 37, 64  # operations use these resources, no task waits for them


def unsigned(value):
    return value % (1 << 64)


def connection_text(f, text_of):
    def end(name):
        address = ipaddress.IPv6Address(f[name + "_high"] << 64 | f[name + "_low"])
        if address.ipv4_mapped:
            return f"{address.ipv4_mapped}:{f[name + '_port']}"
        return f"[{address}]:{f[name + '_port']}"
    protocol = f["protocol"]
    if protocol == 0xFFFF:
        return text_of(f["path"])
    if protocol == 0:
        return (text_of(f["path"]) or "no name") + " (unix)"
    has_peer = f["peer_high"] or f["peer_low"] or f["peer_port"]
    text = end("local") + (" > " + end("peer") if has_peer else "")
    text += " (" + {6: "tcp", 17: "udp"}.get(protocol, f"protocol {protocol}")
    return text + (f", netns {f['net_namespace']})" if f["net_namespace"] else ")")


class Reader:
    """The events of a trace as babeltrace2 decodes them, in the format of differential_traces."""

    def __init__(self, path):
        self.texts, self.places, self.threads = {}, {}, {}
        self.current, self.executor, self.names = {}, {}, {}
        self.said_at = {}
        self.extra = {}  # by stream: the extra fields of its next event, by number
        self.resources, self.spans = set(), {}
        self.events = []
        for message in bt2.TraceCollectionMessageIterator(str(path)):
            self.message(message)
        self.share_names()
        self.count_losses(path)

    # A thread without a name in one stream has that of another, if there is one.
    def share_names(self):
        of_thread = {}
        for (_, tid), name in self.names.items():
            if name and tid:
                of_thread.setdefault(tid, set()).add(name)
        for key, name in self.names.items():
            if not name and len(names := of_thread.get(key[1], ())) == 1:
                self.names[key], = names

    # babeltrace2 does not show these two fields.
    def count_losses(self, path):
        packets = {}
        for file in path.iterdir():
            if file.name == "metadata" or file.stat().st_size == 0:
                continue
            header = file.read_bytes()[:128]
            stream, = struct.unpack_from("<Q", header, 24)
            if stream != NAMES_STREAM:
                packets.setdefault(stream, []).append(struct.unpack_from("<QQ", header, 56))
        self.discarded = sum(max(seen)[1] for seen in packets.values())
        self.missing = sum(max(seen)[0] - min(seen)[0] + 1 - len(seen)
                           for seen in packets.values())

    # Definitions come first: no other message has such an early time.
    def message(self, message):
        if type(message) is bt2._PacketBeginningMessageConst:
            context = message.packet.context_field
            stream = message.packet.stream.id
            if stream == NAMES_STREAM:
                return
            self.current[stream] = int(context["current_task"])
            self.said_at[stream] = None
            self.extra[stream] = {}
            self.be_executor(stream, int(context["vtid"]), "")
        elif type(message) is bt2._EventMessageConst:
            event = message.event
            fields = {name: self.plain(field) for name, field in event.payload_field.items()}
            if event.packet.stream.id == NAMES_STREAM:
                self.definition(event.name, fields)
            else:
                clock = message.default_clock_snapshot
                self.event(event.packet.stream.id, clock, event.name, fields)

    @staticmethod
    def plain(field):
        if isinstance(field, bt2._EnumerationFieldConst):
            try:
                return int(field), field.labels[0]
            except (AssertionError, IndexError):  # no enumerator has this value
                return int(field), "unknown"
        return str(field) if isinstance(field, bt2._StringFieldConst) else int(field)

    def definition(self, name, fields):
        if name == "string":
            self.texts[fields["id"]] = fields["text"]
        elif name == "place":
            self.places[fields["id"]] = fields
        elif name == "thread_name":
            self.threads[fields["tid"]] = fields["name"]

    def be_executor(self, stream, tid, name):
        known = self.names.get((stream, tid))
        if known is None:
            self.names[stream, tid] = name or self.threads.get(tid, "")
        elif name and not known:
            self.names[stream, tid] = name
        self.executor[stream] = tid

    def event(self, stream, clock, name, f):
        if name == "create_awaited":
            self.event(stream, clock, "create_under", f)
            name, f = "await", {"task": f["parent"], "on": f["task"]}
        if name == "at" or (name == "extra" and f["field"] == 0):
            self.said_at[stream] = self.places.get(f["place" if name == "at" else "number"])
            return
        if name == "extra" and f["field"] == 4:
            self.current[stream] = f["number"]
            self.said_at[stream], self.extra[stream] = None, {}
            return
        if name == "extra":
            self.extra[stream][f["field"]] = f["number"]
            return
        if name in ("cpu_time", "socket_bytes"):
            self.said_at[stream], self.extra[stream] = None, {}
            return
        current = self.current[stream]
        task, other, value, text, place = current, 0, 0, "", None
        text_of = lambda number: self.texts.get(number, "")
        kind = KINDS.get(name, name)
        ended = None
        made = self.places.get(f["place"], {}).get("kind", (0,))[0] if name == "resource" else 0
        if name in RESOURCE_EVENTS and not FIRST_OBJECT_KIND <= made < FIRST_OWN_KIND:
            self.resources.add(f["resource"])
        if name in ("create", "create_under"):
            place = self.places.get(f["place"], {})
            task = f["task"]
            other = f["parent"] if name == "create_under" else current
            value, text = place.get("kind", (0,))[0], text_of(place.get("name", 0))
        elif name == "suspend":
            other, value = f["on"], int(f["on"] in self.resources)
            place = self.places.get(f["place"], {})
            self.current[stream] = 0
        elif name == "ready":
            other, place = f["on"], self.places.get(f["place"], {})
        elif name == "label":
            task, text = f["task"] or current, text_of(f["string"])
        elif name == "label_text":
            task, text = f["task"] or current, f["text"]
        elif name in ("counter_add", "counter_set"):
            text, value = text_of(f["counter"]), unsigned(f["value"])
        elif name == "notify":
            task, other, value = f["target"], current, f["woken"]
        elif name == "resume_by":
            task, other = f["task"], f["waker"]
            self.current[stream] = task
        elif name == "resume":
            task, other = f["task"], current
            self.current[stream] = task
        elif name == "switch_to":
            task = self.current[stream] = f["task"]
        elif name in ("fail", "fail_text"):
            task, other = f["task"], current
            text = f["text"] if name == "fail_text" else text_of(f["string"])
            ended = f["task"]
        elif name == "become":
            task, other = f["task"], f["other"]
            ended = task
        elif name in ("resolve", "cancel"):
            task, other = f["task"], current
            ended = task
        elif name in ("acquire", "release"):
            task, other = f["task"] or current, f["resource"]
        elif name == "span_begin":
            value, text = f["span"], text_of(f["string"])
            self.spans[value] = text
        elif name == "span_end":
            value, text = f["span"], self.spans.pop(f["span"], "")
        elif name == "pause":
            task, text = 0, f["pause_kind"][1]
            value = f["duration"] * 10**9 // clock.clock_class.frequency
        elif name == "executor":
            task, value, text = 0, f["tid"], text_of(f["string"])
            self.be_executor(stream, value, text)
        elif name == "executor_end":
            task, value = 0, f["tid"]
        elif name == "lost":
            task, value, text = 0, f["count"], f["reason"][1]
        elif name in ("resource", "scope_enter"):
            place = self.places.get(f["place"], {})
            other, text = f["resource" if name == "resource" else "scope"], \
                text_of(place.get("name", 0))
            value = place.get("kind", (0,))[0] if name == "resource" else 0
        elif name == "capacity":
            task, other, value = 0, f["resource"], f["capacity"]
        elif name in ("scope_exit", "scope_cancel"):
            other = f["scope"]
        elif name == "scope_member":
            task, other = f["task"] or current, f["scope"]
        elif name == "try_read":
            task, other = f["task"], f["on"]
        elif name == "await":
            task, other, value = f["task"], f["on"], int(f["on"] in self.resources)
        elif name == "io":
            other, value = f["task"], f["result"]
        elif name == "should_resolve":
            task = f["task"] or current
        elif name in ("idle", "wake"):
            task, text = 0, text_of(f["reason"])
        elif name == "sample":
            value = f["stack"]
        elif name in ("send", "receive"):
            value, other = f["correlation"], f["peer"]
        elif name == "clock":
            task, value = 0, unsigned(f["offset"])
        elif name == "discard":
            task = f["task"]
        elif name in ("about", "cancel_uses"):
            other = f["resource"]
        elif name == "connection":
            other, value, text = f["resource"], f["descriptor"], connection_text(f, text_of)
        elif name == "expires":
            value = f["duration"] if f["duration"] == 2**64 - 1 else \
                f["duration"] * 10**9 // clock.clock_class.frequency
        else:
            raise ValueError(name)
        if ended is not None and self.current[stream] == ended:
            self.current[stream] = 0
        always = name in ("send", "receive")  # 0 is a peer
        tid = self.executor[stream]
        place = place or self.said_at[stream] or {}
        extra, self.extra[stream] = self.extra[stream], {}
        text = text_of(extra[1]) if 1 in extra else text
        value = extra.get(3, value)
        if name == "clock":
            text += f"domain {f['domain']} bracket {f['bracket']}"
        self.said_at[stream] = None
        self.events.append((self.utc(clock), [
            str(stream), str(tid), (stream, tid), kind, str(task) if task else "-",
            str(other) if other or always else "-", str(value), text,
            text_of(place.get("file", 0)), text_of(place.get("function", 0)),
            str(place.get("line", 0)), str(place.get("column", 0)),
            str(extra.get(2, 0) & 255)]))

    # Exact; babeltrace2's own conversion to nanoseconds rounds through a double.
    @staticmethod
    def utc(clock):
        cls = clock.clock_class
        scale = lambda ticks: ticks * 10**9 // cls.frequency
        return cls.offset.seconds * 10**9 + scale(cls.offset.cycles) + scale(clock.value)


def compare(path, lines):
    """Returns the difference, or None."""
    theirs = Reader(path)
    head = lines[0].split("\t")
    if [int(n) for n in head[2:]] != [theirs.discarded, theirs.missing]:
        return f"lost: {head[2:]}, not {theirs.discarded}, {theirs.missing}"
    if len(lines) - 1 != len(theirs.events):
        return f"{len(lines) - 1} events, not {len(theirs.events)}"
    ours = [line.split("\t") for line in lines[1:]]
    times = [int(line[0]) for line in ours]
    if times != sorted(times):
        return "not in the order of time"
    # Streams may be merged in another order at equal times, which changes the known resources.
    for stream in theirs.current:
        mine = [line for line in ours if line[1] == str(stream)]
        want = [event for event in theirs.events if event[1][0] == str(stream)]
        if len(mine) != len(want):
            return f"{len(mine)} events in stream {stream}, not {len(want)}"
        for line, (utc, fields) in zip(mine, want):
            fields[2] = theirs.names[fields[2]]
            if abs(int(line[0]) - utc) > 2:
                return f"time {line[0]}, not {utc}: {line}"
            got = line[1:]
            if fields[3] == "pause" and abs(int(got[6]) - int(fields[6])) <= 1:
                got[6] = fields[6]
            if got != fields:
                return f"{got}, not {fields}"
    return None


def main():
    tool, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seed = sys.argv[3] if len(sys.argv) > 3 else "1"
    failed = events = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tool, "generate", seed, str(count), folder], check=True)
        paths = [pathlib.Path(folder) / str(i) for i in range(count)]
        shown = subprocess.run([tool, "show", *paths], check=True, capture_output=True,
                               text=True).stdout.split("\n")[:-1]
        starts = [i for i, line in enumerate(shown) if line.startswith("trace\t")]
        for i, (path, start) in enumerate(zip(paths, starts, strict=True)):
            end = starts[i + 1] if i + 1 < count else len(shown)
            lines = shown[start:end]
            events += len(lines) - 1
            wrong = compare(path, lines)
            if wrong:
                failed += 1
                print(f"trace {i} of seed {seed}: {wrong}")
                if failed == 10:
                    break
    print(f"{count} traces, {events} events, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
