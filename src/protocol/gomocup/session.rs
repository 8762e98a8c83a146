//! The session: what the manager says is obeyed at once, or waits until the search has answered.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

use crate::engine::{Choice, Engine, EngineOptions};
use crate::game::{Game, Line, MoveList, ScoreKind};
use crate::gomoku::{Board, FreeRules, Point, Variant};
use crate::protocol::conversation::input::{Channel, Event};
use crate::protocol::gomocup::game::{Order, Table, cell};
use crate::protocol::gomocup::limits::{self, Heard, Limiting};
use crate::protocol::gomocup::steps::{BEFORE_FIFTH, FIFTHS, Question, Scored};
use crate::protocol::gomocup::swap::Proposal;
use crate::protocol::session::state::score_without_search;
use crate::protocol::session::thinking::{
    self, Done, Goal, Job, Outcome, Prepared, Signal, Task, Thought,
};
use crate::protocol::wire::gomocup::{Cell, Command, List, Step, error, message};
use crate::search::{Iteration, Limits, MAX_MULTIPV, Score};

/// Idle time after which options are applied, so that no clock runs meanwhile.
const IDLE: Duration = Duration::from_millis(50);
/// Commands that may wait for the end of a search, and the bytes of their lines.
const MOST_WAITING: (usize, usize) = (2_000, 1 << 20);
/// Points that a list may have: those of the largest board, and one to see that there are too many.
const MOST_LISTED: usize = 401;
const TOO_SMALL: &str = "the board is too small for an opening";
/// Columns and rows of the board of an opening that is proposed before any board was set up.
const USUAL_SIZE: i64 = 15;
/// The time that a search may go on after the end of the input, when nobody can stop it any more.
const AFTER_END: Duration = Duration::from_secs(600);

/// A session of one engine with one manager.
pub(crate) struct Session<'a> {
    sender: SyncSender<Event<Thought<Board>>>,
    events: Receiver<Event<Thought<Board>>>,
    output: &'a mut dyn Write,
    /// `None` while a search has it, or a thread that sets options.
    engine: Option<Engine<Board>>,
    /// The options that it should have.
    wanted: EngineOptions<FreeRules>,
    /// The size of its transposition table without a limit of memory, in MiB, and with the one that was set.
    usual_hash: usize,
    hash: usize,
    /// Bytes that the whole program may have; 0 without a limit.
    max_memory: i64,
    /// Threads that were asked for.
    threads: usize,
    is_preparing: bool,
    /// A request that waits for the options.
    held: Option<Request>,
    search: Option<Search>,
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    variant: Variant,
    limiting: Limiting,
    /// The engine has searched for an earlier game, which it has still to forget.
    is_stale: bool,
    /// It has searched for this one.
    has_searched: bool,
    /// `None` before `START`.
    table: Option<Table>,
    /// The list that is being read.
    list: Option<Listing>,
    /// The list that follows belongs to a command that was refused: it is passed over.
    passes_list: bool,
    /// The next line is the name of a file that a refused command names.
    passes_line: bool,
    /// Points that the engine does not play.
    blocked: Vec<Point>,
    /// The time at which the present command came, or at which the search ended that it waited for.
    began: Instant,
    /// `YXSTOP` came after the present command.
    is_stopped: bool,
    is_over: bool,
    ended: Option<Instant>,
}

/// A command that waits for the end of the search.
struct Waiting {
    /// An error is the fault of a line within a list.
    command: Result<Command, String>,
    /// Of its line.
    bytes: usize,
    /// `YXSTOP` came after it.
    is_stopped: bool,
}

/// A list as it is read.
struct Listing {
    list: List,
    stones: Vec<(Cell, Option<i64>)>,
    /// The first fault of it.
    fault: Option<String>,
}

/// A search to be made.
struct Request {
    purpose: Purpose,
    /// Best lines.
    lines: usize,
    began: Instant,
    /// It is to move at once.
    is_stopped: bool,
}

/// The use of a search's result.
enum Purpose {
    /// It is the move.
    Move,
    /// The better side is taken: by a move, or by a swap.
    Side,
    /// The position is one of those from which an opening is proposed.
    Propose(Proposal),
    /// It is a part of the answer to a question of Yixin Board's.
    Ask(Box<Question>),
}

