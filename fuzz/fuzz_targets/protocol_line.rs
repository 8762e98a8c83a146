//! A line that a GUI says.

#![no_main]

use juzhong::protocol::{Command, Ranks};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    let Some(Ok(command)) = Command::parse(line) else { return };
    // Blanks and line ends mean nothing.
    let words = line.split_whitespace().collect::<Vec<_>>().join("  ");
    assert_eq!(Command::parse(&format!(" {words}\r\n")), Some(Ok(command.clone())));
    if let Command::Position { setup, .. } = command {
        for mv in &setup.moves {
            let theirs = Ranks::FromOne.theirs(mv);
            if theirs != *mv && !mv.contains('+') && !mv.contains("00") {
                assert!(Ranks::FromOne.ours(&theirs).len() <= mv.len() + 1);
            }
        }
    }
});
