"""Folded stacks, and the boxes of flame graphs, read and computed without skein."""
import collections
import re
import subprocess
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
Box = collections.namedtuple("Box", "name count x y width")
MARGIN = 10


def parse(folded):
    """Returns [(functions, count)]."""
    stacks = []
    for line in folded.splitlines():
        stack, _, count = line.rpartition(" ")
        stacks.append((stack.split(";"), float(count)))
    return stacks


def expected(stacks, width, least=0.1, reverse=False):
    """Returns {(depth, name, left, width)}: siblings by name, in px of the picture."""
    tree = {}
    total = 0
    for stack, count in stacks:
        total += count
        node = tree
        for name in reversed(stack) if reverse else stack:
            entry = node.setdefault(name, [0, {}])
            entry[0] += count
            node = entry[1]
    scale = (width - 2 * MARGIN) / total
    boxes = {(0, "all", MARGIN, width - 2 * MARGIN)}

    def place(node, depth, left, own):
        for name in sorted(node, key=lambda text: text.encode()):
            count, children = node[name]
            if count * scale >= least:
                boxes.add((depth, name, left, count * scale))
            inner = count - sum(child[0] for child in children.values())
            place(children, depth + 1, left + inner * scale, inner)
            left += count * scale

    own = total - sum(entry[0] for entry in tree.values())
    place(tree, 1, MARGIN + own * scale, own)
    return boxes


def boxes_of(svg):
    """Returns the boxes of skein's picture, from the XML alone."""
    root = xml.fromstring(svg)
    found = []
    for group in root.find(f"{SVG}g[@id='frames']"):
        title, rect = group.find(SVG + "title").text, group.find(SVG + "rect")
        name, count = re.match(r"(.*) \(([0-9.,]+) .*\)$", title, re.S).groups()
        number = {key: float(rect.get(key)) for key in ("x", "y", "width")}
        found.append(Box(name, float(count.replace(",", "")), **number))
    return found


def rows(boxes):
    """Returns [(depth, name, left, width)]; the whole profile has depth 0."""
    root = next(box for box in boxes if box.name == "all")
    return sorted((round(abs(box.y - root.y) / 16), box.name, box.x, box.width) for box in boxes)


def peer_boxes(svg):
    """Returns the same for a picture by flamegraph.pl."""
    found = []
    text = re.sub(r"<!DOCTYPE[^>]*>", "", svg)
    for group in xml.fromstring(text).iter(SVG + "g"):
        title, rect = group.find(SVG + "title"), group.find(SVG + "rect")
        if title is None or rect is None:
            continue
        name, count = re.match(r"(.*) \(([0-9.,]+) .*\)$", title.text, re.S).groups()
        number = {key: float(rect.get(key)) for key in ("x", "y", "width")}
        found.append(Box(name, float(count.replace(",", "")), **number))
    return found


def run(*command, text="", code=0):
    """Returns the output of a program that ends with `code`."""
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == code, (command, done.returncode, done.stderr)
    return done
