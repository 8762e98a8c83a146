#!/usr/bin/env python3
"""Writes docs/reference/commands.md: the help of every command, as the program prints it.

    python3 contrib/docs/commands.py target/release/juzhong > docs/reference/commands.md

check.py compares the file with the program.
"""

import re
import subprocess
import sys

# Commands that `juzhong help` does not list.
HIDDEN = ["man"]

# The heading of the options that every command has.
GLOBAL = "Global options:"

HEAD = """\
# Commands

Every command and option as `juzhong help COMMAND` states them. `contrib/docs/commands.py` writes this page from the program.

The global options, shown here once, are those of every command; so is `-h`. `tb` is short for `tablebase`. Answers with `--json` are
described under [JSON shapes](json.md), the numbers that commands end with under [Exit codes](exit-codes.md).
"""


def help_of(program, words):
    """The help of a command as the program prints it."""
    shown = subprocess.run([program, "--lang", "en", *words, "--help"], capture_output=True, check=True, text=True)
    text = "\n".join(line.rstrip() for line in shown.stdout.strip().splitlines())
    if not words:
        return text
    # The options of every command stand on the page once, in the program's own help.
    own, mark, rest = text.partition(f"\n\n{GLOBAL}\n")
    after = re.search(r"\n\n(?=\S)", rest) if mark else None
    return own + (rest[after.start():] if after else "")


def subcommands(text):
    """The names in the list of commands of a help text."""
    listed = re.search(r"^Commands:\n((?:  .*\n?)+)", text, re.MULTILINE)
    names = re.findall(r"^  (\S+)", listed.group(1), re.MULTILINE) if listed else []
    return [name for name in names if name != "help"]


def sections(program, words):
    """A section for a command and one for each of its subcommands."""
    text = help_of(program, words)
    title = " ".join(["juzhong", *words])
    yield f"## {title}\n\n```text\n{text}\n```\n"
    for name in subcommands(text):
        yield from sections(program, [*words, name])


def page(program):
    """The whole page."""
    parts = [HEAD, *sections(program, [])]
    parts.append("## Commands that the help does not list\n")
    for command in HIDDEN:
        parts.append(f"### juzhong {command}\n\n```text\n{help_of(program, command.split())}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(page(sys.argv[1]))
