#!/usr/bin/env python3
"""Plants violations in a small tree, one by one: tools/check-layers must report each of them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = sys.argv.pop(1)

TREE = {
    "CMakeLists.txt": """
skein_module(format INTERFACE)   # a remark
skein_module(record USES format SOURCES core host/posix)
skein_module(base)
skein_module(trace/read USES format base)
skein_module(trace/model USES trace/read)
""",
    "format/include/skein/format.h": "#include <stdint.h>\n",
    "record/include/skein/skein.h": "#include <stddef.h>\n#include <skein/format.h>\n",
    "record/core/ring.cc": '#include "record/core/ring.h"\n',
    "record/core/ring.h": "#include <skein/skein.h>\n",
    "record/core/ring_test.cc": "#include <doctest/doctest.h>\n#include <vector>\n",
    "record/host/posix/file.cc": "#include <sys/mman.h>\n#include <fcntl.h>\n#include <atomic>\n",
    "base/result.h": "#include <string>\n",
    "trace/read/packet.cc": '#include "base/result.h"\n#include <skein/format.h>\n',
    "trace/model/task.cc": '#include "base/result.h"\n#include "trace/read/packet.h"\n',
    "cli/main.cc": '#include "trace/model/task.h"\n#include <CLI/CLI.hpp>\n',
}


class Checker(unittest.TestCase):
    def check(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**TREE, **changes}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([CHECKER, folder], capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            return done.returncode, done.stdout

    def assert_caught(self, changes, message):
        code, text = self.check(changes)
        self.assertIn(message, text)
        self.assertEqual(text.count("\n"), 1, text)
        self.assertEqual(code, 1)

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.check({}), (0, "layers: fine\n"))

    def test_a_higher_layer(self):
        self.assert_caught({"base/result.h": '\n#include "trace/read/packet.h"\n'},
                           "base/result.h:2: base may not use trace/read (trace/read/packet.h)")

    def test_a_sibling_that_is_not_named(self):
        self.assert_caught({"trace/read/a.cc": "#include <skein/skein.h>\n"},
                           "trace/read/a.cc:1: trace/read may not use record (skein/skein.h)")

    def test_the_program_above(self):
        self.assert_caught({"base/a_test.cc": '#  include "cli/commands.h"\n'},
                           "base/a_test.cc:1: base may not use cli (cli/commands.h)")

    def test_a_use_that_points_upwards(self):
        upwards = TREE["CMakeLists.txt"].replace("(base)", "(base USES trace/read)")
        self.assertIn("base uses trace/read, which is not declared above it",
                      self.check({"CMakeLists.txt": upwards})[1])

    def test_a_folder_that_is_not_declared(self):
        self.assert_caught({"trace/clock/hull.cc": ""}, "trace/clock/hull.cc: belongs to no module")

    def test_a_third_party_header_in_the_recorder(self):
        self.assert_caught({"record/host/posix/a.cc": "#include <boost/asio.hpp>\n"},
                           "record/host/posix/a.cc:1: record may not depend on <boost/asio.hpp>")

    def test_an_adapter_includes_its_framework_and_no_other(self):
        header = "record/include/skein/boost_fiber.h"
        self.assertEqual(self.check({header: "#include <boost/fiber/context.hpp>\n"})[0], 0)
        self.assert_caught({header: "#include <uv.h>\n"}, "record may not depend on <uv.h>")

    def test_a_hosted_header_in_the_core(self):
        self.assert_caught({"record/core/ring.h": "#include <string.h>\n"},
                           "record/core/ring.h:1: freestanding code may not include <string.h>")

    def test_a_hosted_header_in_the_contract(self):
        self.assert_caught({"format/include/skein/format.h": "#include <cstdint>\n"},
                           "freestanding code may not include <cstdint>")

    def test_an_include_that_is_not_written_from_the_root(self):
        self.assert_caught({"record/core/ring.cc": '#include "ring.h"\n'},
                           'record/core/ring.cc:1: "ring.h" is not written from the root')

    def test_a_cycle_of_two_files_in_a_module(self):
        self.assert_caught({"trace/model/task.cc": '#include "trace/model/task.h"\n'
                                                   '#include "trace/model/wait.h"\n',
                            "trace/model/task.h": "",
                            "trace/model/wait.h": "",
                            "trace/model/wait.cc": '#include "trace/model/task.h"\n'},
                           "trace/model/task: includes itself: "
                           "trace/model/task -> trace/model/wait -> trace/model/task")

    def test_a_cycle_of_three_headers(self):
        self.assert_caught({"base/a.h": '#include "base/b.h"\n',
                            "base/b.h": '#include "base/c.h"\n',
                            "base/c.h": '#include "base/a.h"\n'},
                           "base/a: includes itself: base/a -> base/b -> base/c -> base/a")

    def test_a_cycle_of_public_headers(self):
        self.assert_caught({"format/include/skein/a.h": "#include <skein/b.h>\n",
                            "format/include/skein/b.h": "#include <skein/a.h>\n"},
                           "format/include/skein/a: includes itself")

    def test_a_file_and_its_header_are_one(self):
        self.assertEqual(self.check({"base/a.h": "", "base/a.cc": '#include "base/a.h"\n'})[0], 0)

    def test_tests_may_close_a_circle(self):
        self.assertEqual(self.check({"base/a.h": '#include "base/b.h"\n', "base/b.h": "",
                                     "base/b_test.cc": '#include "base/a.h"\n'})[0], 0)

    def test_a_root_without_modules(self):
        self.assert_caught({"CMakeLists.txt": "project(x)\n"}, "no skein_module line")


if __name__ == "__main__":
    unittest.main()
