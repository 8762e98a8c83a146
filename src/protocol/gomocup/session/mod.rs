//! The session: what the manager says is obeyed at once, or waits until the search has answered. [`searching`] leads
//! from a request to its answer.

mod searching;

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engine::{Engine, EngineOptions};
use crate::gomoku::{Board, FreeRules, Point, Variant};
use crate::protocol::conversation::input::Channel;
use crate::protocol::conversation::position::any_move;
use crate::protocol::conversation::queue::{QueuedCommand, Waits};
use crate::protocol::conversation::{Conversation, EventLoop, Language};
use crate::protocol::gomocup::game::{Order, Table};
use crate::protocol::gomocup::limits::{InfoEffect, Limiting, number};
use crate::protocol::gomocup::lists::{ListState, PointList};
use crate::protocol::gomocup::memory::Memory;
use crate::protocol::gomocup::steps::{Question, Scored, TOO_SMALL};
use crate::protocol::gomocup::swap::Proposal;
use crate::protocol::session::engine_handle::EngineHandle;
use crate::protocol::session::thinking::{Signal, Thought};
use crate::protocol::session::{AFTER_END, IDLE};
use crate::protocol::wire::gomocup::{Cell, Command, List, Step, error, message};
use crate::search::{MAX_HASH_MIB, MAX_MULTIPV, MAX_THREADS};

/// Columns and rows of the board of an opening that is proposed before any board was set up.
const USUAL_SIZE: i64 = 15;

/// The answer to `ABOUT`.
const ABOUT: &str = concat!(
    "name=\"juzhong\", version=\"",
    env!("CARGO_PKG_VERSION"),
    "\", author=\"the juzhong developers\", country=\"CHN\""
);

/// The language of managers.
pub(crate) struct Gomocup;

/// A line of the manager that waits: a command, or the fault of a line within a list.
type Said = Result<Command, String>;

impl Language for Gomocup {
    type Command = Said;

    const TOO_MANY: &str = "too many commands wait for the end of the search";

    fn message(&self, text: &str) -> String {
        message(text)
    }

    fn error(&self, text: &str) -> String {
        error(text)
    }
}

impl Waits for Said {
    const MOST: usize = 2_000;
    const MOST_BYTES: usize = 1 << 20;
}

/// A session of one engine with one manager.
pub(crate) struct Session<'a> {
    gui: Conversation<'a, Thought<Board>, Gomocup>,
    engine: EngineHandle<Board>,
    /// The options that it should have, but for those of `memory`.
    options: EngineOptions<FreeRules>,
    memory: Memory,
    limiting: Limiting,
    /// A request that waits for the options.
    pending_request: Option<Request>,
    search: Option<Search>,
    variant: Variant,
    /// The engine has searched for an earlier game, which it has still to forget.
    is_stale: bool,
    /// It has searched for this one.
    has_searched: bool,
    /// `None` before `START`.
    table: Option<Table>,
    list: ListState,
    /// The next line is the name of a file that a refused command names.
    passes_line: bool,
    /// Points that the engine does not play.
    blocked: Vec<Point>,
    /// The time at which the present command came, or at which the search ended that it waited for.
    began: Instant,
    /// `YXSTOP` came after the present command.
    is_stopped: bool,
}

/// A search to be made.
pub(crate) struct Request {
    purpose: Purpose,
    /// Best lines.
    lines: usize,
    began: Instant,
    /// It is to move at once.
    is_stopped: bool,
}

/// The use of a search's result.
pub(crate) enum Purpose {
    /// It is the move.
    Move,
    /// The better side is taken: by a move, or by a swap.
    Side,
    /// The position is one of those from which an opening is proposed.
    Propose(Proposal),
    /// It is a part of the answer to a question of Yixin Board's.
    Ask(Box<Question>),
}

/// A search that runs.
pub(crate) struct Search {
    signal: Arc<Signal>,
    purpose: Purpose,
    began: Instant,
    position: Board,
    /// That of the numbers of its points.
    order: Order,
    /// The moves of the last reported iteration, the best first.
    lines: Vec<Scored>,
    /// The game that it belongs to is over: nobody waits for the answer.
    is_dropped: bool,
}

/// The answer to a command.
enum Answer {
    Nothing,
    /// `OK`.
    Ready,
    /// A point.
    Cell(Cell),
    /// Lines.
    Lines(Vec<String>),
    /// The result of a search of this number of best lines.
    Search(Purpose, usize),
}

