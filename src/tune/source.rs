use std::fmt::Write as _;

use super::{Tunable, Weights};

/// Weights in a row of the source.
const PER_LINE: usize = 10;

/// The weights, rounded, as a source file of the evaluation of the game; `about` is the remark in its head on
/// how they were made.
#[must_use]
pub fn source<G: Tunable>(weights: &Weights, about: &str) -> String {
    let mut text = String::from(
        "//! The weights of the evaluation: middle game and ending, in centipawns. Written by\n\
         //! `juzhong tune`; a change by hand needs a match.\n//!\n",
    );
    let line = |text: &mut String, line: std::fmt::Arguments<'_>| {
        let written = text.write_fmt(line);
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
        text.push('\n');
    };
    for about in about.lines() {
        line(&mut text, format_args!("//! {about}"));
    }
    text.push_str(G::SOURCE_HEAD);
    let mut rest = weights.as_slice();
    for (name, len) in G::groups() {
        line(&mut text, format_args!("    // {name}"));
        let (of_group, after) = rest.split_at(len.min(rest.len()));
        for row in of_group.chunks(PER_LINE) {
            let whole = |weight: f64| (weight * G::PARTS).round() as i64;
            let pairs: Vec<String> =
                row.iter().map(|&[a, b]| format!("({}, {}),", whole(a), whole(b))).collect();
            line(&mut text, format_args!("    {}", pairs.join(" ")));
        }
        rest = after;
    }
    text.push_str("];\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gomoku::Board;
    use crate::xiangqi::Position;

    #[test]
    fn the_source_holds_every_weight() {
        holds_every_weight::<Position>();
        holds_every_weight::<Board>();
    }

    fn holds_every_weight<G: Tunable>() {
        let text = source::<G>(&G::weights(), "Made\nby hand.");
        assert!(text.contains("//! Made\n//! by hand.\n\nuse"));
        let table = text.split_once("= [").unwrap().1;
        let numbers: Vec<f64> = table
            .split(|c: char| !c.is_ascii_digit() && c != '-')
            .filter_map(|number| number.parse().ok())
            .collect();
        assert_eq!(numbers, G::weights().concat().iter().map(|w| w * G::PARTS).collect::<Vec<_>>());
    }
}
