#!/usr/bin/env python3
"""Builds an opening book on a Spark cluster: the same file, byte for byte, as `juzhong book build`.

    spark-submit juzhong_book.py --juzhong target/release/juzhong --work DIR -o BOOK INPUT...
    spark-submit juzhong_book.py ... INPUT... -- --max-ply 40 --min-rating 2000

The executors read the games (`juzhong book map`); SQL brings the copies of each game together; the
executors replay the games (`juzhong book reduce`); SQL sums the moves; the driver writes the book
(`juzhong book pack`). SQL needs Parquet files: `juzhong-parquet` (README.md) turns the shards of
`juzhong` into such files and back; it is sought beside `juzhong` unless --converter names it. The
inputs and the folder DIR must lie where the driver and all executors see them under the same names. A folder of an
interrupted run can be given again: what is there is not done again. The inputs and options must then
be the same; DIR/run.json records them, and which task reads which files.

A file is read by one task on one thread: divide a collection that is one large file first. With
--memory, each task and the last step get this much for sorting.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from pyspark import SparkFiles
from pyspark.sql import SparkSession

# What game files in folders end with; as in the rows of src/record/formats.rs. `juzhong book build` looks into all
# others, too: here they must be named.
FORMATS = (".pgn", ".pgns", ".wxf", ".jsonl", ".ndjson", ".xqf", ".cbr", ".cbl", ".cbf", ".ubb", ".dhtmlxq",
           ".che", ".mxq", ".ccm", ".chn", ".pfc", ".xqr", ".tar")
ENDINGS = tuple(f + p for f in FORMATS for p in ("", ".gz", ".zst", ".zstd", ".xz", ".bz2")) + (
    ".zip", ".7z", ".tgz", ".txz", ".tbz", ".tbz2", ".tzst")

# The programs, as they are called in the folder of the run.
PROGRAMS = ("juzhong", "juzhong-parquet")

# Files of one call of `book map`, at most: a command line has limits.
MAX_FILES = 4000

# What files state of a game, once for each file, however many tasks read that file; then what all of
# them say: votes for results are summed, the earliest year and the highest ratings count.
GAMES = """
WITH from_source AS (
    SELECT source, id_high, id_low, max(kind) AS kind,
        max(unknown) AS unknown, max(first) AS first, max(draws) AS draws, max(second) AS second,
        max(nullif(year, 0)) AS year,
        max(first_rating) AS first_rating, max(second_rating) AS second_rating,
        max(moves) AS moves, max(line_groups) AS line_groups
    FROM games GROUP BY source, id_high, id_low
)
SELECT id_high, id_low, max(kind) AS kind,
    sum(unknown) AS unknown, sum(first) AS first, sum(draws) AS draws, sum(second) AS second,
    coalesce(min(year), 0) AS year,
    max(first_rating) AS first_rating, max(second_rating) AS second_rating,
    max(moves) AS moves,
    array_join(collect_set(nullif(line_groups, '')), '\\n') AS line_groups
FROM from_source GROUP BY id_high, id_low
"""

SOURCES = """
SELECT hash, min(name) AS name, max(records) AS records, max(filtered) AS filtered, max(bad) AS bad
FROM sources GROUP BY hash
"""

MOVES = """
SELECT key, move,
    sum(games) AS games, sum(first) AS first, sum(draws) AS draws, sum(second) AS second,
    sum(rating_sum) AS rating_sum, sum(rating_count) AS rating_count,
    coalesce(min(nullif(year_min, 0)), 0) AS year_min, max(year_max) AS year_max
