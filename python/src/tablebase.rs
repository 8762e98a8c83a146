//! Endgame tables.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use juzhong::tablebase::{
    Entry, GenerateError, GenerateOptions, Material, Metric, NoProgress, Rules, TableError, Tables,
    generate_all,
};
use juzhong::xiangqi::{FenError, Position};
use pyo3::BoundObject;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::board::Board;
use crate::convert::{Paths, named, number_of, seed_from, wdl_of};
use crate::errors::{
    ClosedError, MissingTableError, build_error, fen_error, table_error, value_error,
};
use crate::interrupt::interruptible;
use crate::moves::PyMove;
use crate::values::{BestLine, TableStats, TableValue};

/// Positions that are looked up between two looks for signals.
const PROBES_AT_ONCE: usize = 4096;

/// The endgame tables of one folder or several with one set of rules and one metric. Tables are opened when they are first
/// needed; decoded blocks are kept in at most 128 MiB of memory.
///
/// All threads may share an object. After `close`, every call raises ClosedError; a call that another thread is in the
/// middle of ends with its answer, or with ClosedError if it looks up many positions.
#[pyclass(module = "juzhong.tablebase", frozen)]
#[derive(Debug)]
pub(crate) struct Tablebase {
    rules: Rules,
    metric: Metric,
    open: RwLock<Option<Folders>>,
}

/// The folders in use, and their tables.
#[derive(Debug)]
struct Folders {
    paths: Vec<PathBuf>,
    tables: Arc<Tables>,
}

/// One of many positions to look up, without a tie to the interpreter.
enum Asked {
    /// The FEN that was given.
    Fen(PyBackedStr),
    /// The position of the board that was given.
    Position(Box<Position>),
}

impl FromPyObject<'_, '_> for Asked {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(board) = given.cast::<Board>() {
            return Ok(Self::Position(Box::new(board.try_borrow()?.position().clone())));
        }
        if !given.is_instance_of::<PyString>() {
            let message = "a position to look up is neither a FEN (str) nor a Board";
            return Err(PyTypeError::new_err(message));
        }
        given.extract().map(Self::Fen)
    }
}

/// The reason why one of many positions has no answer.
enum Fault {
    Fen(FenError),
    Table(TableError),
}

/// The rules to use where none are named: of those that have tables, the first of asian, check, none.
fn rules_present(paths: &[PathBuf], metric: Metric) -> Result<Rules, TableError> {
    let mut kinds = Vec::new();
    for path in paths {
        kinds.extend(Tables::kinds_in(path)?);
    }
    let preferred = [Rules::Asian, Rules::Check, Rules::None];
    Ok(preferred
        .into_iter()
        .find(|&rules| kinds.contains(&(rules, metric)))
        .unwrap_or(Rules::Asian))
}

impl Tablebase {
    fn tables(&self) -> PyResult<Arc<Tables>> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.as_ref().map(|folders| Arc::clone(&folders.tables)).ok_or_else(closed)
    }

    fn value(&self, board: &Board) -> PyResult<Entry> {
        self.tables()?.probe(board.position()).map_err(|error| table_error(&error))
    }

    /// Looks up many positions, some thousand at a time, and hands over the answer to each. That of one whose table is
    /// missing is None if `missing_is_none`, else an exception.
    fn each<T: Send>(
        &self,
        positions: &Bound<'_, PyAny>,
        missing_is_none: bool,
        look_up: impl Fn(&Tables, &Position) -> Result<T, TableError> + Sync,
        mut take: impl FnMut(Option<T>) -> PyResult<()>,
    ) -> PyResult<()> {
        let py = positions.py();
        let look_up = &look_up;
        let mut rest = positions.try_iter()?;
        let mut done = 0;
        loop {
            py.check_signals()?;
            let tables = self.tables()?;
            let some: Vec<Asked> = rest
                .by_ref()
                .take(PROBES_AT_ONCE)
                .map(|item| item?.extract())
                .collect::<PyResult<_>>()?;
            if some.is_empty() {
                return Ok(());
            }
            let answers: Vec<Result<T, Fault>> = py.detach(|| {
                some.iter()
                    .map(|asked| match asked {
                        Asked::Fen(fen) => {
                            let position = Position::from_fen(fen).map_err(Fault::Fen)?;
                            look_up(&tables, &position).map_err(Fault::Table)
                        }
                        Asked::Position(position) => {
                            look_up(&tables, position).map_err(Fault::Table)
                        }
                    })
                    .collect()
            });
            for answer in answers {
                match answer {
                    Ok(answer) => take(Some(answer))?,
                    Err(Fault::Table(TableError::Missing { .. })) if missing_is_none => take(None)?,
                    Err(Fault::Table(error)) => return Err(table_error(&error)),
                    Err(Fault::Fen(error)) => {
                        return Err(fen_error(&error, &format!("positions[{done}]: ")));
                    }
                }
                done += 1;
            }
        }
    }
}

