#!/usr/bin/env python3
"""Sums what `tablebase mine` finds in all sets of a number of men, as a table in Markdown.

    juzhong tablebase generate --men 5 --tables DIR --rules check
    python3 contrib/python/mined.py DIR target/release/juzhong --men 5 --theme zugzwang --theme by-rule
"""

import argparse
import json
import subprocess

THEMES = "zugzwang", "full-zugzwang", "only-move", "by-rule", "weaker-side"


def counts(args, theme):
    """Returns the number of positions by set."""
    command = [args.juzhong, "tablebase", "mine", "--men", str(args.men), "--theme", theme, "--count", "--json"]
    command += ["--tables", args.tables, "--rules", args.rules]
    answers = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {answer["material"]: answer["red"] + answer["black"] for answer in map(json.loads, answers)}


def main():
    parser = argparse.ArgumentParser(description="Sums what tables teach.")
    parser.add_argument("tables")
    parser.add_argument("juzhong")
    parser.add_argument("--men", type=int, default=4)
    parser.add_argument("--rules", default="check")
    parser.add_argument("--theme", action="append", choices=THEMES)
    args = parser.parse_args()
    print("| theme | positions | in sets | most of them in |\n|---|---|---|---|")
    for theme in args.theme or THEMES:
        found = counts(args, theme)
        most = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:3]
        most = ", ".join(f"{name} ({number:,})" for name, number in most if number)
        sets = sum(number > 0 for number in found.values())
        print(f"| {theme} | {sum(found.values()):,} | {sets} of {len(found)} | {most} |", flush=True)


if __name__ == "__main__":
    main()
