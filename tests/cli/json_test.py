#!/usr/bin/env python3
"""Validates the --json output of each command against its schema in docs/json.md.

    json_test.py SKEIN SOURCE LOST_SIGNAL_PROGRAM

The validator implements the part of JSON Schema that the document uses; any other keyword is an
error. It is tested with invalid documents.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

from common import expect, run, work_in_new_folder

source, program = (pathlib.Path(path).absolute() for path in sys.argv[2:4])
KNOWN = {"$id", "$defs", "$ref", "type", "enum", "properties", "required", "items",
         "additionalProperties"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_of_type(value, name):
    if name in ("integer", "number"):
        return isinstance(value, int if name == "integer" else (int, float)) and \
            not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def errors(value, schema, root, at="$"):
    """Yields a line for each error of the value."""
    expect("only keywords that are checked", not set(schema) - KNOWN, (at, schema))
    if "$ref" in schema:
        document, _, path = schema["$ref"].partition("#/")
        root = schemas[document] if document else root
        schema = root
        for part in path.split("/"):
            schema = schema[part]
        yield from errors(value, schema, root, at)
        return
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_of_type(value, name) for name in types):
        yield f"{at}: {value!r} is not of type {types}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is not one of {schema['enum']}"
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from errors(item, schema.get("items", {}), root, f"{at}[{i}]")
    if not isinstance(value, dict):
        return
    for name in schema.get("required", []):
        if name not in value:
            yield f"{at}: no member {name}"
    # Readers must accept unknown members; here they mean that the document is incomplete.
    more = schema.get("additionalProperties", False if "properties" in schema else {})
    for name, member in value.items():
        known = schema.get("properties", {}).get(name, more)
        if known is False:
            yield f"{at}: unknown member {name}"
        else:
            yield from errors(member, known, root, f"{at}.{name}")


def read_schemas():
    text = (source / "docs/json.md").read_text()
    blocks = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", text, re.S | re.M)]
    return {block["$id"]: block for block in blocks}


def valid(value, name, what):
    found = list(errors(value, schemas[name], schemas[name]))
    expect(f"{what}: {name}", not found, "\n".join(found[:5]))
    if isinstance(value, dict) and "schema" in schemas[name].get("properties", {}):
        expect(f"{what}: names its schema", value["schema"] == name, value["schema"])


def rejects_invalid_documents():
    good = {"id": 1, "name": "x"}
    task = schemas["common"]["$defs"]["task"]
    for wrong in ({"id": 1}, {"id": "1", "name": "x"}, {"id": True, "name": "x"}, [], "x",
                  dict(good, more=1)):
        expect("rejected", list(errors(wrong, task, task)), wrong)
    for right in (good, None):
        expect("accepted", not list(errors(right, task, task)), right)
    verdict = {"$ref": "common#/$defs/verdict"}
    expect("of an enumeration", list(errors("hungry", verdict, verdict)))


def check(trace):
    for command in (["info"], ["ps"], ["why"], ["doctor"], ["doctor", "--strict"], ["critical"],
                    ["stats"], ["diff", trace]):
        said = run(*command, "--json", trace)
        if said.returncode == 2 and command == ["critical"]:  # the trace has no events
            continue
        expect(f"{command} of {trace}", said.returncode in (0, 1), said)
        valid(json.loads(said.stdout), f"skein.{command[0]}/1", (command, trace))
        checked[command[0]] = checked.get(command[0], 0) + 1
    for line in run("dump", "--json", trace).stdout.splitlines():
        valid(json.loads(line), "skein.dump/1", ("dump", trace))
        checked["dump"] = checked.get("dump", 0) + 1
    rows = run("query", "--json", trace, "SELECT *, 0.5, 9e999, x'01' FROM task")
    if rows.returncode == 0:  # otherwise skein was built without SQLite
        valid(json.loads(rows.stdout), "skein.query/1", ("query", trace))


schemas = read_schemas()
checked = {}
rejects_invalid_documents()
folder = work_in_new_folder("json")
traces = [path for kind in ("mirage", "skein")
          for path in sorted((source / "tests/data" / kind).iterdir())]
if program.exists():
    hang = pathlib.Path("hang.skein").absolute()
    subprocess.run([program], env=dict(os.environ, SKEIN_TRACE=str(hang)), check=True,
                   stdout=subprocess.DEVNULL)
    traces.append(hang)
for path in traces:
    check(path)
valid(json.loads(run("ps", "--json").stdout), "skein.processes/1", "ps")
targets = json.loads(run("targets", "--json").stdout)
valid(targets, "skein.targets/1", "targets")
expect("this process is a target", any(one["pid"] == os.getpid() and one["argument"] == str(os.getpid())
                                       for one in targets["targets"]), targets)
if program.exists():
    diagnoses = json.loads(run("why", "--json", hang).stdout)["diagnoses"]
    expect("a notification and its location", diagnoses[0]["notification"]["location"]["line"] > 0,
           diagnoses)
    findings = json.loads(run("doctor", "--json", hang).stdout)["findings"]
    expect("a finding with evidence", findings and findings[0]["evidence"], findings)
    empty = traces[0]
    parted = json.loads(run("diff", "--json", hang, empty).stdout)
    valid(parted, "skein.diff/1", "two programs")
    expect("they differ", parted["divergences"], parted)
for name in ("info", "why", "doctor", "critical", "stats", "diff", "dump"):
    expect(f"{name} was checked", checked.get(name, 0) > 0, checked)
print("passed:", checked)