fn closed() -> PyErr {
    ClosedError::new_err("the tablebase is closed")
}

/// The answer, or `default` where the table is missing.
fn or_default<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    answer: PyResult<T>,
    default: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>>
where
    T::Error: Into<PyErr>,
{
    match answer {
        Ok(answer) => Ok(answer.into_pyobject(py).map_err(Into::into)?.into_any().into_bound()),
        Err(error) if error.is_instance_of::<MissingTableError>(py) => {
            Ok(default.unwrap_or_else(|| py.None().into_bound(py)))
        }
        Err(error) => Err(error),
    }
}

#[pymethods]
impl Tablebase {
    /// Opens a folder of tables, or several as if they were one; of tables that several have, those of the first count.
    ///
    /// The rules are `none`, `check` or `asian`; if none are named, the first of asian, check, none that have tables. The
    /// metric is `dtm` (plies to mate), `dtc` (plies to a capture or mate), or for example `dtc120` (the same under a
    /// limit of 120 plies without a capture).
    ///
    /// Raises OSError (as FileNotFoundError) if a folder cannot be read, ValueError for other rules or metrics.
    #[new]
    #[pyo3(signature = (directory, *, rules = None, metric = "dtm"))]
    fn new(directory: Paths, rules: Option<&str>, metric: &str) -> PyResult<Self> {
        let paths: Vec<PathBuf> = directory.into();
        let metric: Metric = named(metric)?;
        let rules = match rules {
            Some(rules) => named(rules)?,
            None => rules_present(&paths, metric).map_err(|error| table_error(&error))?,
        };
        let tables =
            Tables::open_all(&paths, rules, metric).map_err(|error| table_error(&error))?;
        let open = Folders { paths, tables: Arc::new(tables) };
        Ok(Self { rules, metric, open: RwLock::new(Some(open)) })
    }

