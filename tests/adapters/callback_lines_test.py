#!/usr/bin/python3
"""callback_lines_test.py SKEIN PROGRAM: callbacks compiled by g++ have the line of their lambda, from the program's debug
information; two lambdas of a function with as many parameters have none, nor has any when the program is gone."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

skein, program = sys.argv[1:]
source = pathlib.Path(__file__).with_name("asio_callbacks.cc").read_text().splitlines()


def line_of(text):
    line, = [number for number, content in enumerate(source, 1) if text in content]
    return line


def places(trace):
    rows = subprocess.run([skein, "query", "--json", trace, "SELECT DISTINCT function, file, line FROM task "
                           "WHERE function LIKE '%<lambda>'"], check=True, capture_output=True, text=True).stdout
    return {row["function"]: (row["file"] and pathlib.Path(row["file"]).name, row["line"])
            for row in json.loads(rows)}


with tempfile.TemporaryDirectory() as folder:
    copy = shutil.copy(program, folder)
    trace = f"{folder}/trace"
    subprocess.run([skein, "record", "-o", trace, "--", copy], check=True, capture_output=True)
    found = places(trace)
    if not any(line for _, line in found.values()):
        print("skipped: skein was built without libdw, or the program without -g")
        sys.exit(77)
    assert found["app::Link::retry::<lambda>"] == ("asio_callbacks.cc", line_of("line: retry")), found
    assert found["main::<lambda>"] == ("asio_callbacks.cc", line_of("line: main")), found
    assert found["app::Link::read::<lambda>"] == (None, None), found
    pathlib.Path(copy).unlink()
    assert all(place == (None, None) for place in places(trace).values())
    shutil.copy("/bin/true", copy)  # another program at the same path
    assert all(place == (None, None) for place in places(trace).values())