struct Search {
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

impl<'a> Session<'a> {
    pub(crate) fn new(
        engine: Engine<Board>,
        wanted: EngineOptions<FreeRules>,
        (sender, events): Channel<Thought<Board>>,
        output: &'a mut dyn Write,
    ) -> Self {
        Self {
            sender,
            events,
            output,
            engine: Some(engine),
            usual_hash: wanted.hash_mib,
            hash: wanted.hash_mib,
            max_memory: 0,
            threads: wanted.threads,
            wanted,
            is_preparing: false,
            held: None,
            search: None,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            variant: Variant::default(),
            limiting: Limiting::default(),
            is_stale: false,
            has_searched: false,
            table: None,
            list: None,
            passes_list: false,
            passes_line: false,
            blocked: Vec::new(),
            began: Instant::now(),
            is_stopped: false,
            is_over: false,
            ended: None,
        }
    }

    pub(crate) fn run(mut self) -> io::Result<()> {
        while !self.is_finished() {
            match self.next_event() {
                Some(Event::Line(line)) => self.read(&line)?,
                Some(Event::End) => self.ended = Some(Instant::now()),
                Some(Event::Engine(thought)) => self.hear(thought)?,
                None => self.while_idle(),
            }
            self.catch_up()?;
            self.output.flush()?;
        }
        if let Some(search) = &self.search {
            search.signal.stop();
        }
        self.output.flush()
    }

    const fn is_busy(&self) -> bool {
        self.search.is_some() || self.is_preparing
    }

    fn is_finished(&self) -> bool {
        self.is_over || self.ended.is_some() && !self.is_busy() && self.waiting.is_empty()
    }

    fn next_event(&self) -> Option<Event<Thought<Board>>> {
        let may_prepare = !self.is_busy() && !self.is_prepared();
        let idle = may_prepare.then_some(IDLE);
        let late = self.ended.filter(|_| self.is_busy());
        let late = late.map(|since| AFTER_END.saturating_sub(since.elapsed()));
        // The channel cannot be closed, for there is a sender here.
        match [idle, late].into_iter().flatten().min() {
            Some(time) => self.events.recv_timeout(time).ok(),
            None => self.events.recv().ok(),
        }
    }

    fn while_idle(&mut self) {
        if !self.is_busy() {
            self.prepare();
        } else if self.ended.is_some_and(|since| since.elapsed() >= AFTER_END) {
            self.is_over = true;
        }
    }

    fn say(&mut self, text: impl std::fmt::Display) -> io::Result<()> {
        writeln!(self.output, "{text}")
    }

    fn message(&mut self, text: &str) -> io::Result<()> {
        self.say(message(text))
    }

    fn error(&mut self, text: &str) -> io::Result<()> {
        self.say(error(text))
    }

    /// One line of input: obeyed now, or kept until the search has answered.
    fn read(&mut self, line: &str) -> io::Result<()> {
        // A carriage return and a line feed may come as two lines.
        if self.passes_line && !line.trim().is_empty() {
            self.passes_line = false;
            return Ok(());
        }
        let command = match Command::parse(line) {
            None => return Ok(()),
            Some(Ok(command)) => command,
            Some(Err(what)) => return self.bad_line(what, line.len()),
        };
        self.passes_line = matches!(command, Command::Refused { names_file: true, .. });
        match command {
            Command::Start { width, height } => {
                match Table::new(width, height, self.variant, Order::ColumnFirst) {
                    Ok(_) => self.drop_game(),
                    Err(what) => return self.error(&what),
                }
            }
            Command::StartByRows { width, height } => {
                match Table::new(width, height, self.variant, Order::RowFirst) {
                    Ok(_) => self.end_search()?,
                    Err(what) => return self.error(&what),
                }
            }
            Command::Restart if self.table.is_some() => self.drop_game(),
            _ => {}
        }
        let is_idle = self.search.is_none() && self.held.is_none() && self.waiting.is_empty();
        if is_idle || command.is_urgent() {
            self.began = Instant::now();
            self.is_stopped = false;
            return self.execute(command);
        }
        self.wait(Ok(command), line.len())
    }

    /// Keeps a command, or the fault of a line, until the search has ended.
    fn wait(&mut self, command: Result<Command, String>, bytes: usize) -> io::Result<()> {
        let (most, most_bytes) = MOST_WAITING;
        if self.waiting.len() >= most || self.waiting_bytes + bytes > most_bytes {
            return self.error("too many commands wait for the end of the search");
        }
        self.waiting_bytes += bytes;
        self.waiting.push_back(Waiting { command, bytes, is_stopped: false });
        Ok(())
    }

