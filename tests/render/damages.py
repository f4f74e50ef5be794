"""What happens to files: cut at 20 places, 10 holes of zeros, 60 flipped bytes."""
import random


def damages(data):
    """Copies of the bytes, each with one damage, and what was done to it."""
    rng = random.Random(5)
    changes = [("cut", len(data) * (i + 1) // 21, 0, 0) for i in range(20)]
    changes += [("hole", rng.randrange(len(data) - 4096), rng.choice([1, 100, 4096]), 0)
                for _ in range(10)]
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
    """A file in the folder for each damage of the file `whole`; and what was done to it."""
    for number, (what, copy) in enumerate(damages(whole.read_bytes())):
        damaged = folder / f"{what[0]}-{number}.ctf"
        damaged.write_bytes(copy)
        yield what, damaged
