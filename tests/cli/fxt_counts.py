"""A small FXT reader that shares no code with skein. It counts the contents of a file."""
import struct
from collections import Counter

EVENTS = ["instant", "counter", "duration_begin", "duration_end", "duration_complete",
          "async_begin", "async_instant", "async_end", "flow_begin", "flow_step", "flow_end"]


class Fxt:
    """records: a Counter by kind; fibers: names of the kernel objects "fiberN"; events: those of
    eio-trace as (category, name, kind), with their arguments."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.texts, self.records, self.fibers, self.events = {}, Counter(), [], []
        at = 0
        while at < len(self.data):
            header = self.word(at)
            size = (header >> 4 & (0xffffffff if header & 15 == 15 else 0xfff)) * 8
            assert size > 0 and at + size <= len(self.data)
            self.record(header, at)
            at += size

    def word(self, at):
        return struct.unpack_from("<Q", self.data, at)[0]

    def text(self, reference, at):
        if not reference & 0x8000:
            return self.texts.get(reference, ""), at
        size = reference & 0x7fff
        return self.data[at:at + size].decode(), at + (size + 7) // 8 * 8

    def arguments(self, count, at):
        found = {}
        for _ in range(count):
            header = self.word(at)
            name, inside = self.text(header >> 16 & 0xffff, at + 8)
            if header & 15 == 6:
                found[name] = self.text(header >> 32 & 0xffff, inside)[0]
            elif header & 15 in (3, 4, 7, 8):
                found[name] = self.word(inside)
            at += (header >> 4 & 0xfff) * 8
        return found

    def record(self, header, at):
        kind = header & 15
        if kind == 2:
            size = header >> 32 & 0x7fff
            self.texts[header >> 16 & 0x7fff] = self.data[at + 8:at + 8 + size].decode()
            self.records["string"] += 1
        elif kind == 3:
            self.records["thread"] += 1
        elif kind == 4:
            event = EVENTS[header >> 16 & 15]
            self.records[event] += 1
            inside = at + (16 if header >> 24 & 0xff else 32)
            category, inside = self.text(header >> 32 & 0xffff, inside)
            name, inside = self.text(header >> 48, inside)
            arguments = self.arguments(header >> 20 & 15, inside)
            self.events.append((category, name, event, self.word(at + 8), arguments))
        elif kind == 6:
            self.records["user_object"] += 1
        elif kind == 7:
            self.records["kernel_object"] += 1
            name, _ = self.text(header >> 24 & 0xffff, at + 16)
            if name.startswith("fiber"):
                self.fibers.append(name)
        elif kind == 8:
            self.records["thread_wakeup" if header >> 60 == 2 else "context_switch"] += 1
        elif kind == 9:
            self.records["log"] += 1

    def count(self, category, name, kind):
        """Counts the events; None matches any name."""
        return sum(c == category and name in (None, n) and k == kind
                   for c, n, k, _, _ in self.events)
