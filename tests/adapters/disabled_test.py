#!/usr/bin/env python3
"""disabled_test.py SOURCE-ROOT SCRATCH COMPILER...: disabled annotations generate no code: the
object file of an annotated source equals that of the source without its annotations."""
import pathlib
import shutil
import subprocess
import sys

root, scratch, compilers = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
annotated = (root / "tests/adapters/annotated.cc").read_text()
plain = "".join(line for line in annotated.splitlines(True) if not line.rstrip().endswith("// skein"))
assert "skein" not in plain.split("#include", 1)[1], plain


def dump(compiler, level, name, text, flags):
    folder = scratch / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "file.cc").write_text(text)
    subprocess.run([compiler, "-std=c++20", level, "-c", "file.cc", "-o", "file.o",
                    f"-I{root}/record/include", *flags], cwd=folder, check=True)
    out = subprocess.run(["objdump", "-d", "-r", "-s", "-t", "file.o"], cwd=folder, check=True,
                         capture_output=True, text=True).stdout
    assert "work" in out
    return out


present = [c for c in compilers if shutil.which(c)]
for compiler in present:
    for level in ("-O2", "-Os"):
        out = dump(compiler, level, "disabled", annotated,
                   ["-DSKEIN_DISABLE", "-include", "skein/coroutine.h"])
        wanted = dump(compiler, level, "plain", plain, [])
        enabled = dump(compiler, level, "enabled", annotated, ["-include", "skein/coroutine.h"])
        assert out == wanted, f"{compiler} {level}: the object code differs"
        assert enabled != wanted  # the comparison detects differences
        print(f"{compiler} {level}: the same, {len(out)} bytes of dump")
sys.exit(0 if present else 77)
