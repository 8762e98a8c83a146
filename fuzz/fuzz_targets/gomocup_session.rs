//! A whole session of the Gomocup protocol: whatever is said, it ends with the input, and no line of it is cut.

#![no_main]

use std::io::Cursor;

use juzhong::engine::{Engine, EngineOptions};
use juzhong::gomoku::Board;
use juzhong::protocol::serve_gomocup;
use libfuzzer_sys::fuzz_target;

/// A line that asks for no memory and no threads, and lets no search last.
fn harmless(line: &str) -> &str {
    let upper = line.to_ascii_uppercase();
    let slow = ["MEMORY", "HASH", "THREAD", "NODE", "TIME"];
    if slow.iter().any(|word| upper.contains(word)) { "" } else { line }
}

fuzz_target!(|text: &str| {
    let mut input = "INFO max_node 50\nINFO timeout_turn 20\n".to_owned();
    for line in text.split(['\n', '\r']) {
        input.push_str(harmless(line));
        input.push('\n');
    }
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let engine = Engine::<Board>::new(options.clone()).expect("there is memory for 1 MiB");
    let mut output = Vec::new();
    serve_gomocup(Cursor::new(input.into_bytes()), &mut output, engine, options).expect("it writes");
    let output = String::from_utf8(output).expect("it writes text");
    assert!(output.is_empty() || output.ends_with('\n'));
});
