//! Endgame tables: files that the worker hands in as positions need them.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use juzhong::answers::tablebase::{
    BestPlay, NamedSet, Probe, StatsAnswer, open_tables, random_position,
};
use juzhong::answers::{AnswerError, ErrorKind};
use juzhong::bytes::shelf;
use juzhong::message::{ToMessage, message};
use juzhong::tablebase::{Material, Metric, Tables, Wdl};
use serde_json::json;

use crate::answer::{Answer, xiangqi_line};
use crate::problem::Problem;
use crate::request::Request;

/// The folder on the shelf.
pub(crate) const FOLDER: &str = "tables";
/// Plies of a best line, at most.
const LONGEST_LINE: usize = 1_000;
/// Captures to the largest tables, at most, for a position to need any.
const FARTHEST: usize = 1;
/// Sets that are named for a position, at most.
const MOST_NEEDED: usize = 200;
/// The longest name of a set for which the command that builds it is named.
const BUILDABLE: usize = 8;

/// The tables as they are on the shelf, until that changes.
static OPEN: Mutex<Option<Arc<Tables>>> = Mutex::new(None);

fn opened() -> Result<Arc<Tables>, Problem> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(tables) = &*open {
        return Ok(Arc::clone(tables));
    }
    let tables = Arc::new(open_tables(Path::new(FOLDER), None, Metric::Dtm)?);
    *open = Some(Arc::clone(&tables));
    Ok(tables)
}

fn changed() {
    *OPEN.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Returns true if there are tables to play with.
pub(crate) fn are_there() -> bool {
    shelf::is_folder(Path::new(FOLDER))
}

/// The place on the shelf of the file that a request names.
fn place_of(request: &Request<'_>) -> Result<PathBuf, Problem> {
    let name = request.text("name").unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if name.is_empty() || name.len() > 100 || !name.bytes().all(is_plain) {
        return Err(Problem::bad_request("name: no file of a table has this name"));
    }
    Ok(Path::new(FOLDER).join(name))
}

/// Takes the file of a table.
pub(crate) fn put(request: &Request<'_>) -> Result<Answer, Problem> {
    shelf::put(&place_of(request)?, request.body.to_vec());
    changed();
    Ok(Answer::json(&json!({"bytes": request.body.len()})))
}

/// Forgets the file of a table.
pub(crate) fn remove(request: &Request<'_>) -> Result<Answer, Problem> {
    let was_there = shelf::remove(&place_of(request)?);
    changed();
    Ok(Answer::json(&json!({"removed": was_there})))
}

/// The sets that a position and what it can become need, of at most `men` pieces: its own first, then by captures. None of
/// a position that is farther from those than [`FARTHEST`].
pub(crate) fn needed(request: &Request<'_>) -> Result<Answer, Problem> {
    let men = request.number("men", (2, 32))?.unwrap_or(32);
    let own = match request.text("set") {
        Some(set) => named_set(set)?.material,
        None => Material::of(xiangqi_line(request)?.position()).0,
    };
    if own.men() > men + FARTHEST {
        return Ok(Answer::json(&json!({"sets": []})));
    }
    let mut seen = BTreeSet::from([own]);
    let mut next = VecDeque::from([own]);
    let mut sets = Vec::new();
    while let Some(material) = next.pop_front()
        && sets.len() < MOST_NEEDED
        && seen.len() < 20 * MOST_NEEDED
    {
        if material.men() <= men {
            sets.push(material.to_string());
        }
        next.extend(material.captures().into_iter().filter(|&left| seen.insert(left)));
    }
    Ok(Answer::json(&json!({"sets": sets})))
}

/// The value of a position and of its moves.
pub(crate) fn probe(request: &Request<'_>) -> Result<Answer, Problem> {
    let line = xiangqi_line(request)?;
    let notation = request.asked_notation()?;
    let set = Material::of(line.position()).0;
    let probe = Probe::of(&*opened()?, &line).map_err(|error| problem(error, set))?;
    Ok(Answer::json(&probe.answer(notation)))
}

/// Best play from a position to its end.
pub(crate) fn line(request: &Request<'_>) -> Result<Answer, Problem> {
    let line = xiangqi_line(request)?;
    let notation = request.shown_notation()?;
    let set = Material::of(line.position()).0;
    let play = BestPlay::of(&*opened()?, &line, LONGEST_LINE, notation);
    Ok(Answer::json(&play.map_err(|error| problem(error, set))?.moves()))
}

/// The statistics of one set.
pub(crate) fn stats(set: &str) -> Result<Answer, Problem> {
    let set = named_set(set)?;
    let stats = StatsAnswer::of(&*opened()?, set);
    Ok(Answer::json(&stats.map_err(|error| problem(error, set.material))?))
}

/// A position of a set by chance.
pub(crate) fn random(request: &Request<'_>) -> Result<Answer, Problem> {
    let set = named_set(request.text("set").unwrap_or_default())?;
    let wanted = request.text("wdl").map(result_named).transpose()?;
    let mut draw = |below: u32| {
        let number = u64::from(getrandom::u32().unwrap_or(0));
        (number * u64::from(below) >> 32) as u32
    };
    let found = random_position(&*opened()?, set, wanted, &mut draw);
    let found = found.map_err(|error| problem(error, set.material))?;
    let none = || Problem::not_found("no_such_position", "no such position was found");
    Ok(Answer::json(&found.ok_or_else(none)?))
}

fn named_set(text: &str) -> Result<NamedSet, Problem> {
    text.parse::<NamedSet>().map_err(|error| Problem::bad_request(error.message()))
}

fn result_named(name: &str) -> Result<Wdl, Problem> {
    let results = [Wdl::Win, Wdl::Draw, Wdl::Loss];
    let named = results.into_iter().find(|wdl| wdl.name() == name);
    named.ok_or_else(|| Problem::bad_request("wdl is win, draw or loss"))
}

/// The problem of tables that lack a set, with the command that builds it, or that are damaged.
fn problem(error: AnswerError, set: Material) -> Problem {
    if error.kind() != ErrorKind::NotFound {
        return error.into();
    }
    let problem = Problem::not_found("not_in_tables", message!("the tables do not have {set}"));
    match set.to_string().len() {
        0..=BUILDABLE => problem
            .with_hint(message!("build it with `juzhong tablebase generate {set} --tables DIR`")),
        _ => problem,
    }
}
