//! The reader and the checker of proofs on any bytes.

#![no_main]

use std::time::{Duration, Instant};

use juzhong::solve::{Budget, Proof, check};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(proof) = Proof::from_bytes(bytes) else { return };
    if let Ok(again) = proof.to_bytes() {
        let read = Proof::from_bytes(&again).expect("what was written");
        assert_eq!(read, proof);
    }
    let deadline = Instant::now().checked_add(Duration::from_millis(200));
    let _held = check(&proof, &Budget { deadline, ..Budget::default() });
});
