//! The materials that a command works on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::args::fens::Fens;
use crate::cli::{CliError, OrExit, exit};
use juzhong::message::message;
use juzhong::tablebase::{Family, Material, Pattern};

/// Sets named on the command line, by their size, by a family, or in a file; at least one of these.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Sets {
    /// Material, as in KRvKN: kings K, rooks R, horses N, cannons C, pawns P, advisors A, elephants B. A * at the end
    /// of a side stands for any number of advisors and elephants; quote it. Alternatively use --men, --family or
    /// --list.
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Pattern>,
    /// All sets of up to N men, kings included.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=6),
        help_heading = "Material")]
    men: Option<u8>,
    /// All sets of a family: practical (one or two attackers against every combination of advisors and elephants, and
    /// the other endings of the manuals).
    #[arg(long, value_name = "NAME", help_heading = "Material")]
    family: Option<Family>,
    /// Sets (or patterns with *) from a file, one per line, with # for comments (- for standard input).
    #[arg(long, value_name = "FILE", help_heading = "Material")]
    list: Option<PathBuf>,
}

impl Sets {
    /// The materials requested, each once, in the order in which they were named first.
    pub(crate) fn materials(&self) -> Result<Vec<Material>, CliError> {
        let mut all = named(&self.materials);
        all.extend(self.men.into_iter().flat_map(|men| Material::all_up_to(men.into())));
        all.extend(self.family.into_iter().flat_map(Family::materials));
        if let Some(path) = &self.list {
            all.extend(read_list(path)?);
        }
        Ok(distinct(all))
    }
}

/// The materials that patterns stand for, each once, in the order in which they were named first.
pub(crate) fn named(patterns: &[Pattern]) -> Vec<Material> {
    distinct(patterns.iter().flat_map(Pattern::materials).copied())
}

fn distinct(materials: impl IntoIterator<Item = Material>) -> Vec<Material> {
    let mut seen = BTreeSet::new();
    materials.into_iter().filter(|&material| seen.insert(material)).collect()
}

/// The materials that a file names.
fn read_list(path: &Path) -> Result<BTreeSet<Material>, CliError> {
    let mut lines = Fens::open(path)?;
    let mut materials = BTreeSet::new();
    while let Some(line) = lines.next_line()? {
        let text = line.split('#').next().unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        let pattern = text.parse::<Pattern>();
        let pattern = pattern.or_exit_with(exit::BAD_DATA, || {
            message!("{}, line {}", lines.name(), lines.number())
        })?;
        materials.extend(pattern.materials());
    }
    if materials.is_empty() {
        return Err(CliError::message(
            exit::BAD_DATA,
            message!("{} names no material; write one a line, as in KRvKN", lines.name()),
        ));
    }
    Ok(materials)
}