    /// Yixin Board sets up another position while the engine searches. It passes over the move that is still due, so
    /// that this has to come, and soon; answers to its other questions would be taken for moves.
    fn end_search(&mut self) -> io::Result<()> {
        let purpose = self.search.as_ref().map(|search| &search.purpose);
        let purpose = purpose.or(self.held.as_ref().map(|held| &held.purpose));
        let Some(Purpose::Ask(question)) = purpose else {
            self.stop();
            return Ok(());
        };
        let move_due = question.owes_move();
        self.drop_game();
        match &self.table {
            Some(table) if move_due => {
                let mut moves = MoveList::new();
                table.board().legal_moves(&mut moves);
                let due = moves.first().map(|&mv| table.cell(mv));
                due.map_or(Ok(()), |due| self.say(due))
            }
            _ => Ok(()),
        }
    }

    /// Nobody waits for the answer of a search any more, nor for what else was asked about that game.
    fn drop_game(&mut self) {
        self.held = None;
        if let Some(search) = &mut self.search {
            search.is_dropped = true;
            search.signal.stop();
        }
        self.waiting.retain(|waiting| matches!(waiting.command, Ok(Command::Info { .. })));
        self.waiting_bytes = self.waiting.iter().map(|waiting| waiting.bytes).sum();
    }

    /// A line that cannot be read; within a list it spoils the list, which may have to wait.
    fn bad_line(&mut self, what: String, bytes: usize) -> io::Result<()> {
        let begins = |waiting: &Waiting| match waiting.command {
            Ok(Command::List(_)) => Some(true),
            Ok(Command::Done) => Some(false),
            _ => None,
        };
        let is_waiting = !self.waiting.is_empty();
        if is_waiting && self.waiting.iter().rev().find_map(begins).unwrap_or(self.list.is_some()) {
            return self.wait(Err(what), bytes);
        }
        self.spoil(what)
    }

    /// The list that is being read does not count, for this reason.
    fn spoil(&mut self, what: String) -> io::Result<()> {
        match &mut self.list {
            Some(list) => {
                list.fault.get_or_insert(what);
                Ok(())
            }
            None => self.error(&what),
        }
    }

    /// Obeys what has waited.
    fn catch_up(&mut self) -> io::Result<()> {
        while self.search.is_none() && self.held.is_none() && !self.is_over {
            let Some(Waiting { command, bytes, is_stopped }) = self.waiting.pop_front() else {
                break;
            };
            self.waiting_bytes -= bytes;
            self.is_stopped = is_stopped;
            self.began = Instant::now();
            match command {
                Ok(command) => self.execute(command)?,
                Err(what) => self.spoil(what)?,
            }
        }
        Ok(())
    }

    fn execute(&mut self, command: Command) -> io::Result<()> {
        let goes_on = matches!(
            command,
            Command::Stone { .. } | Command::Done | Command::Info { .. } | Command::Unknown(_)
        ) || command.is_urgent();
        if !goes_on && let Some(list) = self.list.take() {
            self.error(&format!("{}: no DONE", list.list.word()))?;
        }
        if command.may_have_list() {
            self.passes_list = self.list.is_none();
        } else if !goes_on {
            self.passes_list = false;
        }
        let done = match command {
            Command::Start { width, height } => self.start(width, height),
            Command::StartByRows { width, height } => self.start_by_rows(width, height),
            Command::Restart => self.restart(),
            Command::Begin => self.begin(),
            Command::Turn(cell) => self.turn(cell),
            Command::Play(cell) => self.play(cell),
            Command::TakeBack(cell) => self.take_back(cell),
            Command::List(list) => {
                self.list = Some(Listing { list, stones: Vec::new(), fault: None });
                return Ok(());
            }
            Command::Stone { cell, owner } => self.stone(cell, owner),
            Command::Done => self.done(),
            Command::Info { key, value } => return self.info(&key, &value),
            Command::Stop => {
                self.stop();
                return Ok(());
            }
            Command::Best(lines) => self.best(lines),
            Command::ClearHash => {
                match &mut self.engine {
                    Some(engine) => engine.clear_hash(),
                    // It is being set up: it forgets before it searches again.
                    None => self.is_stale = true,
                }
                return self.message("the transposition table is empty");
            }
            Command::ShowInfo => return self.show_info(),
            Command::ShowForbidden => return self.show_forbidden(),
            Command::Unblock => {
                self.blocked.clear();
                return Ok(());
            }
            Command::UnblockPaths => return Ok(()),
            Command::Balance(target) => self.balance(target),
            Command::Swap2(Step { step, .. }) => self.swap2(step),
            Command::ProposeSoosorv => self.propose_soosorv(),
            Command::Refused { word, why, .. } => Err(format!("{word}: {why}")),
            Command::About => return self.about(),
            Command::End => {
                self.is_over = true;
                return Ok(());
            }
            Command::Unknown(word) => return self.say(format_args!("UNKNOWN {word}")),
        };
        match done {
            Ok(Answer::Nothing) => Ok(()),
            Ok(Answer::Ready) => self.say("OK"),
            Ok(Answer::Cell(cell)) => self.say(cell),
            Ok(Answer::Messages(texts)) => texts.iter().try_for_each(|text| self.message(text)),
            Ok(Answer::Search(purpose, lines)) => {
                let (began, is_stopped) = (self.began, self.is_stopped);
                self.request(Request { purpose, lines, began, is_stopped })
            }
            Err(what) => self.error(&what),
        }
    }

