//! The `juzhong` program: the command line over the library of the same name.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::io::{BufWriter, stdout};
use std::process::ExitCode;
use std::thread;

use juzhong::bytes::machine::DEEP_STACK;

mod cli;

fn main() -> ExitCode {
    // Searches run in this thread too, and on some systems the first thread's stack is small.
    let program =
        thread::Builder::new().name("juzhong".to_owned()).stack_size(DEEP_STACK).spawn(|| {
            let mut out = BufWriter::new(stdout().lock());
            cli::run(std::env::args_os(), &mut out)
        });
    match program.map(thread::JoinHandle::join) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => {
            cli::tell(format_args!("juzhong: no thread: {error}"));
            ExitCode::FAILURE
        }
    }
}
