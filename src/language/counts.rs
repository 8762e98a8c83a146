//! Counted nouns.

use std::fmt::Display;

use super::counted;

macro_rules! nouns {
    ($($(#[$doc:meta])* $name:ident, $one:literal, $other:literal;)*) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name(n: impl Display) -> String {
                let n = n.to_string();
                counted!(n == "1", $one, $other, n)
            }
        )*
    };
}

nouns! {
    /// "1 byte".
    bytes, "{} byte", "{} bytes";
    /// "1 comment".
    comments, "{} comment", "{} comments";
    /// "1 file".
    files, "{} file", "{} files";
    /// "1 game".
    games, "{} game", "{} games";
    /// "1 move".
    moves, "{} move", "{} moves";
    /// "1 node".
    nodes, "{} node", "{} nodes";
    /// "1 ply".
    plies, "{} ply", "{} plies";
    /// "1 position".
    positions, "{} position", "{} positions";
    /// "1 proof".
    proofs, "{} proof", "{} proofs";
    /// "1 record".
    records, "{} record", "{} records";
    /// "1 result".
    results, "{} result", "{} results";
    /// "1 row".
    rows, "{} row", "{} rows";
    /// "1 score".
    scores, "{} score", "{} scores";
    /// "1 table".
    tables, "{} table", "{} tables";
    /// "1 tag".
    tags, "{} tag", "{} tags";
    /// "1 variation".
    variations, "{} variation", "{} variations";
    /// "1 weight".
    weights, "{} weight", "{} weights";
}
