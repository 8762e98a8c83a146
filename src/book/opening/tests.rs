use super::*;

#[test]
fn the_lines_are_sound() {
    assert!(Openings::built_in().lines().len() >= 260);
}
