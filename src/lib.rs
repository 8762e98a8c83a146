//! `juzhong` builds opening books from game collections, generates rule-correct endgame tables by
//! retrograde analysis, and plays with both. Xiangqi is the first game, gomoku the second.
//!
//! The modules below are listed from the ground up: each may use only the ones above it
//! (`tests/it/layering.rs` checks that).

// Little-endian fields, varints, checksums, atomic file replacement, the one bincode wrapper.
pub mod bytes;

// [`Key`](hash::Key) and the fixed stored key tables.
pub mod hash;

// The contract that games fulfil, and what follows from it alone: lines of play, perft.
pub mod game;

// The rules of xiangqi: positions, moves, notation, repetition.
pub mod xiangqi;

// The rules of gomoku and its relatives: any board, any number in a row.
pub mod gomoku;

// Game records: one model, and a reader and writer per file format.
pub mod record;

// Opening books: observations, the builder, the store, selection.
pub mod book;

// Endgame tables by retrograde analysis, with the repetition rules decided exactly.
pub mod tablebase;

// Alpha-beta search for any game with [`Heuristics`](game::Heuristics), and the evaluations.
pub mod search;

// One player: book first, table next, search last.
pub mod engine;

// Engine protocols: text to engine and back over `BufRead` and `Write`.
pub mod protocol;

// Matches between engines.
pub mod arena;

// HTTP service.
pub mod web;

// The command line: arguments, printing, progress, exit codes.
pub mod cli;
