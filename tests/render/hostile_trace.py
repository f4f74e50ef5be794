#!/usr/bin/env python3
"""Writes a trace whose labels are scripts, escape sequences, direction overrides, invalid UTF-8, or
a mebibyte long.

    hostile_trace.py OUTPUT
"""
import pathlib
import struct
import sys

LABELS = [
    b"</text><script>alert(1)</script>",
    b"</title></style><style>*{fill:url(http://example.org/)}</style>",
    b"]]><!-- & &amp; &#0; &lt;script&gt; --> <?xml?>",
    b"'\" onload=\"alert(1)\" '",
    b"javascript:alert(1)",
    b"\x1b[2J\x1b]0;title\x07\x1b[31m\x9b31m\x1bP\x1b\\",
    "\u202eright to left\u202c \u2066\u2069\u200f\u061c".encode(),
    b"\xff\xfe\xc0\x80\xed\xa0\x80 no UTF-8 \xf4\x90\x80\x80\xe2\x82",
    "\ufffe\uffff\u2028\u2029\ufeff\U000e0041\u0000".encode().rstrip(b"\0"),
    b"a\nb\rc\td\x7f\x85",
    "\u4f60\u597d \U0001f600 e\u0301\u0301\u0301\u0301 \u05e9\u05dc\u05d5\u05dd".encode(),
    b"x" * (1 << 20),
    "\u202e".encode() * (1 << 18),
    b"<" * (1 << 20),
    b"%s%n%1$s {} \\",
]


def trace(labels):
    """Returns a packet in mirage-profile's format: each task runs, has a counter and fails."""
    events = b""
    time = 1_000_000

    def event(op, body):
        nonlocal events, time
        time += 10_000
        events += struct.pack("<QB", time, op) + body

    for number, text in enumerate(labels, 1):
        event(0, struct.pack("<qqB", 0, number, number % 16))  # creates
        event(5, struct.pack("<q", number) + text + b"\0")  # label
        event(7, struct.pack("<q", number))  # switch
        event(11, struct.pack("<qq", number, number) + text + b"\0")  # counter
        time += 500_000
    for number, text in enumerate(labels, 1):
        event(3, struct.pack("<qq", 0, number) + text + b"\0")  # fails
    size = 30 + len(events)
    uuid = bytes.fromhex("05883b8d521a487bb397456ab150680c")
    return struct.pack("<I16sIHI", 0xc1fc1fc1, uuid, size * 8, 1, size * 8) + events


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_bytes(trace(LABELS))
