//! The books that the engine plays from, in order, each for one side or both and with settings of its own.

use std::fmt;
use std::path::{Path, PathBuf};

use super::chance::seed_or_drawn;
use super::playable::{Playable, loses_by_rule};
use super::warnings::in_full;
use crate::book::{Book, BookError, BookMove, Policy, Selector};
use crate::bytes::visible::ShowPath;
use crate::game::{Line, Side};
use crate::message::{Message, message};

pub(super) use crate::book::SelectOptions;

/// A book to play from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnBook {
    /// The file.
    pub path: PathBuf,
    /// Only for this side; `None` for both.
    pub side: Option<Side>,
    /// The settings of this book alone.
    pub limits: BookLimits,
}

/// The settings of one book where they differ from the common [`SelectOptions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BookLimits {
    /// The way of choosing a move.
    pub policy: Option<Policy>,
    /// Plies after which this book is left.
    pub plies: Option<usize>,
    /// Games that a move must have.
    pub min_games: Option<u64>,
    /// Weight that a move must have.
    pub min_weight: Option<u64>,
    /// Of [`Policy::Softmax`], in centipawns.
    pub temperature: Option<u32>,
}

impl BookLimits {
    /// Applies the settings of the book over the common ones.
    fn over(self, all: SelectOptions) -> SelectOptions {
        SelectOptions {
            policy: self.policy.unwrap_or(all.policy),
            ply_limit: self.plies.unwrap_or(all.ply_limit),
            min_games: self.min_games.unwrap_or(all.min_games),
            min_weight: self.min_weight.unwrap_or(all.min_weight),
            misses: all.misses,
            temperature: self.temperature.unwrap_or(all.temperature),
        }
    }

    /// Reads one `NAME=VALUE`; `None` if there is no such setting.
    fn set(&mut self, text: &str) -> Option<()> {
        let (name, value) = text.split_once('=')?;
        match name {
            "policy" => self.policy = Some(value.parse().ok()?),
            "plies" => self.plies = Some(value.parse().ok()?),
            "games" => self.min_games = Some(value.parse().ok()?),
            "weight" => self.min_weight = Some(value.parse().ok()?),
            "temperature" => {
                self.temperature = Some(value.parse().ok().filter(|&value| value > 0)?);
            }
            _ => return None,
        }
        Some(())
    }
}

impl OwnBook {
    /// Reads `FILE`, followed by any of `:red`, `:black`, `:policy=P`, `:plies=N`, `:games=N`,
    /// `:weight=N` and `:temperature=CP`. Anything else belongs to the file's name.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut book = Self::from(PathBuf::new());
        let mut rest = text;
        while let Some((before, last)) = rest.rsplit_once(':') {
            match last {
                "red" => book.side = Some(Side::First),
                "black" => book.side = Some(Side::Second),
                _ if book.limits.set(last).is_some() => {}
                _ => break,
            }
            rest = before;
        }
        Self { path: PathBuf::from(rest), ..book }
    }
}

impl fmt::Display for OwnBook {
    /// Writes the text that [`parse`](OwnBook::parse) reads, without the side.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.shown())?;
        let BookLimits { policy, plies, min_games, min_weight, temperature } = self.limits;
        write_limit(f, "policy", policy)?;
        write_limit(f, "plies", plies)?;
        write_limit(f, "games", min_games)?;
        write_limit(f, "weight", min_weight)?;
        write_limit(f, "temperature", temperature)
    }
}

/// Writes a limit if it is set.
fn write_limit(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: Option<impl fmt::Display>,
) -> fmt::Result {
    match value {
        Some(value) => write!(f, ":{name}={value}"),
        None => Ok(()),
    }
}

impl From<PathBuf> for OwnBook {
    /// A book for both sides.
    fn from(path: PathBuf) -> Self {
        Self { path, side: None, limits: BookLimits::default() }
    }
}

/// The books that the engine plays from.
#[derive(Debug)]
pub(crate) struct OpeningBooks {
    books: Vec<OpenBook>,
    /// Positions in a row after which the books are left alone; 0 for never.
    max_misses: usize,
    misses: usize,
    /// Ply of the last position that was looked up.
    last_ply: usize,
}

/// An open book.
#[derive(Debug)]
struct OpenBook {
    book: Book,
    side: Option<Side>,
    /// Each book has its own, for line groups belong to one book.
    selector: Selector,
}

