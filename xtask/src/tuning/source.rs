//! Weights as source files.

use std::fmt::Write as _;

use super::{Tunable, Weights};

/// Weights in a row of the source.
const PER_LINE: usize = 10;

/// The weights, rounded, as a source file of the evaluation of the game; `about` is the remark in its head on
/// how they were made.
pub(crate) fn source<G: Tunable>(weights: &Weights, about: &str) -> String {
    let mut text = format!(
        "//! The weights of the evaluation, {}. Written by `cargo xtask tune`; a change by hand needs a\n\
         //! match.\n//!\n",
        G::UNITS
    );
    let whole = |weight: f64| (weight * G::PARTS).round() as i64;
    let numbers: Vec<String> = weights
        .iter()
        .map(|&[a, b]| match G::HAS_PHASES {
            true => format!("({}, {}),", whole(a), whole(b)),
            false => format!("{},", whole(a)),
        })
        .collect();
    remark(&mut text, about);
    text.push_str(G::SOURCE_HEAD);
    let per_line = if G::HAS_PHASES { PER_LINE } else { 2 * PER_LINE };
    list(&mut text, &numbers, &G::groups(), per_line);
    text
}

/// The weights of the order of moves, rounded, as a source file; `about` as for [`source`].
pub(crate) fn order_source<G: Tunable>(weights: &[f64], about: &str) -> String {
    let mut text = String::from(
        "//! The values by which search orders quiet moves. Written by `cargo xtask tune --moves`; a change by hand\n\
         //! needs a match.\n//!\n",
    );
    let numbers: Vec<String> = weights
        .iter()
        .map(|weight| format!("{},", (weight * G::ORDER_PARTS).round() as i64))
        .collect();
    remark(&mut text, about);
    text.push_str(G::ORDER_HEAD);
    list(&mut text, &numbers, &G::order_groups(), 2 * PER_LINE);
    text
}

/// Adds the lines of a remark to the head of a source file.
fn remark(text: &mut String, about: &str) {
    for about in about.lines() {
        line(text, format_args!("{}", format!("//! {about}").trim_end()));
    }
}

/// Adds the numbers, each group under its name, and closes the list.
fn list(text: &mut String, numbers: &[String], groups: &[(&str, usize)], per_line: usize) {
    let mut rest = numbers;
    for &(name, len) in groups {
        line(text, format_args!("    // {name}"));
        let (of_group, after) = rest.split_at(len.min(rest.len()));
        for row in of_group.chunks(per_line) {
            line(text, format_args!("    {}", row.join(" ")));
        }
        rest = after;
    }
    text.push_str("];\n");
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    let written = text.write_fmt(line);
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use juzhong::gomoku::Board;
    use juzhong::xiangqi::Position;

    #[test]
    fn the_source_holds_every_weight() {
        holds_every_weight::<Position>();
        holds_every_weight::<Board>();
    }

    #[test]
    fn the_source_holds_every_weight_of_the_order() {
        let weights: Vec<f64> = (0..Board::ORDER_WEIGHTS).map(|i| i as f64 / 1000.0).collect();
        let text = order_source::<Board>(&weights, "Made\nby hand.");
        assert!(text.contains("//! Made\n//! by hand.\n\nuse"));
        let table = text.split_once("= [").unwrap().1;
        assert_eq!(table.matches(',').count(), Board::ORDER_WEIGHTS);
    }

    fn holds_every_weight<G: Tunable>() {
        let text = source::<G>(&G::weights(), "Made\nby hand.");
        assert!(text.contains("//! Made\n//! by hand.\n\nuse"));
        let table = text.split_once("= [").unwrap().1;
        let numbers: Vec<f64> = table
            .split(|c: char| !c.is_ascii_digit() && c != '-')
            .filter_map(|number| number.parse().ok())
            .collect();
        let phases = if G::HAS_PHASES { 2 } else { 1 };
        let weights = G::weights();
        let expected =
            weights.iter().flat_map(|pair| &pair[..phases]).map(|w| (w * G::PARTS).round());
        assert_eq!(numbers, expected.collect::<Vec<_>>());
    }
}
