#!/usr/bin/env python3
"""libraries_test.py --source .. --build .. --scratch .. --cxx ..: builds the programs in libraries/, which use
public libraries, with `skein --cmake`, and runs truth_test.py with them."""
import argparse
import pathlib
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "foreign"))
from foreign_test import LIBRARIES, find_archive, run  # noqa: E402


def build(options):
    """Returns the folder of the programs."""
    archives = [find_archive(options.source, library) for library in LIBRARIES]
    shutil.rmtree(options.scratch, ignore_errors=True)
    sources, out = options.scratch / "sources", options.scratch / "build"
    sources.mkdir(parents=True)
    for archive in archives:
        run("tar", "-xf", archive, "-C", sources)
    top = run(options.build / "skein", "--cmake").strip()
    # Debug: as those who look for a fault build, and it compiles fastest.
    run("cmake", "-S", FOLDER / "libraries", "-B", out, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
        f"-DCMAKE_CXX_COMPILER={options.cxx}", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON", f"-DLIBRARIES={sources}",
        f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={top}")
    run("cmake", "--build", out, "-j2")
    return out / "programs"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("source", "build", "scratch"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    programs = build(options)
    sys.exit(subprocess.run([sys.executable, FOLDER / "truth_test.py", options.build / "skein", programs]).returncode)


if __name__ == "__main__":
    main()
