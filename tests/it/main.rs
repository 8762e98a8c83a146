//! The crate and the program from the outside, in one binary: a module for each room. Without the feature `cli`, the
//! rules alone.

#![expect(clippy::unwrap_used, reason = "a test may stop")]
#![cfg_attr(
    not(unix),
    expect(unused_imports, dead_code, reason = "some tests are compiled on Unix only")
)]

#[cfg(feature = "cli")]
mod support;

mod layering;
mod words;

mod rules {
    #[cfg(all(unix, feature = "cli"))]
    mod foreign;
    #[cfg(feature = "engine")]
    mod gomoku;
    mod perft;
    mod repetition;
    mod xiangqi;
}

#[cfg(feature = "cli")]
mod record {
    mod archives;
    mod ccpd;
    mod foreign;
    mod formats;
    mod pgn;
    mod programs;
    mod samples;
    mod tokens;
    mod xqf;
}

#[cfg(feature = "book")]
mod collection;

#[cfg(feature = "web")]
mod web;

#[cfg(feature = "cli")]
mod book {
    mod build;
    mod cli;
    mod collection;
    mod ecco;
    mod edit;
    mod format;
    mod games;
    mod interop;
    mod lines;
    mod merge;
    mod openings;
    mod repertoire;
    mod scores;
    mod shards;
}

#[cfg(feature = "cli")]
mod tablebase {
    mod bad_input;
    mod brute;
    mod chase;
    mod cli;
    mod counts;
    mod generate;
    mod known_counts;
    mod limit;
    mod plan;
}

#[cfg(feature = "cli")]
mod search {
    mod cli;
    mod extreme_material;
    mod gomoku;
    mod rules;
    mod xiangqi;
}

#[cfg(feature = "cli")]
mod solve {
    mod fours;
    mod proofs;
    mod small_boards;
}

#[cfg(feature = "cli")]
mod engine {
    mod damage;
    mod levels;
    mod mate_check;
    mod sources;
    mod table_play;
}

#[cfg(feature = "cli")]
mod protocol {
    #[cfg(unix)]
    mod client;
    mod gomocup;
    mod gui;
    mod ucci;
    mod uci;
}

#[cfg(all(unix, feature = "cli"))]
mod proxy;

#[cfg(feature = "cli")]
mod contest;

#[cfg(feature = "cli")]
mod review;

#[cfg(all(windows, feature = "cli"))]
mod windows;

#[cfg(feature = "cli")]
mod cli {
    mod convert;
    mod demo;
    #[cfg(unix)]
    mod engines;
    mod evaluation;
    #[cfg(unix)]
    mod files;
    mod games;
    mod golden;
    mod gomoku;
    mod kill;
    mod language;
    mod notation;
    mod play;
    #[cfg(unix)]
    mod play_terminal;
    mod player;
    mod position;
    mod review;
    mod settings;
    mod train;
    mod usage;
    #[cfg(unix)]
    mod visible;
}
