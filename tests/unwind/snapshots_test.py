#!/usr/bin/env python3
"""Stacks of a program that is compiled in several ways, compared with those of libdwfl.

    snapshots_test.py SNAPSHOTS PROGRAM.cc [--all]

--all: all variants, 800 snapshots of each in the first thread and 400 in another; otherwise two
variants, 150 of each. Prints a line for each variant.
"""
import re
import subprocess
import sys
import tempfile

from variants import FEW, MORE, build


def main(snapshots, source, everything):
    failed = []
    total = equal = 0
    for variant in FEW + (MORE if everything else []):
        with tempfile.TemporaryDirectory() as folder:
            program = build(variant, source, folder)
            if program is None:
                print(f"{variant}: not installed")
                continue
            for count, arguments in ([(800, []), (400, ["thread"])] if everything else [(150, [])]):
                done = subprocess.run([snapshots, str(count), program, *arguments], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
                found = re.search(r"(\d+) snapshots, .*", done.stdout)
                print(f"{variant} {' '.join(arguments)}: {found[0] if found else done.stdout}", flush=True)
                if done.returncode != 0 or not found:
                    failed.append(variant)
                    print(done.stdout)
                    continue
                numbers = {name: int(n) for n, name in re.findall(r"(\d+) (\w+)", found[0])}
                total += numbers["snapshots"]
                equal += numbers["equal"]
                # All code of the program has tables, so only the end of a copy ends a stack early.
                if numbers["damaged"] or numbers["without"] or numbers["longer"] > count // 100:
                    failed.append(variant)
    print(f"{equal} of {total} equal; failed: {failed}")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], "--all" in sys.argv))
