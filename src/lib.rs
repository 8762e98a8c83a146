//! `juzhong` builds opening books from game collections, generates rule-correct endgame tables by
//! retrograde analysis, and plays with both. Xiangqi is the first game, gomoku the second.
//!
//! The modules below are listed from the ground up: each may use only those before it
//! (`tests/it/layering.rs` checks that).
//!
//! Without any feature there are the rules alone: positions, moves, keys, notation, repetition. `records` adds game
//! files, `picture` pictures of positions and games, `book` opening books, `tablebase` endgame tables, `search` the search and an engine without books, `engine` all
//! that plays with both, `analysis` answers about positions, games and tables as JSON, `answers` all that the program
//! writes as JSON, `schemas` the JSON Schemas of it. `capi` is the interface for other languages; `cli` and `web`, the
//! default, are the program and its server; `files` is what the others are built on.

#![warn(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(
    not(feature = "engine"),
    expect(dead_code, reason = "the rooms above the features chosen use it")
)]

// Texts with their values apart from them, which front ends can say in other languages.
pub mod message;

// Numbers and texts as bytes, files written whole or not at all, locks, memory maps, the sealed bincode container.
pub mod bytes;

// `Key` and the fixed stored key tables of `books/keys`.
pub mod hash;

// The contract of a game, and what needs no more: lines of play, symmetry, scores, perft.
pub mod game;

// The rules of xiangqi: positions, moves and un-moves, FEN, notation, repetition.
pub mod xiangqi;

// The rules of gomoku and its relatives: any board, any number in a row, patterns of stones, continuous fours.
pub mod gomoku;

// Game records: one model, and a reader and writer for each file format.
#[cfg(feature = "records")]
pub mod record;

// Pictures of positions and games: drawings of boards as SVG, PNG and GIF, plots, and pages for reading.
#[cfg(feature = "picture")]
pub mod picture;

// Opening books: building, the store, queries, editing, scores, books of other programs.
#[cfg(feature = "book")]
pub mod book;

// Collections of games: an index of the games of files and folders, kept up with them, and searches in it.
#[cfg(feature = "book")]
pub mod collection;

// Endgame tables: generation by retrograde analysis with exact repetition rules, files, probing, verification.
#[cfg(feature = "tablebase")]
pub mod tablebase;

// The network of xiangqi: its file, its integers, its evaluation kept from one position to the next.
#[cfg(feature = "search")]
pub mod network;

// Alpha-beta search for any game with `Heuristics`, and the evaluations.
#[cfg(feature = "search")]
pub mod search;

// Exact results of gomoku: provers, proofs and their independent checker.
#[cfg(feature = "search")]
pub mod solve;

// One player: sure wins of the tablebases first, then the book, the tablebases, the search.
#[cfg(feature = "search")]
pub mod engine;

// UCI, UCI-Cyclone, UCCI and Gomocup over `BufRead` and `Write`, and the client for other engines.
#[cfg(feature = "engine")]
pub mod protocol;

// Reviews of games by any engine: sources and losses of moves, second looks, better lines, accuracy, sums of many games.
#[cfg(feature = "engine")]
pub mod review;

// Exercises from reviews, tables and repertoires, and when they come again.
#[cfg(feature = "engine")]
pub mod train;

// A foreign engine with this program's books and tablebases in front of it.
#[cfg(feature = "engine")]
pub mod proxy;

// Matches and tournaments of engines, their statistics and sequential test, self-play.
#[cfg(feature = "engine")]
pub mod contest;

// Answers to questions as programs read them: typed requests, an object for each answer, errors by kind.
#[cfg(feature = "analysis")]
pub mod answers;

// The C API: books, tables and games for engines and scripts in other languages.
#[cfg(feature = "capi")]
pub mod capi;

#[cfg(doctest)]
#[doc = include_str!("../docs/guide/library.md")]
struct LibraryGuide;
