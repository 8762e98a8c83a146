//! The weights that predict the results best.

use rayon::prelude::*;

use super::Weights;
use crate::tuning::sample::{SampleRow, Samples};

/// The options of fitting weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FitOptions {
    /// Steps of the optimiser; each sees every position.
    pub(crate) steps: u32,
    /// The length of the first steps, in centipawns; they shorten to a twentieth.
    pub(crate) rate: f64,
    /// The distance at which a weight is expected to lie from its start, in centipawns (L2).
    pub(crate) spread: f64,
    /// The share of the scores of searches beside the results, 0 to 1, where there are any.
    pub(crate) blend: f64,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { steps: 400, rate: 2.0, spread: 30.0, blend: 0.5 }
    }
}

/// Positions of one game have one result: this many count as one against the L2 term.
const PER_RESULT: f64 = 30.0;

/// Positions in a part of a parallel sum: sums of floating-point numbers depend on their order, so
/// parts must not depend on the number of threads.
const PART: usize = 1 << 14;

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-12;

/// The mean logistic loss, in nats for each position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Loss {
    /// Of the positions that are fitted.
    pub(crate) fitted: f64,
    /// Of those held out; 0 if there are none.
    pub(crate) held_out: f64,
}

/// Fitted weights.
#[derive(Debug, Clone)]
pub(crate) struct Fit {
    /// The weights.
    pub(crate) weights: Weights,
    /// The increase of the logarithm of the odds for each centipawn, by the weights at the start.
    pub(crate) slope: f64,
    /// Before.
    pub(crate) before: Loss,
    /// After.
    pub(crate) after: Loss,
}

/// Finds the weights under which the logistic function of the evaluation predicts the results best, by
/// gradient descent (Adam: Kingma and Ba 2014) from `start`. Afterwards all are multiplied so that the
/// evaluations keep the size that they had. `progress` is called with each step and its loss.
pub(crate) fn fit(
    samples: &[Samples; 2],
    start: &Weights,
    options: &FitOptions,
    progress: &mut dyn FnMut(u32, f64),
) -> Fit {
    let (slope, [fitted, held_out]) = goals(samples, start, options.blend);
    let (fitted, held_out) = (&fitted, &held_out);
    let losses = |weights: &Weights, slope: f64| Loss {
        fitted: loss(fitted, weights, slope),
        held_out: loss(held_out, weights, slope),
    };
    let before = losses(start, slope);
    let mut weights = start.clone();
    let mut moments = vec![[[0.0; 2]; 2]; start.len()];
    let pull = PER_RESULT / (options.spread * options.spread * fitted.len().max(1) as f64);
    for step in 1..=options.steps {
        let (mut gradient, loss) = gradient(fitted, &weights, slope);
        for ((g, w), w0) in gradient.iter_mut().zip(&weights).zip(start) {
            for i in 0..2 {
                g[i] += pull * (w[i] - w0[i]);
            }
        }
        adam(&mut weights, &mut moments, &gradient, step, rate(options, step));
        progress(step, loss);
    }
    let after = losses(&weights, slope);
    let factor = size(fitted, start, &weights);
    weights.iter_mut().flatten().for_each(|weight| *weight *= factor);
    Fit { weights, slope, before, after }
}

/// The results that the weights are to predict, blended with the results that the scores of searches promise;
/// and the slope of the logistic function that suits the weights at the start best.
fn goals(samples: &[Samples; 2], start: &Weights, blend: f64) -> (f64, [Samples; 2]) {
    let mut goals = samples.clone();
    if let Some(slope) = slope_of_scores(&samples[0]) {
        for row in goals.iter_mut().flat_map(|samples| &mut samples.rows) {
            if let Some(score) = row.score {
                let promised = logistic(slope * f64::from(score));
                row.result += (blend * (promised - f64::from(row.result))) as f32;
            }
        }
    }
    (best_slope(&goals[0], start), goals)
}

/// The slope at which the scores of searches foretell the results best; `None` if there are none.
fn slope_of_scores(samples: &Samples) -> Option<f64> {
    let scored: Vec<(f64, f64)> = samples
        .rows
        .iter()
        .filter_map(|row| Some((f64::from(row.score?), f64::from(row.result))))
        .collect();
    let loss = |slope: f64| -> f64 {
        scored.iter().map(|&(score, result)| surprise(logistic(slope * score), result)).sum()
    };
    (!scored.is_empty()).then(|| least(loss))
}

/// Steps shorten along a half cosine.
fn rate(options: &FitOptions, step: u32) -> f64 {
    let done = f64::from(step - 1) / f64::from(options.steps.max(1));
    options.rate * (0.05 + 0.475 * (1.0 + (std::f64::consts::PI * done).cos()))
}