    /// The repetition rules: `none`, `check` or `asian`.
    #[getter]
    const fn rules(&self) -> &'static str {
        self.rules.name()
    }

    /// The metric of distances: `dtm`, `dtc`, or for example `dtc120`.
    #[getter]
    fn metric(&self) -> String {
        self.metric.to_string()
    }

    /// The names of the tables, in order.
    #[getter]
    fn materials(&self) -> PyResult<Vec<String>> {
        Ok(self.tables()?.materials().iter().map(ToString::to_string).collect())
    }

    /// Adds a folder behind those in use and returns the number of tables that it adds. Decoded blocks are forgotten.
    ///
    /// Raises OSError if it cannot be read; nothing has changed then.
    fn add_directory(&self, directory: PathBuf) -> PyResult<usize> {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        let folders = open.as_mut().ok_or_else(closed)?;
        let mut paths = folders.paths.clone();
        paths.push(directory);
        let tables = Tables::open_all(&paths, self.rules, self.metric);
        let tables = Arc::new(tables.map_err(|error| table_error(&error))?);
        let added = tables.materials().len().saturating_sub(folders.tables.materials().len());
        *folders = Folders { paths, tables };
        Ok(added)
    }

    /// Looks up the value of a position: result, order and distance.
    ///
    /// Raises MissingTableError if the table of the position, or one that captures lead to, is missing, and
    /// DamagedFileError if it is damaged.
    fn probe(&self, board: &Board) -> PyResult<TableValue> {
        self.value(board).map(TableValue)
    }

    /// Looks up the result for the side to move: 1, 0 or -1. Faster than `probe`; raises as `probe`.
    fn probe_wdl(&self, board: &Board) -> PyResult<i8> {
        let wdl = self.tables()?.probe_wdl(board.position());
        wdl.map(number_of).map_err(|error| table_error(&error))
    }

    /// Looks up the plies to mate, negative for the side that is mated; 0 for draws and where the side to move is mated;
    /// None where the repetition rule decides.
    ///
    /// Raises ValueError if the metric is not `dtm`, else as `probe`.
    fn probe_dtm(&self, board: &Board) -> PyResult<Option<i32>> {
        if self.metric != Metric::Dtm {
            let message = format!("the metric of these tables is {}, not dtm", self.metric);
            return Err(PyValueError::new_err(message));
        }
        let Entry { wdl, order, distance } = self.value(board)?;
        Ok((order == 0).then(|| i32::from(number_of(wdl)) * i32::from(distance)))
    }

    /// As `probe`, but returns `default` if a table is missing.
    #[pyo3(signature = (board, default = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        board: &Board,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        or_default(py, self.probe(board), default)
    }

    /// As `probe_wdl`, but returns `default` if a table is missing.
    #[pyo3(signature = (board, default = None))]
    fn get_wdl<'py>(
        &self,
        py: Python<'py>,
        board: &Board,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        or_default(py, self.probe_wdl(board), default)
    }

    /// As `probe_dtm`, but returns `default` if a table is missing.
    #[pyo3(signature = (board, default = None))]
    fn get_dtm<'py>(
        &self,
        py: Python<'py>,
        board: &Board,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        or_default(py, self.probe_dtm(board), default)
    }

    /// Looks up every legal move: pairs of a move and its value for the side that makes it, best first. Raises as
    /// `probe`.
    fn probe_root(&self, board: &Board) -> PyResult<Vec<(PyMove, TableValue)>> {
        let moves = self.tables()?.probe_root(board.position());
        let moves = moves.map_err(|error| table_error(&error))?;
        Ok(moves.into_iter().map(|(mv, entry)| (PyMove(mv), TableValue(entry))).collect())
    }

    /// Best play of both sides: up to mate, a capture if the metric counts to captures, once around the loop that
    /// decides, or at most `plies` plies. Raises as `probe`.
    #[pyo3(signature = (board, plies = 1000))]
    fn best_line(&self, py: Python<'_>, board: &Board, plies: usize) -> PyResult<BestLine> {
        let (tables, position) = (self.tables()?, board.position().clone());
        let line = py.detach(|| tables.best_line(&position, plies));
        let line = line.map_err(|error| table_error(&error))?;
        let rule = line.repeated.as_ref().and_then(|repeated| repeated.judgement.reason);
        Ok(BestLine {
            value: TableValue(line.entry),
            moves: line.moves.iter().map(|step| PyMove(step.mv)).collect(),
            values: line.moves.iter().map(|step| TableValue(step.value)).collect(),
            end: line.end.name(),
            loop_start: line.repeated.as_ref().map(|repeated| repeated.start),
            loop_rule: rule,
        })
    }

    /// Looks up many positions, FENs or boards, detached from the interpreter: the values in the same order. If
    /// `missing_is_none` is true, None stands in the place of a position whose table is missing.
    ///
    /// Raises as `probe`, and InvalidFenError with the index of the FEN.
    #[pyo3(signature = (positions, *, missing_is_none = false))]
    fn probe_many<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        missing_is_none: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let answers = PyList::empty(positions.py());
        self.each(positions, missing_is_none, Tables::probe, |entry| {
            answers.append(entry.map(TableValue))
        })?;
        Ok(answers)
    }

    /// Looks up the results of many positions: as `probe_many`, with the answers of `probe_wdl`.
    #[pyo3(signature = (positions, *, missing_is_none = false))]
    fn probe_wdl_many<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        missing_is_none: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let answers = PyList::empty(positions.py());
        self.each(positions, missing_is_none, Tables::probe_wdl, |wdl| {
            answers.append(wdl.map(number_of))
        })?;
        Ok(answers)
    }

    /// Draws a position of a table, the pieces named first being Red's; with a `wdl` one that has it for the side to move.
    /// None if there is no such position, or none was found among some millions. `random` is a `random.Random`.
    ///
    /// Raises ValueError for a name of no pieces or another `wdl`, else as `probe`.
    #[pyo3(signature = (material, *, wdl = None, random = None))]
    fn random_position(
        &self,
        py: Python<'_>,
        material: &str,
        wdl: Option<i64>,
        random: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Board>> {
        let named = Material::parse_as_asked(material).map_err(value_error)?;
        let wdl = wdl.map(wdl_of).transpose()?;
        let (tables, mut state) = (self.tables()?, seed_from(py, random)?);
        let found =
            py.detach(|| tables.random_position(named, wdl, &mut |below| draw(&mut state, below)));
        let found = found.map_err(|error| table_error(&error))?;
        Ok(found.map(|(position, _)| Board::at(position, 0, 1)))
    }

    /// The counts of a table, the pieces named first being Red's.
    ///
    /// Raises ValueError for a name of no pieces, else as `probe`.
    fn stats(&self, material: &str) -> PyResult<TableStats> {
        let (material, swapped) = Material::parse_as_asked(material).map_err(value_error)?;
        let stats = self.tables()?.stats(material).map_err(|error| table_error(&error))?;
        Ok(TableStats::new(stats, swapped))
    }

    /// Closes the tables. Closing twice does nothing.
    fn close(&self) {
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __contains__(&self, board: &Board) -> PyResult<bool> {
        Ok(self.tables()?.covers(board.position()))
    }

    fn __repr__(&self) -> String {
        format!("<Tablebase rules {} metric {}>", self.rules, self.metric)
    }
}

/// A number below `below`, by the generator SplitMix64.
fn draw(state: &mut u64, below: u32) -> u32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (((bits >> 32) * u64::from(below)) >> 32) as u32
}

