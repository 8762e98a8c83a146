//! Scores from elsewhere, one JSON object a line.

use serde_json::{Map, Value};

use crate::book::file::reader::Book;
use crate::book::file::scores::Score;
use crate::book::model::value::{Evaluation, SourceScore};
use crate::game::{Bound, Notation, Symmetric};
use crate::hash::Key;
use crate::message::{Message, message};

/// Bytes of a line, at most.
pub const MAX_SCORE_LINE: usize = 1 << 16;

/// The plies assumed for a tablebase result without a distance.
const FAR: u16 = 999;

impl Book {
    /// Reads one line of scores: an object with
    ///
    /// - `fen`, or `key` (canonical, 16 hexadecimal digits), and `source`, the name of the engine or
    ///   tablebase;
    /// - one of `cp` (centipawns), `mate` (moves; negative or 0 if the side to move is mated) and `wdl`
    ///   (`win`, `draw` or `loss` by a tablebase; with `order`, 0 unless given, and `distance` in plies),
    ///   each for the side to move;
    /// - perhaps `bound` (`exact`, `lower`, `upper`), `depth`, `nodes`, and with `fen` also `best`,
    ///   the best move.
    ///
    /// # Errors
    ///
    /// The fault of the line, for people.
    pub fn read_score<G: Symmetric + Notation>(&self, line: &str) -> Result<(Key, Score), Message> {
        let value: Value = serde_json::from_str(line).map_err(|e| message!("no JSON: {e}"))?;
        let Value::Object(object) = value else { return Err("no object".into()) };
        let fields = Fields(&object);
        let source = fields.text("source")?.filter(|source| !source.is_empty());
        let source = source.ok_or("it names no \"source\"")?;
        let score = fields.score()?;
        let bound = fields.bound()?;
        let depth = fields.number("depth")?.unwrap_or(0);
        let nodes = fields.number("nodes")?.unwrap_or(0);
        match (fields.text("fen")?, fields.text("key")?) {
            (Some(fen), None) => {
                let position = G::from_fen(fen).map_err(|e| message!("\"fen\": {e}"))?;
                let best = fields.best(&position)?;
                let evaluation = Evaluation { score, bound, depth, nodes, best };
                Ok(self.score_of(&position, source, evaluation))
            }
            (None, Some(key)) => {
                let bits = u64::from_str_radix(key, 16).ok().filter(|_| key.len() == 16);
                let bits = bits.ok_or("\"key\" is not 16 hexadecimal digits")?;
                let evaluation = Evaluation { score, bound, depth, nodes, best: None };
                let source = source.to_owned();
                Ok((Key::from_i64(bits.cast_signed()), Score { source, evaluation }))
            }
            _ => Err("give either \"fen\" or \"key\"".into()),
        }
    }
}

/// The fields of an object; those that are null count as missing.
struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<Option<&str>, Message> {
        match self.get(name) {
            Some(value) if !value.is_string() => Err(message!("\"{name}\" is no text")),
            value => Ok(value.and_then(Value::as_str)),
        }
    }

    fn number<T: TryFrom<i64>>(&self, name: &str) -> Result<Option<T>, Message> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_i64().and_then(|number| T::try_from(number).ok());
        number.map(Some).ok_or_else(|| message!("\"{name}\" is no number that fits"))
    }

    fn score(&self) -> Result<SourceScore, Message> {
        let cp = self.number::<i32>("cp")?;
        let mate = self.number::<i16>("mate")?;
        match (cp, mate, self.text("wdl")?) {
            (Some(cp), None, None) => Ok(SourceScore::Centipawns(cp)),
            (None, Some(mate @ 1..), None) => {
                Ok(SourceScore::MateIn(plies(mate.unsigned_abs()).saturating_sub(1)))
            }
            (None, Some(mate), None) => Ok(SourceScore::MatedIn(plies(mate.unsigned_abs()))),
            (None, None, Some(wdl)) => {
                let order = self.number("order")?.unwrap_or(0);
                let distance = self.number("distance")?.unwrap_or(FAR);
                match wdl {
                    "win" => Ok(SourceScore::TableWin { order, distance }),
                    "draw" => Ok(SourceScore::TableDraw),
                    "loss" => Ok(SourceScore::TableLoss { order, distance }),
                    _ => Err("\"wdl\" is not win, draw or loss".into()),
                }
            }
            _ => Err("give one of \"cp\", \"mate\" and \"wdl\"".into()),
        }
    }

    fn bound(&self) -> Result<Bound, Message> {
        let Some(name) = self.text("bound")? else { return Ok(Bound::Exact) };
        let found = Bound::ALL.into_iter().find(|bound| bound.name() == name);
        found.ok_or_else(|| "\"bound\" is not exact, lower or upper".into())
    }

    fn best<G: Notation>(&self, position: &G) -> Result<Option<G::Move>, Message> {
        let Some(text) = self.text("best")? else { return Ok(None) };
        let mv = G::parse_move(text).filter(|&mv| position.is_legal(mv));
        mv.map(Some).ok_or_else(|| "\"best\" is no legal move".into())
    }
}

/// Plies of a number of moves.
const fn plies(moves: u16) -> u16 {
    moves.saturating_mul(2)
}
