//! The `juzhong` program.

use std::io::{BufWriter, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut out = BufWriter::new(stdout().lock());
    ExitCode::from(juzhong::cli::run(std::env::args_os(), &mut out))
}
