//! The losses of the evaluations on labelled positions, and their speed.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::ensure;
use juzhong::game::Evaluator;
use juzhong::search::eval::xiangqi::Evaluation;
use juzhong::xiangqi::Position;

use crate::labelled::{Piece, Sample};
use crate::tuning::logistic;

/// The options of the comparison of losses.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// File of the network.
    network: PathBuf,
    /// Files of positions, as `cargo xtask positions` writes them, that the network was not trained on.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Weight of the scores against the results, from 0 to 1.
    #[arg(long, value_name = "PART", default_value_t = 0.7)]
    blend: f64,
    /// Centipawns of a score from an even chance to 73 %.
    #[arg(long, value_name = "CP", default_value_t = 250.0)]
    scale: f64,
}

/// The centipawns from an even chance to 73 % that are tried for each evaluation.
const SCALES: std::ops::RangeInclusive<u32> = 8..=80;
/// The step between them.
const SCALE_STEP: f64 = 10.0;

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let mut samples = Vec::new();
    for file in &args.files {
        samples.extend(Piece::read(file)?.samples);
    }
    ensure!(!samples.is_empty(), "no positions");
    let wanted: Vec<f64> = samples.iter().map(|sample| args.wanted(sample)).collect();
    let positions: Vec<Position> = samples.iter().map(Sample::position).collect();
    println!("positions  {}", positions.len());
    let network = super::evaluation(Some(&args.network))?;
    for (name, evaluation) in [("classical", Evaluation::Classical), ("network", network)] {
        let (values, nanoseconds) = evaluated(evaluation, &positions);
        let (scale, best) = fitted(&values, &wanted);
        let own = loss(&values, &wanted, args.scale);
        println!(
            "{name:<10} loss {own:.6}, {best:.6} with its best scale of {scale} centipawns; {nanoseconds:.0} ns each"
        );
    }
    Ok(())
}

impl Args {
    /// The expected points of the side to move by score and result.
    fn wanted(&self, sample: &Sample) -> f64 {
        let score = chance(f64::from(sample.score()), self.scale);
        let blend = if sample.is_exact() { 0.0 } else { self.blend };
        blend * score + (1.0 - blend) * f64::from(sample.result()) / 2.0
    }
}

fn chance(score: f64, scale: f64) -> f64 {
    logistic(score / scale)
}

/// The evaluations of positions, and the time that each took.
fn evaluated(mut evaluation: Evaluation, positions: &[Position]) -> (Vec<f64>, f64) {
    let begun = Instant::now();
    let value = |position: &Position| f64::from(evaluation.evaluate(position, 1));
    let values = positions.iter().map(value).collect();
    (values, begun.elapsed().as_secs_f64() * 1e9 / positions.len() as f64)
}

/// The mean squared error of the expected points.
fn loss(values: &[f64], wanted: &[f64], scale: f64) -> f64 {
    let errors = values.iter().zip(wanted).map(|(&value, wanted)| chance(value, scale) - wanted);
    errors.map(|error| error * error).sum::<f64>() / values.len() as f64
}

/// The scale with the least loss, and the loss.
fn fitted(values: &[f64], wanted: &[f64]) -> (f64, f64) {
    SCALES
        .map(|step| SCALE_STEP * f64::from(step))
        .map(|scale| (scale, loss(values, wanted, scale)))
        .min_by(|one, other| one.1.total_cmp(&other.1))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_scale_is_found() {
        let values = [-400.0, -100.0, 0.0, 50.0, 700.0];
        let wanted = values.map(|value| chance(value, 330.0));
        let (scale, best) = fitted(&values, &wanted);
        assert_eq!(scale, 330.0);
        assert!(best < 1e-12 && loss(&values, &wanted, 250.0) > 1e-4);
    }
}
