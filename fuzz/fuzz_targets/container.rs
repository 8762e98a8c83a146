//! Files that are packed, and archives.

#![no_main]

use std::ops::ControlFlow;

use juzhong::record::{Packed, read_packed};
use juzhong::xiangqi::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = std::env::temp_dir();
    let mut found = 0;
    let summary = read_packed::<Position>("fuzz", bytes, &folder, &Default::default(), &mut |_, _| {
        found += 1;
        ControlFlow::Continue(())
    });
    let summary = summary.expect("a temporary file");
    assert_eq!(summary.games + summary.bad, found);
    if let Ok(packed) = Packed::open::<Position>(bytes, &folder, &Default::default()) {
        for member in packed.members() {
            if let (Ok(digest), Ok(content)) =
                (packed.digest::<Position>(member), packed.content(member, &folder))
            {
                if content.loss.is_none() {
                    assert_eq!(digest.hash, *blake3::hash(&content.content).as_bytes());
                }
            }
        }
    }
});