    /// Stops the search and those that wait.
    fn stop(&mut self) {
        if let Some(search) = &self.search {
            search.signal.stop();
        }
        if let Some(held) = &mut self.held {
            held.is_stopped = true;
        }
        self.waiting.iter_mut().for_each(|waiting| waiting.is_stopped = true);
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
        let size = |table: &Table| (table.board().width(), table.board().height());
        if self.table.as_ref().is_none_or(|before| size(before) != size(&table)) {
            self.new_game(table);
        } else {
            self.table = Some(table);
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
        let table = self.table()?;
        table.play(cell).map_err(|what| format!("TURN: {what}"))?;
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
            let size = USUAL_SIZE;
            self.table = Some(Table::new(size, size, self.variant, Order::RowFirst)?);
        }
        self.table()
    }

    fn swap2(&mut self, step: u8) -> Result<Answer, String> {
        let variant = self.variant;
        let table = self.table_by_rows()?;
        let (word, stones) = match step {
            1 => {
                *table = table.cleared(variant)?;
                let proposal = Proposal::new(table.board()).ok_or(TOO_SMALL)?;
                return Ok(Answer::ask(Question::Propose { rule: "SWAP2", proposal }));
            }
            2 => ("SWAP2 SWAP1", 3),
            _ => ("SWAP2 SWAP2", 5),
        };
        let position = table.board().clone();
        if position.stones() != stones {
            let there = position.stones();
            return Err(format!(
                "YXSWAP2STEP{step}: {stones} stones come before it by YXBOARD, not {there}"
            ));
        }
        Ok(Answer::ask(Question::Side { word, position, number: 1, score: None }))
    }

    fn propose_soosorv(&mut self) -> Result<Answer, String> {
        let variant = self.variant;
        let table = self.table_by_rows()?;
        *table = table.cleared(variant)?;
        let proposal = Proposal::of_renju(table.board()).ok_or(TOO_SMALL)?;
        Ok(Answer::ask(Question::Propose { rule: "SOOSORV", proposal }))
    }

    /// A later step of Soosõrv's opening, after these stones.
    fn soosorv(&mut self, Step { step, fifths }: Step, cells: &[Cell]) -> Result<Answer, String> {
        let variant = self.variant;
        let table = self.table_by_rows()?;
        let stones = if step < 4 { BEFORE_FIFTH - 1 } else { BEFORE_FIFTH };
        let offered = cells.len().checked_sub(stones).filter(|&more| match step {
            6 => i64::try_from(more).is_ok_and(|more| FIFTHS.contains(&more)),
            _ => more == 0,
        });
        let Some(offered) = offered else {
            let more = if step == 6 { " and the fifth moves" } else { "" };
            return Err(format!("it has {stones} stones{more}, not {}", cells.len()));
        };
        if step > 3 && step < 6 && !FIFTHS.contains(&fifths) {
            let (least, most) = FIFTHS.into_inner();
            return Err(format!("there are {least} to {most} fifth moves"));
        }
        let after = table.after(&cells[..stones], variant)?;
        let position = after.board().clone();
        let open = cells[stones..].iter().map(|&cell| after.legal(cell));
        let open: Vec<Point> = open.collect::<Result<_, _>>()?;
        *table = after;
        let count = usize::try_from(fifths).unwrap_or(1);
        Ok(Answer::ask(match step {
            2 => Question::Side { word: "SOOSORV SWAP1", position, number: 1, score: None },
            3 => Question::Fourth { position, stone: None, fifths: None },
            4 => Question::Side { word: "SOOSORV SWAP2", position, number: count, score: None },
            5 => Question::Fifths { position, count, found: None },
            _ => Question::Choose { position, open, count: offered, best: None },
        }))
    }

