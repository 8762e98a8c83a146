//! The page of `juzhong serve` without a server: positions, moves in all notations, verdicts of repetition, records,
//! endgame tables and the engine, compiled to WebAssembly.
//!
//! A request is what the page would send a server, and the answer what that would send back: the same addresses,
//! parameters and objects, which are those of the library's room `answers`. The page's worker (`wasm/page/worker.js`)
//! and tests speak to it through memory, without further tools:
//!
//! | function | what it does |
//! |---|---|
//! | `input(length)` | makes room for a request and returns its place |
//! | `ask()` | answers the request that was written there |
//! | `output()`, `output_length()` | the place and the length of the answer |
//!
//! A request is an object as JSON, `{"path": …, "query": {…}}`, a line feed and the body; the answer an object
//! `{"status": …, "kind": …, "headers": {…}}`, a line feed and the body. What embeds it provides the functions `now`,
//! `fill` and `event` of the module `page`.

mod answer;
mod language;
mod problem;
mod records;
mod request;
mod search;
mod tables;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use juzhong::bytes::clock::set_clock;

/// A request as it is written from outside.
static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// The answer as it is read from outside.
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The longest request, in bytes.
const LONGEST: usize = 256 << 20;

#[expect(unsafe_code, reason = "functions of the page")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Milliseconds since some moment.
    safe fn now() -> f64;
    /// Fills memory with random bytes.
    fn fill(place: *mut u8, length: usize);
    /// Takes an event of a stream: its name, a line feed, and its object as JSON.
    safe fn event(place: *const u8, length: usize);
}

/// A lock that nothing else can hold: there is one thread.
fn locked(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

fn clock() -> Duration {
    Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default()
}

/// Makes room for a request and returns its place; none where it is too long.
#[expect(unsafe_code, reason = "a function for the page")]
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    let mut input = locked(&INPUT);
    input.clear();
    if length > LONGEST || input.try_reserve_exact(length).is_err() {
        return std::ptr::null_mut();
    }
    input.resize(length, 0);
    input.as_mut_ptr()
}

/// Answers the request that was written.
#[expect(unsafe_code, reason = "a function for the page")]
#[unsafe(no_mangle)]
pub extern "C" fn ask() {
    set_clock(clock);
    let request = std::mem::take(&mut *locked(&INPUT));
    let answer = answer::answer(&request).into_bytes();
    *locked(&OUTPUT) = answer;
}

/// The place of the answer.
#[expect(unsafe_code, reason = "a function for the page")]
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    locked(&OUTPUT).as_ptr()
}

/// The length of the answer in bytes.
#[expect(unsafe_code, reason = "a function for the page")]
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    locked(&OUTPUT).len()
}

/// Hands an event of a stream out.
fn send_event(name: &str, data: &impl serde::Serialize) {
    let data = serde_json::to_string(data).unwrap_or_default();
    let text = format!("{name}\n{data}");
    event(text.as_ptr(), text.len());
}

/// The source of random bytes that the package getrandom looks for.
#[expect(unsafe_code, reason = "the name and the form that getrandom asks for")]
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(
    place: *mut u8,
    length: usize,
) -> Result<(), getrandom::Error> {
    // SAFETY: the caller hands in `length` bytes that may be written, and the page writes no others.
    unsafe { fill(place, length) };
    Ok(())
}
