//! A line that a GUI says.

#![no_main]

use juzhong::protocol::{Command, Ranks};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    let Some(Ok(command)) = Command::parse(line) else { return };
    // Blanks at either end mean nothing.
    assert_eq!(Command::parse(&format!(" {line}\r\n")), Some(Ok(command.clone())));
    if let Command::Position { setup, .. } = command {
        for mv in &setup.moves {
            let _shifted = Ranks::FromOne.ours(&Ranks::FromOne.theirs(mv));
        }
    }
});
