#!/usr/bin/env python3
"""Checks the Markdown files of the repository.

    python3 contrib/docs/check.py                                    # links, anchors, the length of the README
    python3 contrib/docs/check.py --program target/release/juzhong   # its commands, and the page of commands

Links: each relative link leads to a file or folder of the repository, each anchor to a heading. No heading has the anchor of
another in its file. The READMEs are at most 200 lines long. The guide for Windows has the same steps in both languages
(windows.py runs them).

Commands: the ```sh blocks of both READMEs after a line `<!-- run -->` are run in turn by `sh -e` in a temporary folder in which
`books` is the repository's and `juzhong` the program given. docs/reference/commands.md is what the program's help says.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

sys.dont_write_bytecode = True
import commands  # noqa: E402
import windows  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
README_LINES = 200
READMES = ["README.md", "README.zh-CN.md"]
RUN = "<!-- run -->"
FENCE = re.compile(r" *(`{3,}|~{3,})")
LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+\"[^\"]*\")?\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)")
HTML_LINK = re.compile(r"<(?:a|img)\s[^>]*?(?:href|src)=\"([^\"]+)\"")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)


def markdown_files():
    """Every Markdown file that git knows or would add, as a path from the root; without git every one outside `target`."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        found = (path.relative_to(ROOT) for path in ROOT.rglob("*.md"))
        listed = [path.as_posix() for path in found if not {"target", ".git"} & set(path.parts)]
    return sorted(name for name in set(listed) if name and (ROOT / name).is_file())


def prose(text):
    """The lines outside fenced code, with their numbers."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark.group(1)
        elif fence is not None:
            if mark and mark.group(1).startswith(fence) and not line.strip().strip(fence[0]):
                fence = None
        else:
            yield number, line


def slug(heading):
    """The anchor that GitHub gives a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[`*]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(text):
    """The anchors of a file's headings, and those that occur twice."""
    found, twice = set(), []
    for number, line in prose(text):
        heading = re.match(r"#{1,6} +(.*?)(?: +#+)?$", line)
        if heading:
            anchor = slug(heading.group(1))
            if anchor in found:
                twice.append((number, anchor))
            found.add(anchor)
    return found, twice


def links(text):
    """The targets of all links outside code, with the lines that they begin in."""
    lines = dict(prose(text))
    for number, line in lines.items():
        definition = DEFINITION.match(line)
        if definition:
            yield number, definition.group(1)
    # Links and code may go over line ends, never over an empty line.
    paragraph, first = [], 0
    for number in range(1, max(lines, default=0) + 2):
        line = lines.get(number, "")
        if line.strip():
            first = first if paragraph else number
            paragraph.append(line)
            continue
        # A link's text may be code; its target is looked for where code has been blanked.
        joined = CODE.sub(lambda code: re.sub(r"[^\n]", "_", code.group()), "\n".join(paragraph))
        for pattern in (LINK, HTML_LINK):
            for link in pattern.finditer(joined):
                yield first + joined.count("\n", 0, link.start()), link.group(1)
        paragraph = []


def check_links():
    """Yields what is wrong with links, headings and lengths."""
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in markdown_files()}
    known = {}
    for name, text in texts.items():
        known[name], twice = anchors(text)
        for number, anchor in twice:
            yield f"{name}:{number}: another heading has the anchor #{anchor}"
    for name, text in texts.items():
        for number, target in links(text):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            place = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if path.startswith("/") or place.startswith(".."):
                yield f"{name}:{number}: {target} leads out of the repository"
            elif not (ROOT / place).exists():
                yield f"{name}:{number}: {target}: there is no {place}"
            elif anchor and place in known and anchor not in known[place]:
                yield f"{name}:{number}: {target}: no heading of {place} has this anchor"
    for name in READMES:
        if name in texts and len(texts[name].splitlines()) > README_LINES:
            yield f"{name}: more than {README_LINES} lines"


def blocks_to_run(text):
    """The ```sh blocks that are marked to be run, with the lines that they begin in."""
    marked = rf"^{re.escape(RUN)}\n+```sh\n(.*?)^```$"
    for block in re.finditer(marked, text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, block.start(1)) + 1, block.group(1)
    if text.count(RUN) != len(re.findall(marked, text, re.MULTILINE | re.DOTALL)):
        yield 0, None


def run_readme(name, program):
    """Runs the marked blocks of a README in a folder of their own. Yields what failed."""
    text = (ROOT / name).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        work, tools = Path(folder, "work"), Path(folder, "tools")
        for path in (work, tools):
            path.mkdir()
        (work / "books").symlink_to(ROOT / "books")
        (tools / "juzhong").symlink_to(program)
        environment = dict(
            os.environ,
            PATH=f"{tools}{os.pathsep}{os.environ['PATH']}",
            XDG_CACHE_HOME=str(Path(folder, "cache")),
        )
        count = 0
        for number, block in blocks_to_run(text):
            if block is None:
                yield f"{name}: a line {RUN} without an sh block after it"
                continue
            count += 1
            ran = subprocess.run(
                ["sh", "-e"], input=block, cwd=work, env=environment, text=True, timeout=600,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            )
            if ran.returncode != 0:
                tail = ran.stdout[-2000:]
                yield f"{name}:{number}: these commands end with {ran.returncode}:\n{block}… {tail}"
        if count == 0:
            yield f"{name}: no commands to run"
        print(f"{name}: {count} blocks of commands run")


def check_commands(program, with_page):
    """Yields what the program makes of the documents; of the page of commands only if that is asked for."""
    for name in READMES:
        yield from run_readme(name, program)
    if not with_page:
        return
    page = ROOT / "docs/reference/commands.md"
    if page.read_text(encoding="utf-8") != commands.page(str(program)):
        yield (
            f"{page.relative_to(ROOT)} is not what the program's help says; write it again: "
            f"python3 contrib/docs/commands.py PROGRAM > {page.relative_to(ROOT)}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, help="run the commands of the READMEs by this program")
    parser.add_argument("--readme", action="store_true", help="do not compare the page of commands")
    arguments = parser.parse_args()
    if arguments.program:
        # The name is part of the help; a link may have another one.
        wrong = list(check_commands(arguments.program.absolute(), with_page=not arguments.readme))
    else:
        wrong = [*check_links(), *windows.disagreements()]
        print(f"{len(markdown_files())} Markdown files, {len(wrong)} faults")
    for fault in wrong:
        print(fault, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
