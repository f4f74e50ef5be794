#!/usr/bin/env python3
"""Stock babeltrace2 can read a trace directory in every state in which a kill can leave it.

    states_test.py PRINT_METADATA

Each state is written byte by byte. babeltrace2 must exit with 0 and show exactly the committed
events, with the right names, fields and UTC times.
"""
import copy
import datetime
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

from packets import (HEADER, Packet, babeltrace, first_ids, pack, utc_ns, width_class, write_trace)

NAMES_STREAM = 0xFFFFFFFF


class States:
    def __init__(self, metadata, folder):
        self.metadata = metadata
        self.ids = first_ids(metadata)
        self.folder = pathlib.Path(folder)
        self.count = 0
        self.failed = 0

    def names(self):
        """Returns a definitions stream and the texts of its events."""
        packet = Packet(stream=NAMES_STREAM, begin=900, flags=2)
        add = lambda name, ticks, payload: packet.event(self.ids[name], ticks, payload)
        add("string", 1000, struct.pack("<I", 1) + b"hello\0")
        add("place", 1001, struct.pack("<IB5I", 1, 14, 1, 1, 1, 10, 2))
        add("thread_name", 1002, struct.pack("<Q", 77) + b"main\0")
        add("module", 1003, struct.pack("<QQ", 4096, 88) + b"abc\0/bin/x\0")
        add("clock_pair", 1004, struct.pack("<4Q", 1, 2, 3, 4))
        return packet, [
            (1000, 'string: { id = 1, text = "hello" }'),
            (1001, 'place: { id = 1, kind = ( "task" : container = 14 ), name = 1, file = 1, '
                   'function = 1, line = 10, column = 2 }'),
            (1002, 'thread_name: { tid = 77, name = "main" }'),
            (1003, 'module: { base = 4096, size = 88, build_id = "abc", path = "/bin/x" }'),
            (1004, 'clock_pair: { ticks = 1, monotonic_ns = 2, realtime_ns = 3, bracket_ns = 4 }'),
        ]

    def packet(self, stream=0, seq=0, begin=10000, count=20, **fields):
        """Returns a packet of all shapes and widths, with gaps in time, and its events' texts."""
        packet = Packet(stream=stream, seq=seq, begin=begin, **fields)
        expected, ticks = [], begin
        for i in range(count):
            ticks += (1 << 25) if i % 7 == 6 else 1000 + stream
            a = 1 << (8 * (i % 8)) | i
            b = 1 << (8 * (i // 2 % 8)) | i
            ca, cb = width_class(a), width_class(b)
            if i % 5 == 0:
                event_id, payload = self.ids["create"] + ca + 4 * cb, pack(a, ca) + pack(b, cb)
                text = f"create: {{ task = {a}, place = {b} }}"
            elif i % 5 == 1:
                event_id, payload = self.ids["resolve"] + ca, pack(a, ca)
                text = f"resolve: {{ task = {a} }}"
            elif i % 5 == 2:
                both = max(ca, cb)
                event_id, payload = self.ids["become"] + both, pack(a, both) + pack(b, both)
                text = f"become: {{ task = {a}, other = {b} }}"
            elif i % 5 == 3:
                event_id, payload = self.ids["counter_add"], pack(3, 0) + pack(-i, 0, signed=True)
                text = f"counter_add: {{ counter = 3, value = {-i} }}"
            else:
                event_id, payload = self.ids["pause"], pack(1, 0) + pack(i, 0)
                text = f'pause: {{ pause_kind = ( "gc" : container = 1 ), duration = {i} }}'
            assert packet.event(event_id, ticks, payload)
            expected.append((ticks, text))
        return packet, expected, ticks

    def check(self, state, files, *expected):
        """Writes the files; babeltrace2 must show the expected events in time order."""
        trace = write_trace(self.folder / state.replace(" ", "-"), self.metadata, files)
        code, lines, complaints = babeltrace(trace)
        want = sorted((event for part in expected for event in part), key=lambda event: event[0])
        wrong = None
        if code != 0:
            wrong = f"babeltrace2 exits with {code}: {complaints[0] if complaints else ''}"
        elif len(lines) != len(want):
            wrong = f"{len(lines)} events instead of {len(want)}"
        else:
            for line, (ticks, text) in zip(lines, want):
                seconds, rest = divmod(utc_ns(ticks), 10**9)
                time = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
                time = time.strftime("[%Y-%m-%d %H:%M:%S.") + f"{rest:09}]"
                name, fields = text.split(" ", 1)
                if not (line.startswith(time) and f" {name} {{" in line and line.endswith(fields)):
                    wrong = f"expected {time} {text}, not {line}"
                    break
        self.count += 1
        if wrong:
            self.failed += 1
            print(f"{state}: {wrong}")
        shutil.rmtree(trace)
        return complaints


def check_all(states):
    check = states.check
    names, of_names = states.names()
    packets, of_packets, end = [], [], 10000
    for seq in range(4):
        packet, expected, end = states.packet(seq=seq, begin=end + 100)
        packets.append(packet)
        of_packets.append(expected)
    other, of_other, _ = states.packet(stream=1)
    full = [event for part in of_packets for event in part]

    check("nothing recorded", {})
    check("definitions alone", {"names-0": names}, of_names)
    check("one stream", {"names-0": names, "s00000-0": packets[0]}, of_names, of_packets[0])
    ring = {f"s00000-{i}": packets[(i + 2) % 4] for i in range(4)}
    check("wrapped ring", ring, full)
    whole = {"names-0": names, **ring, "s00001-0": other}
    check("two streams", whole, of_names, full, of_other)
    check("a packet is missing", {k: v for k, v in ring.items() if k != "s00000-0"},
          *(of_packets[i] for i in (0, 1, 3)))
    many = {f"s{i:05}-0": states.packet(stream=i)[0] for i in range(40)}
    check("many streams", many, *(states.packet(stream=i)[1] for i in range(40)))

    # Other files and bytes beside the packets.
    check("file of 0 bytes", {**whole, "s00002-0": b""}, of_names, full, of_other)
    check("dot-named file", {**whole, ".tasks": b"tasks1" + bytes(8186)}, of_names, full, of_other)
    check("never used chunks", {**whole, "s00001-1": Packet(stream=1), "s00001-2": Packet(stream=1),
                                "s00002-0": Packet(stream=2)}, of_names, full, of_other)
    torn = copy.deepcopy(other)
    torn.bytes[torn.at:torn.at + 300] = b"\xa5" * 300
    check("bytes after the commit", {"s00001-0": torn}, of_other)
    short = copy.deepcopy(other)
    short.bytes += bytes(1 << 16)
    short.set(packet_size=len(short.bytes) * 8)
    check("packet to the end of the file", {"s00001-0": short}, of_other)
    for count, commit in enumerate(other.commits, 1):
        part = copy.deepcopy(other)
        part.set(content_size=commit * 8)
        check(f"committed {count} events", {"s00001-0": part}, of_other[:count])
    losing = copy.deepcopy(packets)
    for i, packet in enumerate(losing):
        packet.set(discarded=5 * i)
    complaints = check("events were dropped", dict(zip("abcd", losing)), full)
    if not any("discarded" in line for line in complaints):
        states.failed += 1
        print("events were dropped: babeltrace2 does not report it")

    # The oldest chunk is being recycled. Checks the state after each store of the recycle protocol,
    # with and without dropped events. The chunk's first event can only follow the last store.
    new = [("lock", 3), ("content_size", HEADER * 8), ("begin", end + 50), ("seq", 4),
           ("discarded", 25), ("current_task", 9), ("monotonic_ns", 10**15), ("vtid", 12345),
           ("lock", 4)]
    for dropped in (False, True):
        chunk, *rest = copy.deepcopy(losing if dropped else packets)
        for name, value in new:
            if name == "discarded" and not dropped:
                continue
            chunk.set(**{name: value})
            files = {"names-0": names, "s00000-0": chunk, "s00001-0": other,
                     **{f"s00000-{i}": packet for i, packet in enumerate(rest, 1)}}
            left = of_packets if name == "lock" and value == 3 else of_packets[1:]
            check(f"recycle {name} {value} {dropped}", files, of_names, of_other, *left)


def main():
    if not shutil.which("babeltrace2"):
        print("skipped: babeltrace2 is not installed")
        return 77
    metadata = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        states = States(metadata, folder)
        check_all(states)
    print(f"{states.count} states, {states.failed} failures")
    return 1 if states.failed else 0


if __name__ == "__main__":
    sys.exit(main())
