//! The classical evaluation of labelled positions, in files beside theirs: what a network that corrects it is trained on.

use std::path::{Path, PathBuf};

use juzhong::bytes::atomic;
use juzhong::game::Heuristics;
use rayon::prelude::*;

use crate::labelled::Piece;

/// The options.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files of positions, as `cargo xtask positions` writes them.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    args.files.par_iter().try_for_each(|file| write(file))
}

/// Writes a file of the same name that ends in `.classical`: a number of 16 bits for each position, in centipawns for the
/// side to move.
fn write(file: &Path) -> anyhow::Result<()> {
    let samples = Piece::read(file)?.samples;
    let mut bytes = Vec::with_capacity(2 * samples.len());
    for sample in &samples {
        // The evaluation is bounded within 16 bits.
        bytes.extend_from_slice(&(sample.position().evaluate() as i16).to_le_bytes());
    }
    Ok(atomic::write(&file.with_extension("classical"), &bytes)?)
}
