//! Sources with one object or position a line: what `review --json` and `tablebase mine` write. Of the objects only the
//! members are read that are needed; others may be there.

use serde::Deserialize;

use super::{Found, SourceError, SourceOptions, bad_line, playable_line};
use crate::engine::Playable;
use crate::game::{Line, position_text};
use crate::message::{Message, message};
use crate::record::Formats;
use crate::train::examiner::Examiner;
use crate::train::exercise::{
    Accepted, BookFacts, Exercise, Kind, MAX_PLIES, ScoreFacts, TableFacts, TableResult, legal,
    start_text,
};

/// The beginnings of the names of schemas.
const REVIEW: &str = "juzhong.review/";
const MINED: &str = "juzhong.tablebase.mine/";
/// The longest line, in bytes.
const LONGEST: usize = 16 << 20;

/// An object of which only the schema is looked at.
#[derive(Deserialize)]
struct WithSchema {
    schema: String,
}

/// The schema of a line, if it is an object that is read here.
pub(super) fn schema_of(line: &[u8]) -> Option<String> {
    if !line.starts_with(b"{") || line.len() > LONGEST {
        return None;
    }
    let WithSchema { schema } = serde_json::from_slice(line).ok()?;
    [REVIEW, MINED].iter().any(|known| schema.starts_with(known)).then_some(schema)
}

/// A game of a review.
#[derive(Deserialize)]
struct ReviewedGame {
    #[serde(default)]
    place: String,
    #[serde(default)]
    game: u64,
    fen: String,
    moves: Vec<ReviewedMove>,
    #[serde(default)]
    left_book: Option<LeftBook>,
}

/// A move of a review.
#[derive(Deserialize)]
struct ReviewedMove {
    ply: usize,
    #[serde(rename = "move")]
    mv: String,
    #[serde(default)]
    mark: Option<String>,
    #[serde(default)]
    before: Option<ReviewScore>,
    #[serde(default)]
    table: Option<ReviewTable>,
    #[serde(default)]
    line: Vec<String>,
}

/// A score of a review.
#[derive(Deserialize)]
struct ReviewScore {
    #[serde(default)]
    score_cp: Option<i32>,
    #[serde(default)]
    mate: Option<i32>,
}

/// The values of a move by tables in a review.
#[derive(Deserialize)]
struct ReviewTable {
    before: ReviewValue,
}

/// A value by tables in a review.
#[derive(Deserialize)]
struct ReviewValue {
    value: String,
    #[serde(default)]
    order: u16,
    #[serde(default)]
    distance: Option<u16>,
}

/// The place where a game left the books.
#[derive(Deserialize)]
struct LeftBook {
    ply: usize,
    #[serde(default)]
    book_move: Option<String>,
    #[serde(default)]
    book: Option<ReviewShare>,
}

/// The games of a move in a book.
#[derive(Deserialize)]
struct ReviewShare {
    games: u64,
    #[serde(default)]
    score: Option<f64>,
}

/// A position of endgame tables.
#[derive(Deserialize)]
struct Mined {
    fen: String,
    #[serde(default)]
    material: String,
    #[serde(default)]
    theme: String,
    wdl: String,
    #[serde(default)]
    order: u16,
    #[serde(default)]
    distance: Option<u16>,
    #[serde(default)]
    moves: Vec<String>,
}

/// Reads a source of lines.
pub(super) fn read<G: Playable + Formats>(
    name: &str,
    bytes: &[u8],
    options: &SourceOptions<'_, G::Rules>,
    examiner: &mut Examiner<G>,
) -> Result<Found, SourceError> {
    let mut reader = Reader { options, examiner, found: Found::default() };
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
        if line.is_empty() {
            continue;
        }
        let place = format!("{name}:{number}");
        let read = reader.line(&place, line);
        // A search that was ended has found nothing, whatever that seems to say.
        if options.stop.is_set() {
            return Err(SourceError::Io(std::io::ErrorKind::Interrupted.into()));
        }
        read.map_err(|what| bad_line(name, number, what))?;
        if reader.found.is_cut {
            break;
        }
    }
    Ok(reader.found)
}

