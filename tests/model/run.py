#!/usr/bin/env python3
"""The model of the ring's memory orders holds, and every weakening of it fails.

    run.py RING.PML RING.C CC

RING.C is the same model in C for other checkers: it must compile in every variant, and hold when
run unweakened. spin checks the whole state space of every variant. If spin finds no error in a
weakening, the model cannot detect it, and the test fails.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

# The weakenings, and what each removes.
WEAKENINGS = {
    "NO_ODD": "recycle without making the lock odd",
    "NO_FENCE_AFTER_ODD": "no release fence between the odd lock and the reset",
    "NO_FENCE_AFTER_ODD NO_FENCE_AFTER_EMPTY": "none of the two fences",
    "EVEN_RELAXED": "the lock made even by a relaxed store",
    "COMMIT_RELAXED": "content_size stored relaxed",
    "SIZE_BEFORE_EVENT": "content_size before the event's bytes",
    "NOT_EMPTIED": "recycle without emptying the packet",
    "NUMBER_BEFORE_EMPTY": "the new header before the packet is empty",
    "ODD_IS_GOOD": "a reader that takes an odd lock",
    "NO_SECOND_LOOK": "a reader that does not look at the lock again",
    "NO_FENCE_BEFORE_AGAIN": "a reader without the acquire fence after the copy",
    "FIRST_LOCK_RELAXED": "a reader that loads the first lock relaxed",
    "CONTENT_RELAXED": "a reader that loads content_size relaxed",
    "CONTENT_FROM_THE_COPY": "a reader that believes a content_size newer than its copy",
}


def check(model, cc, folder, defines):
    """Returns (errors found, states)."""
    folder.mkdir()
    flags = [f"-D{name}" for name in defines.split()]
    subprocess.run(["spin", *flags, "-a", str(model)], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([cc, "-O0", "-w", "-DSAFETY", "-DMEMLIM=2048", "-DCOLLAPSE", "-o", "pan",
                    "pan.c"], cwd=folder, check=True)
    run = subprocess.run(["./pan", "-m100000", "-w22"], cwd=folder, capture_output=True, text=True,
                         timeout=300)
    if "max search depth too small" in run.stdout or "out of memory" in run.stdout:
        sys.exit(f"{defines}: the search was not complete\n{run.stdout}")
    words = run.stdout.split("errors: ")
    errors = int(words[1].split()[0])
    states = next(line.split()[0] for line in run.stdout.splitlines() if "states, stored" in line)
    return errors, float(states)


def run_in_c(source, cc, folder):
    for number, defines in enumerate(["", *WEAKENINGS]):
        program = folder / f"ring-{number}"
        subprocess.run([cc, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-DROUNDS=10000",
                        *[f"-D{name}" for name in defines.split()], str(source), "-o", str(program)],
                       check=True)
    subprocess.run([str(folder / "ring-0")], check=True, timeout=300)
    print("in C: 10000 rounds")


def main():
    model, in_c, cc = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    if not shutil.which("spin") or not shutil.which(cc):
        print("skipped: spin is not installed")
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        run_in_c(in_c, cc, pathlib.Path(scratch))
        errors, states = check(model, cc, pathlib.Path(scratch) / "as-it-is", "")
        print(f"as it is: {errors} errors in {states:.0f} states")
        wrong += errors != 0
        for number, (defines, what) in enumerate(WEAKENINGS.items()):
            errors, states = check(model, cc, pathlib.Path(scratch) / str(number), defines)
            print(f"{what}: {'caught' if errors else 'NOT CAUGHT'} ({states:.0f} states)")
            wrong += errors == 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
