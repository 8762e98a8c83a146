use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::line_args::LineArgs;
use super::super::terminal::Terminal;
use super::super::{CliError, Context, GameName, OrExit, exit};
use super::query::side_names;
use super::{from_build, names};
use crate::cli::language::{counts, fitting, left, right, say, word};
use juzhong::book::find_games;
use juzhong::book::opening::{Code, Opening};
use juzhong::bytes::StopFlag;
use juzhong::bytes::open;
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::game::{Outcome, Side, Symmetric};
use juzhong::gomoku::Board;
use juzhong::message::message;
use juzhong::record::{ChangedError, GameFile, Place, ReadOptions, Record, read_game_file};
use juzhong::xiangqi::Position;

/// The most pairs of disagreeing codes that are printed.
const PAIRS: usize = 20;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Game files and folders of them.
    #[arg(required_unless_present_any = ["fen", "moves"], conflicts_with_all = ["fen", "moves"])]
    games: Vec<PathBuf>,
    #[command(flatten)]
    line: LineArgs,
    /// List every game before the totals (with --json: one object per line).
    #[arg(long)]
    list: bool,
    /// Compare with the codes stated in the games (tag ECCO).
    #[arg(long)]
    compare: bool,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    match context.common.game {
        GameName::Xiangqi => run_game::<Position>(args, context),
        GameName::Gomoku => run_game::<Board>(args, context),
    }
}

fn run_game<G: Terminal + Symmetric>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    if args.games.is_empty() { one::<G>(args, context) } else { many::<G>(args, context) }
}

/// Names a position or a line of moves.
fn one<G: Terminal + Symmetric>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let line = args.line.line::<G>()?.line;
    let position = line.position();
    let found = if args.line.is_from_start() {
        G::name_game(line.start(), &line.moves().collect::<Vec<_>>())
    } else {
        position.opening()
    };
    if context.common.json {
        let mut answer = json!({"schema": "juzhong.book.classify/1"});
        merge(&mut answer, described::<G>(found));
        answer["fen"] = position.to_fen().into();
        writeln!(context.out, "{answer}")?;
    } else {
        match found {
            Some(o) => {
                names::write_both(&o, context.out)?;
                let group = word(o.code.group());
                say!(context.out, "    {}: {group}; ply {}", o.code.letter(), o.ply)?;
            }
            None => say!(context.out, "no name")?,
        }
    }
    Ok(if found.is_some() { exit::OK } else { exit::FAILED })
}

/// The tag in which games state the code of their opening.
const fn stated_tag<G: Terminal>() -> &'static str {
    match G::BLACK {
        Side::First => "Opening",
        Side::Second => "ECCO",
    }
}

/// Code, name, group and ply of an opening, or null for each.
fn described<G: Terminal>(opening: Option<Opening>) -> Value {
    json!({
        G::CODE_MEMBER: opening.map(|o| o.code.to_string()),
        "name": opening.map(|o| o.name),
        "name_en": opening.map(|o| o.english_name()),
        "group": opening.map(|o| o.code.group()),
        "ply": opening.map(|o| o.ply),
    })
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

/// Games of a code.
#[derive(Debug, Clone, Copy, Default)]
struct Results {
    games: u64,
    first: u64,
    draws: u64,
    second: u64,
}

impl Results {
    fn add(&mut self, result: Option<Outcome>) {
        self.games += 1;
        match result {
            Some(Outcome::Win(Side::First)) => self.first += 1,
            Some(Outcome::Draw) => self.draws += 1,
            Some(Outcome::Win(Side::Second)) => self.second += 1,
            None => {}
        }
    }
}

/// The comparison of the codes that the games state with those found.
#[derive(Debug, Default)]
struct Comparison {
    stated: u64,
    letters: u64,
    codes: u64,
    /// Stated and found, where they differ.
    others: HashMap<(Code, Option<Code>), u64>,
}

impl Comparison {
    fn add(&mut self, stated: Code, found: Option<Code>) {
        self.stated += 1;
        self.letters += u64::from(found.is_some_and(|code| code.letter() == stated.letter()));
        if found == Some(stated) {
            self.codes += 1;
        } else {
            *self.others.entry((stated, found)).or_default() += 1;
        }
    }

    /// The most frequent first.
    fn others(&self) -> Vec<((Code, Option<Code>), u64)> {
        let mut list: Vec<_> = self.others.iter().map(|(&pair, &count)| (pair, count)).collect();
        list.sort_by_key(|&(pair, count)| (std::cmp::Reverse(count), pair));
        list
    }

    fn share(part: u64, whole: u64) -> Option<f64> {
        (whole > 0).then(|| (part as f64 / whole as f64 * 1e4).round() / 1e4)
    }
}

/// The sums over all files.
#[derive(Debug, Default)]
struct Sums {
    codes: BTreeMap<Code, Results>,
    games: u64,
    unnamed: u64,
    other_starts: u64,
    bad: u64,
    comparison: Comparison,
}

fn many<G: Terminal + Symmetric>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let inputs = find_games::<G>(&args.games).map_err(from_build)?;
    let mut sums = Sums::default();
    for file in &inputs.files {
        read::<G>(file, args, &mut sums, context)?;
    }
    if sums.games == 0 {
        let message =
            message!("no games in {} ({} bad)", counts::files(inputs.files.len()), sums.bad);
        return Err(CliError::message(exit::BAD_DATA, message));
    }
    if context.common.json {
        writeln!(context.out, "{}", answer::<G>(args, &sums))?;
    } else {
        print::<G>(args, &sums, context.out)?;
    }
    Ok(exit::OK)
}

