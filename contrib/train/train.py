#!/usr/bin/env python3
"""Trains the network of docs/design/network.md on the files of `cargo xtask positions`.

    python3 contrib/train/train.py FOLDER -o network.jznet

Writes the network, beside it `.pt`, from which an interrupted training goes on, and `.csv`, the losses by pass.
"""

import argparse
import csv
import sys
import time
from pathlib import Path

import numpy as np
import samples
import torch
from network import Network, bucket_of, evaluate, quantised, write

# One file in so many is held out.
HELD_OUT = 20
# Expected points by which a search errs that tables contradict.
CONTRADICTION = 0.25


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains a network on positions with scores and results.")
    parser.add_argument("folder", type=Path, help="files of `cargo xtask positions`")
    parser.add_argument("-o", "--output", type=Path, required=True, help="file of the network")
    parser.add_argument("--pairs", type=int, default=64, help="hidden units of a view, each with its mirror image")
    parser.add_argument("--passes", type=int, default=20)
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument("--rate", type=float, default=2e-3, help="step size at the beginning; it falls to a hundredth")
    parser.add_argument("--blend", type=float, default=0.7, help="weight of the scores against the results")
    parser.add_argument("--scale", type=int, default=250, help="centipawns from an even chance to 73 %%")
    parser.add_argument("--correct", action="store_true", help="train what is added to the classical evaluation")
    parser.add_argument("--begin", type=Path, default=None, help="state (.pt) of a training that this one goes on from")
    parser.add_argument("--exact-weight", type=float, default=4.0, help="weight of positions that tables contradict")
    parser.add_argument("--files", type=int, default=None, help="use only the first so many files")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def load(args: argparse.Namespace) -> tuple[samples.Samples, samples.Samples]:
    """The positions to train on and those held out, none of which is among the former."""
    files = samples.numbered(args.folder)[: args.files]
    held_out = [path for path in files if int(path.stem) % HELD_OUT == 0]
    others = [path for path in files if int(path.stem) % HELD_OUT]
    parts = [samples.read_rows(path) for path in held_out + others]
    if args.correct:
        parts = [samples.with_classical(*of) for of in zip(parts, held_out + others, strict=True)]
    kept = samples.without_repeats(np.concatenate(parts))
    tested = samples.without_repeats(np.concatenate(parts[: len(held_out)]))
    everything = sum(map(len, parts))
    print(f"{len(files)} files, {everything} positions, {len(kept)} different, {len(tested)} held out", flush=True)
    return samples.decode(kept[len(tested) :]), samples.decode(tested)


def target(part: samples.Samples, args: argparse.Namespace) -> torch.Tensor:
    """The expected points of the side to move."""
    blend = torch.where(torch.from_numpy(part.exact), 0.0, args.blend)
    return blend * by_scores(part, args) + (1 - blend) * torch.from_numpy(part.results)


def by_scores(part: samples.Samples, args: argparse.Namespace) -> torch.Tensor:
    """The expected points of the side to move by the scores alone."""
    return torch.sigmoid(torch.from_numpy(part.scores.astype(np.float32)) / args.scale)


def weights(part: samples.Samples, args: argparse.Namespace) -> torch.Tensor:
    """How much positions count: more where tables contradict the search."""
    contradiction = (by_scores(part, args) - torch.from_numpy(part.results)).abs() > CONTRADICTION
    return torch.where(torch.from_numpy(part.exact) & contradiction, args.exact_weight, 1.0)


def loss(logit: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """The squared error of the expected points."""
    return (torch.sigmoid(logit) - wanted).square()


def tested(network: Network, part: samples.Samples, wanted: torch.Tensor, args: argparse.Namespace) -> float:
    """The mean loss of positions by the integers of the network."""
    integers = quantised(network)
    total = 0.0
    for begin in range(0, len(part), 4096):
        rows = slice(begin, begin + 4096)
        values = evaluate(integers, part.men[rows], part.black_to_move[rows], args.scale)
        values += part.classical[rows]
        total += loss(torch.from_numpy(values / args.scale).float(), wanted[rows]).sum().item()
    return total / len(part)


def one_pass(network, optimiser, part, wanted, counts, args, number, steps_before) -> float:
    """Trains on every position once; returns the mean loss on the way."""
    order = np.random.default_rng([args.seed, number]).permutation(len(part))
    black = torch.from_numpy(part.black_to_move)
    classical = torch.from_numpy(part.classical / args.scale).float()
    all_steps = args.passes * -(-len(part) // args.batch)
    total = 0.0
    for step, begin in enumerate(range(0, len(order), args.batch)):
        done = (steps_before + step) / all_steps
        optimiser.param_groups[0]["lr"] = args.rate * (0.01 + 0.99 * 0.5 * (1 + np.cos(np.pi * done)))
        rows = torch.from_numpy(order[begin : begin + args.batch])
        men = torch.from_numpy(part.men[rows].astype(np.int64))
        losses = loss(network(men, black[rows], bucket_of(men)) + classical[rows], wanted[rows])
        value = (losses * counts[rows]).mean()
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        network.clip()
        total += value.item() * len(rows)
    return total / len(part)


def main() -> int:
    args = arguments()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    part, held_out = load(args)
    wanted, wanted_held_out = target(part, args), target(held_out, args)
    counts = weights(part, args)
    network = Network(args.pairs)
    if args.begin:
        network.load_state_dict(torch.load(args.begin)["network"])
    optimiser = torch.optim.Adam(network.parameters(), lr=args.rate)
    state_file, losses_file = args.output.with_suffix(".pt"), args.output.with_suffix(".csv")
    first, losses = 0, []
    if state_file.exists():
        state = torch.load(state_file)
        if state["arguments"] != vars(args) | {"positions": len(part)}:
            sys.exit(f"{state_file} belongs to another training: remove it, or name another output")
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        first, losses = state["passes"], state["losses"]
    for number in range(first, args.passes):
        begun = time.monotonic()
        steps = number * -(-len(part) // args.batch)
        trained = one_pass(network, optimiser, part, wanted, counts, args, number, steps)
        losses.append((number + 1, trained, tested(network, held_out, wanted_held_out, args)))
        seconds = time.monotonic() - begun
        print(f"pass {number + 1}: loss {trained:.6f}, held out {losses[-1][2]:.6f}, {seconds:.0f} s", flush=True)
        state = {"network": network.state_dict(), "optimiser": optimiser.state_dict(), "passes": number + 1}
        torch.save(state | {"losses": losses, "arguments": vars(args) | {"positions": len(part)}}, state_file)
        with losses_file.open("w", newline="") as file:
            csv.writer(file).writerows([("pass", "loss", "held out"), *losses])
        write(args.output, quantised(network), args.scale, args.correct)
    return 0


if __name__ == "__main__":
    sys.exit(main())
