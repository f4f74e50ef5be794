#!/usr/bin/env python3
"""docs/query.md: the schema is current, and each query prints the documented output, except for
numbers. --renew updates the document.

usage: query_test.py SKEIN PROGRAM SOURCE [--renew]"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

skein, program, source = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
renew = "--renew" in sys.argv[4:]
page = source / "docs/query.md"


def query(*words):
    return subprocess.run([skein, "query", *words], capture_output=True, text=True, timeout=60)


def without_numbers(table):
    """Returns the sorted lines, because their order differs between runs. Omits classes, which
    clang 14 does not name."""
    text = re.sub(r"\(anonymous\)::|\w+::", "", table)
    text = re.sub(r"\d+(\.\d+)?( (s|ms|us|ns)\b)?", "N", text)
    return sorted(" ".join(line.split()) for line in text.splitlines())


if "built without SQLite" in query("/", "SELECT 1").stderr:
    print("skipped: built without SQLite")
    sys.exit(77)
text = page.read_text()
failures = []
with tempfile.TemporaryDirectory(prefix="skein-query-") as work:
    os.chdir(work)
    hung = subprocess.run([program, "--pair", "--reply-first", "--deadline", "300"], timeout=60,
                          env=dict(os.environ, SKEIN_TRACE="trace"), capture_output=True, text=True)
    assert "no answer" in hung.stdout, hung

    schema = query("trace", ".schema").stdout
    shown = re.search(r"<!-- schema -->\n```sql\n(.*?)```\n", text, re.S)
    if shown[1] != schema:
        failures.append(f"the tables are these:\n{schema}")
    text = text.replace(shown[0], f"<!-- schema -->\n```sql\n{schema}```\n")

    queries = re.findall(r"(### \d+\. .*?\n```sql\n(.*?)```\n```\n)(.*?)```\n", text, re.S)
    for begin, sql, output in queries:
        said = query("trace", sql)
        assert said.returncode == 0 and not said.stderr, (sql, said)
        if without_numbers(said.stdout) != without_numbers(output):
            failures.append(f"{sql} gives\n{said.stdout}and not\n{output}")
        text = text.replace(begin + output, begin + said.stdout)
        if said.stdout.count("\n") < 2:
            failures.append(f"{sql} gives nothing")
    if [begin.split(".")[0] for begin, *_ in queries] != [f"### {n}" for n in range(1, 11)]:
        failures.append(f"{len(queries)} queries are not ten")
if renew:
    page.write_text(text)
    failures = []
for failure in failures:
    print(failure)
print("failed" if failures else "passed")
sys.exit(bool(failures))
