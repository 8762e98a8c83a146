"""Estimates what all sets of a number of men need from a stratified sample of them.

    juzhong tablebase plan --men 6 --format json > plan.json
    python sample_sets.py draw plan.json > sample.txt
    python sample_sets.py build sample.txt --dir tables --juzhong juzhong > measured.tsv
    python sample_sets.py estimate plan.json measured.tsv

`draw` names the sets of the sample, `build` builds and proves them one after the other and writes a
line for each as it is done (it goes on behind those that `--done FILE` has), `estimate` prints totals
with standard errors, by ratio estimators in each stratum.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from math import sqrt
from pathlib import Path

SEED = 20261124
LARGE = 500_000_000
# By stratum: how many sets are drawn.
DRAWN = {"3v1": 5, "3v1 large": 1, "2v2": 5, "2v2 large": 1, "2v1": 5, "1v1": 3, "attackers of one side": 6}
FIELDS = "material", "slots", "seconds", "processor_seconds", "memory", "results", "distances", "proof_seconds"


def stratum(table):
    """By the attackers of either side; by size where four attackers make sets large."""
    first, second = sorted((sum(man in "RNCP" for man in side) for side in table["material"].split("v")), reverse=True)
    if second == 0:
        return "attackers of one side"
    is_large = first + second == 4 and table["slots"] > LARGE
    return f"{first}v{second}" + " large" * is_large


def strata(plan, men):
    sets = defaultdict(list)
    for table in json.loads(Path(plan).read_text())["tables"]:
        if table["men"] == men:
            sets[stratum(table)].append(table)
    return sets


def draw(args):
    chance = random.Random(SEED)
    for name, tables in sorted(strata(args.plan, args.men).items()):
        for table in sorted(chance.sample(tables, DRAWN[name]), key=lambda table: table["slots"]):
            print(table["material"], table["slots"], name.replace(" ", "_"), sep="\t")


def timed(command):
    """Runs a command; its time and processor time in seconds, its memory in bytes."""
    start = time.time()
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            messages.seek(0)
            sys.exit(f"failed: {' '.join(command)}\n{messages.read()[-2000:].decode(errors='replace')}")
    return time.time() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def build(args):
    done = Path(args.done).read_text() if args.done else ""
    measured = {line.split("\t")[0] for line in done.splitlines()}
    place = ["--rules", "check", "--tables", args.dir]
    for line in Path(args.sample).read_text().splitlines():
        material, slots, _ = line.split("\t")
        if material in measured:
            continue
        # So that the time is that of this set alone.
        timed([args.juzhong, "tablebase", "generate", *args.threads, *smaller(material, args), *place])
        wall, processor, memory = timed([args.juzhong, "tablebase", "generate", *args.threads, material, *place])
        stats = subprocess.run(
            [args.juzhong, "tablebase", "stats", material, "--json", *place], stdout=subprocess.PIPE, check=True
        )
        stats = json.loads(stats.stdout)
        proof = 0 if args.no_proof else timed([args.juzhong, "tablebase", "verify", material, *args.threads, *place])[1]
        row = material, slots, wall, processor, memory, stats["wdl_bytes"], stats["distance_bytes"], proof
        print(*(f"{field:.1f}" if isinstance(field, float) else field for field in row), sep="\t", flush=True)


def smaller(material, args):
    """The sets that captures lead to."""
    plan = subprocess.run(
        [args.juzhong, "tablebase", "plan", material, "--format", "json"], stdout=subprocess.PIPE, check=True
    )
    return [table["material"] for table in json.loads(plan.stdout)["tables"] if table["material"] != material]


def estimate(args):
    rows = [dict(zip(FIELDS, line.split("\t"))) for line in Path(args.measured).read_text().splitlines()]
    measured = {row["material"]: row for row in rows}
    print(f"{len(rows)} sets of {sum(int(row['slots']) for row in rows):,} slots measured")
    for what in "seconds", "processor_seconds", "bytes":
        total, variance = 0, 0
        for name, tables in sorted(strata(args.plan, args.men).items()):
            drawn = [table for table in tables if table["material"] in measured]
            if not drawn:
                print(f"  {name}: none of {len(tables)} sets measured; left out of the total")
                continue
            pairs = [(table["slots"], value(measured[table["material"]], what)) for table in drawn]
            all_slots = sum(table["slots"] for table in tables)
            slots, sum_of = (sum(column) for column in zip(*pairs))
            rate, count = sum_of / slots, len(pairs)
            # A stratum with one set has no variance of its own: its rate is taken as uncertain by half.
            error = rate * all_slots / 2
            if count > 1:
                spread = sum((y - rate * x) ** 2 for x, y in pairs) / (count - 1)
                error = all_slots * sqrt((1 - count / len(tables)) * spread / count) * count / slots
            print(f"  {name}: {count} of {len(tables)} sets, {rate:.3g} {what} a slot, {rate * all_slots:.4g}")
            total, variance = total + rate * all_slots, variance + error**2
        print(f"{what}: {total:.4g} +- {sqrt(variance):.2g}")
        if what == "processor_seconds":
            for cores in 2, 16:
                hours, error = total / cores / 3600, sqrt(variance) / cores / 3600
                print(f"hours of {cores} cores at work throughout: {hours:.3g} +- {error:.2g}")


def value(row, what):
    return float(row["results"]) + float(row["distances"]) if what == "bytes" else float(row[what])


def main():
    parser = argparse.ArgumentParser(description="Estimates the time and bytes of all sets of a size.")
    parser.add_argument("--men", type=int, default=6)
    commands = parser.add_subparsers(required=True)
    for function, names in ((draw, ["plan"]), (build, ["sample"]), (estimate, ["plan", "measured"])):
        command = commands.add_parser(function.__name__)
        command.set_defaults(function=function)
        for name in names:
            command.add_argument(name)
        if function is build:
            command.add_argument("--dir", required=True)
            command.add_argument("--juzhong", default="juzhong")
            command.add_argument("--done")
            command.add_argument("--no-proof", action="store_true")
            command.add_argument("--threads", type=lambda n: ["--threads", n], default=[])
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    main()
