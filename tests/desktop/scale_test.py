#!/usr/bin/env python3
"""On a screen of twice the resolution every point of the picture is drawn, none is stretched: what
is seen is what is exported at twice the size, point for point.

    scale_test.py SKEIN GENERATE_MIRAGE
"""
import pathlib
import subprocess
import sys

from screen import Image, Program, run, until

skein, generate = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])


def test(screen, scratch):
    trace = scratch / "net.ctf"
    subprocess.run([generate, "--events", "3000", "-o", trace], check=True)
    screen.environment["GDK_SCALE"] = "2"
    it = Program(screen, skein, "view", "--theme", "light", trace).wait_for("^net.ctf - skein$")
    until("bars", it.has_bars)
    it.press("Escape")
    it.export(scratch, "png")  # from now on a bar says so, and the picture is smaller
    it.export(scratch, "png")
    exported = Image.read(max(scratch.glob("export-*.png")))

    def same():
        seen = screen.image(it.window)
        at = seen.find(exported)
        return at and seen.differences(exported, *at) < exported.width * exported.height / 1000
    until("the picture as it was exported", same)
    it.quit()


run(test, "2900x1800")