impl Answer {
    /// The searches that a question needs.
    fn ask(question: Question) -> Self {
        let lines = question.lines();
        Self::Search(Purpose::Ask(Box::new(question)), lines)
    }
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        engine: Engine<Board>,
        wanted: EngineOptions<FreeRules>,
        channel: Channel<Thought<Board>>,
        output: &'a mut dyn Write,
    ) -> Self {
        Self {
            gui: Conversation::new(channel, output, Gomocup),
            engine: EngineHandle::new(engine),
            memory: Memory::new(wanted.hash_mib, wanted.threads),
            options: wanted,
            limiting: Limiting::default(),
            pending_request: None,
            search: None,
            variant: Variant::default(),
            is_stale: false,
            has_searched: false,
            table: None,
            list: ListState::Nothing,
            passes_line: false,
            blocked: Vec::new(),
            began: Instant::now(),
            is_stopped: false,
        }
    }

    /// Goes on until `END` or the end of the input.
    ///
    /// # Errors
    ///
    /// Those of writing to the manager.
    pub(crate) fn run(mut self) -> io::Result<()> {
        self.run_events()?;
        if let Some(search) = &self.search {
            search.signal.stop();
        }
        self.gui.flush()
    }

    const fn is_busy(&self) -> bool {
        self.search.is_some() || self.engine.is_preparing()
    }

    /// A command: obeyed now, or kept until the search has answered.
    fn hear_command(&mut self, command: Command, bytes: usize) -> io::Result<()> {
        self.passes_line = matches!(command, Command::Refused { names_file: true, .. });
        match command {
            // A board of an impossible size is refused at once, and the search goes on.
            Command::Start { width, height } => {
                match Table::new(width, height, self.variant, Order::ColumnFirst) {
                    Ok(_) => self.drop_game(),
                    Err(what) => return self.gui.error(&what),
                }
            }
            Command::StartByRows { width, height } => {
                match Table::new(width, height, self.variant, Order::RowFirst) {
                    Ok(_) => self.end_search()?,
                    Err(what) => return self.gui.error(&what),
                }
            }
            Command::Restart if self.table.is_some() => self.drop_game(),
            _ => {}
        }
        let is_idle =
            self.search.is_none() && self.pending_request.is_none() && self.gui.waiting.is_empty();
        if is_idle || command.is_urgent() {
            self.began = Instant::now();
            self.is_stopped = false;
            return self.execute(command);
        }
        self.gui.keep(Ok(command), bytes).map(drop)
    }

    /// Yixin Board sets up another position while the engine searches. It passes over the move that is still due, so
    /// that this has to come, and soon; answers to its other questions would be taken for moves.
    fn end_search(&mut self) -> io::Result<()> {
        let searched = self.search.as_ref().map(|search| &search.purpose);
        let purpose = searched.or(self.pending_request.as_ref().map(|request| &request.purpose));
        let Some(Purpose::Ask(question)) = purpose else {
            self.stop();
            return Ok(());
        };
        let move_due = question.owes_move();
        self.drop_game();
        match &self.table {
            Some(table) if move_due => {
                let due = any_move(table.board(), &[]).map(|mv| table.cell(mv));
                due.map_or(Ok(()), |due| self.gui.say(due))
            }
            _ => Ok(()),
        }
    }

    /// Nobody waits for the answer of a search any more, nor for what else was asked about that game.
    fn drop_game(&mut self) {
        self.pending_request = None;
        if let Some(search) = &mut self.search {
            search.is_dropped = true;
            search.signal.stop();
        }
        // Settings that wait stay: they hold for the next game, too.
        self.gui.waiting.retain(|said| matches!(said, Ok(Command::Info { .. })));
    }

    /// A line that cannot be read; within a list it spoils the list, which may have to wait.
    fn bad_line(&mut self, what: String, bytes: usize) -> io::Result<()> {
        let is_waiting = !self.gui.waiting.is_empty();
        let last = self.gui.waiting.commands().rev().find_map(|said| match said {
            Ok(Command::List(_)) => Some(true),
            Ok(Command::Done) => Some(false),
            _ => None,
        });
        if is_waiting && last.unwrap_or(self.list.is_reading()) {
            return self.gui.keep(Err(what), bytes).map(drop);
        }
        self.spoil(what)
    }

    /// The list that is being read does not count, for this reason.
    fn spoil(&mut self, what: String) -> io::Result<()> {
        self.list.spoil(what).map_or(Ok(()), |what| self.gui.error(&what))
    }

    fn execute(&mut self, command: Command) -> io::Result<()> {
        self.mind_list(&command)?;
        match self.obey(command) {
            Ok(Answer::Nothing) => Ok(()),
            Ok(Answer::Ready) => self.gui.say("OK"),
            Ok(Answer::Cell(cell)) => self.gui.say(cell),
            Ok(Answer::Lines(lines)) => lines.iter().try_for_each(|line| self.gui.say(line)),
            Ok(Answer::Search(purpose, lines)) => {
                let Self { began, is_stopped, .. } = *self;
                self.request(Request { purpose, lines, began, is_stopped })
            }
            Err(what) => self.gui.error(&what),
        }
    }

    /// Ends a list that another command interrupts, and passes over the one that a refused command may have.
    fn mind_list(&mut self, command: &Command) -> io::Result<()> {
        let goes_on = matches!(
            command,
            Command::Stone { .. } | Command::Done | Command::Info { .. } | Command::Unknown(_)
        ) || command.is_urgent();
        if !goes_on && let Some(what) = self.list.interrupt() {
            self.gui.error(&what)?;
        }
        if command.may_have_list() && !self.list.is_reading() {
            self.list = ListState::PassedOver;
        }
        Ok(())
    }

    fn obey(&mut self, command: Command) -> Result<Answer, String> {
        match command {
            Command::Start { width, height } => self.start(width, height),
            Command::StartByRows { width, height } => self.start_by_rows(width, height),
            Command::Restart => self.restart(),
            Command::Begin => self.begin(),
            Command::Turn(cell) => self.turn(cell),
            Command::Play(cell) => self.play(cell),
            Command::TakeBack(cell) => self.take_back(cell),
            Command::List(list) => {
                self.list.begin(list);
                Ok(Answer::Nothing)
            }
            Command::Stone { cell, owner } => {
                self.list.stone(cell, owner).map(|()| Answer::Nothing)
            }
            Command::Done => self.done(),
            Command::Info { key, value } => self.info(&key, &value),
            Command::Stop => {
                self.stop();
                Ok(Answer::Nothing)
            }
            Command::Best(lines) => self.best(lines),
            Command::ClearHash => Ok(self.clear_hash()),
            Command::ShowInfo => Ok(limits_of_program()),
            Command::ShowForbidden => Ok(self.forbidden()),
            Command::Unblock => {
                self.blocked.clear();
                Ok(Answer::Nothing)
            }
            Command::UnblockPaths => Ok(Answer::Nothing),
            Command::Balance(target) => self.balance(target),
            Command::Swap2(Step { step, .. }) => self.swap2(step),
            Command::ProposeSoosorv => self.propose_soosorv(),
            Command::Refused { word, why, .. } => Err(format!("{word}: {why}")),
            Command::About => Ok(Answer::Lines(vec![ABOUT.to_owned()])),
            Command::End => {
                self.gui.quit = Some(Instant::now());
                Ok(Answer::Nothing)
            }
            Command::Unknown(word) => Ok(Answer::Lines(vec![format!("UNKNOWN {word}")])),
        }
    }

    /// Stops the search and those that wait.
    fn stop(&mut self) {
        if let Some(search) = &self.search {
            search.signal.stop();
        }
        if let Some(pending_request) = &mut self.pending_request {
            pending_request.is_stopped = true;
        }
        self.gui.waiting.stop();
    }

    fn table(&mut self) -> Result<&mut Table, String> {
        self.table.as_mut().ok_or_else(|| "no board; send START n first".to_owned())
    }

    fn start(&mut self, width: i64, height: i64) -> Result<Answer, String> {
        let table = Table::new(width, height, self.variant, Order::ColumnFirst)?;
        self.new_game(table);
        Ok(Answer::Ready)
    }

    /// Yixin Board says this before each search: the clock, the blocked points and what was searched belong to the
    /// game that goes on.
    fn start_by_rows(&mut self, width: i64, height: i64) -> Result<Answer, String> {
        let table = Table::new(width, height, self.variant, Order::RowFirst)?;
        if self.table.as_ref().is_some_and(|before| before.is_as_large_as(&table)) {
            self.table = Some(table);
        } else {
            self.new_game(table);
        }
        Ok(Answer::Ready)
    }

    fn restart(&mut self) -> Result<Answer, String> {
        let variant = self.variant;
        let table = self.table()?.cleared(variant)?;
        self.new_game(table);
        Ok(Answer::Ready)
    }

    fn new_game(&mut self, table: Table) {
        self.table = Some(table);
        self.blocked.clear();
        self.limiting.new_game();
        // That takes time where the memory is large: not on the way to `OK`.
        self.is_stale |= std::mem::take(&mut self.has_searched);
    }

    fn begin(&mut self) -> Result<Answer, String> {
        match self.table()?.board().stones() {
            0 => Ok(Answer::Search(Purpose::Move, 1)),
            _ => Err("BEGIN: there are stones on the board".to_owned()),
        }
    }

    fn turn(&mut self, cell: Cell) -> Result<Answer, String> {
        self.table()?.play(cell).map_err(|what| format!("TURN: {what}"))?;
        Ok(Answer::Search(Purpose::Move, 1))
    }

    fn play(&mut self, cell: Cell) -> Result<Answer, String> {
        self.table()?.play(cell).map_err(|what| format!("PLAY: {what}"))?;
        Ok(Answer::Cell(cell))
    }

    fn take_back(&mut self, cell: Cell) -> Result<Answer, String> {
        self.table()?.take_back(cell).map_err(|what| format!("TAKEBACK: {what}"))?;
        Ok(Answer::Ready)
    }

    fn best(&mut self, lines: i64) -> Result<Answer, String> {
        self.table()?;
        let lines = usize::try_from(lines).unwrap_or(1).clamp(1, MAX_MULTIPV);
        Ok(Answer::Search(Purpose::Move, lines))
    }

    fn balance(&mut self, target: i64) -> Result<Answer, String> {
        let target = target.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let position = self.table()?.board().clone();
        Ok(Answer::ask(Question::Balance { position, target, found: None }))
    }

    /// The board before anything is set up is that of the first opening.
    fn table_by_rows(&mut self) -> Result<&mut Table, String> {
        if self.table.is_none() {
            let table = Table::new(USUAL_SIZE, USUAL_SIZE, self.variant, Order::RowFirst)?;
            self.table = Some(table);
        }
        self.table()
    }

    fn swap2(&mut self, step: u8) -> Result<Answer, String> {
        let variant = self.variant;
        Question::swap2(step, self.table_by_rows()?, variant).map(Answer::ask)
    }

    fn propose_soosorv(&mut self) -> Result<Answer, String> {
        let variant = self.variant;
        Question::propose_soosorv(self.table_by_rows()?, variant).map(Answer::ask)
    }

    fn soosorv(&mut self, step: Step, cells: &[Cell]) -> Result<Answer, String> {
        let variant = self.variant;
        Question::soosorv(step, cells, self.table_by_rows()?, variant).map(Answer::ask)
    }

    /// The end of a list: all of it counts, or nothing.
    fn done(&mut self) -> Result<Answer, String> {
        let Some(point_list) = self.list.done()? else { return Ok(Answer::Nothing) };
        self.listed(&point_list).map_err(|what| format!("{}: {what}", point_list.list.word()))
    }

    fn listed(&mut self, point_list: &PointList) -> Result<Answer, String> {
        point_list.check()?;
        match point_list.list {
            // There is none, so that it has no move for any position.
            List::Query => {
                Ok(Answer::Lines(["DATABASE REFRESH", "DATABASE DONE"].map(message).into()))
            }
            List::Soosorv(step) => self.soosorv(step, &point_list.cells()),
            List::Board => {
                self.table = Some(self.table()?.with_stones(&point_list.stones)?.going_on()?);
                Ok(Answer::Search(Purpose::Move, 1))
            }
            List::Shown => {
                self.table = Some(self.table()?.with_stones(&point_list.stones)?);
                Ok(Answer::Nothing)
            }
            List::Swap2 => self.opening(&point_list.cells()),
            List::Block => {
                let points = self.points(point_list)?;
                self.blocked.extend(points);
                self.blocked.sort_unstable();
                self.blocked.dedup();
                Ok(Answer::Nothing)
            }
            List::Unblock => {
                let points = self.points(point_list)?;
                self.blocked.retain(|point| !points.contains(point));
                Ok(Answer::Nothing)
            }
        }
    }

    fn points(&mut self, point_list: &PointList) -> Result<Vec<Point>, String> {
        let table = self.table()?;
        point_list.cells().into_iter().map(|cell| table.point(cell)).collect()
    }

    /// An opening under swap2: after no stones one is proposed, after those of one a side is chosen.
    fn opening(&mut self, cells: &[Cell]) -> Result<Answer, String> {
        let variant = self.variant;
        let after = self.table()?.after(cells, variant)?;
        let purpose = match cells.len() {
            0 => Purpose::Propose(Proposal::new(after.board()).ok_or(TOO_SMALL)?),
            3 | 5 => Purpose::Side,
            _ => return Err("an opening has 0, 3 or 5 stones".to_owned()),
        };
        self.table = Some(after);
        Ok(Answer::Search(purpose, 1))
    }

    fn info(&mut self, key: &str, value: &str) -> Result<Answer, String> {
        let wants_number = format!("INFO {key} wants a number");
        match self.limiting.read_info(key, value) {
            InfoEffect::Set => return Ok(Answer::Nothing),
            InfoEffect::Bad => return Err(wants_number),
            InfoEffect::Other => {}
        }
        if !matches!(key, "max_memory" | "hash_size" | "thread_num" | "rule") {
            // The protocol wants other keys ignored.
            return Ok(Answer::Nothing);
        }
        let number = number(value).ok_or(wants_number)?;
        match key {
            "max_memory" => self.memory.set_limit(number),
            "hash_size" => self.memory.set_hash(number),
            "thread_num" => self.memory.set_threads(number),
            _ => return self.rule(number),
        }
        Ok(Answer::Nothing)
    }

    /// The rules by the bits of `INFO rule`.
    fn rule(&mut self, bits: i64) -> Result<Answer, String> {
        let variant = match bits {
            0 => Variant::Freestyle,
            1 => Variant::Standard,
            // Yixin's number, and the bit of Piskvork's protocol, where 2 once was a game that nobody plays any more.
            2 | 4 | 5 => Variant::Renju,
            _ => {
                return Err(format!(
                    "INFO rule {bits} is not played: 0 is freestyle, 1 exactly five, 2 or 4 renju"
                ));
            }
        };
        self.variant = variant;
        if let Some(table) = &mut self.table
            && table.board().variant() != variant
        {
            *table = table
                .under(variant)
                .map_err(|what| format!("INFO rule counts from the next game on: {what}"))?;
        }
        Ok(Answer::Nothing)
    }

    fn clear_hash(&mut self) -> Answer {
        match self.engine.get_mut() {
            Some(engine) => engine.clear_hash(),
            // It is being set up: it forgets before it searches again.
            None => self.is_stale = true,
        }
        Answer::Lines(vec![message("the transposition table is empty")])
    }

    /// `FORBID`, two digits for each column and row, and a full stop.
    fn forbidden(&self) -> Answer {
        let cells = self.table.as_ref().map(Table::forbidden).unwrap_or_default();
        let digits = cells.iter().map(|Cell { column, row }| format!("{column:02}{row:02}"));
        Answer::Lines(vec![format!("FORBID {}.", digits.collect::<String>())])
    }
}

