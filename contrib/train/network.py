"""The network: its shape, its training form in PyTorch, its integers, and its file (docs/design/network.md)."""

import struct
import zlib
from pathlib import Path

import numpy as np
import torch
from samples import NOTHING, PIECES, SQUARES

FEATURES = PIECES * SQUARES
BUCKETS = 8
# The integers that stand for 1 in the accumulators and in the weights of the output.
UNIT_HIDDEN = 255
UNIT_OUTPUT = 64
# The greatest weights, so that no sum overflows: 32 men in 16 bits, and a product in 16 bits.
MOST_HIDDEN = 900 / UNIT_HIDDEN
MOST_OUTPUT = 127 / UNIT_OUTPUT
MAGIC = b"JZNET\0\0\0"
VERSION = 2


def views() -> torch.Tensor:
    """For Red and for Black: the feature of each man as that side sees it, and as it sees it in the mirror."""
    table = np.full((2, 2, NOTHING + 1), FEATURES)
    for piece in range(PIECES):
        side, role = divmod(piece, 7)
        for square in range(SQUARES):
            rank, file = divmod(square, 9)
            for view in range(2):
                kind = role if side == view else 7 + role
                seen_rank = rank if view == 0 else 9 - rank
                for mirror in range(2):
                    seen_file = 8 - file if mirror else file
                    seen = kind * SQUARES + seen_rank * 9 + seen_file
                    table[view, mirror, piece * SQUARES + square] = seen
    return torch.from_numpy(table)


class Network(torch.nn.Module):
    """Two views of the board, each through the same hidden layer as it is and in the mirror, then one output."""

    def __init__(self, pairs: int) -> None:
        super().__init__()
        self.pairs = pairs
        self.register_buffer("views", views(), persistent=False)
        self.hidden = torch.nn.EmbeddingBag(FEATURES + 1, pairs, mode="sum", padding_idx=FEATURES)
        self.bias = torch.nn.Parameter(torch.full((pairs,), 0.25))
        self.output = torch.nn.Parameter(torch.zeros(BUCKETS, 2 * pairs))
        self.output_bias = torch.nn.Parameter(torch.zeros(BUCKETS))
        with torch.no_grad():
            self.hidden.weight.normal_(0, 0.08)
            self.hidden.weight[FEATURES] = 0
            self.output.normal_(0, 0.5 / pairs**0.5)

    def forward(self, men: torch.Tensor, black: torch.Tensor, bucket: torch.Tensor) -> torch.Tensor:
        """The logit of the expected points of the side to move."""
        batch = len(men)
        turn = black.long()
        seen = torch.empty((4, batch, men.shape[1]), dtype=torch.long)
        for mirror in range(2):
            red, dark = self.views[0, mirror][men], self.views[1, mirror][men]
            seen[mirror] = torch.where(black[:, None], dark, red)
            seen[2 + mirror] = torch.where(black[:, None], red, dark)
        sums = self.hidden(seen.view(4 * batch, -1)).view(4, batch, self.pairs) + self.bias
        active = sums.clamp(0, 1).square()
        both = torch.cat([active[0] + active[1], active[2] + active[3]], dim=1)
        return (both * self.output[bucket]).sum(dim=1) + self.output_bias[bucket]

    def clip(self) -> None:
        """Keeps the weights within what their integers can be."""
        with torch.no_grad():
            self.hidden.weight.clamp_(-MOST_HIDDEN, MOST_HIDDEN)
            self.bias.clamp_(-MOST_HIDDEN, MOST_HIDDEN)
            self.output.clamp_(-MOST_OUTPUT, MOST_OUTPUT)


def bucket_of(men: torch.Tensor) -> torch.Tensor:
    """The row of the output for each position, by the number of its men."""
    return ((men != NOTHING).sum(dim=1) - 1) // 4


def quantised(network: Network) -> dict[str, np.ndarray]:
    """The integers of a network."""
    whole = lambda tensor, unit: np.rint(tensor.detach().numpy() * unit)  # noqa: E731
    return {
        "hidden": whole(network.hidden.weight[:FEATURES], UNIT_HIDDEN).astype("<i2"),
        "bias": whole(network.bias, UNIT_HIDDEN).astype("<i2"),
        "output": whole(network.output, UNIT_OUTPUT).astype("<i2"),
        "output_bias": whole(network.output_bias, UNIT_HIDDEN**2 * UNIT_OUTPUT).astype("<i4"),
    }


def evaluate(integers: dict[str, np.ndarray], men: np.ndarray, black: np.ndarray, scale: int) -> np.ndarray:
    """The evaluation of positions in centipawns for the side to move, as the program computes it."""
    table = views().numpy()
    rows = np.vstack([integers["hidden"], np.zeros_like(integers["hidden"][:1])]).astype(np.int64)
    pairs = rows.shape[1]
    bucket = ((men != NOTHING).sum(axis=1) - 1) // 4
    total = integers["output_bias"].astype(np.int64)[bucket]
    for view in range(2):
        side = np.where(black, 1 - view, view)
        weights = integers["output"].astype(np.int64)[bucket, view * pairs : (view + 1) * pairs]
        for mirror in range(2):
            seen = table[side[:, None], mirror, men]
            sums = rows[seen].sum(axis=1) + integers["bias"]
            total += (np.clip(sums, 0, UNIT_HIDDEN) ** 2 * weights).sum(axis=1)
    unit = UNIT_HIDDEN**2 * UNIT_OUTPUT
    return np.sign(total) * (np.abs(total) * scale // unit)


def write(path: Path, integers: dict[str, np.ndarray], scale: int, is_correction: bool) -> None:
    """Writes the file of a network, which is added to the classical evaluation or replaces it."""
    pairs = integers["hidden"].shape[1]
    body = struct.pack("<7I", FEATURES, pairs, BUCKETS, UNIT_HIDDEN, UNIT_OUTPUT, scale, is_correction)
    body += b"".join(integers[name].tobytes() for name in ("hidden", "bias", "output", "output_bias"))
    path.write_bytes(MAGIC + struct.pack("<II", VERSION, zlib.crc32(body)) + body)
