use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Asked, Folder, report_one, table_error};
use crate::cli::language::{Language, counts as noun, say, word};
use crate::cli::{CliError, Context, exit};
use juzhong::game::Side;
use juzhong::tablebase::{
    Entry, HistogramRow, ManualVerdict, Material, Metric, SideStats, Stats, Tables, chinese_name,
};
use juzhong::xiangqi::repetition::MOVE_LIMIT;

/// Shows the counts of a table.
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArgs {
    /// Material, as in KRvKN; the side named first is reported as Red.
    material: Asked,
    #[command(flatten)]
    folder: Folder,
    /// Also show the number of positions for each order and distance (always included with --json).
    #[arg(long)]
    histogram: bool,
}

/// Lists the tables of a folder.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Folder of the tables.
    #[arg(long = "tables", visible_alias = "dir", value_name = "FOLDER")]
    dir: PathBuf,
}

/// The object of `tablebase stats --json`; `swapped` if the stronger side was named second.
pub(crate) fn answer(stats: Stats, swapped: bool) -> Value {
    let name = stats.material.name(if swapped { Side::Second } else { Side::First });
    let manual = verdict(&stats)
        .map(|(verdict, agrees)| json!({"verdict": verdict.name(), "agrees": agrees}));
    let chinese = chinese_name(stats.material, if swapped { Side::Second } else { Side::First });
    let mut answer = stats_json(&name, &if swapped { stats.swapped() } else { stats });
    answer["manual"] = manual.into();
    answer["chinese_name"] = chinese.into();
    answer
}

/// The verdict of manuals on the set, and whether the table agrees.
fn verdict(stats: &Stats) -> Option<(ManualVerdict, bool)> {
    let verdict = ManualVerdict::on(stats.material)?;
    Some((verdict, verdict.agrees_with(&stats.sides.first.counts)))
}

pub(crate) fn stats(args: &StatsArgs, context: &mut Context<'_>) -> Result<u8, CliError> {
    let Asked { material, swapped } = args.material;
    let stats = args.folder.open()?.stats(material).map_err(table_error)?;
    if context.common.json {
        writeln!(context.out, "{}", answer(stats, swapped))?;
        return Ok(exit::OK);
    }
    let verdict = verdict(&stats);
    let stats = if swapped { stats.swapped() } else { stats };
    let name = title(material, if swapped { Side::Second } else { Side::First });
    say!(context.out, "{name}, rules {}, metric {}", stats.rules, stats.metric)?;
    for (label, side) in [("red", &stats.sides.first), ("black", &stats.sides.second)] {
        let counts = side.counts;
        say!(
            context.out,
            "{label} to move: {} won ({} by rule), {} drawn, {} lost ({} by rule)",
            counts.win,
            counts.by_rule_win,
            counts.draw,
            counts.loss,
            counts.by_rule_loss
        )?;
        if let Some(position) = &side.longest {
            let fen = position.to_fen();
            say!(context.out, "  longest win: {}, {fen}", noun::plies(counts.longest_win))?;
        }
        if let Some((won, lost)) = beyond_limit(side, stats.metric) {
            say!(
                context.out,
                "  beyond the limit of {MOVE_LIMIT} plies without a capture: {won} won, {lost} lost"
            )?;
        }
        for &HistogramRow { entry, count } in side.histogram.iter().filter(|_| args.histogram) {
            let Entry { wdl, order, distance } = entry;
            let wdl = wdl.name();
            say!(context.out, "  {wdl} order {order} distance {distance}: {count}")?;
        }
    }
    if let Some((verdict, agrees)) = verdict {
        let verdict = word(match verdict {
            ManualVerdict::Win => "a win against the best defence",
            ManualVerdict::Draw => "a draw: a good defence holds",
            ManualVerdict::Placement => "the places of the men decide",
        });
        if agrees {
            say!(context.out, "manuals say: {verdict}; the table agrees")?;
        } else {
            say!(context.out, "manuals say: {verdict}; the table does not agree")?;
        }
    }
    say!(
        context.out,
        "{} slots for each side, {}: {} for results, {} for distances",
        stats.slots,
        noun::bytes(stats.bytes),
        stats.wdl_bytes,
        stats.distance_bytes
    )?;
    say!(context.out, "content {}", hex(&stats))?;
    Ok(exit::OK)
}

