//! The answer about sample games: the games of a book in which a position was on the board.

use serde::Serialize;

use crate::answers::described::Described;
use crate::answers::error::AnswerError;
use crate::answers::line::LineRequest;
use crate::answers::sides::NamedSides;
use crate::book::opening::Named;
use crate::book::{Book, BookGame};
use crate::game::{BySide, Game, Side};
use crate::xiangqi::notation::MoveNotation;

/// The question about sample games.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GamesRequest {
    /// The position with the moves before it.
    pub line: LineRequest,
    /// The most games that are wanted.
    pub limit: usize,
    /// The notation in which texts of moves are wanted beside their coordinates.
    pub notation: Option<MoveNotation>,
}

impl GamesRequest {
    /// The answer of a book.
    ///
    /// # Errors
    ///
    /// The position or a move cannot be read; the book cannot be read, or is one of another game.
    pub fn answer<G: Described + Named>(&self, book: &Book) -> Result<GamesAnswer, AnswerError> {
        Ok(self.find::<G>(book)?.answer(self.notation))
    }

    /// The games that the answer is made of.
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer).
    pub fn find<'a, G: Described + Named>(
        &self,
        book: &'a Book,
    ) -> Result<FoundGames<'a, G>, AnswerError> {
        let position = self.line.line::<G>()?.line.position().clone();
        let games = book.games_of(&position, None, self.limit)?;
        Ok(FoundGames { book, position, games })
    }
}

/// The games of a book in which a position was on the board.
#[derive(Debug)]
pub struct FoundGames<'a, G: Named> {
    /// The book.
    pub book: &'a Book,
    /// The position.
    pub position: G,
    /// The games, the best rated first, then the latest.
    pub games: Vec<BookGame<G>>,
}

impl<G: Described + Named> FoundGames<'_, G> {
    /// The answer, with texts of moves in that notation.
    #[must_use]
    pub fn answer(&self, notation: Option<MoveNotation>) -> GamesAnswer {
        let Self { book, position, games } = self;
        GamesAnswer {
            schema: SCHEMA,
            book: book.path().to_string_lossy().into_owned(),
            fen: position.to_fen(),
            key: book.key_of(position).to_string(),
            samples: book.samples(),
            games: games.iter().map(|game| SampleGame::of(game, notation)).collect(),
        }
    }
}

const SCHEMA: &str = "juzhong.book.games/1";

/// The answer: schema `juzhong.book.games/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "BookGames", description = "The object of `book games --json`.")
)]
pub struct GamesAnswer {
    /// The schema.
    #[cfg_attr(feature = "schemas", schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// The position.
    pub fen: String,
    /// The key by which the book has it.
    pub key: String,
    /// The games of each move that the book has, at most; 0 if it was built without.
    pub samples: u16,
    /// The games.
    pub games: Vec<SampleGame>,
}

/// A game of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct SampleGame {
    /// The players.
    #[serde(flatten)]
    pub players: NamedSides<Option<String>>,
    /// Their ratings.
    #[serde(flatten)]
    pub ratings: Ratings,
    /// The event.
    pub event: Option<String>,
    /// The year.
    pub year: Option<u16>,
    /// The result.
    pub result: Option<String>,
    /// The base name of a file that it came from.
    pub file: Option<String>,
    /// Its number in that file, from 1.
    pub number: Option<u64>,
    /// The number of moves after which the position was on the board.
    pub ply: Option<usize>,
    /// The move that was made there, by its coordinates.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// That move in the notation that was asked for, null if none was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemas", schemars(extend("x-null" = true)))]
    pub text: Option<Option<String>>,
    /// All moves by their coordinates, with blanks between them.
    pub moves: String,
}

/// The ratings of the players, as two members with the names of the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Ratings {
    /// Of xiangqi.
    RedAndBlack {
        /// Red's.
        red_rating: Option<u16>,
        /// Black's.
        black_rating: Option<u16>,
    },
    /// Of gomoku.
    BlackAndWhite {
        /// Black's.
        black_rating: Option<u16>,
        /// White's.
        white_rating: Option<u16>,
    },
}

impl Ratings {
    /// The ratings of a game's players, first side first.
    const fn of<G: Game>([first, second]: [Option<u16>; 2]) -> Self {
        match G::BLACK {
            Side::Second => Self::RedAndBlack { red_rating: first, black_rating: second },
            Side::First => Self::BlackAndWhite { black_rating: first, white_rating: second },
        }
    }
}

impl SampleGame {
    fn of<G: Described + Named>(game: &BookGame<G>, notation: Option<MoveNotation>) -> Self {
        let [first, second] = game.players.clone();
        let (file, number) = game.source.clone().unzip();
        let moves: Vec<String> = game.moves.iter().map(|&mv| G::move_text(mv)).collect();
        Self {
            players: NamedSides::of::<G>(BySide { first, second }),
            ratings: Ratings::of::<G>(game.ratings),
            event: game.event.clone(),
            year: game.year,
            result: game.result.map(|result| result.to_string()),
            file,
            number,
            ply: game.ply,
            mv: next_move(game, MoveNotation::Uci),
            text: notation.map(|notation| next_move(game, notation)),
            moves: moves.join(" "),
        }
    }
}

/// The move that a game goes on by where the position is on the board, as it was played.
#[must_use]
pub fn next_move<G: Described + Named>(
    game: &BookGame<G>,
    notation: MoveNotation,
) -> Option<String> {
    let ply = game.ply?;
    let next = *game.moves.get(ply)?;
    let mut position = game.start.clone().unwrap_or_else(G::start);
    for &mv in &game.moves[..ply] {
        position.make(mv);
    }
    Some(position.write_move(next, notation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::book::sample_book::book_of;
    use crate::xiangqi::Position;

    #[test]
    fn sample_games_have_the_move_that_was_made() {
        let folder = tempfile::tempdir().unwrap();
        let games = "[Red \"a\"]\n[RedElo \"2400\"]\n\n1. h2e2 h9g7 1-0\n";
        let book = Book::open(&book_of(folder.path(), games)).unwrap();
        let line = LineRequest { moves: "h2e2".to_owned(), ..LineRequest::default() };
        let request = GamesRequest { line, limit: 5, notation: Some(MoveNotation::Wxf) };
        let answer = request.answer::<Position>(&book).unwrap();
        let object = serde_json::to_value(&answer).unwrap();
        let game = object["games"][0].as_object().unwrap();
        assert_eq!((&game["red"], &game["red_rating"]), (&"a".into(), &2400.into()));
        assert!(game["black"].is_null() && game["black_rating"].is_null());
        assert_eq!((&game["move"], &game["text"]), (&"h9g7".into(), &"H8+7".into()));
        assert_eq!((&game["number"], &game["ply"]), (&1.into(), &1.into()));
    }
}