    fn stone(&mut self, cell: Cell, owner: Option<i64>) -> Result<Answer, String> {
        let Some(list) = &mut self.list else {
            if self.passes_list {
                return Ok(Answer::Nothing);
            }
            return Err("a point without BOARD before it".to_owned());
        };
        if list.stones.len() < MOST_LISTED {
            list.stones.push((cell, owner));
        }
        Ok(Answer::Nothing)
    }

    /// The end of a list: all of it counts, or nothing.
    fn done(&mut self) -> Result<Answer, String> {
        let Some(Listing { list, stones, fault }) = self.list.take() else {
            if std::mem::take(&mut self.passes_list) {
                return Ok(Answer::Nothing);
            }
            return Err("DONE without BOARD".to_owned());
        };
        self.listed(list, &stones, fault).map_err(|what| format!("{}: {what}", list.word()))
    }

    fn listed(
        &mut self,
        list: List,
        stones: &[(Cell, Option<i64>)],
        fault: Option<String>,
    ) -> Result<Answer, String> {
        let variant = self.variant;
        match fault {
            Some(what) => return Err(what),
            None if stones.len() == MOST_LISTED => return Err("too many points".to_owned()),
            None => {}
        }
        match list {
            // There is none, so that it has no move for any position.
            List::Query => {
                return Ok(Answer::Messages(
                    ["DATABASE REFRESH", "DATABASE DONE"].map(str::to_owned).into(),
                ));
            }
            List::Soosorv(step) => {
                let cells: Vec<Cell> = stones.iter().map(|&(cell, _)| cell).collect();
                return self.soosorv(step, &cells);
            }
            _ => {}
        }
        let table = self.table()?;
        let points =
            || stones.iter().map(|&(cell, _)| table.point(cell)).collect::<Result<Vec<_>, _>>();
        match list {
            List::Board => {
                self.table = Some(table.with_stones(stones)?.going_on()?);
                Ok(Answer::Search(Purpose::Move, 1))
            }
            List::Shown => {
                self.table = Some(table.with_stones(stones)?);
                Ok(Answer::Nothing)
            }
            List::Swap2 => {
                let cells: Vec<Cell> = stones.iter().map(|&(cell, _)| cell).collect();
                let after = table.after(&cells, variant)?;
                let purpose = match cells.len() {
                    0 => {
                        let proposal = Proposal::new(after.board());
                        Purpose::Propose(proposal.ok_or(TOO_SMALL)?)
                    }
                    3 | 5 => Purpose::Side,
                    _ => return Err("an opening has 0, 3 or 5 stones".to_owned()),
                };
                self.table = Some(after);
                Ok(Answer::Search(purpose, 1))
            }
            List::Block => {
                let points = points()?;
                self.blocked.extend(points);
                self.blocked.sort_unstable();
                self.blocked.dedup();
                Ok(Answer::Nothing)
            }
            List::Unblock => {
                let points = points()?;
                self.blocked.retain(|point| !points.contains(point));
                Ok(Answer::Nothing)
            }
            List::Query | List::Soosorv(_) => Ok(Answer::Nothing),
        }
    }

    fn info(&mut self, key: &str, value: &str) -> io::Result<()> {
        match self.limiting.hear(key, value) {
            Heard::Set => return Ok(()),
            Heard::Bad => return self.error(&format!("INFO {key} wants a number")),
            Heard::Other => {}
        }
        if !matches!(key, "max_memory" | "hash_size" | "thread_num" | "rule") {
            // The protocol wants other keys ignored.
            return Ok(());
        }
        let Some(number) = limits::number(value) else {
            return self.error(&format!("INFO {key} wants a number"));
        };
        match key {
            "max_memory" => {
                self.max_memory = number;
                self.hash = self.usual_hash;
                self.keep_within_memory();
            }
            "hash_size" => self.hash = limits::hash_of_kib(number),
            "thread_num" => {
                self.threads = limits::threads(number);
                self.keep_within_memory();
            }
            _ => return self.rule(number),
        }
        Ok(())
    }

