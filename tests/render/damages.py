"""Damaged copies of traces: 20 cuts, 10 holes of zeros, 60 flipped bytes."""
import random
import shutil


def damages(data):
    """Yields a description of a damage and a copy of the bytes with it."""
    rng = random.Random(5)
    changes = [("cut", len(data) * (i + 1) // 21, 0, 0) for i in range(20)]
    longest = min(4096, len(data) // 2)
    changes += [("hole", rng.randrange(len(data) - longest), min(rng.choice([1, 100, 4096]), longest),
                 0) for _ in range(10)]
    changes += [("flip", rng.randrange(len(data)) if i % 2 else rng.randrange(60), 1,
                 1 << rng.randrange(8) if i % 3 else 0xff) for i in range(60)]
    for what, at, length, mask in changes:
        copy = bytearray(data)
        if what == "cut":
            del copy[at:]
        elif what == "hole":
            copy[at:at + length] = bytes(length)
        else:
            copy[at] ^= mask
        yield (what, at, length, mask), copy


def write_damaged(whole, folder):
    """Writes a damaged copy of the trace `whole` to the folder for each damage. Yields its
    description and path. In a directory, the damages take turns among the files."""
    if whole.is_file():
        for number, (what, copy) in enumerate(damages(whole.read_bytes())):
            damaged = folder / f"{what[0]}-{number}.ctf"
            damaged.write_bytes(copy)
            yield what, damaged
        return
    names = sorted(path.name for path in whole.iterdir() if not path.name.startswith("."))
    makers = [damages((whole / name).read_bytes()) for name in names]
    for number, copies in enumerate(zip(*makers)):
        what, copy = copies[number % len(names)]
        damaged = folder / f"{what[0]}-{number}.skein"
        shutil.copytree(whole, damaged)
        (damaged / names[number % len(names)]).write_bytes(copy)
        yield (names[number % len(names)], *what), damaged
