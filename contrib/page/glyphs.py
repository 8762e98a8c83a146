#!/usr/bin/env python3
"""Writes src/web/page/glyphs.js, the characters of the pieces as SVG paths, and the font's licence;
src/picture/labels.txt, the characters of coordinates in pictures.

The outlines are those of Noto Serif CJK Bold, for coordinates those of Noto Sans CJK Bold
(Debian: fonts-noto-cjk; OFL 1.1). Coordinates are whole numbers in a box of 250 units whose
y axis points down: fine enough for a piece, and the page stays small.

    pip install fonttools
    apt-get download fonts-noto-cjk && dpkg -x fonts-noto-cjk_*.deb noto
    contrib/page/glyphs.py noto/usr/share/fonts/opentype/noto/NotoSerifCJK-Bold.ttc \\
        noto/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc noto/usr/share/doc/fonts-noto-cjk/copyright
"""

import argparse
import json
from pathlib import Path

from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTCollection

SOURCES = Path(__file__).resolve().parents[2] / "src"
PAGE = SOURCES / "web" / "page"
LABELS = SOURCES / "picture" / "labels.txt"
TRADITIONAL = "帥仕相俥馬炮兵將士象車砲卒楚河漢界"
SIMPLIFIED = "帅车马将汉"
LETTERS = "KABNRCP"
COORDINATES = "0123456789abcdefghijklmnopqrstuvwxyz一二三四五六七八九"
ASCENT = 880  # of the box of a Chinese character in a font of 1000 units
SCALE = 0.25


class PathPen(BasePen):
    """Draws a glyph as a path of relative commands with whole numbers."""

    def __init__(self, glyphs, shift):
        super().__init__(glyphs)
        self.parts = []
        self.at = (0, 0)
        self.shift = shift

    def _place(self, point):
        return (round((point[0] + self.shift) * SCALE), round((ASCENT - point[1]) * SCALE))

    def _relative(self, points):
        origin = self.at
        flat = []
        for point in points:
            flat += [point[0] - origin[0], point[1] - origin[1]]
        self.at = points[-1]
        return flat

    def _moveTo(self, p):
        self.at = self._place(p)
        self.parts.append("M" + numbers(self.at))

    def _lineTo(self, p):
        old, new = self.at, self._place(p)
        if new == old:
            return
        self.at = new
        if new[1] == old[1]:
            self.parts.append(f"h{new[0] - old[0]}")
        elif new[0] == old[0]:
            self.parts.append(f"v{new[1] - old[1]}")
        else:
            self._repeat("l", [new[0] - old[0], new[1] - old[1]])

    def _curveToOne(self, a, b, c):
        self._repeat("c", self._relative([self._place(p) for p in (a, b, c)]))

    def _repeat(self, command, values):
        """Adds a command, whose letter is left out where the last one had the same."""
        again = bool(self.parts) and self.parts[-1][0] == command
        separator = " " if values[0] >= 0 else ""
        if again:
            self.parts[-1] += separator + numbers(values)
        else:
            self.parts.append(command + numbers(values))

    def _closePath(self):
        self.parts.append("z")


def numbers(values):
    """Joins numbers with a blank only where a sign does not separate them."""
    text = ""
    for value in values:
        text += f"{' ' if text and value >= 0 else ''}{value}"
    return text


def path_of(font, character):
    """Returns the path of one character, centred in its box if it is narrower."""
    name = font.getBestCmap()[ord(character)]
    glyphs = font.getGlyphSet()
    width = glyphs[name].width
    pen = PathPen(glyphs, (1000 - width) / 2)
    glyphs[name].draw(pen)
    return "".join(pen.parts)


def family(font):
    return font["name"].getDebugName(4)


def write_glyphs(collection):
    fonts = {family(font): font for font in TTCollection(collection).fonts}
    chosen = {}
    for wanted, characters in (("TC", TRADITIONAL + LETTERS), ("SC", SIMPLIFIED)):
        font = next(f for n, f in fonts.items() if "Mono" not in n and f"CJK {wanted}" in n)
        for character in characters:
            chosen[character] = path_of(font, character)
    names = font["name"]
    lines = [
        "// Made by contrib/page/glyphs.py; do not edit.",
        f"// Outlines of {family(font).replace(' SC', '')}, {names.getDebugName(5).split(';')[0].lower()}.",
        f"// {names.getDebugName(0)}",
        "// Licensed under the SIL Open Font License, version 1.1: see OFL.txt beside this file.",
        "",
        "/** Paths of characters in a box of 250 units, y downwards. @type {Readonly<Record<string, string>>} */",
        "export const GLYPHS = {",
    ]
    lines += [f"  {json.dumps(c, ensure_ascii=False)}: {json.dumps(p)}," for c, p in chosen.items()]
    lines += ["};", ""]
    (PAGE / "glyphs.js").write_text("\n".join(lines), encoding="utf-8")


def write_labels(collection):
    """Writes a character a line: its advance in the box of 250 units, and its path."""
    fonts = [font for font in TTCollection(collection).fonts if family(font).endswith("CJK SC Bold")]
    font = next(font for font in fonts if "Mono" not in family(font))
    names = font["name"]
    lines = [
        "# Made by contrib/page/glyphs.py; do not edit.",
        f"# Outlines of {family(font).replace(' SC', '')}, {names.getDebugName(5).split(';')[0].lower()}.",
        f"# {names.getDebugName(0)}",
        "# Licensed under the SIL Open Font License, version 1.1: see src/web/page/OFL.txt.",
    ]
    for character in COORDINATES:
        glyph = font.getGlyphSet()[font.getBestCmap()[ord(character)]]
        lines.append(f"{character} {round(glyph.width * SCALE)} {path_of(font, character)}")
    LABELS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_licence(collection, copyright_file):
    """Copies the licence out of Debian's copyright file, after the copyright lines."""
    text = Path(copyright_file).read_text(encoding="utf-8")
    packaged = text.split("\nFiles: *\nCopyright: ", 1)[1].split("\n", 1)[0]
    block = text.split("\nLicense: SIL-1.1\n ---", 1)[1].split("\nLicense:", 1)[0]
    body = (" ---" + block).split("\n")
    font = TTCollection(collection).fonts[0]
    notice = [
        f"Noto Serif CJK: {font['name'].getDebugName(0)}",
        f"Copyright {packaged}",
        "glyphs.js holds outlines of some of its characters.",
        "",
    ]
    lines = notice + ["" if line == " ." else line[1:] for line in body]
    (PAGE / "OFL.txt").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("font", help="NotoSerifCJK-Bold.ttc")
    parser.add_argument("sans", help="NotoSansCJK-Bold.ttc")
    parser.add_argument("copyright", help="the copyright file of Debian's package")
    options = parser.parse_args()
    write_glyphs(options.font)
    write_labels(options.sans)
    write_licence(options.font, options.copyright)


if __name__ == "__main__":
    main()
