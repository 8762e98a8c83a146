//! The reader of .xqb files (SQLite) on any bytes.

#![no_main]

mod foreign;

use juzhong::book::interop::BookFormat;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| foreign::check(BookFormat::Xqb, bytes));
