#!/usr/bin/python3
"""asio_connections_test.py PROGRAM: the addresses of sockets, and the bytes of their operations."""
import ipaddress
import os
import sys
import tempfile

from trace import EMULATOR, Trace, equal, run

folder = tempfile.mkdtemp()
out = run(sys.argv[1:2], SKEIN_TRACE=f"{folder}/trace,mode=log")
trace = Trace(f"{folder}/trace")


def address(event, end):
    number = event[end + "_high"] << 64 | event[end + "_low"]
    if number == 0:
        return "-"
    of = ipaddress.IPv6Address(number)
    return str(of.ipv4_mapped or of)


found = {}
for socket, event in trace.connections.items():
    found[event["descriptor"], address(event, "local"), event["local_port"],
          address(event, "peer"), event["peer_port"], event["protocol"]] = socket
expected = {}
for line in out.splitlines():
    use, descriptor, *ends = line.split()
    if use == "unix":
        path = ends[0]
        continue
    expected[use] = (int(descriptor), ends[0], int(ends[1]), ends[2], int(ends[3]),
                     17 if use == "udp" else 6)
unix = [e for e in trace.connections.values() if e["path"]]
equal("UNIX sockets", [trace.strings[e["path"]] for e in unix], [path])
equal("sockets", sorted(k for k in found if k[5] != 0), sorted(expected.values()))
assert EMULATOR or all(e["net_namespace"] != 0 for e in trace.connections.values() if e["protocol"])

bytes_of = {use: {"send": 0, "rece": 0} for use in expected}
sockets = {found[key]: use for use, key in expected.items()}
for task in trace.tasks.values():
    if task.uses in sockets and task.io:
        bytes_of[sockets[task.uses]][task.name[len("socket.async_"):][:4]] += sum(task.io)
equal("bytes", {use: tuple(n.values()) for use, n in bytes_of.items() if any(n.values())},
      {"first": (1, 0), "second": (1, 0), "client": (1000, 7), "session": (7, 1000), "mixed": (3, 0),
       "far": (0, 3)})

# The kernel's counts: before the 1st, 2nd, 4th .. operation, and before the socket is closed.
if not EMULATOR:
    established, close_wait = 1, 8
    readings = {use: trace.socket_bytes.get(found[key]) for use, key in expected.items()}
    equal("mixed", readings["mixed"],
          [(5, 0, 0, 0, established), (36, 0, 30, 0, established), (138, 0, 130, 0, established)])
    equal("far", readings["far"],
          [(0, 5, 0, 0, established), (0, 36, 0, 30, established), (0, 138, 0, 130, close_wait)])
    equal("client", readings["client"][0], (0, 0, 0, 0, established))
    assert readings["first"] and readings["second"], readings
    assert all(r is None for use, r in readings.items() if use in ("udp", "acceptor")), readings
    for use in ("client", "session", "first", "second"):
        assert all(r[2:4] == (0, 0) for r in readings[use]), (use, readings[use])
