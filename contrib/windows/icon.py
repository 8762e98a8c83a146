#!/usr/bin/env python3
"""Draws the program's icon for Windows and that of the installed page, from the icon of the page.

    python3 contrib/windows/icon.py                  # writes contrib/windows/juzhong.ico and src/web/page/icon-192.png
    python3 contrib/windows/icon.py --check          # only says whether it is as it would be written

The drawing is src/web/page/icon.svg: circles, and one path of horizontal and vertical lines. Each size is drawn by itself; the
small ones without the ring, which would blur, and with a larger character. Sizes up to 32 are bitmaps, which every program that
shows icons reads, and the larger ones are PNG.
"""

import argparse
import re
import struct
import sys
import xml.etree.ElementTree
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DRAWING = ROOT / "src/web/page/icon.svg"
ICON = Path(__file__).resolve().parent / "juzhong.ico"
PAGE_ICON = ROOT / "src/web/page/icon-192.png"
PAGE_SIZE = 192
SIZES = [16, 24, 32, 48, 64, 256]
LARGEST_BITMAP = 32
SMALLEST_WITH_RING = 32
# How much larger the character is without the ring.
MAGNIFIED = 1.35
# Samples along each side: of a pixel at least the first, of the smaller images the second.
SAMPLES_OF_PIXEL = 4
SAMPLES_OF_IMAGE = 256


def colour(text):
    return tuple(int(text[at:at + 2], 16) for at in (1, 3, 5))


def corners(path):
    """The closed lines of a path, each a list of its corners."""
    x = y = 0.0
    lines = []
    for command, numbers in re.findall(r"([MhvHVz])([^MhvHVz]*)", path):
        values = [float(number) for number in numbers.split()]
        if command == "M":
            x, y = values
            lines.append([])
        elif command in "hH":
            x = values[0] + (x if command == "h" else 0)
        elif command in "vV":
            y = values[0] + (y if command == "v" else 0)
        if command != "z":
            lines[-1].append((x, y))
    return lines


def winds(lines, x, y):
    """How often closed lines go around a point, by the vertical ones to the right of it."""
    turns = 0
    for line in lines:
        for (x1, y1), (x2, y2) in zip(line, line[1:] + line[:1]):
            if x1 == x2 and x1 > x and min(y1, y2) <= y < max(y1, y2):
                turns += 1 if y2 > y1 else -1
    return turns


def shapes(has_ring):
    """The drawing from the ground up: whether a point is inside, and the colour."""
    for element in xml.etree.ElementTree.parse(DRAWING).getroot():
        if element.tag.endswith("circle"):
            cx, cy, radius = (float(element.get(name)) for name in ("cx", "cy", "r"))
            if element.get("fill") == "none" and not has_ring:
                continue
            if element.get("fill") == "none":
                half = float(element.get("stroke-width")) / 2
                least, most, paint = radius - half, radius + half, element.get("stroke")
            else:
                least, most, paint = 0.0, radius, element.get("fill")
            yield (lambda x, y, cx=cx, cy=cy, least=least, most=most:
                   least ** 2 <= (x - cx) ** 2 + (y - cy) ** 2 <= most ** 2), colour(paint)
        else:
            by = 1 if has_ring else MAGNIFIED
            lines = [[(32 + by * (x - 32), 32 + by * (y - 32)) for x, y in line] for line in corners(element.get("d"))]
            yield (lambda x, y, lines=lines: winds(lines, x, y) != 0), colour(element.get("fill"))


def drawn(size):
    """The rows of pixels, red, green, blue and opacity."""
    samples = max(SAMPLES_OF_PIXEL, SAMPLES_OF_IMAGE // size)
    scale = 64 / size / samples
    layers = list(shapes(size >= SMALLEST_WITH_RING))
    rows = []
    for row in range(size):
        pixels = bytearray()
        for column in range(size):
            total, covered = [0, 0, 0], 0
            for sample in range(samples ** 2):
                x = (column * samples + sample % samples + 0.5) * scale
                y = (row * samples + sample // samples + 0.5) * scale
                paint = None
                for inside, of_layer in layers:
                    paint = of_layer if inside(x, y) else paint
                if paint:
                    covered += 1
                    total = [sum(pair) for pair in zip(total, paint)]
            pixels += bytes(round(value / covered) if covered else 0 for value in total)
            pixels.append(round(255 * covered / samples ** 2))
        rows.append(bytes(pixels))
    return rows


def as_bitmap(rows):
    """An icon's bitmap: from the bottom up, blue first, then a mask that says nothing beside the opacity."""
    size = len(rows)
    mask = bytes((size + 31) // 32 * 4 * size)
    pixels = b"".join(
        bytes(row[at + part] for at in range(0, len(row), 4) for part in (2, 1, 0, 3)) for row in reversed(rows)
    )
    return struct.pack("<IiiHHIIiiII", 40, size, 2 * size, 1, 32, 0, len(pixels) + len(mask), 0, 0, 0, 0) + pixels + mask


def as_png(rows):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    size = len(rows)
    # Each row by its difference from the row above.
    above = bytes(4 * size)
    packed = bytearray()
    for row in rows:
        packed += b"\2" + bytes((value - over) & 255 for value, over in zip(row, above))
        above = row
    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(packed), 9)) + chunk(b"IEND", b"")


def icon():
    images = []
    for size in SIZES:
        rows = drawn(size)
        images.append(as_bitmap(rows) if size <= LARGEST_BITMAP else as_png(rows))
    at = 6 + 16 * len(images)
    directory = struct.pack("<HHH", 0, 1, len(images))
    for size, image in zip(SIZES, images):
        directory += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(image), at)
        at += len(image)
    return directory + b"".join(images)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the icon would change")
    check = parser.parse_args().check
    for path, data in [(ICON, icon()), (PAGE_ICON, as_png(drawn(PAGE_SIZE)))]:
        if not check:
            path.write_bytes(data)
        elif not path.is_file() or path.read_bytes() != data:
            sys.exit(f"{path.relative_to(ROOT)} is not what contrib/windows/icon.py draws")


if __name__ == "__main__":
    main()
