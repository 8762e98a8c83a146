use std::io;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Folder, distance_of, full_message, table_code, table_error};
use crate::cli::fens::Fens;
use crate::cli::{CliError, Context, OrExit, exit};
use juzhong::tablebase::{Entry, Material, ProbeError, Tables, Wdl};
use juzhong::xiangqi::{Move, Position};

/// Looks up positions.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    which: Which,
}

/// One position or many.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Which {
    /// The position, in FEN.
    #[arg(long)]
    fen: Option<String>,
    /// A file of positions, one a line (- for standard input); one JSON object a line answers.
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
}

/// The value of a position and of its moves, best first.
struct Answer {
    position: Position,
    entry: Entry,
    moves: Vec<(Move, Entry)>,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let tables = args.folder.open()?;
    if let Some(path) = &args.which.fens {
        return batch(&tables, &mut Fens::open(path)?, context);
    }
    let fen = args.which.fen.as_deref().unwrap_or_default();
    let position = Position::from_fen(fen).or_exit(exit::BAD_DATA)?;
    let answer = Answer::find(&tables, position).map_err(table_error)?;
    if context.common.json {
        writeln!(context.out, "{}", answer.to_json(&tables))?;
    } else {
        answer.print(&tables, context)?;
    }
    Ok(exit::OK)
}

impl Answer {
    fn find(tables: &Tables, position: Position) -> Result<Self, ProbeError> {
        let entry = tables.probe(&position)?;
        let moves = tables.probe_root(&position)?;
        Ok(Self { position, entry, moves })
    }

    fn to_json(&self, tables: &Tables) -> Value {
        let moves: Vec<_> = self
            .moves
            .iter()
            .map(|&(mv, entry)| {
                json!({
                    "move": mv.to_string(),
                    "wdl": entry.wdl.name(),
                    "order": entry.order,
                    "distance": distance_of(entry),
                })
            })
            .collect();
        json!({
            "schema": "juzhong.tablebase.probe/1",
            "fen": self.position.to_fen(),
            "material": Material::of(&self.position).0.to_string(),
            "rules": tables.rules().name(),
            "metric": tables.metric().name(),
            "wdl": self.entry.wdl.name(),
            "order": self.entry.order,
            "distance": distance_of(self.entry),
            "moves": moves,
        })
    }

    fn print(&self, tables: &Tables, context: &mut Context<'_>) -> io::Result<()> {
        let (material, _) = Material::of(&self.position);
        let (rules, metric) = (tables.rules(), tables.metric());
        let out = &mut context.out;
        writeln!(out, "{material}, rules {rules}, metric {metric}: {}", describe(self.entry))?;
        for &(mv, entry) in &self.moves {
            writeln!(out, "{mv}  {}", describe(entry))?;
        }
        Ok(())
    }
}

pub(super) fn describe(entry: Entry) -> String {
    match (entry.wdl, entry.order) {
        (Wdl::Draw, _) => "draw".to_owned(),
        (wdl, 0) => format!("{} in {}", wdl.name(), plies(entry.distance)),
        (wdl, order) => format!(
            "{} by the repetition rule (order {order}), the loop within {}",
            wdl.name(),
            plies(entry.distance)
        ),
    }
}

pub(super) fn plies(count: u16) -> String {
    if count == 1 { "1 ply".to_owned() } else { format!("{count} plies") }
}

fn batch(tables: &Tables, fens: &mut Fens, context: &mut Context<'_>) -> Result<u8, CliError> {
    let mut code = exit::OK;
    while let Some(line) = fens.next_line()? {
        let answer = answer_line(tables, &line).unwrap_or_else(|(error_code, message)| {
            code = exit::BAD_DATA;
            json!({"fen": line, "error": {"code": error_code, "message": message}})
        });
        writeln!(context.out, "{answer}")?;
    }
    Ok(code)
}

fn answer_line(tables: &Tables, line: &str) -> Result<Value, (u8, String)> {
    let position = Position::from_fen(line).map_err(|e| (exit::BAD_DATA, e.to_string()))?;
    let answer = Answer::find(tables, position).map_err(|e| (table_code(&e), full_message(e)))?;
    Ok(answer.to_json(tables))
}
