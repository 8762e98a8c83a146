//! The reader of .bin files of XBoard on any bytes.

#![no_main]

mod foreign;

use juzhong::book::interop::BookFormat;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| foreign::check(BookFormat::Polyglot, bytes));
