//! A foreign engine's search of a position as the own one reports it: its lines with legal moves, and a legal move.

use crate::engine::Playable;
use crate::game::Bound;
use crate::game::{Line, MoveList, Notation, ScoreKind};
use crate::protocol::client::{Client, ClientError, GoLimits, Thought};
use crate::protocol::wire::format::shortened;
use crate::protocol::wire::info::{Info, InfoLine};
use crate::search::{Control, Iteration, Score, SearchResult, wdl};

/// Plies to a mate beyond which scores do not distinguish.
const FARTHEST: u32 = 999;

impl Client {
    /// Lets the engine search the end of `line`, which begins at the position `start` (`None` for the usual one), and
    /// reports its lines to `control`: scores for the side to move, moves up to the first that is not legal. It is
    /// stopped when `control` says so, or at the limits.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search); [`ClientError::IllegalMove`] and [`ClientError::NoMove`] if it answers with a
    /// move that is not legal, or with none where there are some.
    pub fn analyse<G: Playable>(
        &mut self,
        start: Option<&str>,
        line: &Line<G>,
        limits: &GoLimits,
        control: &dyn Control<G::Move>,
    ) -> Result<SearchResult<G::Move>, ClientError> {
        self.set_line(start, line)?;
        let position = line.position();
        let thought = self.search(limits, &|| control.should_stop(), &mut |line| {
            control.report(&iteration(position, line));
        })?;
        let best = self.best_move(position, &thought)?;
        if best.is_some() && thought.info.score.is_none() {
            self.remark("it states no score for its move: 0 stands for it");
        }
        Ok(result(position, best, &thought.info))
    }

    /// The move of an answer; `None` in a position that has none.
    ///
    /// # Errors
    ///
    /// [`ClientError::IllegalMove`] and [`ClientError::NoMove`].
    pub fn best_move<G: Playable>(
        &self,
        position: &G,
        thought: &Thought,
    ) -> Result<Option<G::Move>, ClientError> {
        if !has_move(position) {
            return Ok(None);
        }
        let engine = self.name().to_owned();
        let Some(text) = &thought.best else { return Err(ClientError::NoMove { engine }) };
        match legal(position, text) {
            Some(mv) => Ok(Some(mv)),
            None => Err(ClientError::IllegalMove { engine, mv: shortened(text) }),
        }
    }

    /// As [`go_among`](Self::go_among), in the position at the end of `line`, which is set up for that. An engine whose
    /// protocol has a word for moves that are not to be played is told the others.
    ///
    /// # Errors
    ///
    /// As [`set_line`](Self::set_line) and [`go`](Self::go).
    pub fn go_some<G: Playable>(
        &mut self,
        line: &Line<G>,
        moves: &[G::Move],
        limits: &GoLimits,
        stop: &dyn Fn() -> bool,
    ) -> Result<Thought, ClientError> {
        self.set_line(Some(&line.start().to_fen()), line)?;
        if !moves.is_empty() && self.knows_banned_moves() {
            let mut others = MoveList::new();
            line.position().legal_moves(&mut others);
            others.retain(|mv| !moves.contains(mv));
            self.ban(&texts_of::<G>(&others))?;
        }
        self.go_among(&texts_of::<G>(moves), limits, stop)
    }
}

fn texts_of<G: Playable>(moves: &[G::Move]) -> Vec<String> {
    moves.iter().map(|&mv| G::move_text(mv)).collect()
}

/// Returns true if the side to move has a legal move in a game that is not over.
fn has_move<G: Playable>(position: &G) -> bool {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    position.outcome().is_none() && !moves.is_empty()
}

/// The move of a text, if it is legal.
pub(crate) fn legal<G: Notation>(position: &G, text: &str) -> Option<G::Move> {
    G::parse_move(text).filter(|&mv| position.is_legal(mv))
}

/// The moves of a line up to the first that is not legal.
pub(crate) fn legal_line<G: Playable>(position: &G, texts: &[String]) -> Vec<G::Move> {
    let mut position = position.clone();
    let mut moves = Vec::new();
    for text in texts {
        if position.outcome().is_some() {
            break;
        }
        let Some(mv) = legal(&position, text) else { break };
        position.make(mv);
        moves.push(mv);
    }
    moves
}

/// A score as the search has it.
pub(crate) fn score_of(kind: ScoreKind) -> Score {
    match kind {
        ScoreKind::Centipawns(value) => Score::from_eval(value),
        ScoreKind::MateIn(plies) => Score::mate_in(near(plies)),
        ScoreKind::MatedIn(plies) => Score::mated_in(near(plies)),
        ScoreKind::TableWin(plies) => Score::table_win(near(plies)),
        ScoreKind::TableLoss(plies) => Score::table_loss(near(plies)),
    }
}

/// A number of plies that a score has room for, whatever an engine says.
fn near(plies: u32) -> usize {
    plies.min(FARTHEST) as usize
}

/// A line that an engine reports, as one of the own search.
fn iteration<G: Playable>(position: &G, line: &InfoLine) -> Iteration<G::Move> {
    let InfoLine { multipv, info } = line;
    let (kind, bound) = info.score.unwrap_or((ScoreKind::Centipawns(0), Bound::Exact));
    let score = score_of(kind);
    Iteration {
        depth: info.depth,
        seldepth: info.seldepth,
        multipv: *multipv,
        score,
        bound,
        nodes: info.nodes,
        table_hits: 0,
        time: info.time,
        wdl: wdl(score, position.phase(), &G::RESULT_MODEL),
        hashfull_permille: 0,
        pv: legal_line(position, &info.pv),
    }
}

/// The result of a search: its line goes on from the move that the engine makes.
fn result<G: Playable>(position: &G, best: Option<G::Move>, info: &Info) -> SearchResult<G::Move> {
    let pv = legal_line(position, &info.pv);
    let is_best = best.is_some() && pv.first().copied() == best;
    SearchResult {
        best,
        score: info.score.map_or(Score::DRAW, |(kind, _)| score_of(kind)),
        depth: info.depth,
        nodes: info.nodes,
        quiescence_nodes: 0,
        table_hits: 0,
        pv: if is_best { pv } else { best.into_iter().collect() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::Position;

    fn line(multipv: u32, score: ScoreKind, pv: &str) -> Iteration<crate::xiangqi::Move> {
        let pv = pv.split_whitespace().map(str::to_owned).collect();
        let info = Info { score: Some((score, Bound::Exact)), pv, ..Info::default() };
        iteration(&Position::start(), &InfoLine { multipv, info })
    }

    #[test]
    fn lines_end_before_what_is_not_legal() {
        let cut = line(2, ScoreKind::Centipawns(12), "h2e2 h9g7 h2e2 nonsense");
        assert_eq!((cut.pv.len(), cut.multipv, cut.score), (2, 2, Score::from_eval(12)));
        assert_eq!(line(1, ScoreKind::Centipawns(0), "a0a9 h2e2").pv, []);
    }

    #[test]
    fn mates_far_away_stay_mates() {
        for plies in [1, 998, 999, 5000, u32::MAX] {
            let found = line(1, ScoreKind::MateIn(plies), "h2e2").score;
            assert!(matches!(found.kind(), ScoreKind::MateIn(_)), "{plies}");
            let found = line(1, ScoreKind::MatedIn(plies), "h2e2").score;
            assert!(matches!(found.kind(), ScoreKind::MatedIn(_)), "{plies}");
        }
    }
}