    /// As many threads as were asked for, and a transposition table, as far as the memory allows.
    fn keep_within_memory(&mut self) {
        self.wanted.threads = self.threads;
        if let Some((hash, threads)) = limits::within_memory(self.max_memory, self.threads) {
            (self.hash, self.wanted.threads) = (hash, threads);
        }
    }

    /// The rules by the bits of `INFO rule`.
    fn rule(&mut self, bits: i64) -> io::Result<()> {
        let variant = match bits {
            0 => Variant::Freestyle,
            1 => Variant::Standard,
            // Yixin's number, and the bit of Piskvork's protocol, where 2 once was a game that nobody plays any more.
            2 | 4 | 5 => Variant::Renju,
            _ => {
                let what = format!(
                    "INFO rule {bits} is not played: 0 is freestyle, 1 exactly five, 2 or 4 renju"
                );
                return self.error(&what);
            }
        };
        self.variant = variant;
        match self.table.as_ref().filter(|table| table.board().variant() != variant) {
            None => Ok(()),
            Some(table) => match table.under(variant) {
                Ok(table) => {
                    self.table = Some(table);
                    Ok(())
                }
                Err(what) => self.error(&format!("INFO rule counts from the next game on: {what}")),
            },
        }
    }

    fn about(&mut self) -> io::Result<()> {
        self.say(concat!(
            "name=\"juzhong\", version=\"",
            env!("CARGO_PKG_VERSION"),
            "\", author=\"the juzhong developers\", country=\"CHN\""
        ))
    }

    fn show_info(&mut self) -> io::Result<()> {
        /// The logarithm of the size in KiB, as GUIs want it.
        const LARGEST: u32 = (crate::search::MAX_HASH_MIB as u64 * 1024).ilog2();
        self.message(&format!("INFO MAX_THREAD_NUM {}", crate::search::MAX_THREADS))?;
        self.message(&format!("INFO MAX_HASH_SIZE {LARGEST}"))
    }

    /// `FORBID`, two digits for each column and row, and a full stop.
    fn show_forbidden(&mut self) -> io::Result<()> {
        let mut text = "FORBID ".to_owned();
        if let Some(table) = &self.table {
            let board = table.board();
            if board.variant().forbids(board.turn()) {
                let forbidden = board.points().filter(|&point| board.forbidden(point).is_some());
                let digits = |point| {
                    let Cell { column, row } = table.cell(point);
                    format!("{column:02}{row:02}")
                };
                text.extend(forbidden.map(digits));
            }
        }
        self.say(format_args!("{text}."))
    }

    fn is_prepared(&self) -> bool {
        let hash_mib = self.hash.min(self.limiting.most_hash());
        let is_it = |had: &EngineOptions<FreeRules>| {
            *had == EngineOptions { hash_mib, ..self.wanted.clone() }
        };
        !self.is_stale && self.engine.as_ref().is_some_and(|engine| is_it(engine.options()))
    }

    /// Begins to set the engine's options in a thread; `false` if it has them, or none can be started.
    fn prepare(&mut self) -> bool {
        if self.is_preparing || self.is_prepared() {
            return self.is_preparing;
        }
        self.wanted.hash_mib = self.hash.min(self.limiting.most_hash());
        let is_stale = std::mem::take(&mut self.is_stale);
        let set_up = if is_stale { set_up_anew } else { thinking::set_up::<Board> };
        let engine = self.engine.take();
        let (wanted, events) = (self.wanted.clone(), self.sender.clone());
        self.is_preparing = thinking::prepare(set_up, engine, wanted, events).is_ok();
        self.is_preparing
    }

    /// Starts a search, at once or when the engine has its options.
    fn request(&mut self, request: Request) -> io::Result<()> {
        self.wanted.multipv = request.lines;
        if self.prepare() {
            self.held = Some(request);
            return Ok(());
        }
        self.start_search(request)
    }

