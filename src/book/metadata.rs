use std::collections::BTreeMap;

/// What a book says about itself. Nothing here depends on time, threads or the order of inputs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// The game's name.
    pub game: String,
    /// Fingerprint of the key table.
    pub key_table: String,
    /// BLAKE3 over all rows, hexadecimal.
    pub content: String,
    /// Moves of a game that are kept, at most.
    pub max_ply: u64,
    /// Moves of fewer games are not shown unless asked for.
    pub min_games: u64,
    /// Positions with moves.
    pub positions: u64,
    /// Moves, over all positions.
    pub rows: u64,
    /// How games and records count.
    pub counts: Counts,
}

/// How many games there are of each sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Different games counted in the book.
    pub games: u64,
    /// Those won by the first side.
    pub first: u64,
    /// Those drawn.
    pub draws: u64,
    /// Those won by the second side. What is missing to [`games`](Self::games) has no known result.
    pub second: u64,
    /// Counted games whose copies state different results.
    pub disputed: u64,
    /// Records in the sources, good and bad.
    pub records: u64,
    /// Records that could not be read or hold an illegal move.
    pub bad: u64,
    /// Records left out by the filters.
    pub filtered: u64,
    /// Further copies of games.
    pub duplicates: u64,
    /// Different games that begin elsewhere; not in the statistics.
    pub other_starts: u64,
    /// Different games without moves (one at most); not in the statistics.
    pub no_moves: u64,
}

macro_rules! pairs {
    ($self:ident: $($name:literal => $($field:ident).+,)*) => {
        [$(($name, $self.$($field).+.to_string()),)*]
    };
}

impl Metadata {
    /// Names and values as the table `meta` holds them.
    pub(super) fn to_pairs(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {
        pairs! { self:
            "game" => game,
            "key_table" => key_table,
            "content" => content,
            "max_ply" => max_ply,
            "min_games" => min_games,
            "positions" => positions,
            "rows" => rows,
            "games" => counts.games,
            "first_wins" => counts.first,
            "draws" => counts.draws,
            "second_wins" => counts.second,
            "disputed" => counts.disputed,
            "records" => counts.records,
            "bad" => counts.bad,
            "filtered" => counts.filtered,
            "duplicates" => counts.duplicates,
            "other_starts" => counts.other_starts,
            "no_moves" => counts.no_moves,
        }
        .into_iter()
    }

    /// The inverse of [`to_pairs`](Self::to_pairs); the name of the first value that is missing or
    /// no number otherwise.
    pub(super) fn from_pairs(pairs: &BTreeMap<String, String>) -> Result<Self, &'static str> {
        let text = |name: &'static str| pairs.get(name).cloned().ok_or(name);
        let number = |name: &'static str| text(name)?.parse().map_err(|_| name);
        Ok(Self {
            game: text("game")?,
            key_table: text("key_table")?,
            content: text("content")?,
            max_ply: number("max_ply")?,
            min_games: number("min_games")?,
            positions: number("positions")?,
            rows: number("rows")?,
            counts: Counts {
                games: number("games")?,
                first: number("first_wins")?,
                draws: number("draws")?,
                second: number("second_wins")?,
                disputed: number("disputed")?,
                records: number("records")?,
                bad: number("bad")?,
                filtered: number("filtered")?,
                duplicates: number("duplicates")?,
                other_starts: number("other_starts")?,
                no_moves: number("no_moves")?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_round_trip() {
        let counts = Counts { games: 9, first: 1, no_moves: 1, ..Counts::default() };
        let metadata = Metadata { game: "xiangqi".into(), rows: 7, counts, ..Metadata::default() };
        let mut pairs: BTreeMap<_, _> =
            metadata.to_pairs().map(|(n, v)| (n.to_owned(), v)).collect();
        assert_eq!(Metadata::from_pairs(&pairs), Ok(metadata));
        pairs.insert("rows".into(), "many".into());
        assert_eq!(Metadata::from_pairs(&pairs), Err("rows"));
        pairs.clear();
        assert_eq!(Metadata::from_pairs(&pairs), Err("game"));
    }
}
