//! The `juzhong` program: the command line over the library of the same name.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::io::{BufWriter, stdout};
use std::process::ExitCode;

mod cli;
mod game_name;
mod language;
mod loss_text;
mod tell;
mod today;
#[cfg(feature = "web")]
mod web;

fn main() -> ExitCode {
    let mut out = BufWriter::new(stdout().lock());
    ExitCode::from(cli::run(std::env::args_os(), &mut out))
}
