"""Checks that a file is a valid picture without unexpected contents."""
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree
import zlib

SKEIN, GENERATE = sys.argv[1:3]
SECONDS = 120  # no command takes more than ten; after this time it hangs

# Characters that may change the display of others, and code points that are no characters.
HIDDEN = set(range(0x20)) | set(range(0x7f, 0xa0)) | {0xad, 0x61c, 0xfeff, 0xfffe, 0xffff} | \
    set(range(0x200b, 0x2010)) | set(range(0x2028, 0x202f)) | set(range(0x2060, 0x2070)) | \
    set(range(0xe0000, 0xe0080)) | set(range(0xfff9, 0xfffc))

ELEMENTS = {"svg", "title", "style", "path", "text"}
ATTRIBUTES = {"width", "height", "viewBox", "font-family", "class", "d", "x", "y"}


def skein(*arguments, **more):
    return subprocess.run([SKEIN, *map(str, arguments)], capture_output=True, timeout=SECONDS,
                          **more)


def generate(path, *options):
    subprocess.run([GENERATE, "-o", path, *map(str, options)], check=True, timeout=SECONDS)


def has_png():
    """Returns whether skein was built with cairo."""
    run = skein("render", "/nowhere/trace", "-o", "/nowhere/x.png")
    return b"without cairo" not in run.stderr


def check_text(text, what):
    bad = [c for c in text if ord(c) in HIDDEN and c != "\n"]
    assert not bad, (what, bad[:5])


def check_svg(data, what):
    text = data.decode("utf-8")
    check_text(text, what)
    assert "<!" not in text and "<?" not in text, what
    for element in xml.etree.ElementTree.fromstring(text).iter():
        name = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
        assert name in ELEMENTS, (what, element.tag)
        assert set(element.attrib) <= ATTRIBUTES, (what, element.attrib)
        if name == "style":
            rule = r"\.s\d+\{fill:#[0-9a-f]{6}(;fill-opacity:[\d.]+)?(;font-size:\d+px)?\}"
            for line in element.text.split():
                assert line == "text{pointer-events:none}" or re.fullmatch(rule, line), (what, line)
        if name == "path":
            assert re.fullmatch(r"[MLhvz\d. -]*", element.attrib["d"]), (what, element.attrib)
            assert not re.search(r"\.\d{3}", element.attrib["d"]), (what, element.attrib)


def check_terminal(data, columns, what):
    lines = data.decode("utf-8").split("\n")
    assert lines.pop() == "", what
    for line in lines:
        plain = re.sub("\x1b\\[[0-9;]*m", "", line)
        check_text(plain, what)
        if "\x1b" in line:
            assert line.endswith("\x1b[0m"), (what, line)
    return lines


def check_png(data, what):
    """Decodes the PNG. Returns width, height and the lines of pixels."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n"), what
    at, pixels, header, ended = 8, b"", None, False
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        check, = struct.unpack(">I", data[at + 8 + size:at + 12 + size])
        assert check == zlib.crc32(kind + body), what
        header = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else header
        pixels += body if kind == b"IDAT" else b""
        ended = kind == b"IEND"
        at += size + 12
    width, height, depth, colour = header[:4]
    assert ended and depth == 8 and colour == 2, (what, header)
    assert len(zlib.decompress(pixels)) == height * (1 + 3 * width), what
    return width, height


def check_pdf(data, what):
    assert data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF"), what
    start = int(re.search(rb"startxref\s+(\d+)", data)[1])
    assert data[start:start + 4] == b"xref", what
    assert len(re.findall(rb"/Type /Page\b", data)) == 1, what
    assert b"/JavaScript" not in data and b"/URI" not in data, what


CHECKS = {"svg": check_svg, "png": check_png, "pdf": check_pdf}
