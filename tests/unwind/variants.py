"""Variants of a C++ program in how its stacks are found: "COMPILER OPTION... WORD...", where a word changes the linked
program: stripped; debug-file (its symbols are in a separate one); debug-frame (tables in .debug_frame only)."""
import os
import shutil
import subprocess

FEW = ["g++ -O2", "clang++-14 -O1 -fno-omit-frame-pointer"]
MORE = ["g++ -O0", "g++ -O1", "g++ -O3", "g++ -Os", "g++ -O2 -fno-omit-frame-pointer", "g++ -O2 -static", "g++ -O2 -no-pie",
        "g++ -O2 -g -flto", "g++ -O3 -mavx2", "g++ -O2 -Wl,-z,lazy", "g++ -O2 -fcf-protection", "g++ -O2 stripped",
        "g++ -g -O2 debug-file", "g++ -g -O2 debug-frame", "g++ -g -O2 debug-frame debug-file",
        "clang++-14 -O0", "clang++-14 -O2", "clang++-14 -O3", "clang++-14 -O2 -static", "clang++-19 -O0",
        "clang++-19 -O2", "clang++-19 -O3 -fno-omit-frame-pointer", "clang++-19 -O2 -static-pie",
        "clang++-19 -O2 -g -flto -fuse-ld=lld"]


def build(variant, source, folder):
    """Returns the program, or None if the compiler is missing."""
    compiler, *options = variant.split()
    if not shutil.which(compiler) or ("-fuse-ld=lld" in options and not shutil.which("ld.lld-19")):
        return None
    words = [option for option in options if not option.startswith("-")]
    options = [option for option in options if option.startswith("-")]
    if "debug-frame" in words:  # exceptions need .eh_frame, so the program throws none
        options += ["-fno-asynchronous-unwind-tables", "-fno-exceptions", "-DWITHOUT_EXCEPTIONS"]
    program = os.path.join(folder, "program")
    subprocess.run([compiler, "-std=c++20", "-w", "-pthread", *options, source, "-o", program], check=True)
    if "debug-file" in words:
        debug = os.path.join(folder, ".debug", "program.debug")
        os.makedirs(os.path.dirname(debug), exist_ok=True)
        subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
        subprocess.run(["strip", program], check=True)
        subprocess.run(["objcopy", "--add-gnu-debuglink=" + debug, program], check=True)
    if "stripped" in words:
        subprocess.run(["strip", "-s", program], check=True)
    return program
