"""Writes packets of a skein trace, for tests that control every byte.

    p = Packet(stream=0, begin=1000)
    p.event("label_text", 1500, struct.pack("<Q", 7) + b"hello\\0")
    Path("trace/s00000-0").write_bytes(p.bytes)

The layout is independent of format.h, as a second implementation; event ids come from the metadata.
"""
import pathlib
import re
import struct
import subprocess
import uuid

UUID = uuid.UUID("7d1f5f4e-9c55-4b6e-9d2a-1f6a5a1d0c01")  # as in print_metadata
HEADER = 128
# offset and struct code of the fields after content_size, in file order
FIELDS = {
    "magic": (0, "<I"), "stream_id": (20, "<I"), "stream": (24, "<Q"), "content_size": (32, "<Q"),
    "packet_size": (40, "<Q"), "begin": (48, "<Q"), "seq": (56, "<Q"), "discarded": (64, "<Q"),
    "lock": (72, "<Q"), "current_task": (80, "<Q"), "monotonic_ns": (88, "<Q"), "vtid": (96, "<I"),
    "flags": (100, "<I"), "version": (104, "<I"),
}
FREQUENCY = 156250000
UTC_OF_TICK_0 = 1767225600 * 10**9 + 500000000  # ns


class Packet:
    def __init__(self, stream=0, seq=0, begin=0, size=4096, discarded=0, current_task=0, **more):
        self.bytes = bytearray(size)
        self.at = HEADER
        self.last = begin
        self.commits = []  # where each event ends
        self.bytes[4:20] = UUID.bytes
        self.set(magic=0xC1FC1FC1, stream=stream, packet_size=size * 8, begin=begin, seq=seq,
                 discarded=discarded, current_task=current_task, version=1, vtid=100 + stream % 100)
        self.set(content_size=HEADER * 8, **more)

    def set(self, **fields):
        for name, value in fields.items():
            offset, code = FIELDS[name]
            struct.pack_into(code, self.bytes, offset, value)
        return self

    def get(self, name):
        offset, code = FIELDS[name]
        return struct.unpack_from(code, self.bytes, offset)[0]

    def event(self, event_id, ticks, payload):
        """Appends an event; False if it does not fit."""
        if ticks - self.last >= 1 << 24:
            data = struct.pack("<BBQ", 255, event_id, ticks) + payload
        else:
            data = struct.pack("<I", event_id | (ticks & 0xFFFFFF) << 8) + payload
        if self.at + len(data) > len(self.bytes):
            return False
        self.bytes[self.at:self.at + len(data)] = data
        self.at += len(data)
        self.last = ticks
        self.commits.append(self.at)
        self.set(content_size=self.at * 8)
        return True


def first_ids(metadata):
    """Returns {name: id of its first event class}."""
    ids = {}
    for name, number in re.findall(r'event \{ name = "(\w+)"; id = (\d+);', metadata):
        ids.setdefault(name, int(number))
    return ids


def width_class(value):
    return 0 if value < 1 << 8 else 1 if value < 1 << 16 else 2 if value < 1 << 32 else 3


def pack(value, cls, signed=False):
    code = "BHIQ"[cls]
    return struct.pack("<" + (code.lower() if signed else code), value)


def utc_ns(ticks):
    return UTC_OF_TICK_0 + ticks * 10**9 // FREQUENCY


def write_trace(folder, metadata, files):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    (folder / "metadata").write_text(metadata)
    for name, content in files.items():
        if isinstance(content, Packet):
            content = content.bytes
        (folder / name).write_bytes(bytes(content))
    return folder


def babeltrace(folder):
    """Returns (exit code, event lines, messages on stderr)."""
    run = subprocess.run(["babeltrace2", "--clock-gmt", "--clock-date", str(folder)],
                         capture_output=True, text=True, timeout=60)
    complaints = [line for line in run.stderr.splitlines() if line.strip()]
    return run.returncode, [line for line in run.stdout.splitlines() if line], complaints