    fn start_search(&mut self, request: Request) -> io::Result<()> {
        let Request { purpose, began, is_stopped, .. } = request;
        let Some(table) = &self.table else { return Ok(()) };
        let order = table.order;
        let mut banned = self.blocked.clone();
        let line = match &purpose {
            Purpose::Move | Purpose::Side => table.line.clone(),
            Purpose::Ask(question) => match question.next() {
                Some(inquiry) => {
                    banned = inquiry.banned;
                    Line::new(inquiry.position, 0)
                }
                None => return self.answer_question(question, began),
            },
            Purpose::Propose(proposal) => match proposal.position() {
                Some(position) => Line::new(position.clone(), 0),
                None => return self.propose(proposal.best(), began),
            },
        };
        let shares = match &purpose {
            Purpose::Move | Purpose::Side => 1,
            Purpose::Propose(proposal) => proposal.shares(),
            Purpose::Ask(question) => question.shares(),
        };
        let position = line.position().clone();
        let all = self.limiting.limits(1).after(began.elapsed());
        let share = self.limiting.limits(shares);
        let limits = Limits {
            soft_time: all.soft_time.min(share.soft_time),
            hard_time: all.hard_time.min(share.hard_time),
            ..share
        };
        let goal = Goal { limits, mate: None };
        let job = match &purpose {
            Purpose::Move => Job::Choose(goal),
            // A book's move has no score.
            Purpose::Side | Purpose::Propose(_) | Purpose::Ask(_) => Job::Analyse(goal),
        };
        let signal = Arc::new(Signal::new(false));
        if is_stopped {
            signal.stop();
        }
        self.search = Some(Search {
            signal: Arc::clone(&signal),
            purpose,
            began,
            position,
            order,
            lines: Vec::new(),
            is_dropped: false,
        });
        let Some(engine) = self.engine.take() else { return self.search_lost() };
        self.has_searched = true;
        let task = Task { line, job, banned };
        if thinking::start(engine, task, signal, self.sender.clone()).is_err() {
            return self.search_lost();
        }
        Ok(())
    }

    fn hear(&mut self, thought: Thought<Board>) -> io::Result<()> {
        match thought {
            Thought::Iteration(iteration) => self.tell(&iteration),
            Thought::Count(..) | Thought::Known(_) => Ok(()),
            Thought::Prepared(prepared) => self.prepared(prepared),
            Thought::Done(None) => self.search_lost(),
            Thought::Done(Some(done)) => {
                let Done { mut engine, outcome } = *done;
                let warnings = engine.take_warnings();
                self.engine = Some(engine);
                warnings.iter().try_for_each(|warning| self.message(&warning.to_string()))?;
                match outcome {
                    Outcome::Move(choice) => self.answer(choice),
                    Outcome::Leaves(_) => Ok(()),
                }
            }
        }
    }

    fn prepared(&mut self, prepared: Option<Box<Prepared<Board>>>) -> io::Result<()> {
        self.is_preparing = false;
        match prepared.map(|prepared| *prepared) {
            Some(Prepared { engine, problem }) => {
                self.engine = engine;
                if let Some(problem) = problem {
                    let had = self.engine.as_ref().map(Engine::options);
                    let (hash, threads) = had.map_or((1, 1), |had| (had.hash_mib, had.threads));
                    (self.hash, self.wanted.threads) = (hash, threads);
                    self.message(&format!("{problem}; going on as before"))?;
                }
            }
            None => self.message("setting options broke down; please report them")?,
        }
        match self.held.take() {
            // The manager may have changed its mind meanwhile.
            Some(request) if self.engine.is_some() => self.request(request),
            Some(request) => self.start_search(request),
            None => Ok(()),
        }
    }

    /// Reports an iteration.
    fn tell(&mut self, iteration: &Iteration<Point>) -> io::Result<()> {
        let Iteration { depth, seldepth, multipv, nodes, time, pv, .. } = iteration;
        let Some(search) = self.search.as_mut().filter(|search| !search.is_dropped) else {
            return Ok(());
        };
        if *multipv == 1 {
            search.lines.clear();
        }
        search.lines.extend(pv.first().map(|&mv| (mv, iteration.score)));
        if *multipv > 1 && matches!(search.purpose, Purpose::Ask(_)) {
            return Ok(()); // there may be one for each point
        }
        let score = evaluation(iteration.score);
        let time = time.as_millis();
        let moves: Vec<String> = pv.iter().map(ToString::to_string).collect();
        let line = if *multipv > 1 { format!(" ({multipv})") } else { String::new() };
        let text = format!(
            "depth {depth}-{seldepth}{line} ev {score} n {nodes} tm {time} pv {}",
            moves.join(" ")
        );
        self.message(&text)
    }

    /// The search is lost, and its engine: any move is better than none.
    fn search_lost(&mut self) -> io::Result<()> {
        self.message("the search broke down; please report the position")?;
        let Some(search) = &self.search else { return Ok(()) };
        let mut moves = MoveList::new();
        search.position.legal_moves(&mut moves);
        self.answer(moves.first().copied().map(Choice::unsearched))
    }