/// Reads lines.
struct Reader<'a, 'b, G: Playable> {
    options: &'a SourceOptions<'b, G::Rules>,
    examiner: &'a mut Examiner<G>,
    found: Found,
}

impl<G: Playable + Formats> Reader<'_, '_, G> {
    fn line(&mut self, place: &str, line: &[u8]) -> Result<(), Message> {
        if line.len() > LONGEST {
            return Err(message!("a line of more than {LONGEST} bytes"));
        }
        if !line.starts_with(b"{") {
            let text = std::str::from_utf8(line).map_err(|_| Message::from("not UTF-8"))?;
            return self.position(place, &position_text(text));
        }
        let unread =
            |error: serde_json::Error| message!("it cannot be read: {}", error.to_string());
        match schema_of(line) {
            Some(schema) if schema.starts_with(REVIEW) => {
                self.review(place, &serde_json::from_slice(line).map_err(unread)?)
            }
            Some(_) => self.mined(place, &serde_json::from_slice(line).map_err(unread)?),
            None => Err("no object of review --json or tablebase mine --json".into()),
        }
    }

    /// The marked moves of a game.
    fn review(&mut self, place: &str, game: &ReviewedGame) -> Result<(), Message> {
        let mut line = read_position::<G>(&game.fen)?;
        let clock = line.clock();
        let start = start_text(line.start(), clock);
        let from = match game.place.as_str() {
            "" => place.to_owned(),
            from => format!("{from} ({})", game.game),
        };
        let before = self.found.exercises.len();
        for (ply, reviewed) in (1..=MAX_PLIES).zip(&game.moves) {
            if reviewed.ply != ply {
                return Err("moves are missing; write the review without --mistakes".into());
            }
            let played = legal(line.position(), &reviewed.mv)?;
            let is_wanted = self.options.side.is_none_or(|side| side == line.position().turn());
            if reviewed.mark.is_some() && is_wanted {
                let accepted = reviewed.accepted(line.position(), game.left_book.as_ref());
                if !accepted.is_empty() {
                    let source = format!("{from}, ply {ply}");
                    let exercise = Exercise::named(
                        Kind::Mistake,
                        self.options.rules,
                        start.clone(),
                        &line,
                        &source,
                    );
                    let exercise = exercise.with_played(played, line.position());
                    if !self.found.push(Exercise { accepted, ..exercise }) {
                        return Ok(());
                    }
                }
            }
            line.push(played);
        }
        if self.found.exercises.len() == before {
            self.found.pass(place, "no marked move with a better one");
        }
        Ok(())
    }

    /// A position of endgame tables with its best line.
    fn mined(&mut self, place: &str, mined: &Mined) -> Result<(), Message> {
        let line = read_position::<G>(&mined.fen)?;
        let known = TableResult::named(&mined.wdl).ok_or("wdl is win, draw or loss")?;
        if known == TableResult::Loss {
            self.found.pass(place, "the side to move loses");
            return Ok(());
        }
        let first = mined.moves.first().ok_or("it has no moves")?;
        let position = line.position();
        let best = legal(position, first)?;
        let moves = mined.moves.iter().map_while(|text| G::parse_move(text));
        let distance = mined.distance.filter(|_| known == TableResult::Win);
        let accepted = Accepted {
            table: Some(TableFacts { wdl: known, order: mined.order, distance }),
            line: playable_line(position, moves),
            ..Accepted::new(G::move_text(best))
        };
        let source = format!("{} {}", mined.material, mined.theme);
        let source = if source.trim().is_empty() { place } else { source.trim() };
        self.add_position(&line, &mined.fen, source, Some(accepted))
    }

    /// A position alone: tables, or else a search, say which moves are right.
    fn position(&mut self, place: &str, text: &str) -> Result<(), Message> {
        let line = read_position::<G>(text)?;
        if line.position().outcome().is_some() {
            self.found.pass(place, "the game is over there");
            return Ok(());
        }
        self.add_position(&line, text, place, None)
    }

