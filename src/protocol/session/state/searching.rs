//! From a `go` to a search: its limits, and the moves that it leaves out.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::{PendingGo, Search, Session};
use crate::engine::Playable;
use crate::engine::clock::Allowance;
use crate::game::{Line, MoveList};
use crate::protocol::conversation::owed::Owed;
use crate::protocol::conversation::position::score_without_search;
use crate::protocol::session::settings::Settings;
use crate::protocol::session::thinking::{self, Goal, Job, SearchTask, Signal};
use crate::protocol::session::timing::Timing;
use crate::protocol::wire::go::Go;
use crate::search::Limits;

/// Plies of the past that the search sees where the limit of moves without a capture is off: enough
/// for repetitions, too few for the limit to come near.
const PAST_WITHOUT_LIMIT: usize = 40;

/// The deepest tree whose leaves are counted, in plies: deeper ones would never end in practice.
const MAX_PERFT: u32 = 64;

impl<G: Playable> Session<'_, G> {
    /// The moves that a search leaves out: the banned ones, and, if `go` names moves to search, all others.
    fn moves_to_leave_out(&mut self, go: &Go) -> io::Result<Vec<G::Move>> {
        let mut banned = self.banned.clone();
        let wanted = self.legal_moves(&go.search_moves);
        self.tell_left_out("searchmoves", go.search_moves.len() - wanted.len())?;
        if !wanted.is_empty() {
            let mut moves = MoveList::new();
            self.line.position().legal_moves(&mut moves);
            banned.extend(moves.into_iter().filter(|mv| !wanted.contains(mv)));
        }
        Ok(banned)
    }

    pub(crate) fn go(&mut self, go: &Go, stopped: bool) -> io::Result<()> {
        let go = &go.in_milliseconds(self.gui.wire().unit);
        if !go.ignored.is_empty() {
            self.complain(&format!("go: ignored {}", go.ignored.join(" ")))?;
        }
        if go.perft.is_some_and(|depth| depth > MAX_PERFT) {
            self.complain(&format!("go perft: {MAX_PERFT} plies are the most"))?;
        }
        let pending_go = PendingGo { go: go.clone(), stopped, began: self.began };
        if self.prepare()? {
            self.pending_go = Some(pending_go);
            return Ok(());
        }
        self.start_search(&pending_go)
    }

    pub(crate) fn start_search(&mut self, pending_go: &PendingGo) -> io::Result<()> {
        let PendingGo { go, stopped, began } = pending_go;
        let stopped = *stopped;
        let spent = began.elapsed();
        if self.gui.is_ucci() && go.depth == Some(0) {
            self.gui.score::<G>(0, score_without_search(self.line.position()), &[])?;
            return self.gui.no_move();
        }
        let banned = self.moves_to_leave_out(go)?;
        let Some(engine) = self.engine.take() else { return self.gui.no_move() };
        // The end of the input, or another `go`, has ended it before it began.
        let may_last = !stopped && self.gui.ended.is_none() && !self.gui.waiting.has_search();
        let search = self.search_for(go, banned, may_last);
        let job = self.job(go, spent);
        if stopped || !may_last && (self.is_unlimited(go) || go.ponder) {
            search.signal.stop();
        }
        if self.settings.debug {
            self.gui.message(&format!("{:?}, {job:?}", self.allowance(go)))?;
        }
        let task = SearchTask { line: self.line_to_search(), job, banned: search.banned.clone() };
        let signal = search.signal.clone();
        self.search = Some(search);
        if let Err(error) = thinking::start(engine, task, signal, self.gui.sender.clone()) {
            self.search_lost(&format!("cannot start a thread for the search: {error}"))?;
        }
        Ok(())
    }

    fn is_unlimited(&self, go: &Go) -> bool {
        go.is_endless(self.line.position().turn())
    }

    fn allowance(&self, go: &Go) -> Option<Allowance> {
        let Settings { overhead, ponder, .. } = self.settings;
        let timing = Timing { overhead, ponders: ponder };
        timing.allowance(go, self.line.position().turn())
    }

    /// The search that a `go` begins, without the moves that are `banned`; `may_last` states whether it may go on
    /// until it is stopped.
    fn search_for(&self, go: &Go, banned: Vec<G::Move>, may_last: bool) -> Search<G> {
        let lasts = may_last && self.is_unlimited(go);
        let pondering = go.ponder && may_last && go.perft.is_none();
        Search {
            signal: Arc::new(Signal::new(pondering)),
            owed: Owed {
                pondering,
                endless: lasts,
                // UCCI's endless searches may answer when they have found a mate.
                until_stop: lasts && !self.gui.is_ucci() && go.mate.is_none(),
                answer: None,
            },
            draw: go.draw,
            banned,
            lines: Vec::new(),
        }
    }

    /// The work that a `go` asks for, of whose time a part is `spent`.
    fn job(&self, go: &Go, spent: Duration) -> Job {
        let allowance = self.allowance(go).filter(|_| !go.infinite);
        let mut limits = Limits { depth: depth(go), nodes: go.nodes, ..Limits::default() };
        if let Some(Allowance { soft, hard }) = allowance {
            limits.soft_time = soft;
            limits.hard_time = Some(hard);
        }
        let any_mate = self.gui.is_ucci() && self.is_unlimited(go);
        let mate = go.mate.map(|moves| moves.max(1)).or(any_mate.then_some(u32::MAX));
        let goal = Goal { limits: limits.after(spent), mate };
        match go.perft {
            Some(depth) => Job::Count(depth.min(MAX_PERFT)),
            None if go.infinite || self.settings.analyse => Job::Analyse(goal),
            None => {
                let limits = self.settings.handicap().within(goal.limits);
                Job::Choose(Goal { limits, ..goal })
            }
        }
    }

    /// The line, without its distant past where the limit of moves is off.
    fn line_to_search(&self) -> Line<G> {
        if self.settings.sixty_moves {
            return self.line.clone();
        }
        let mut before = self.line.clone();
        let kept = self.line.len().min(PAST_WITHOUT_LIMIT);
        for _ in 0..kept {
            before.pop();
        }
        let mut line = Line::new(before.position().clone(), 0).begun_at(before.game_ply());
        for mv in self.line.moves().skip(self.line.len() - kept) {
            line.push(mv);
        }
        line
    }
}

/// Plies of a search, at least one. A search for a mate and nothing else gives up some plies after it
/// should have been found.
fn depth(go: &Go) -> Option<u32> {
    const EXTRA_PLIES: u32 = 10;
    let is_only = !go.infinite && go.nodes.is_none();
    let for_mate =
        go.mate.filter(|_| is_only).map(|mate| mate.saturating_mul(2).saturating_add(EXTRA_PLIES));
    go.depth.or(for_mate).map(|depth| depth.max(1))
}
