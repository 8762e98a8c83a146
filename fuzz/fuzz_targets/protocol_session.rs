//! A whole session: whatever is said, it ends with the input, and every search answers.

#![no_main]

use std::io::Cursor;

use juzhong::engine::{Engine, EngineOptions};
use juzhong::protocol::{Dialect, serve};
use juzhong::xiangqi::Position;
use libfuzzer_sys::fuzz_target;

/// A `go` with a limit that ends it soon; options that take time or read files are left out.
fn harmless(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.first() {
        Some(&"go") if words.contains(&"perft") => "go perft 1".to_owned(),
        Some(&"go") => format!("{line} nodes 50"),
        Some(&"setoption") if words.len() > 1 => {
            let text = words.join("").to_ascii_lowercase().replace('_', "");
            let slow = ["hash", "threads", "book", "tables", "egtb"];
            let is_slow = slow.iter().any(|name| text.contains(name));
            if is_slow { String::new() } else { line.to_owned() }
        }
        _ => line.to_owned(),
    }
}

fuzz_target!(|text: &str| {
    let input: String = text.lines().map(|line| harmless(line) + "\n").collect();
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let engine = Engine::<Position>::new(options).expect("there is memory for 1 MiB");
    let mut output = Vec::new();
    serve(Cursor::new(input.into_bytes()), &mut output, engine, Dialect::Ucci).expect("it writes");
    assert!(String::from_utf8(output).is_ok());
});