    /// A position to solve. If tables know it, all moves that keep its value are right.
    fn add_position(
        &mut self,
        line: &Line<G>,
        text: &str,
        source: &str,
        known: Option<Accepted>,
    ) -> Result<(), Message> {
        if self.options.side.is_some_and(|side| side != line.position().turn()) {
            return Ok(());
        }
        let accepted = solutions(self.examiner, line, known, self.options);
        if accepted.is_empty() {
            self.found.pass(source, "the side to move loses");
            return Ok(());
        }
        let exercise =
            Exercise::named(Kind::Position, self.options.rules, text.to_owned(), line, source);
        self.found.push(Exercise { accepted, ..exercise });
        Ok(())
    }
}

/// The moves that solve a position: those that keep its value by tables, the known one first; else the known one, or the
/// best by search.
pub(super) fn solutions<G: Playable>(
    examiner: &mut Examiner<G>,
    line: &Line<G>,
    known: Option<Accepted>,
    options: &SourceOptions<'_, G::Rules>,
) -> Vec<Accepted> {
    if let Some(keeping) = examiner.keeping(line) {
        return in_front(keeping, known);
    }
    known.or_else(|| examiner.searched(line, options.stop)).into_iter().collect()
}

/// Moves with the known one first, if it is among them, and its line.
fn in_front(mut keeping: Vec<Accepted>, known: Option<Accepted>) -> Vec<Accepted> {
    let place = known.as_ref().and_then(|known| keeping.iter().position(|m| m.mv == known.mv));
    if let (Some(place), Some(known)) = (place, known) {
        // This one comes first, and the others stay in their order.
        keeping[..=place].rotate_right(1);
        keeping[0].line = known.line;
    }
    keeping
}

impl ReviewedMove {
    /// The moves that are better: the first of the line, and the move of the book if the game left it here.
    fn accepted<G: Playable>(&self, position: &G, left_book: Option<&LeftBook>) -> Vec<Accepted> {
        let moves = self.line.iter().map_while(|text| G::parse_move(text));
        let line = playable_line(position, moves);
        let best = line.first().filter(|best| **best != self.mv).map(|best| Accepted {
            table: self.table.as_ref().and_then(|table| table.before.facts()),
            score: self.before.as_ref().and_then(ReviewScore::facts),
            line: line.clone(),
            ..Accepted::new(best.clone())
        });
        let mut accepted: Vec<Accepted> = best.into_iter().collect();
        let left = left_book.filter(|left| left.ply == self.ply);
        let mv = left.and_then(|left| legal(position, left.book_move.as_ref()?).ok());
        let mv = mv.filter(|&mv| G::move_text(mv) != self.mv);
        if let (Some(left), Some(mv)) = (left, mv) {
            let (text, book) = (G::move_text(mv), left.book.as_ref().map(ReviewShare::facts));
            match accepted.iter_mut().find(|known| known.mv == text) {
                Some(known) => known.book = book,
                None => accepted.push(Accepted { book, ..Accepted::new(text) }),
            }
        }
        accepted
    }
}

impl ReviewScore {
    fn facts(&self) -> Option<ScoreFacts> {
        let facts = ScoreFacts { cp: self.score_cp, mate: self.mate };
        (facts != ScoreFacts::default()).then_some(facts)
    }
}

impl ReviewValue {
    fn facts(&self) -> Option<TableFacts> {
        let wdl = TableResult::named(&self.value)?;
        let distance = self.distance.filter(|_| wdl != TableResult::Draw);
        Some(TableFacts { wdl, order: self.order, distance })
    }
}

impl ReviewShare {
    fn facts(&self) -> BookFacts {
        let score = self.score.filter(|score| (0.0..=1.0).contains(score));
        BookFacts::new(self.games, score)
    }
}

/// The line of a position's text, without moves.
fn read_position<G: Playable>(text: &str) -> Result<Line<G>, Message> {
    G::read_line(text)
        .map_err(|error| message!("the position cannot be read: {}", error.to_string()))
}