/// The name of a set, in Chinese with that of manuals.
fn title(material: Material, first: Side) -> String {
    let name = material.name(first);
    match Language::current() {
        Language::En => name,
        Language::Zh => format!("{name} {}", chinese_name(material, first)),
    }
}

/// The object of `tablebase stats --json`.
fn stats_json(name: &str, stats: &Stats) -> Value {
    json!({
        "schema": "juzhong.tablebase.stats/1",
        "material": name,
        "rules": stats.rules.name(),
        "metric": stats.metric.to_string(),
        "red": side_json(&stats.sides.first, stats.metric),
        "black": side_json(&stats.sides.second, stats.metric),
        "slots": stats.slots,
        "bytes": stats.bytes,
        "wdl_bytes": stats.wdl_bytes,
        "distance_bytes": stats.distance_bytes,
        "content": hex(stats),
    })
}

fn hex(stats: &Stats) -> String {
    stats.content.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The positions won and lost whose next capture or mate comes after the limit of plies that ends
/// games at the board; `None` where distances do not tell, or the table has a limit of its own.
fn beyond_limit(side: &SideStats, metric: Metric) -> Option<(u64, u64)> {
    (metric == Metric::Dtc).then(|| side.beyond(MOVE_LIMIT as u16))
}

fn side_json(side: &SideStats, metric: Metric) -> Value {
    let mut answer = json!({
        "win": side.counts.win,
        "draw": side.counts.draw,
        "loss": side.counts.loss,
        "by_rule_win": side.counts.by_rule_win,
        "by_rule_loss": side.counts.by_rule_loss,
        "longest_win": side.counts.longest_win,
        "longest_fen": side.longest.as_ref().map(juzhong::xiangqi::Position::to_fen),
        "histogram": side.histogram.iter().map(row_json).collect::<Vec<_>>(),
    });
    if let Some((win, loss)) = beyond_limit(side, metric) {
        answer["beyond_limit"] = json!({"plies": MOVE_LIMIT, "win": win, "loss": loss});
    }
    answer
}

fn row_json(&HistogramRow { entry, count }: &HistogramRow) -> Value {
    let Entry { wdl, order, distance } = entry;
    json!({"wdl": wdl.name(), "order": order, "distance": distance, "count": count})
}

pub(crate) fn list(args: &ListArgs, context: &mut Context<'_>) -> Result<u8, CliError> {
    let mut all = Vec::new();
    let mut errors = Vec::new();
    let mut worst = exit::OK;
    for (rules, metric) in Tables::kinds_in(&args.dir).map_err(table_error)? {
        let tables = Tables::open(&args.dir, rules, metric).map_err(table_error)?;
        for &material in tables.materials() {
            match tables.stats(material) {
                Ok(stats) => all.push(stats),
                Err(error) => {
                    let (code, error) = report_one(error);
                    worst = worst.max(code);
                    errors.push(json!({
                        "material": material.to_string(),
                        "rules": rules.name(),
                        "metric": metric.to_string(),
                        "error": error,
                    }));
                }
            }
        }
    }
    if context.common.json {
        let mut tables: Vec<_> = all.iter().map(list_json).collect();
        tables.append(&mut errors);
        let answer = json!({"schema": "juzhong.tablebase.list/1", "tables": tables});
        writeln!(context.out, "{answer}")?;
        return Ok(worst);
    }
    for stats in all {
        let Stats { material, rules, metric, bytes, slots, .. } = stats;
        say!(context.out, "{material} {rules} {metric} {slots} slots {bytes} bytes")?;
    }
    Ok(worst)
}

pub(crate) fn list_json(stats: &Stats) -> Value {
    json!({
        "material": stats.material.to_string(),
        "rules": stats.rules.name(),
        "metric": stats.metric.to_string(),
        "slots": stats.slots,
        "bytes": stats.bytes,
        "wdl_bytes": stats.wdl_bytes,
        "distance_bytes": stats.distance_bytes,
        "content": hex(stats),
    })
}