fn read<G: Terminal + Symmetric>(
    file: &Path,
    args: &Args,
    sums: &mut Sums,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let source = file.shown().to_string();
    let folder = std::env::temp_dir();
    let opened = match GameFile::open::<G>(file, &folder) {
        Err(error) if open::is_refused(&error) => {
            tracing::info!("{source:?}: {error}");
            sums.bad += 1;
            return Ok(());
        }
        Err(error) if ChangedError::is_in(&error) => {
            return Err(CliError::new(exit::IO, error).within(&source));
        }
        opened => opened.or_exit_with(exit::NO_INPUT, || source.clone())?,
    };
    let mut listed = Ok(());
    let never = StopFlag::default();
    let read = read_game_file::<G>(
        &source,
        &opened,
        &folder,
        &never,
        ReadOptions::default(),
        &mut |source, game| {
            match game {
                Ok(game) => {
                    let found = sums.add(&game.record);
                    if args.list {
                        listed = list((source, game.place), &game.record, found, context);
                    }
                }
                Err(error) => {
                    tracing::info!("{error}");
                    sums.bad += 1;
                }
            }
            if listed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    );
    read.or_exit_with(exit::IO, || source.clone())?;
    listed
}

/// Writes one game.
fn list<G: Terminal>(
    (file, place): (&str, Place),
    record: &Record<G>,
    found: Option<Opening>,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let stated = record.tag(stated_tag::<G>());
    if context.common.json {
        let mut entry = json!({"file": file, "place": place.to_string(), "stated": stated});
        merge(&mut entry, described::<G>(found));
        writeln!(context.out, "{entry}")?;
    } else {
        let (code, name) = found.map_or_else(
            || ("-".to_owned(), "-"),
            |o| (o.code.to_string(), names::in_language(o.code, o.name)),
        );
        writeln!(context.out, "{}\t{code}\t{name}", Visible(place.within(file)))?;
    }
    Ok(())
}

impl Sums {
    fn add<G: Terminal + Symmetric>(&mut self, record: &Record<G>) -> Option<Opening> {
        self.games += 1;
        let start = record.start.clone().unwrap_or_else(G::start);
        if record.start.is_some() && !G::starts().iter().any(|s| s.key() == start.key()) {
            self.other_starts += 1;
            return None;
        }
        let found = G::name_game(&start, &record.tree.moves);
        match found {
            Some(opening) => self.codes.entry(opening.code).or_default().add(record.result),
            None => self.unnamed += 1,
        }
        if let Some(stated) = record.tag(stated_tag::<G>()).and_then(Code::parse) {
            self.comparison.add(stated, found.map(|o| o.code));
        }
        found
    }
}

fn answer<G: Terminal>(args: &Args, sums: &Sums) -> Value {
    let [first, second] = side_names::<G>();
    let codes: Vec<Value> = sums
        .codes
        .iter()
        .map(|(&code, r)| {
            json!({
                G::CODE_MEMBER: code.to_string(),
                "name": G::name_of(code),
                "name_en": code.english_name(),
                "games": r.games,
                first: r.first,
                "draws": r.draws,
                second: r.second,
            })
        })
        .collect();
    let mut answer = json!({
        "schema": "juzhong.book.classify/1",
        "games": sums.games,
        "bad": sums.bad,
        "other_starts": sums.other_starts,
        "unnamed": sums.unnamed,
        "codes": codes,
    });
    if args.compare {
        let c = &sums.comparison;
        let others: Vec<Value> = c
            .others()
            .into_iter()
            .map(|((stated, found), games)| {
                let found = found.map(|code| code.to_string());
                json!({"stated": stated.to_string(), "found": found, "games": games})
            })
            .collect();
        answer["compare"] = json!({
            "stated": c.stated,
            "same_letter": c.letters,
            "same_code": c.codes,
            "letter_share": Comparison::share(c.letters, c.stated),
            "code_share": Comparison::share(c.codes, c.stated),
            "others": others,
        });
    }
    answer
}

fn print<G: Terminal>(args: &Args, sums: &Sums, out: &mut dyn Write) -> Result<(), CliError> {
    let [first, second] = side_names::<G>();
    let [games, first, draws, second] =
        [word("games"), word(first), word("draws"), word(second)].map(|head| right(head, 8));
    writeln!(out, "{} {games} {first} {draws} {second}  {}", left(word("code"), 4), word("name"))?;
    for (&code, r) in &sums.codes {
        writeln!(
            out,
            "{code:<4} {:>8} {:>8} {:>8} {:>8}  {}",
            r.games,
            r.first,
            r.draws,
            r.second,
            fitting(names::in_language(code, G::name_of(code).unwrap_or_default()), 38)
        )?;
    }
    say!(
        out,
        "{}; {} from other starts, {} of no named opening; {} bad ones left out",
        counts::games(sums.games),
        sums.other_starts,
        sums.unnamed,
        sums.bad
    )?;
    if args.compare { print_comparison(&sums.comparison, out) } else { Ok(()) }
}

fn print_comparison(c: &Comparison, out: &mut dyn Write) -> Result<(), CliError> {
    let percent = |part: u64| 100.0 * part as f64 / c.stated.max(1) as f64;
    say!(
        out,
        "{} with a code: {:.2}% have the same letter, {:.2}% the same code",
        counts::games(c.stated),
        percent(c.letters),
        percent(c.codes)
    )?;
    for ((stated, found), games) in c.others().into_iter().take(PAIRS) {
        let found = found.map_or_else(|| "-".to_owned(), |code| code.to_string());
        say!(out, "stated {stated}, found {found:<3} {games:>6}")?;
    }
    Ok(())
}
