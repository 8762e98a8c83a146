#!/usr/bin/env python3
"""Writes docs/guide/endings.md: the practical endings by their tables, beside the manuals.

    juzhong tablebase generate --family practical --tables DIR --rules check
    python3 contrib/python/endings.py DIR target/release/juzhong > docs/guide/endings.md
"""

import json
import subprocess
import sys

ATTACKERS = ["R", "N", "C", "P", "RR", "RN", "RC", "RP", "NN", "NC", "NP", "CC", "CP", "PP"]
ATTACKERS += [attacker + own for attacker in "RNCP" for own in "AB"]
DEFENDERS = ["", "R", "C", "N"]
GUARDS = ["", "A", "AA", "B", "BB", "AB", "AAB", "ABB", "AABB"]
VERDICTS = {"win": "win 例胜", "draw": "draw 例和", "placement": "by placement 巧"}

# Points of a share from which on a guard changes a result.
DECISIVE = 5

CHANGES = """Against the same defence without that guard: by how many percentage points the share won with the attacker to
move is greater, and the share lost with the defender to move. In bold are changes of at least 5 points; smaller ones come
from the guard's place on the board, where it blocks or can be captured, and most are losses. So one guard changes a result:
an advisor of the cannon's, which has nothing else to fire over. With it the cannon wins against the bare king, one or two
advisors, or one elephant, where it never wins without; against more it wins in some positions only.
"""

HEAD = """# The practical endings

The family `practical` has the endings of the manuals: one or two attackers against every combination of advisors and
elephants, a rook against a rook, a cannon or a horse with such, and an attacker with one advisor or elephant of his own,
225 sets of up to eight men.

```sh
juzhong tablebase generate --family practical --tables tables --rules check   # with what captures lead to 267 sets
juzhong tablebase stats KRvKAABB --tables tables --rules check                # what the table says, and what manuals say
```

Shares are of all legal positions with the stronger side to move, also those in which a man falls at once; *held* are those
drawn or lost for the stronger side with the weaker side to move. Rules `check`; *by rule* is the share that only the rule on
perpetual check wins. A table agrees with a manual's win if all but one in a hundred positions are won, with a draw if more
than that are not. This page is made by `contrib/python/endings.py`.
"""


def stats(program, tables, name):
    """Returns the statistics of a set, by the side with the attackers."""
    command = [program, "tablebase", "stats", name, "--tables", tables, "--rules", "check", "--json"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return answer


def percent(part, side):
    return 100 * part / (side["win"] + side["draw"] + side["loss"])


def share(part, side):
    """Returns a share of a side's positions in percent."""
    value = percent(part, side)
    if part == 0:
        return "0"
    text = f"{value:.1f}"
    return {"0.0": "< 0.1", "100.0": "> 99.9"}.get(text, text) if part and value != 100 else "100"


def change(known, attacker, own, guards):
    """Returns what a guard of the attacker's own changes: the shares won and held, in points."""
    alone, guarded = known[f"K{attacker}vK{guards}"], known[f"K{attacker}{own}vK{guards}"]
    won = [percent(answer["red"]["win"], answer["red"]) for answer in (alone, guarded)]
    lost = [percent(answer["black"]["loss"], answer["black"]) for answer in (alone, guarded)]
    return won[1] - won[0], lost[1] - lost[0]


def print_changes(known):
    """Prints which guards of an attacker's own change the result."""
    print("## An advisor or elephant of one's own\n")
    print(CHANGES)
    print("| attacker and guard | " + " | ".join(["alone", *GUARDS[1:]]) + " |")
    print("|---" * (len(GUARDS) + 1) + "|")
    for attacker in "RNCP":
        for own in "AB":
            cells = []
            for guards in GUARDS:
                won, lost = change(known, attacker, own, guards)
                text = f"{round(won, 1) + 0.0:+.1f} / {round(lost, 1) + 0.0:+.1f}"
                cells.append(f"**{text}**" if max(abs(won), abs(lost)) >= DECISIVE else text)
            print(f"| K{attacker}{own} | " + " | ".join(cells) + " |")
    print()

def main():
    tables, program = sys.argv[1:]
    names = [f"K{a}vK{g}" for a in ATTACKERS for g in GUARDS]
    names += [f"KRvK{d}{g}" for d in DEFENDERS[1:] for g in GUARDS]
    # Named as here whichever side is the stronger by the program's order.
    known = {name: stats(program, tables, name) for name in names}
    print(HEAD)
    print("## What manuals say\n")
    print("| ending | name | manuals | won, % | held, % | longest win, plies | by rule, % | the table |")
    print("|---|---|---|---|---|---|---|---|")
    for name, answer in known.items():
        if answer["manual"]:
            red, black = answer["red"], answer["black"]
            verdict = VERDICTS[answer["manual"]["verdict"]]
            agrees = "agrees" if answer["manual"]["agrees"] else "does not agree"
            held = share(black["draw"] + black["win"], black)
            print(f"| {name} | {answer['chinese_name']} | {verdict} | {share(red['win'], red)} | {held} | {red['longest_win']} | "
                  f"{share(red['by_rule_win'], red)} | {agrees} |")
    print("""
Manuals mean the best placement of the defence and a pawn that is not too far advanced: two pawns against two advisors or two
elephants win where one of them stands high, and what the tables leave undecided there are low pawns.
""")
    print_changes(known)
    print("## All of them: won, %, and the longest win in plies\n")
    heads = ["alone" if not guards else guards for guards in GUARDS]
    print("| attackers | " + " | ".join(heads) + " |")
    print("|---" * (len(GUARDS) + 1) + "|")
    rows = [(f"K{a}", f"K{a}vK") for a in ATTACKERS] + [(f"KR v {d} and", f"KRvK{d}") for d in DEFENDERS[1:]]
    for label, start in rows:
        cells = []
        for guards in GUARDS:
            red = known[start + guards]["red"]
            longest = f" ({red['longest_win']})" if red["win"] else ""
            cells.append(share(red["win"], red) + longest)
        print(f"| {label} | " + " | ".join(cells) + " |")
    print("\n## Names\n")
    print("| ending | name |")
    print("|---|---|")
    for name, answer in known.items():
        print(f"| {name} | {answer['chinese_name']} |")


if __name__ == "__main__":
    main()