impl OpeningBooks {
    /// Opens the books; reports each that cannot be opened, and goes on with the others.
    pub(crate) fn open<G: Playable>(
        books: &[OwnBook],
        select: SelectOptions,
        seed: Option<u64>,
        warnings: &mut Vec<Message>,
    ) -> Self {
        let mut opened = Vec::new();
        let seed = seed_or_drawn(seed);
        for (number, OwnBook { path, side, limits }) in (0..).zip(books) {
            match open_book::<G>(path) {
                Ok(book) => {
                    let rows = book.metadata().rows;
                    tracing::info!(book = %path.shown(), rows, "book opened");
                    let selector = Selector::numbered(limits.over(select), seed, number);
                    opened.push(OpenBook { book, side: *side, selector });
                }
                Err(message) => warnings.push(message),
            }
        }
        Self { books: opened, max_misses: select.misses, misses: 0, last_ply: 0 }
    }

    pub(crate) fn new_game(&mut self) {
        self.misses = 0;
        self.books.iter_mut().for_each(|book| book.selector.new_game());
    }

    /// A move of the first book for the side to move that has one. Moves that lose by the
    /// repetition rules are left out, and those that `refuses` names, from the move and the line
    /// after it; a book that was damaged meanwhile is reported and closed.
    pub(crate) fn choose<G: Playable>(
        &mut self,
        line: &Line<G>,
        rules: G::Rules,
        refuses: &dyn Fn(G::Move, &Line<G>) -> bool,
        warnings: &mut Vec<Message>,
    ) -> Option<G::Move> {
        let ply = line.game_ply();
        if ply < self.last_ply {
            self.new_game(); // or moves were taken back
        }
        self.last_ply = ply;
        let given_up = self.max_misses > 0 && self.misses >= self.max_misses;
        let position = line.position();
        let mover = position.turn();
        if given_up
            || !self.books.iter().any(|book: &OpenBook| book.side.is_none_or(|side| side == mover))
        {
            return None;
        }
        let mut choice = None;
        let mut number = 0;
        while choice.is_none()
            && let Some(book) = self.books.get_mut(number)
        {
            match book.side.is_none_or(|side| side == mover).then(|| book.probe(position)) {
                None => {}
                Some(Ok(moves)) => {
                    choice = book
                        .selector
                        .choose(&moves, ply, |mv: G::Move| {
                            position.is_legal(mv)
                                && !loses_by_rule(line, mv, rules)
                                && !refuses(mv, &after(line, mv))
                        })
                        .map(|m| m.mv);
                }
                Some(Err(error)) => {
                    warnings.push(message!("playing on without a book: {}", in_full(&error)));
                    self.books.remove(number);
                    continue;
                }
            }
            number += 1;
        }
        self.misses = if choice.is_some() { 0 } else { self.misses + 1 };
        choice
    }
}

impl OpenBook {
    fn probe<G: Playable>(&mut self, position: &G) -> Result<Vec<BookMove<G::Move>>, BookError> {
        self.book.check_if_changed()?;
        self.book.probe(position)
    }
}

fn after<G: Playable>(line: &Line<G>, mv: G::Move) -> Line<G> {
    let mut after = line.clone();
    after.push(mv);
    after
}

fn open_book<G: Playable>(path: &Path) -> Result<Book, Message> {
    let book = Book::open(path)
        .and_then(|book| book.check_file().map(|()| book))
        .map_err(|error| message!("playing without a book: {}", in_full(&error)))?;
    let game = &book.metadata().game;
    if game == G::NAME {
        Ok(book)
    } else {
        Err(message!("playing without {}: it is a book of {game}, not {}", path.shown(), G::NAME))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn books_are_read_with_their_limits() {
        let book = OwnBook::parse("C:\\a.book:black:policy=best:plies=12:games=3:weight=9");
        let limits = BookLimits {
            policy: Some(Policy::Best),
            plies: Some(12),
            min_games: Some(3),
            min_weight: Some(9),
            temperature: None,
        };
        let path = PathBuf::from("C:\\a.book");
        assert_eq!(book, OwnBook { path, side: Some(Side::Second), limits });
        assert_eq!(OwnBook::parse(&book.to_string()), OwnBook { side: None, ..book.clone() });
        let odd = OwnBook::parse("a:policy=other");
        assert_eq!(odd, PathBuf::from("a:policy=other").into());
        let all = SelectOptions { misses: 7, ..SelectOptions::default() };
        let merged = SelectOptions {
            policy: Policy::Best,
            ply_limit: 12,
            min_games: 3,
            min_weight: 9,
            ..all
        };
        assert_eq!(book.limits.over(all), merged);
    }
}