/// Generates tables and those that their captures lead to, and returns the names of all. What is there already is kept.
/// Detached from the interpreter; an interrupt from the keyboard ends it, finished tables stay.
///
/// Raises ValueError for names, rules or metrics that do not exist, BuildError if the tables cannot be built.
#[pyfunction]
#[pyo3(signature = (materials, directory, *, rules = "asian", metric = "dtm", threads = None))]
pub(crate) fn generate_tables(
    py: Python<'_>,
    materials: Vec<String>,
    directory: PathBuf,
    rules: &str,
    metric: &str,
    threads: Option<usize>,
) -> PyResult<Vec<String>> {
    let materials: Vec<Material> =
        materials.iter().map(|name| named(name)).collect::<PyResult<_>>()?;
    let threads = match threads {
        None => None,
        Some(threads) => {
            let threads = NonZero::new(threads);
            Some(threads.ok_or_else(|| PyValueError::new_err("threads is 0"))?)
        }
    };
    let options = GenerateOptions {
        rules: named(rules)?,
        metric: named(metric)?,
        threads,
        ..GenerateOptions::default()
    };
    let work = || generate_all(&directory, &materials, &options, &NoProgress);
    let report = interruptible(py, &options.stop, work)?.map_err(|error| match &error {
        GenerateError::Table(error) => table_error(error),
        _ => build_error(&error),
    })?;
    Ok(report.tables.iter().map(|built| built.material.to_string()).collect())
}