fn adam(
    weights: &mut Weights,
    moments: &mut [[[f64; 2]; 2]],
    gradient: &Weights,
    step: u32,
    rate: f64,
) {
    let power = step.cast_signed();
    let (bias_1, bias_2) = (1.0 - BETA_1.powi(power), 1.0 - BETA_2.powi(power));
    for ((w, m), g) in weights.iter_mut().zip(moments).zip(gradient) {
        for i in 0..2 {
            m[i][0] = BETA_1 * m[i][0] + (1.0 - BETA_1) * g[i];
            m[i][1] = BETA_2 * m[i][1] + (1.0 - BETA_2) * g[i] * g[i];
            w[i] -= rate * (m[i][0] / bias_1) / ((m[i][1] / bias_2).sqrt() + EPSILON);
        }
    }
}

/// The evaluation for the first side, and what part of its terms it is: less than all where too few attackers
/// are left to win.
fn evaluate(row: &SampleRow, counts: &[(u16, i16)], weights: &Weights) -> (f64, f64) {
    let mut sums = [0.0; 2];
    for &(parameter, count) in counts {
        let weight = &weights[usize::from(parameter)];
        sums[0] += weight[0] * f64::from(count);
        sums[1] += weight[1] * f64::from(count);
    }
    let middle = f64::from(row.middle);
    let value = sums[0] * middle + sums[1] * (1.0 - middle);
    let scale = f64::from(row.scale[usize::from(value <= 0.0)]);
    (value * scale, scale)
}

/// The expected points where the logarithm of the odds is `x`.
pub(crate) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The loss of a forecast: the cross entropy.
fn surprise(forecast: f64, result: f64) -> f64 {
    let forecast = forecast.clamp(1e-9, 1.0 - 1e-9);
    -(result * forecast.ln() + (1.0 - result) * (1.0 - forecast).ln())
}

/// The sums over parts of the positions, in order.
fn in_parts<T: Send>(samples: &Samples, of: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
    let len = samples.len();
    let parts = len.div_ceil(PART);
    let of = |part: usize| of(part * PART..((part + 1) * PART).min(len));
    (0..parts).into_par_iter().map(of).collect()
}

fn loss(samples: &Samples, weights: &Weights, slope: f64) -> f64 {
    if samples.is_empty() {
        return 0.0;
    }
    let parts = in_parts(samples, |rows| {
        let loss = |i: usize| {
            let row = &samples.rows[i];
            let (value, _) = evaluate(row, samples.counts_of(i), weights);
            surprise(logistic(slope * value), f64::from(row.result))
        };
        rows.map(loss).sum::<f64>()
    });
    parts.into_iter().sum::<f64>() / samples.len() as f64
}

/// The derivatives of the mean loss, and the loss.
fn gradient(samples: &Samples, weights: &Weights, slope: f64) -> (Weights, f64) {
    let parts = in_parts(samples, |rows| {
        let mut sums = vec![[0.0; 2]; weights.len()];
        let mut loss = 0.0;
        for i in rows {
            let row = &samples.rows[i];
            let counts = samples.counts_of(i);
            let (value, scale) = evaluate(row, counts, weights);
            let (forecast, result) = (logistic(slope * value), f64::from(row.result));
            loss += surprise(forecast, result);
            let error = slope * scale * (forecast - result);
            let middle = error * f64::from(row.middle);
            let ending = error - middle;
            for &(parameter, count) in counts {
                let sum = &mut sums[usize::from(parameter)];
                sum[0] += middle * f64::from(count);
                sum[1] += ending * f64::from(count);
            }
        }
        (sums, loss)
    });
    let len = samples.len().max(1) as f64;
    let mut total = vec![[0.0; 2]; weights.len()];
    let mut loss = 0.0;
    for (sums, part) in parts {
        loss += part;
        for (sum, more) in total.iter_mut().zip(sums) {
            sum[0] += more[0] / len;
            sum[1] += more[1] / len;
        }
    }
    (total, loss / len)
}

/// The slope of the logistic function that suits the weights best.
fn best_slope(samples: &Samples, weights: &Weights) -> f64 {
    least(|slope| loss(samples, weights, slope))
}

