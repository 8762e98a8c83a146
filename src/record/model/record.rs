//! The model of a game: its tags, its start, its result and its tree of moves.

use crate::game::{Game, Outcome};

/// One game as a file states it: tags, start position, a tree of moves with comments, a result.
/// Every move in the tree is legal where it stands.
///
/// ```
/// use juzhong::game::{Outcome, Side};
/// use juzhong::record::read_games;
///
/// let pgn = b"[Red \"A\"]\n[Result \"1-0\"]\n\n1. C2=5 {central cannon} H8+7 1-0\n";
/// let mut records = Vec::new();
/// read_games("a.pgn", pgn, &mut |game| records.push(game.unwrap().record));
/// let record = &records[0];
/// assert_eq!(record.result, Some(Outcome::Win(Side::First)));
/// assert_eq!(record.tree.moves[0].to_string(), "h2e2");
/// assert_eq!(record.tree.comments, [(1, "central cannon".to_owned())]);
/// ```
#[derive(Debug, Clone)]
pub struct Record<G: Game> {
    /// Names and values in file order.
    pub tags: Vec<(String, String)>,
    /// The start position, if it is not the usual one.
    pub start: Option<G>,
    /// Plies since the last irreversible move at the start.
    pub start_clock: u32,
    /// The stated result; `None` if unknown or unfinished.
    pub result: Option<Outcome>,
    /// The moves.
    pub tree: Tree<G>,
}

/// The moves of a game: a main line, and variations that replace a move of it.
#[derive(Debug, Clone)]
pub struct Tree<G: Game> {
    /// The main line.
    pub moves: Vec<G::Move>,
    /// `(ply, text)`, ascending: the text stands after that many plies of [`moves`](Self::moves)
    /// (0 before the first).
    pub comments: Vec<(usize, String)>,
    /// `(ply, number)`, ascending: numeric annotation glyphs, as PGN numbers them (`$4`), of the move that ends after that
    /// many plies of [`moves`](Self::moves).
    pub glyphs: Vec<(usize, u8)>,
    /// In file order.
    pub variations: Vec<Variation<G>>,
}

/// Another continuation.
#[derive(Debug, Clone)]
pub struct Variation<G: Game> {
    /// The index in the parent's moves whose move the variation's first one replaces.
    pub ply: usize,
    /// The continuation.
    pub tree: Tree<G>,
}

impl<G: Game> Record<G> {
    /// The bytes that it takes in memory, roughly.
    #[must_use]
    pub fn rough_size(&self) -> usize {
        let tags = self.tags.iter().map(|(name, value)| name.len() + value.len());
        let trees = self.tree.with_variations().map(|tree| {
            let comments = tree.comments.iter().map(|(_, text)| 40 + text.len());
            comments.sum::<usize>() + 100 * (1 + tree.variations.len()) + 2 * tree.moves.len()
        });
        tags.sum::<usize>() + trees.sum::<usize>()
    }

    /// The value of the first tag of that name, whatever its case.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// The names of the players, first side first. Xiangqi is begun by Red, gomoku by Black.
    #[must_use]
    pub fn players(&self) -> [Option<&str>; 2] {
        let [red, black, white] = ["Red", "Black", "White"].map(|name| self.tag(name));
        // With a Red, Black is the second player; without, the first, and White the second.
        [red.or(black), black.filter(|_| red.is_some()).or(white)]
    }
}

impl<G: Game> Tree<G> {
    /// This tree and those of all its variations, however deep: each before the ones within it, in file order.
    pub fn with_variations(&self) -> impl Iterator<Item = &Self> {
        let mut left = vec![self];
        std::iter::from_fn(move || {
            let tree = left.pop()?;
            // In reverse, for the one pushed last comes first.
            left.extend(tree.variations.iter().rev().map(|variation| &variation.tree));
            Some(tree)
        })
    }
}

impl<G: Game> Default for Tree<G> {
    fn default() -> Self {
        Self { moves: Vec::new(), comments: Vec::new(), glyphs: Vec::new(), variations: Vec::new() }
    }
}
