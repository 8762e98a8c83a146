"""Tests of the reader, the network and its integers."""

import sys
import tempfile
import unittest
import zlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))
import network
import samples
import train

# A board that is not its own mirror image: (piece, square).
BOARD = [(0, 4), (1, 0), (3, 25), (4, 31), (11, 58), (9, 70), (7, 85)]
SCORE = -300


def sample(board, black_to_move):
    row = np.zeros(32, np.uint8)
    for place, (piece, square) in enumerate(sorted(board, key=lambda man: man[1])):
        row[square // 8] |= 1 << square % 8
        row[12 + place // 2] |= piece << 4 * (place % 2)
    row[11] |= 0x80 * black_to_move
    row[28:30] = np.frombuffer(np.int16(SCORE).tobytes(), np.uint8)
    return row


def decoded(*boards):
    return samples.decode(np.stack([sample(*board) for board in boards]))


def image(board, mirror, swap):
    seen = []
    for piece, square in board:
        rank, file = divmod(square, 9)
        rank = 9 - rank if swap else rank
        file = 8 - file if mirror else file
        seen.append(((piece + 7) % 14 if swap else piece, rank * 9 + file))
    return seen


def some_network():
    torch.manual_seed(3)
    made = network.Network(16)
    with torch.no_grad():
        made.output_bias.normal_()
    return made


class Reading(unittest.TestCase):
    def test_samples_are_decoded(self):
        part = decoded((BOARD, True), (BOARD[:2] + BOARD[-1:], False))
        men = [piece * 90 + square for piece, square in sorted(BOARD, key=lambda man: man[1])]
        self.assertEqual(part.men[0, : len(men)].tolist(), men)
        self.assertEqual(part.men[0, len(men)], samples.NOTHING)
        self.assertEqual(part.men[1, 3], samples.NOTHING)
        self.assertEqual(part.black_to_move.tolist(), [True, False])
        self.assertEqual(part.scores.tolist(), [SCORE, SCORE])
        self.assertEqual(part.exact.tolist(), [False, False])

    def test_what_tables_contradict_counts_more(self):
        rows = np.stack([sample(BOARD, False)] * 3)
        rows[:, 30] = [2, 2 | 4, 0 | 4]
        part = samples.decode(rows)
        args = SimpleNamespace(blend=0.5, scale=250, exact_weight=4.0)
        self.assertEqual(train.weights(part, args).tolist(), [1, 4, 1])
        by_score = 1 / (1 + np.exp(300 / 250))
        np.testing.assert_allclose(train.target(part, args), [(1 + by_score) / 2, 1, 0], atol=1e-6)

    def test_positions_count_once(self):
        rows = np.stack([sample(BOARD, False), sample(BOARD, True), sample(BOARD, False)])
        self.assertEqual(samples.without_repeats(rows).tolist(), rows[:2].tolist())

    def test_classical_evaluations_stand_beside_positions(self):
        rows = np.stack([sample(BOARD, False), sample(BOARD, True)])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "000000.jzlabel"
            path.with_suffix(".classical").write_bytes(np.array([25, -400], "<i2").tobytes())
            part = samples.decode(samples.with_classical(rows, path))
            self.assertEqual(part.classical.tolist(), [25, -400])
            self.assertEqual(part.men.tolist(), samples.decode(rows).men.tolist())
            with self.assertRaisesRegex(ValueError, "belongs to another"):
                samples.with_classical(rows[:1], path)
        self.assertEqual(samples.decode(rows).classical.tolist(), [0, 0])

    def test_damaged_files_are_refused(self):
        body = bytes(40) + sample(BOARD, False).tobytes()
        head = b"JZLABEL\0\1\0\0\0" + zlib.crc32(body).to_bytes(4, "little")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "000000.jzlabel"
            path.write_bytes(head + body)
            self.assertEqual(len(samples.read_rows(path)), 1)
            path.write_bytes(head + body[:-1] + b"\1")
            with self.assertRaisesRegex(ValueError, "damaged"):
                samples.read_rows(path)


class Values(unittest.TestCase):
    def test_the_network_knows_no_colour_and_no_wing(self):
        boards = [(image(BOARD, mirror, swap), swap) for mirror in (False, True) for swap in (False, True)]
        part = decoded(*boards)
        values = network.evaluate(network.quantised(some_network()), part.men, part.black_to_move, 10_000)
        self.assertEqual(len(set(values.tolist())), 1)
        self.assertNotEqual(values[0], 0)

    def test_the_integers_are_close_to_what_was_trained(self):
        part = decoded((BOARD, False), (BOARD, True), (BOARD[:2] + BOARD[-1:], True))
        made = some_network()
        men = torch.from_numpy(part.men.astype(np.int64))
        trained = made(men, torch.from_numpy(part.black_to_move), network.bucket_of(men)).detach().numpy()
        values = network.evaluate(network.quantised(made), part.men, part.black_to_move, 10_000)
        self.assertLess(np.abs(values / 10_000 - trained).max(), 0.2)


if __name__ == "__main__":
    unittest.main()
