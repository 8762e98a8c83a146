"""Reads juzhong's endgame tables: src/tablebase/format/FORMAT.md in the form of a program.

    python juzhong_tables.py [--rules asian] [--metric dtm] DIR [FEN ...]

prints {"fen", "wdl", "order", "distance"} for each position, which must be legal; without FEN, for
those on standard input. Needs Python 3.14, or 3.10 and the package zstandard.
"""

import argparse
import json
import struct
import sys
import zlib
from itertools import accumulate, combinations
from math import comb, prod
from pathlib import Path

from xiangqi import boards_after, can_stand, exchanged, in_check, read_fen

try:
    from compression.zstd import ZstdDecompressor as new_decompressor
except ImportError:
    from zstandard import ZstdDecompressor

    def new_decompressor():
        return ZstdDecompressor().decompressobj()


class Table:
    """A table's file."""

    def __init__(self, path):
        self.path, self.data, self.at, self.raw = path, path.read_bytes(), 24, {}
        magic, version, size, crc = struct.unpack_from("<8sIQI", self.data)
        self.need(magic == b"JZTABLE\0" and version in (2, 3), "not a table of version 2 or 3")
        payload = self.data[24 : 24 + size]
        self.need(crc == zlib.crc32(payload, zlib.crc32(self.data[:20])), "damaged header")
        material, _rules, _metric, _tool = (self.text() for _ in range(4))
        self.take("Q" + 2 * "5Q2H")  # slots, counts
        self.text(), self.text()  # longest
        self.wins, self.losses = (self.several(self.take, "2H") for _ in range(2))
        for _ in range(4):  # win_counts, loss_counts
            self.several(self.take, "Q")
        self.several(lambda: (self.text(), self.take("32s")))  # dependencies
        self.content, self.fold = self.take("32sB")
        self.streams = self.several(self.stream)
        self.rebuilt = self.take("B")[0] if version == 3 else 0
        self.need(self.at == 24 + size, "malformed header")
        self.block_tables()

        first, second = material.split("v")
        men = first + second.lower()
        self.kinds = list(dict.fromkeys(men))
        squares = [(x, y) for y in range(10) for x in range(9)]
        self.points = [[s for s in squares if can_stand(kind, *s)] for kind in self.kinds]
        self.radix = [comb(len(p), men.count(k)) for k, p in zip(self.kinds, self.points)]
        sets = combinations(self.points[self.fold], men.count(self.kinds[self.fold]))
        digits = sorted({min(self.digit(self.fold, s, m) for m in (0, 1)) for s in sets})
        self.folded = {digit: i for i, digit in enumerate(digits)}
        self.radix[self.fold] = len(digits)

    def need(self, condition, what):
        if not condition:
            raise ValueError(f"{self.path}: {what}")

    def take(self, fields):
        self.at += struct.calcsize("<" + fields)
        return struct.unpack_from("<" + fields, self.data, self.at - struct.calcsize("<" + fields))

    def text(self):
        return self.take(f"{self.take('Q')[0]}s")[0].decode()

    def several(self, read, *fields):
        return [read(*fields) for _ in range(self.take("Q")[0])]

    def stream(self):
        packing, order = self.take("B"), [c for c, in self.several(self.take, "B")]
        return *packing, order, *self.take("2QI")

    def varint(self):
        (byte,) = self.take("B")
        return byte if byte < 128 else byte - 128 + (self.varint() << 7)

    def block_tables(self):
        """For each stream (where, length, CRC32) of its blocks; (byte, 0, 0) of equal bytes."""
        starts = list(accumulate((bytes for _, _, bytes, _, _ in self.streams), initial=self.at))
        self.at, self.blocks = starts[-1], []
        for where, (_, _, size, table_size, crc) in zip(starts, self.streams):
            end, blocks, last = self.at + table_size, [], where + size
            self.need(zlib.crc32(self.data[self.at : end]) == crc, "damaged block table")
            while self.at < end:
                length = self.varint()
                (extra,) = self.take("I" if length else "B")
                blocks.append((where, length, extra) if length else (extra, 0, 0))
                where += length
            self.need(where == last, "damaged block table")
            self.blocks.append(blocks)
        self.need(self.at == len(self.data), "truncated or damaged")

    def digit(self, component, squares, mirror):
        place = self.points[component].index
        places = sorted(place((8 - x, y) if mirror else (x, y)) for x, y in squares)
        return sum(comb(p, i) for i, p in enumerate(places, 1))

    def symbol(self, board, stream):
        packing, order, *_ = self.streams[stream]
        slots = []
        squares = [[s for s, man in board.items() if man == kind] for kind in self.kinds]
        for mirror in (False, True):
            digits = [self.digit(c, men, mirror) for c, men in enumerate(squares)]
            if digits[self.fold] in self.folded:
                digits[self.fold] = self.folded[digits[self.fold]]
                slots.append(0)
                for component in order:
                    slots[-1] = slots[-1] * self.radix[component] + digits[component]
        # Both are in the file where the fold component is its own mirror image.
        per_block = (32768, 131072, 163840, 16384)[packing]
        block, place = divmod(min(slots), per_block)
        count = min(per_block, prod(self.radix) - block * per_block)
        raw = self.block(stream, block, (count, -(-count // 4), -(-count // 5), 2 * count)[packing])
        if packing == 1:
            return raw[place // 4] >> 2 * (place % 4) & 3
        if packing == 2:
            return raw[place // 5] // 3 ** (place % 5) % 3
        return raw[place] + (256 * raw[count + place] if packing == 3 else 0)

    def block(self, stream, block, size):
        if (stream, block) not in self.raw:
            where, length, crc = self.blocks[stream][block]
            packed = self.data[where : where + length] if length else b""
            frame = bytes.fromhex("28b52ffd0028") + packed
            raw = new_decompressor().decompress(frame) if length else bytes([where]) * size
            self.need(zlib.crc32(packed) == crc and len(raw) == size, "damaged block")
            self.raw[stream, block] = raw
        return self.raw[stream, block]


class Tables:
    """The tables of a folder. A value is (2, -order, -distance) if won, (1, 0, 0) if drawn and
    (0, order, distance) if lost, so that the better is the greater."""

    def __init__(self, folder, rules, metric):
        self.folder, self.ending, self.metric = Path(folder), f".{rules}.{metric}.jzt", metric
        self.open = {}

    def table(self, board):
        """The table of a position, and whether Black is its first side."""
        men = "".join(board.values())
        red, black = ("".join(k * m.count(k) for k in "KRNCPAB") for m in (men, men.swapcase()))
        for name, swap in ((f"{red}v{black}", False), (f"{black}v{red}", True)):
            path = self.folder / (name + self.ending)
            if path not in self.open and path.exists():
                self.open[path] = Table(path)
            if path in self.open:
                return self.open[path], swap, red == black
        raise FileNotFoundError(f"no table {red}v{black}{self.ending}")

    def probe(self, board, red):
        table, swap, is_symmetric = self.table(board)
        swap = swap or is_symmetric and not red
        own = exchanged(board) if swap else board
        results = 0 if red != swap else 2  # The number of the stream.
        result = self.result(board, red)
        if result == 1:
            return 1, 0, 0
        symbol = table.symbol(own, results + 1)
        if table.rebuilt >> results + 1 & 1:
            best = max(self.values_of_moves(board, red, result, False), default=(0, 0, 0))
            is_in_loop = symbol == 1 and result == 2 and best[1] < 0
            return (2, best[1], -1) if is_in_loop else best
        order, distance = (table.losses if result == 0 else table.wins)[symbol]
        stored = (result, -order, -distance) if result == 2 else (result, order, distance)
        return max([stored, *self.values_of_moves(board, red, result, True)])

    def result(self, board, red):
        """2, 1 or 0: won, drawn or lost."""
        table, swap, is_symmetric = self.table(board)
        swap = swap or is_symmetric and not red
        stream = 0 if red != swap else 2
        is_rebuilt = table.rebuilt >> stream & 1 and in_check(board, red)
        after = boards_after(board, red, captures_only=not is_rebuilt)
        results = [2 - self.result(left, not red) for left, _ in after]
        own = exchanged(board) if swap else board
        return max(results, default=0) if is_rebuilt else max([table.symbol(own, stream)] + results)

    def values_of_moves(self, board, red, result, captures_only):
        """The values of the moves that have the position's result."""
        for left, is_capture in boards_after(board, red, captures_only):
            if self.result(left, not red) == 2 - result:
                yield self.before(is_capture, *self.probe(left, not red))

    def before(self, is_capture, result, order, distance):
        """A value from the other side's point of view, one ply before."""
        plies = 1 if is_capture and self.metric.startswith("dtc") else abs(distance) + 1
        if result == 1:
            return 1, 0, 0
        return (2, -order, -plies) if result == 0 else (0, -order, plies)


def answer(tables, fen):
    result, order, distance = tables.probe(*read_fen(fen))
    wdl, distance = ("loss", "draw", "win")[result], None if result == 1 else abs(distance)
    return {"fen": fen, "wdl": wdl, "order": abs(order), "distance": distance}


def main():
    parser = argparse.ArgumentParser(description="Looks up positions in endgame tables.")
    parser.add_argument("--rules", default="asian")
    parser.add_argument("--metric", default="dtm")
    parser.add_argument("dir")
    parser.add_argument("fen", nargs="*")
    args = parser.parse_args()
    tables = Tables(args.dir, args.rules, args.metric)
    for fen in args.fen or map(str.strip, sys.stdin):
        print(json.dumps(answer(tables, fen)))


if __name__ == "__main__":
    main()