FROM moves GROUP BY key, move ORDER BY key, move
"""

LINE_GROUPS = "SELECT DISTINCT key, move, name FROM line_groups"


def arguments():
    parser = argparse.ArgumentParser(
        description="Builds an opening book on a Spark cluster.",
        epilog="What follows -- is given to `juzhong book map`: filters and --max-ply.")
    parser.add_argument("inputs", nargs="+", help="game files and folders of them")
    parser.add_argument("--juzhong", default="juzhong", help="the program [juzhong]")
    parser.add_argument("--converter", help="juzhong-parquet [beside the program]")
    parser.add_argument("--work", required=True, help="a folder that all executors share")
    parser.add_argument("--tasks", type=int, help="map tasks [default: four for each core]")
    parser.add_argument("--memory", default="512MiB", help="for sorting, of each task [512MiB]")
    parser.add_argument("-o", "--output", required=True, help="where to write the book")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:end])
    args.options = words[end + 1:]
    if any(word.split("=")[0] in ("--rejects", "--memory") for word in args.options):
        parser.error("--rejects is not for many tasks; --memory belongs before --")
    return args


def find_games(inputs):
    """The files among the inputs, and those in folders whose names end as those of games do."""
    files, doubtful = set(), 0
    for name in map(Path, inputs):
        if not name.is_dir():
            files.add(str(name.absolute()))
            continue
        for folder, folders, names in os.walk(name.absolute()):
            folders[:] = [f for f in folders if not f.startswith(".")]
            files.update(
                os.path.join(folder, n) for n in names
                if n.lower().endswith(ENDINGS) and not n.startswith(".")
                and not os.path.islink(os.path.join(folder, n)))
            doubtful += sum(not n.lower().endswith(ENDINGS) and not n.startswith(".") for n in names)
    if doubtful:
        print(f"{doubtful} files with other endings passed over, which book build looks into; "
              "give those with games by name", file=sys.stderr)
    return sorted(files)


def shares(files, count):
    """So many lists of files of about the same size together, the same for the same files."""
    count = max(1, min(count, len(files)), -(-len(files) // MAX_FILES))
    lists, sizes = [[] for _ in range(count)], [0] * count
    for file in sorted(files, key=lambda f: (-os.path.getsize(f), f)):
        open_ones = (i for i in range(count) if len(lists[i]) < MAX_FILES)
        least = min(open_ones, key=lambda i: (sizes[i], i))
        lists[least].append(file)
        sizes[least] += os.path.getsize(file)
    return lists


def division(path, files, args, cores):
    """Lists of files, one for each map task, as the first run in this folder wrote them to `path`. How
    many there are depends on the cores there were then. Other inputs, options or programs are refused."""
    about = [[f, os.stat(f).st_size, os.stat(f).st_mtime_ns] for f in files]
    programs = b"".join((path.parent / name).read_bytes() for name in PROGRAMS)
    program = hashlib.sha256(programs).hexdigest()
    run = {"files": about, "options": args.options, "program": program}
    if path.exists():
        known = json.loads(path.read_text())
        for name, value in run.items():
            if known.get(name) != value:
                sys.exit(f"{path}: the run that began here had other {name}; give another folder for --work")
        return known["lists"]
    if any(path.parent.glob("map-*")):
        sys.exit(f"{path.parent}: there are shards, but no run.json tells of what; give another folder")
    lists = shares(files, args.tasks or 4 * cores)
    new = path.with_suffix(".new")
    new.write_text(json.dumps({**run, "lists": lists}))
    new.replace(path)
    return lists


def common_plan(shards):
    """The plan that all shards have; it is an error if they differ."""
    plans = {(shard / "plan.json").read_text() for shard in shards}
    if len(plans) != 1:
        sys.exit(f"{shards[0].parent}: shards of different options; give another folder for --work")
    return json.loads(plans.pop())


def on_executors(spark, chains):
    """Runs chains of steps on the executors. A step (program, words, folder) makes a folder with a plan, unless
    it is there; what all but the last step of a chain made is removed at its end."""
    def run(program, words, folder):
        program = SparkFiles.get(program)
        os.chmod(program, 0o755)
        plan = os.path.join(folder, "plan.json")
        while not os.path.exists(plan):
            done = subprocess.run([program, *words, "-o", folder], capture_output=True, text=True)
            if done.returncode != 0 and "another process" in done.stderr:
                # Spark started this task twice: the other one is at work, or will fail.
                time.sleep(5)
            elif done.returncode != 0 and not os.path.exists(plan):
                step = " ".join([program, *words[:2]])
                raise RuntimeError(f"{step}: exit code {done.returncode}: {done.stderr}")

    def run_chain(steps):
        *before, (_, _, made) = steps
        if not os.path.exists(os.path.join(made, "plan.json")):
            for step in steps:
                run(*step)
        for _, _, folder in before:
            shutil.rmtree(folder, ignore_errors=True)

    chains = list(chains)
    if chains:
        spark.sparkContext.parallelize(chains, len(chains)).foreach(run_chain)


def map_steps(files, made, args):
    """The steps from game files to the folder `made` of Parquet files."""
    shard = f"{made}.shard"
    # One thread each: Spark runs as many tasks as there are cores.
    return [("juzhong", ["book", "map", *files, *args.options, "--threads", "1", "--memory", args.memory], shard),
            ("juzhong-parquet", ["export", shard], str(made))]


def reduce_steps(part, made, args):
    """The steps from a folder `part` of Parquet files to the folder `made` of such files."""
    games, shard = f"{part}.shard", f"{made}.shard"
    effort = ["--threads", "1", "--memory", args.memory]
    return [("juzhong-parquet", ["import", str(part), *effort], games),
            ("juzhong", ["book", "reduce", games, *effort], shard),
            ("juzhong-parquet", ["export", shard], str(made))]


def query(spark, sql, output, **tables):
    """Writes what a query gives for Parquet files as a folder of such files, unless it is there."""
    if (output / "_SUCCESS").exists():
        return
    for name, paths in tables.items():
        spark.read.parquet(*paths).createOrReplaceTempView(name)
    spark.sql(sql).write.mode("overwrite").parquet(str(output))


def build(spark, args):
    work = Path(args.work).absolute()
    work.mkdir(parents=True, exist_ok=True)
    juzhong = shutil.which(args.juzhong) or args.juzhong
    converter = args.converter or str(Path(juzhong).with_name("juzhong-parquet"))
    for program, name in zip((juzhong, shutil.which(converter) or converter), PROGRAMS):
        shutil.copy(program, work / name)
        spark.sparkContext.addFile(str(work / name))

    cores = spark.sparkContext.defaultParallelism
    lists = division(work / "run.json", find_games(args.inputs), args, cores)
    mapped = [work / f"map-{i:05}" for i in range(len(lists))]
    on_executors(spark, (map_steps(files, m, args) for m, files in zip(mapped, lists)))
    plan = common_plan(mapped)

    reduced = work / "reduced"
    query(spark, SOURCES, reduced / "sources", sources=[str(m / "sources.parquet") for m in mapped])
    query(spark, GAMES, reduced / "games", games=[str(m / "games.parquet") for m in mapped])

    # A folder for each file that Spark wrote: all that is known of some of the games.
    parts = []
    for i, games in enumerate(sorted((reduced / "games").glob("*.parquet"))):
        part = work / f"games-{i:05}"
        part.mkdir(exist_ok=True)
        for name, target in (("games.parquet", games), ("sources", reduced / "sources")):
            if not (part / name).is_symlink():
                (part / name).symlink_to(target)
        (part / "plan.json").write_text(json.dumps(plan))
        parts.append(part)
    moves = [work / f"moves-{i:05}" for i in range(len(parts))]
    on_executors(spark, (reduce_steps(part, m, args) for m, part in zip(moves, parts)))

    query(spark, MOVES, reduced / "moves", moves=[str(m / "moves.parquet") for m in moves])
    query(spark, LINE_GROUPS, reduced / "line_groups",
          line_groups=[str(m / "line_groups.parquet") for m in moves])
    (reduced / "plan.json").write_text(json.dumps({**plan, "stage": "reduce"}))
    shard = work / "reduced.shard"
    if not (shard / "plan.json").exists():
        subprocess.run([str(work / "juzhong-parquet"), "import", str(reduced), "-o", str(shard),
                        "--memory", args.memory], check=True)
    subprocess.run([str(work / "juzhong"), "book", "pack", str(shard), "-o", args.output,
                    "--memory", args.memory], check=True)


def main():
    args = arguments()
    spark = SparkSession.builder.appName("juzhong book").getOrCreate()
    try:
        build(spark, args)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
