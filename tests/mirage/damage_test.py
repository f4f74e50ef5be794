#!/usr/bin/env python3
"""Damaged traces: 20 cuts, 10 holes of zeros, 60 flipped bytes, and the generator's damages. Each
trace opens, almost all events are read, and losses are in `lost`. With a sanitizer (`some`), every
fifth of them is tried."""
import itertools
import random
import sys

from common import example, folder, generate, info, skein


def check(path, whole, most_missing, what):
    found = info(path)
    missing = whole["events"] - found["events"]
    assert missing <= most_missing, f"{what}: {missing} events missing, {found['lost']}"
    assert found["events"] == sum(found["kinds"].values()), what
    if found["events"] != whole["events"]:
        assert found["lost"], f"{what}: {missing} events missing and nothing reported"
    for loss in found["lost"]:
        assert loss["reason"] and loss["offset"] <= whole["size"] + 8, (what, loss)
    dump = skein("dump", path)
    assert dump.returncode == 0, what
    assert dump.stdout.count(b"\n") == found["events"], what
    return missing


step = 5 if sys.argv[3:] == ["some"] else 1
numbers = itertools.count()


def family(data, whole, path, scratch):
    """Checks the 90 damages of one trace."""
    size = len(data)
    rng = random.Random(7)

    def damaged(change, most_missing, what):
        if next(numbers) % step != 0:
            return 0
        bytes_ = bytearray(data)
        bytes_ = change(bytes_) or bytes_
        scratch.write_bytes(bytes_)
        return check(scratch, whole, most_missing, f"{path}: {what}")

    for i in range(20):
        at = size * (i + 1) // 21
        damaged(lambda b: b[:at], whole["events"], f"cut at {at}")
    for i in range(10):
        at = rng.randrange(size - 8192)
        length = rng.choice([1, 100, 4096, 8192])

        def hole(b):
            b[at:at + length] = bytes(length)
        # An event has at least 17 bytes.
        damaged(hole, length // 17 + 60, f"hole of {length} at {at}")
    total = 0
    for i in range(60):
        # Half of them in the header or first events of a packet, where they have the worst effect.
        at = rng.randrange(size) if i % 2 else rng.randrange(60)
        mask = 1 << rng.randrange(8) if i % 3 else 0xff

        def flip(b):
            b[at] ^= mask
        total += max(0, damaged(flip, 60, f"byte {at} flipped by {mask:#x}"))
    assert total <= 120, f"{path}: 60 flipped bytes cost {total} events"


def main():
    with folder() as name:
        import pathlib
        here = pathlib.Path(name)
        scratch = here / "damaged.ctf"
        traces = []
        for label, options in {
                "straight": ["--packet-size", 65536],
                "ring": ["--ring", 4, "--packet-size", 65536, "--events", 20000],
                "small packets": ["--packet-size", 4096, "--first-count", 65500],
        }.items():
            path = here / f"{label}.ctf"
            generate(path, *options)
            traces.append(path)
        if example():
            traces.append(example())
        for path in traces:
            data = path.read_bytes()
            whole = info(path) | {"size": len(data)}
            assert whole["lost"] == [], (path, whole["lost"])
            family(data, whole, path, scratch)

        # Damage by the generator.
        whole = generate(scratch, "--events", 5000)
        events = sum(whole["kinds"].values())
        assert events == 5000
        for options, missing in ((["--unknown-op"], 1), (["--torn"], 1), (["--twice"], 0)):
            generate(scratch, "--events", 5000, *options)
            found = info(scratch)
            assert events - missing <= found["events"] <= events, (options, found)
            assert (found["events"] == events) or found["lost"], (options, found)
            assert found["created_twice"] == (options == ["--twice"]), found
        generate(scratch, "--events", 3000, "--hostile-labels")
        for command in (["dump"], ["dump", "--json"], ["info"]):
            text = skein(*command, scratch).stdout.decode("utf-8")
            bad = [c for c in text if (ord(c) < 32 and c != "\n") or ord(c) in range(0x7f, 0xa0)
                   or c in "\u202e\u2028\ufeff"]
            assert not bad, (command, bad[:5])
        assert skein("dump", scratch).stdout.count(b"\n") == 3000


main()
