//! The move of an engine at a level of strength.

use std::sync::{Mutex, PoisonError};

use crate::game::Line;
use crate::hash::Key;
use crate::search::{Control, CurrentMove, HashEntry, Iteration, Limits};

use super::level::{Level, varied};
use super::playable::Playable;
use super::player::{Choice, Engine};

/// The lines of the last depth, the best first, of a search with another control.
struct LastLines<'a, M> {
    lines: Mutex<Vec<Iteration<M>>>,
    control: &'a dyn Control<M>,
}

impl<M: Clone + Send + Sync> Control<M> for LastLines<'_, M> {
    fn should_stop(&self) -> bool {
        self.control.should_stop()
    }

    fn is_pondering(&self) -> bool {
        self.control.is_pondering()
    }

    fn begin_move(&self, current: &CurrentMove<M>) {
        self.control.begin_move(current);
    }

    fn report(&self, iteration: &Iteration<M>) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if iteration.multipv == 1 {
            lines.clear();
        }
        lines.push(iteration.clone());
        self.control.report(iteration);
    }

    fn look(&self, tt: &dyn Fn(Key) -> Option<HashEntry<M>>) {
        self.control.look(tt);
    }
}

/// The engine's move at a level. At one with a [`margin`](Level::margin), `chance` decides between the lines within it, of
/// which the engine finds as many as its options have: [`Level::lines`] are wanted.
pub fn choose_at<G: Playable>(
    engine: &mut Engine<G>,
    line: &Line<G>,
    (level, limits): (Level, Limits),
    chance: u64,
    control: &dyn Control<G::Move>,
) -> Option<Choice<G::Move>> {
    let kept = LastLines { lines: Mutex::default(), control };
    let choice = engine.choose(line, &level.within(limits), &kept)?;
    let Some(margin) = level.margin() else { return Some(choice) };
    let lines = kept.lines.into_inner().unwrap_or_else(PoisonError::into_inner);
    Some(varied(choice, &lines, margin, chance))
}
