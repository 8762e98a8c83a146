//! Files of exercises, behind their first line where the input has none.

#![no_main]

use std::path::Path;

use juzhong::train::{Collection, Day, Grade};
use libfuzzer_sys::fuzz_target;

const HEAD: &[u8] = b"{\"format\":\"juzhong.train\",\"version\":1}\n";

/// Writes a collection and reads it again: it must be the same.
fn reread(collection: &Collection) {
    let text = collection.to_text().expect("what was read can be written");
    let again = Collection::from_bytes(Path::new("again"), text.as_bytes());
    assert_eq!(&again.expect("what was written can be read"), collection);
}

fuzz_target!(|bytes: &[u8]| {
    let head = if bytes.starts_with(b"{\"format\"") { &[][..] } else { HEAD };
    let whole = [head, bytes].concat();
    let Ok(mut collection) = Collection::from_bytes(Path::new("fuzz"), &whole) else { return };
    reread(&collection);
    let day = Day::new(2026, 1, 1).expect("a day");
    let grades = [Grade::Right, Grade::Hinted, Grade::Wrong];
    let names: Vec<String> = collection.exercises().iter().map(|one| one.id.clone()).collect();
    for (name, grade) in names.iter().zip(grades.iter().cycle()) {
        collection.answer(name, *grade, day).expect("an exercise that is there");
    }
    reread(&collection);
    for game in ["xiangqi", "gomoku"] {
        assert!(collection.due(game, day).is_empty());
    }
});
