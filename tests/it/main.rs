//! The crate and the program from the outside, in one binary: a module for each room.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test may stop and say why")]

mod support;

mod layering;

mod rules {
    #[cfg(unix)]
    mod foreign;
    mod gomoku;
    mod perft;
    mod repetition;
    mod xiangqi;
}

mod record {
    mod archives;
    mod ccpd;
    mod foreign;
    mod pgn;
    mod programs;
    mod samples;
    mod xqf;
}

mod book {
    mod build;
    mod cli;
    mod collection;
    mod ecco;
    mod edit;
    mod format;
    mod interop;
    mod merge;
    mod openings;
    mod scores;
    mod shards;
}

mod tablebase {
    mod bad_input;
    mod brute;
    mod chase;
    mod cli;
    mod counts;
    mod generate;
    mod known_counts;
    mod plan;
}

mod search {
    mod cli;
    mod extreme_material;
    mod gomoku;
    mod rules;
    mod xiangqi;
}

mod engine {
    mod damage;
    mod sources;
    mod table_play;
}

mod protocol {
    #[cfg(unix)]
    mod client;
    mod gui;
    mod ucci;
    mod uci;
}

#[cfg(unix)]
mod proxy;

#[cfg(unix)]
mod contest;

mod cli {
    mod convert;
    mod demo;
    #[cfg(unix)]
    mod files;
    mod golden;
    #[cfg(unix)]
    mod kill;
    mod play;
    mod position;
    #[cfg(unix)]
    mod visible;
}
