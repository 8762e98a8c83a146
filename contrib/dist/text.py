#!/usr/bin/env python3
"""Makes a text for Windows' Notepad of a Markdown file or a plain text, on standard output.

    python3 contrib/dist/text.py README.md > README.txt

UTF-8 with the mark that the older Notepad knows it by, and lines that end with CR LF. Of Markdown: headings are underlined, code
is indented, tables become lists, links leave their text, and those to the web their address too; pictures and comments are left
out, as are links to other files, which the reader may not have.
"""

import re
import sys
import unicodedata
from pathlib import Path

FENCE = re.compile(r"(`{3,}|~{3,})")
IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?\)")
# Links to other pages that stand by themselves, or after a sentence.
OTHER_PAGE = r"\[[^\[\]]*\]\((?!https?:)[^()\s]*\)"
SEE_ALSO = re.compile(rf"(?:(?<=\n\n)|(?<=[.。]))\s*{OTHER_PAGE}(?:(?:, |、){OTHER_PAGE})*(?=\n\n)")
COMMENT = re.compile(r"<!--.*?-->\n*", re.DOTALL)


def width(text):
    """The columns of a text in a font whose Chinese characters are twice as wide as the others."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def linked(match):
    text, target = match.groups()
    return f"{text} ({target})" if re.match(r"https?:", target) and target != text else text


def inline(line):
    """A line without the marks of Markdown."""
    # What stands between backticks stays as it is; a table escapes its bars.
    parts = re.split(r"(`+[^`]*`+)", line)
    return "".join(
        part.strip("`") if part.startswith("`") else re.sub(r"\*\*|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)", "", part) for part in parts
    ).replace("\\|", "|")


def cells(row):
    return [inline(cell.strip()) for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def without_links(markdown):
    """The text without pictures, comments and links, which may go over the ends of lines."""
    parts = re.split(r"(^ *```.*?^ *```$)", COMMENT.sub("", markdown), flags=re.MULTILINE | re.DOTALL)
    return "".join(
        part if part.lstrip().startswith("```") else LINK.sub(linked, SEE_ALSO.sub("", IMAGE.sub("", part))) for part in parts
    )


def lines_of(markdown):
    fence, has_head = None, False
    for line in without_links(markdown).splitlines():
        mark = FENCE.match(line.strip())
        if mark and fence in (None, mark.group(1)):
            fence = mark.group(1) if fence is None else None
        elif fence is not None:
            yield f"    {line}".rstrip()
        elif line.startswith("|"):
            # The head of a table and the line below it say nothing in a list.
            if re.fullmatch(r"[|:\- ]+", line):
                has_head = True
            elif has_head:
                first, *others = cells(line)
                yield f"- {first}: " + "; ".join(cell for cell in others if cell) if any(others) else f"- {first}"
        elif line.startswith("#"):
            level, _, heading = line.partition(" ")
            heading = inline(heading)
            yield heading
            yield ("=" if len(level) == 1 else "-") * width(heading)
        else:
            yield inline(line).rstrip()
        has_head = has_head and line.startswith("|")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: text.py FILE")
    path = Path(sys.argv[1])
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines_of(text)).strip("\n") + "\n")
    sys.stdout.buffer.write(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())


if __name__ == "__main__":
    main()
