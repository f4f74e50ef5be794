#!/usr/bin/env python3
"""On a screen with scale factor 2, the picture is drawn at full resolution, not stretched: the
screen equals an export at twice the size, row by row.

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
    it.point(5, 5)  # outside the picture, because an export contains no hover effects
    it.press("Escape")

    def same():  # fails the first time: the message bar of the export shrinks the picture
        exported = Image.read(it.export(scratch, "png"))
        seen = screen.image(it.window)
        rows = [exported.row(y) for y in range(0, exported.height, 40)]
        rows = [row for row in rows if len(set(row)) > 20]
        return len(rows) > 5 and sum(row in seen.points for row in rows) > 0.8 * len(rows)
    until("the picture as it was exported", same)
    it.quit()


run(test, "2900x1800")