impl<'a> EventLoop<'a> for Session<'a> {
    type Engine = Thought<Board>;
    type Language = Gomocup;

    fn gui(&mut self) -> &mut Conversation<'a, Thought<Board>, Gomocup> {
        &mut self.gui
    }

    fn is_finished(&self) -> bool {
        let is_done = !self.is_busy() && self.gui.waiting.is_empty();
        self.gui.quit.is_some() || self.gui.ended.is_some() && is_done
    }

    fn timeout(&self) -> Option<Duration> {
        if !self.is_busy() {
            return (!self.is_prepared()).then_some(IDLE);
        }
        self.gui.ended.map(|since| AFTER_END.saturating_sub(since.elapsed()))
    }

    fn read(&mut self, line: &str) -> io::Result<()> {
        // A carriage return and a line feed may come as two lines.
        if self.passes_line && !line.trim().is_empty() {
            self.passes_line = false;
            return Ok(());
        }
        match Command::parse(line) {
            None => Ok(()),
            Some(Ok(command)) => self.hear_command(command, line.len()),
            Some(Err(what)) => self.bad_line(what, line.len()),
        }
    }

    fn hear(&mut self, thought: Thought<Board>) -> io::Result<()> {
        self.hear_thought(thought)
    }

    fn while_idle(&mut self) -> io::Result<()> {
        if !self.is_busy() {
            self.prepare();
        } else if self.gui.ended.is_some_and(|since| since.elapsed() >= AFTER_END) {
            self.gui.quit = Some(Instant::now());
        }
        Ok(())
    }

    fn catch_up(&mut self) -> io::Result<()> {
        while self.search.is_none() && self.pending_request.is_none() && self.gui.quit.is_none() {
            let Some(QueuedCommand { command, stopped, .. }) = self.gui.waiting.pop() else {
                break;
            };
            self.is_stopped = stopped;
            self.began = Instant::now();
            match command {
                Ok(command) => self.execute(command)?,
                Err(what) => self.spoil(what)?,
            }
        }
        Ok(())
    }
}

/// The answer to `YXSHOWINFO`.
fn limits_of_program() -> Answer {
    /// The logarithm of the size in KiB, as GUIs want it.
    const LARGEST: u32 = (MAX_HASH_MIB as u64 * 1024).ilog2();
    Answer::Lines(vec![
        message(&format!("INFO MAX_THREAD_NUM {MAX_THREADS}")),
        message(&format!("INFO MAX_HASH_SIZE {LARGEST}")),
    ])
}
