//! The games of the library that meet conditions, and the moves made in them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::web::game_index::{Games, Listed};
use juzhong::book::{BookMove, Filter, MoveStats, shown_move};
use juzhong::game::{Notation, Packed, Symmetric};
use juzhong::hash::Key;

/// Conditions on games.
#[derive(Debug)]
pub(crate) struct GameFilter {
    /// Words that a game must all have, in small letters.
    words: Vec<String>,
    facts: Filter,
}

/// The games that reached a position, and the moves made in it.
#[derive(Debug)]
pub(crate) struct Reaching<M> {
    /// The moves, in the order of their packed numbers.
    pub(crate) moves: Vec<BookMove<M>>,
    /// Numbers of the games in the list: the best rated first, then the latest.
    pub(crate) ids: Vec<usize>,
}

impl GameFilter {
    /// The conditions of words between blanks, in any case, and of facts.
    pub(crate) fn new(words: &str, facts: Filter) -> Self {
        let words = words.to_lowercase();
        Self { words: words.split_whitespace().map(str::to_owned).collect(), facts }
    }

    fn admits(&self, game: &Listed) -> bool {
        self.facts.admits_facts(&game.facts)
            && self.words.iter().all(|word| game.text.contains(word))
    }

    /// The games that meet the conditions, with their numbers in the list; with a canonical key, those that reached
    /// its position.
    pub(crate) fn admitted<'a, G: Symmetric + Notation>(
        &self,
        all: &'a Games,
        position: Option<Key>,
    ) -> Vec<(usize, &'a Listed)> {
        let is_admitted = |(_, game): &(usize, &Listed)| {
            self.admits(game) && position.is_none_or(|key| game.reaches::<G>(key).is_some())
        };
        all.games.iter().enumerate().filter(is_admitted).collect()
    }
}

/// The games under `filter` that reached a position, or one symmetrical to it, and their moves as they are in it. A
/// game counts where the position was on the board first.
pub(crate) fn reaching<G: Symmetric + Notation>(
    all: &Games,
    filter: &GameFilter,
    position: &G,
) -> Reaching<G::Move> {
    let canonical = position.canonical();
    let mut counts = BTreeMap::<u16, MoveStats>::new();
    let mut ranked = Vec::new();
    for (id, game) in all.games.iter().enumerate().filter(|(_, game)| filter.admits(game)) {
        let Some((there, next)) = game.reaches::<G>(canonical.key) else { continue };
        ranked.push((Reverse(game.rank()), id));
        if let Some(mv) = next {
            let image = there.canonical_move(there.canonical(), mv);
            let mv = shown_move(position, canonical, image);
            counts.entry(mv.pack()).or_default().absorb(&game.facts.counts(position.turn()));
        }
    }
    ranked.sort_unstable();
    let moves = counts.into_iter().filter_map(|(bits, stats)| {
        let weight = stats.default_weight(position.turn());
        G::Move::unpack(bits).map(|mv| BookMove::new(mv, stats, weight))
    });
    Reaching { moves: moves.collect(), ids: ranked.into_iter().map(|(_, id)| id).collect() }
}