/// The argument at which a function of a slope is least, by golden section.
fn least(of: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let (mut low, mut high) = (0.0002, 0.02);
    for _ in 0..24 {
        let (a, b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if of(a) < of(b) {
            high = b;
        } else {
            low = a;
        }
    }
    f64::midpoint(low, high)
}

/// The factor that gives evaluations by `weights` the size of those by `start` (least squares).
fn size(samples: &Samples, start: &Weights, weights: &Weights) -> f64 {
    let parts = in_parts(samples, |rows| {
        rows.fold((0.0, 0.0), |(both, new), i| {
            let value = |weights| evaluate(&samples.rows[i], samples.counts_of(i), weights).0;
            let (a, b) = (value(start), value(weights));
            (both + a * b, new + b * b)
        })
    });
    let (both, new) = parts.into_iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    if new > 0.0 && both > 0.0 { both / new } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Tunable;
    use juzhong::game::{Game, Heuristics, MoveList, Notation, Side};
    use juzhong::gomoku::Board;
    use juzhong::search::eval::xiangqi::{GROUPS, group_of};
    use juzhong::xiangqi::Position;

    fn current() -> Weights {
        Position::weights()
    }

    /// Positions of a pseudo-random walk whose results follow from material: Red wins with more.
    fn samples() -> Samples {
        let mut samples = Samples::default();
        let mut position = Position::start();
        let mut state = 1_u64;
        for _ in 0..3_000 {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            if moves.is_empty() || position.occupied().len() < 8 {
                position = Position::start();
                continue;
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            position.make(moves[(state >> 33) as usize % moves.len()]);
            let men = |side| position.side(side).len();
            let result = match men(Side::First).cmp(&men(Side::Second)) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 1.0,
            };
            samples.push(&position, result, None);
        }
        samples
    }

    #[test]
    fn samples_hold_the_evaluation() {
        let mut samples = Samples::default();
        let position =
            Position::from_fen("1rb1ka2r/2n1an3/2c1b1c2/6p1p/p8/1CB2C3/P3P1P1P/N5N2/R8/3AKAB1R b")
                .unwrap();
        samples.push(&position, 1.0, None);
        let (value, _) = evaluate(&samples.rows[0], samples.counts_of(0), &current());
        assert!((value + f64::from(position.evaluate())).abs() <= 1.0, "{value}");
    }

    #[test]
    fn samples_hold_the_evaluation_of_gomoku() {
        let mut board = Board::start();
        for text in ["h8", "i9", "i8", "g8", "h7", "h9", "j9"] {
            let mut samples = Samples::default();
            samples.push(&board, 1.0, None);
            let (value, _) = evaluate(&samples.rows[0], samples.counts_of(0), &Board::weights());
            let for_mover = if board.turn() == Side::First { value } else { -value };
            assert!((for_mover - f64::from(board.evaluate())).abs() <= 1.0, "{value}");
            board.make(Board::parse_move(text).unwrap());
        }
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let samples = samples();
        let mut weights = current();
        let (gradient, _) = gradient(&samples, &weights, 0.004);
        let step = 0.01;
        for group in GROUPS.iter().take(8) {
            let parameter = (0..weights.len())
                .filter(|&i| group_of(i).is_some_and(|(g, _)| g.name == group.name))
                .max_by(|&a, &b| gradient[a][0].abs().total_cmp(&gradient[b][0].abs()));
            let parameter = parameter.unwrap();
            let before = weights[parameter][0];
            let mut loss_at = |w: f64| {
                weights[parameter][0] = w;
                loss(&samples, &weights, 0.004)
            };
            let numeric = (loss_at(before + step) - loss_at(before - step)) / (2.0 * step);
            loss_at(before);
            let tolerance = 1e-6 + numeric.abs() * 0.02;
            assert!((numeric - gradient[parameter][0]).abs() < tolerance, "{}", group.name);
        }
    }

    #[test]
    fn goals_are_results_blended_with_what_scores_promise() {
        let mut set = [samples(), Samples::default()];
        for row in &mut set[0].rows {
            row.score = Some(400.0 * (row.result - 0.5));
        }
        let results = |set: &Samples| set.rows.iter().map(|row| row.result).collect::<Vec<_>>();
        let (_, [kept, _]) = goals(&set, &current(), 0.0);
        assert_eq!(results(&kept), results(&set[0]));
        let slope = slope_of_scores(&set[0]).unwrap();
        let (_, [blended, _]) = goals(&set, &current(), 0.5);
        for (goal, row) in results(&blended).into_iter().zip(&set[0].rows) {
            let promised = logistic(slope * f64::from(row.score.unwrap()));
            assert!(
                (f64::from(goal) - f64::midpoint(f64::from(row.result), promised)).abs() < 1e-6
            );
        }
        assert!(slope_of_scores(&set[1]).is_none());
    }

    #[test]
    fn fitting_lowers_the_loss_and_does_not_depend_on_threads() {
        let set = [samples(), samples()];
        let options = FitOptions { steps: 20, ..FitOptions::default() };
        let fit_with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&set, &current(), &options, &mut |_, _| {}))
        };
        let fitted = fit_with(1);
        assert!(fitted.after.fitted < fitted.before.fitted);
        assert!(fitted.after.held_out < fitted.before.held_out);
        assert_eq!(fit_with(3).weights, fitted.weights);
    }
}
