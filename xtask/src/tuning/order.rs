//! The values by which search orders quiet moves, fitted to the moves that were played.

use super::Tunable;
use juzhong::game::MoveList;
use juzhong::record::Record;

/// The options of fitting the order of moves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrderOptions {
    /// Plies left out at the start of a game that begins at the usual start.
    pub(crate) skip_plies: usize,
    /// Of this many games, one is held out for validation.
    pub(crate) hold_out: usize,
    /// Passes over all moves.
    pub(crate) passes: u32,
    /// The length of the first steps, in natural logarithms of odds.
    pub(crate) rate: f64,
    /// The pull towards 0 at each step, as a part of the weight.
    pub(crate) decay: f64,
}

impl Default for OrderOptions {
    fn default() -> Self {
        Self { skip_plies: 6, hold_out: 10, passes: 10, rate: 0.05, decay: 0.0002 }
    }
}

/// How well weights foretell the moves that were played.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Foretold {
    /// Number of moves.
    pub(crate) moves: usize,
    /// The mean cross entropy, in nats.
    pub(crate) loss: f64,
    /// The share of moves that no other is put before.
    pub(crate) first: f64,
    /// The share of moves that fewer than four others are put before.
    pub(crate) first_four: f64,
}

/// Fitted weights of the order of moves.
#[derive(Debug, Clone)]
pub(crate) struct OrderFit {
    /// The weights, as natural logarithms of odds.
    pub(crate) weights: Vec<f64>,
    /// Of the moves that are fitted.
    pub(crate) fitted: Foretold,
    /// Of those held out.
    pub(crate) held_out: Foretold,
}

/// Of each weight, the sum of squared slopes begins with this.
const UNSEEN: f64 = 1e-8;

/// A quiet move that was played, among all quiet moves of its position.
struct Choice {
    /// The terms of each move.
    terms: Vec<[u16; 2]>,
    /// The number of the move that was played.
    played: usize,
}

/// Finds the weights under which the softmax of the moves' sums foretells the moves played best, by
/// stochastic gradient descent with a rate for each weight (AdaGrad: Duchi, Hazan and Singer 2011), in the
/// order of the games.
pub(crate) fn fit_order<G: Tunable>(games: &[Record<G>], options: &OrderOptions) -> OrderFit {
    let mut sets = [Vec::new(), Vec::new()];
    for (number, game) in games.iter().enumerate() {
        let held_out = number.is_multiple_of(options.hold_out.max(1));
        sets[usize::from(held_out)].extend(choices(game, options.skip_plies));
    }
    let [fitted, held_out] = &sets;
    let mut weights = vec![0.0; G::ORDER_WEIGHTS];
    let mut squares = vec![UNSEEN; G::ORDER_WEIGHTS];
    for pass in 0..options.passes {
        let rate = options.rate * (1.0 - f64::from(pass) / f64::from(options.passes));
        for choice in fitted {
            let chances = chances(&sums(choice, &weights));
            for (number, (terms, chance)) in choice.terms.iter().zip(chances).enumerate() {
                let error = chance - f64::from(u8::from(number == choice.played));
                for term in terms.map(usize::from) {
                    let slope = error + options.decay * weights[term];
                    squares[term] += slope * slope;
                    weights[term] -= rate * slope / f64::sqrt(squares[term]);
                }
            }
        }
    }
    let seen: Vec<bool> = squares.iter().map(|&square| square > UNSEEN).collect();
    G::complete_order(&mut weights, &seen);
    let [fitted, held_out] = [fitted, held_out].map(|choices| foretold(choices, &weights));
    OrderFit { weights, fitted, held_out }
}

/// The quiet moves of a game.
fn choices<G: Tunable>(game: &Record<G>, skip_plies: usize) -> Vec<Choice> {
    let skipped = if game.start.is_some() { 0 } else { skip_plies };
    let mut position = game.start.clone().unwrap_or_else(G::start);
    let mut choices = Vec::new();
    for (ply, &mv) in game.tree.moves.iter().enumerate() {
        if ply >= skipped && !position.in_check() {
            let mut quiets = MoveList::new();
            position.plausible_quiets(&mut quiets);
            if let Some(played) = quiets.iter().position(|&quiet| quiet == mv) {
                let terms = quiets.iter().map(|&quiet| position.order_terms(quiet)).collect();
                choices.push(Choice { terms, played });
            }
        }
        position.make(mv);
    }
    choices
}

fn sums(choice: &Choice, weights: &[f64]) -> Vec<f64> {
    let sum = |&[a, b]: &[u16; 2]| weights[usize::from(a)] + weights[usize::from(b)];
    choice.terms.iter().map(sum).collect()
}

/// The softmax of the moves' sums.
fn chances(sums: &[f64]) -> Vec<f64> {
    let greatest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut chances: Vec<f64> = sums.iter().map(|sum| (sum - greatest).exp()).collect();
    let total: f64 = chances.iter().sum();
    chances.iter_mut().for_each(|chance| *chance /= total);
    chances
}

fn foretold(choices: &[Choice], weights: &[f64]) -> Foretold {
    let mut told = Foretold { moves: choices.len(), ..Foretold::default() };
    for choice in choices {
        let sums = sums(choice, weights);
        let before = sums.iter().filter(|&&sum| sum > sums[choice.played]).count();
        told.loss -= chances(&sums)[choice.played].ln();
        told.first += f64::from(u8::from(before == 0));
        told.first_four += f64::from(u8::from(before < 4));
    }
    let count = choices.len().max(1) as f64;
    Foretold {
        loss: told.loss / count,
        first: told.first / count,
        first_four: told.first_four / count,
        ..told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juzhong::game::{Notation, Outcome, Side};
    use juzhong::gomoku::Board;
    use juzhong::record::Tree;

    fn game(moves: &str) -> Record<Board> {
        let moves = moves.split(' ').map(|text| Board::parse_move(text).unwrap()).collect();
        Record {
            tags: Vec::new(),
            start: None,
            start_clock: 0,
            result: Some(Outcome::Win(Side::First)),
            tree: Tree { moves, ..Tree::default() },
        }
    }

    #[test]
    fn weights_learn_what_is_played() {
        let games = vec![game("h8 i9 i8 j8 g8 f8 h7 h9 g6 f5 g9 j6 i7 j7 g7 g10 f7 e7"); 11];
        let options = OrderOptions { passes: 20, ..OrderOptions::default() };
        let fit = fit_order(&games, &options);
        let before = foretold(&choices(&games[0], 6), &vec![0.0; Board::ORDER_WEIGHTS]);
        assert!(fit.held_out.loss < before.loss, "{fit:?}");
        assert!(fit.held_out.first > 0.5, "{:?}", fit.held_out);
        assert_eq!(fit.weights, fit_order(&games, &options).weights);
    }
}