    fn answer(&mut self, choice: Option<Choice<Point>>) -> io::Result<()> {
        let Some(search) = self.search.take() else { return Ok(()) };
        if search.is_dropped {
            return Ok(());
        }
        if let Purpose::Propose(mut proposal) = search.purpose {
            proposal.judge(choice.and_then(|choice| choice.score));
            let (purpose, began) = (Purpose::Propose(proposal), search.began);
            let is_stopped = search.signal.stopped();
            return self.start_search(Request { purpose, lines: 1, began, is_stopped });
        }
        if let Purpose::Ask(mut question) = search.purpose {
            let only = choice.map(|choice| {
                let score = choice.score.unwrap_or_else(|| score_without_search(&search.position));
                (choice.mv, score)
            });
            let lines =
                if search.lines.is_empty() { only.into_iter().collect() } else { search.lines };
            question.hear(&lines);
            let lines = question.next().map_or(1, |inquiry| inquiry.lines);
            let (purpose, began) = (Purpose::Ask(question), search.began);
            let is_stopped = search.signal.stopped();
            return self.request(Request { purpose, lines, began, is_stopped });
        }
        self.limiting.spend(search.began.elapsed());
        let Some(choice) = choice else {
            return self.error("there is no move: the game is over, or every point is blocked");
        };
        if search.lines.is_empty() {
            self.tell_unsearched(&search.position, &choice)?;
        }
        let is_worse = choice.score.is_some_and(|score| score.value() < 0);
        if matches!(search.purpose, Purpose::Side) && is_worse {
            return self.say("SWAP");
        }
        if let Some(table) = &mut self.table {
            table.line.push(choice.mv);
        }
        self.say(cell(&search.position, choice.mv, search.order))
    }

    /// Reports a move that no iteration was reported for.
    fn tell_unsearched(&mut self, position: &Board, choice: &Choice<Point>) -> io::Result<()> {
        let score = choice.score.unwrap_or_else(|| score_without_search(position));
        let moves: Vec<String> = choice.pv.iter().map(ToString::to_string).collect();
        let (depth, nodes, moves) = (choice.depth, choice.nodes, moves.join(" "));
        let ev = evaluation(score);
        self.message(&format!("depth {depth}-{depth} ev {ev} n {nodes} tm 0 pv {moves}"))
    }

    fn answer_question(&mut self, question: &Question, began: Instant) -> io::Result<()> {
        self.limiting.spend(began.elapsed());
        let Some(table) = &mut self.table else { return Ok(()) };
        let lines = question.answer(|point| table.cell(point));
        question.stones().into_iter().for_each(|point| table.line.push(point));
        if lines.is_empty() {
            return self.error("there is no move: the game is over, or every point is blocked");
        }
        lines.iter().try_for_each(|line| self.say(line))
    }

    /// Says the opening that the opponent may choose a side of.
    fn propose(&mut self, stones: Option<[Point; 3]>, began: Instant) -> io::Result<()> {
        self.limiting.spend(began.elapsed());
        let (Some(table), Some(stones)) = (&mut self.table, stones) else { return Ok(()) };
        let cells = stones.map(|point| table.cell(point).to_string());
        stones.into_iter().for_each(|point| table.line.push(point));
        self.say(cells.join(" "))
    }
}

/// A score as messages have it.
fn evaluation(score: Score) -> String {
    match score.kind() {
        ScoreKind::Centipawns(score) => score.to_string(),
        ScoreKind::MateIn(plies) | ScoreKind::TableWin(plies) => format!("+M{plies}"),
        ScoreKind::MatedIn(plies) | ScoreKind::TableLoss(plies) => format!("-M{plies}"),
    }
}

/// Sets options in an engine that has to forget the last game.
fn set_up_anew(
    mut engine: Option<Engine<Board>>,
    options: EngineOptions<FreeRules>,
) -> Prepared<Board> {
    if let Some(engine) = &mut engine {
        engine.new_game();
    }
    thinking::set_up(engine, options)
}

/// The answer to a command.
enum Answer {
    Nothing,
    /// `OK`.
    Ready,
    /// A point.
    Cell(Cell),
    /// Messages.
    Messages(Vec<String>),
    /// The result of a search of this number of best lines.
    Search(Purpose, usize),
}

impl Answer {
    /// The searches that a question needs.
    fn ask(question: Question) -> Self {
        let lines = question.next().map_or(1, |inquiry| inquiry.lines);
        Self::Search(Purpose::Ask(Box::new(question)), lines)
    }
}
