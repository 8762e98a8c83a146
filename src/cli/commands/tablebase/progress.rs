//! The progress of work on tablebases, on standard error: a bar, plain lines, or JSON.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::tell;
use crate::language::{counted, text};
use juzhong::answers::tablebase::{ProgressAnswer, ProgressEvent};
use juzhong::bytes::BinarySize;
use juzhong::bytes::visible::{ShowPath, VisibleLines};
use juzhong::tablebase::{Built, Estimate, Material, Phase, Progress, Workload};

/// Without a terminal, at most one line in this time about tablebases at work.
const QUIET: Duration = Duration::from_secs(5);
/// At most one JSON object in this time about the phases of tablebases at work.
const PACE: Duration = Duration::from_millis(500);
/// The bar changes at most once in this time.
const FRAME: Duration = Duration::from_millis(100);
/// The number of tablebases that the plan names, those with most slots, where there are more.
const NAMED: usize = 12;
/// The time foreseen counts like this much of measured time, so that the first tablebases, which are small
/// and slow for their size, do not mislead.
const TRUST: f64 = 2.0;

/// A bar with its percentage and a message, of which as much is shown as fits into the line.
pub(crate) fn one_line_bar(length: u64, target: ProgressDrawTarget) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:16} {percent:>3} % {wide_msg}");
    let bar = ProgressBar::with_draw_target(Some(length), target);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Show {
    /// Progress bar on a terminal, else plain lines.
    #[default]
    Auto,
    /// Plain lines of text.
    Plain,
    /// One JSON object per line (schema juzhong.tablebase.progress/1).
    Json,
    /// Errors only.
    None,
}

/// Progress on standard error.
pub(crate) struct Printer {
    show: Show,
    bar: Option<ProgressBar>,
    state: Mutex<ProgressState>,
}

/// The work on all tablebases.
struct ProgressState {
    began: Instant,
    last: Option<Instant>,
    threads: f64,
    /// Seconds of one core, as foreseen, for all tablebases and for those finished.
    total: f64,
    finished: f64,
    /// Slots, counted for each side, of those finished.
    slots: f64,
    at_work: BTreeMap<Material, TableJob>,
    /// Tablebases reported as being built by other processes.
    waiting: Vec<Material>,
}

/// A tablebase at work.
struct TableJob {
    began: Instant,
    name: String,
    work: f64,
    slots: f64,
    phase: Option<Phase>,
}

impl TableJob {
    /// The part of the work that is done, roughly: each phase has a range, which a first look fills as it
    /// goes on, and others as their time goes by.
    fn part(&self, threads: f64) -> f64 {
        let (from, to) = match self.phase {
            None => (0.0, 0.0),
            Some(Phase::Looking { done, total }) => {
                let seen = 0.4 * done as f64 / total.max(1) as f64;
                (seen, seen)
            }
            Some(Phase::Spreading { order: 0, .. }) => (0.4, 0.6),
            Some(Phase::Spreading { .. } | Phase::Judging { .. }) => (0.6, 0.85),
            Some(Phase::Hashing) => (0.85, 0.9),
            Some(Phase::Packing) => (0.9, 1.0),
        };
        // In a first look both bounds are what was counted, so that the time has no influence.
        let by_time = self.began.elapsed().as_secs_f64() * threads / self.work;
        by_time.clamp(from, to)
    }
}

impl ProgressState {
    /// Work done, in foreseen seconds of one core, and slots done.
    fn done(&self) -> (f64, f64) {
        // Small tablebases share the threads, large ones have them all: as if the first were all at work.
        let share = self.threads / self.at_work.len().max(1) as f64;
        let sums = self.at_work.values().map(|job| (job.part(share), job));
        sums.fold((self.finished, self.slots), |(work, slots), (part, job)| {
            (work + part * job.work, slots + part * job.slots)
        })
    }

    /// Slots (of both sides) done in a second so far.
    fn rate(&self) -> f64 {
        self.done().1 / self.began.elapsed().as_secs_f64().max(0.001)
    }

    /// Seconds left: by what was foreseen at first, more and more by what was measured.
    fn left(&self) -> f64 {
        let (done, _) = self.done();
        let elapsed = self.began.elapsed().as_secs_f64();
        // As if the work had gone on for `TRUST` seconds before, with all threads at the speed foreseen.
        let speed = (done + TRUST * self.threads) / (elapsed + TRUST);
        (self.total - done).max(0.0) / speed
    }
}

impl Printer {
    pub(crate) fn with(show: Show) -> Self {
        let on_terminal = show == Show::Auto && std::io::stderr().is_terminal();
        let bar = on_terminal.then(|| one_line_bar(1000, ProgressDrawTarget::stderr()));
        let state = ProgressState {
            began: Instant::now(),
            last: None,
            threads: 1.0,
            total: 0.0,
            finished: 0.0,
            slots: 0.0,
            at_work: BTreeMap::new(),
            waiting: Vec::new(),
        };
        Self { show, bar, state: Mutex::new(state) }
    }

    pub(crate) fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn lock(&self) -> MutexGuard<'_, ProgressState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line of text, if it is text that is shown.
    pub(crate) fn line(&self, text: &str) {
        match (&self.bar, self.show) {
            (Some(bar), _) => bar.println(VisibleLines(text).to_string()),
            (None, Show::Auto | Show::Plain) => tell(text),
            (None, Show::Json | Show::None) => {}
        }
    }

    /// An object, if it is JSON that is shown.
    fn object(&self, event: ProgressEvent) {
        if self.show == Show::Json
            && let Ok(object) = serde_json::to_value(ProgressAnswer::from(event))
        {
            tell(object.to_string());
        }
    }

    /// Returns true if it is time to show tablebases at work again.
    fn is_due(&self, state: &mut ProgressState) -> bool {
        let pace = match (&self.bar, self.show) {
            (Some(_), _) => FRAME,
            (None, Show::Json) => PACE,
            (None, Show::Auto | Show::Plain) => QUIET,
            (None, Show::None) => return false,
        };
        let since = state.last.unwrap_or(state.began);
        let is_due = since.elapsed() >= pace;
        if is_due {
            state.last = Some(Instant::now());
        }
        is_due
    }

    fn show_work(&self, material: Material, state: &ProgressState) {
        let (done, _) = state.done();
        let part = if state.total > 0.0 { done / state.total } else { 0.0 };
        let Some(job) = state.at_work.get(&material) else { return };
        let Some(phase) = job.phase else { return };
        let (rate, left) = (state.rate(), state.left());
        if let Some(bar) = &self.bar {
            bar.set_length(1000);
            bar.set_position((part * 1000.0) as u64);
        }
        let (table, mega, time) = (&job.name, rate / 1e6, about(left));
        if let Some(bar) = &self.bar {
            // The bar shows the percentage; what comes last is cut off where the terminal is narrow.
            let phase = match phase {
                Phase::Looking { .. } => text!("first look"),
                _ => describe(phase),
            };
            bar.set_message(text!("{time} left, {table}: {phase}, {mega:.2} million slots/s"));
        } else {
            self.line(&text!(
                "{table}: {}; {:.0} % of all, {mega:.2} million slots a second, {time} left",
                describe(phase),
                100.0 * part
            ));
        }
        let parts = (job.part(state.threads), part);
        self.object(ProgressEvent::phase(material, phase, parts, rate, left));
    }
}

/// A time for people, roughly.
fn about(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        _ if seconds < 1.0 => text!("under 1 s"),
        seconds @ 0..120 => text!("about {seconds} s"),
        seconds @ 120..7200 => text!("about {} min", seconds.div_ceil(60)),
        seconds => text!("about {:.1} h", seconds as f64 / 3600.0),
    }
}

fn describe(phase: Phase) -> String {
    match phase {
        Phase::Looking { done, total } => text!("first look {} %", 100 * done / total.max(1)),
        Phase::Spreading { order, distance } => text!("spreading order {order}, ply {distance}"),
        Phase::Judging { order } => text!("judging repetition, round {order}"),
        Phase::Hashing => text!("hashing"),
        Phase::Packing => text!("packing and writing"),
    }
}

impl Progress for Printer {
    fn planned(&self, plan: &Workload) {
        let mut state = self.lock();
        state.threads = plan.threads as f64;
        state.total = plan.to_build().map(|table| table.work.as_secs_f64()).sum();
        state.began = Instant::now();
        drop(state);
        let mut tables: Vec<&Estimate> = plan.to_build().collect();
        if tables.is_empty() {
            return;
        }
        self.line(&plan_text(plan));
        tables.sort_by_key(|table| std::cmp::Reverse((table.slots, table.material)));
        if tables.len() > NAMED {
            self.line(&text!("the {NAMED} largest (--dry-run tells of all):"));
        }
        for table in tables.iter().take(NAMED) {
            self.line(&format!("  {}", estimate_text(table, plan.threads)));
        }
        self.object(ProgressEvent::plan(plan));
    }

    fn started(&self, estimate: &Estimate, number: usize, of: usize) {
        let Estimate { material, slots, memory, .. } = *estimate;
        let name = text!("{material} ({number} of {of})");
        let text =
            text!("{name}: {slots} slots for each side to move, {} of memory", BinarySize(memory));
        let job = TableJob {
            began: Instant::now(),
            name,
            work: estimate.work.as_secs_f64(),
            slots: (slots * estimate.sides) as f64,
            phase: None,
        };
        self.lock().at_work.insert(material, job);
        self.line(&text);
        self.object(ProgressEvent::start(estimate, number, of));
    }

    fn phase(&self, material: Material, phase: Phase) {
        if self.show == Show::None {
            return;
        }
        let mut state = self.lock();
        if let Some(job) = state.at_work.get_mut(&material) {
            job.phase = Some(phase);
        }
        if self.is_due(&mut state) {
            self.show_work(material, &state);
        }
    }

    fn waiting(&self, material: Material, process: Option<u32>) {
        let mut state = self.lock();
        if state.waiting.contains(&material) {
            return;
        }
        state.waiting.push(material);
        drop(state);
        let who = process.map_or(text!("another process"), |id| text!("process {id}"));
        self.line(&text!("{material}: {who} is building it; this one goes on when it is done"));
        self.object(ProgressEvent::wait(material, process));
    }

    fn finished(&self, built: &Built) {
        let mut state = self.lock();
        let job = state.at_work.remove(&built.material);
        if let Some(job) = &job {
            state.finished += job.work;
            state.slots += job.slots;
        }
        let left = state.left();
        drop(state);
        let seconds = job.map(|job| job.began.elapsed().as_secs_f64());
        if let Some(seconds) = seconds {
            let path = built.path.shown();
            self.line(&text!(
                "{path}: {} bytes, {seconds:.1} s; {} left",
                built.bytes,
                about(left)
            ));
        }
        self.object(ProgressEvent::finish(built, seconds, left));
    }
}

/// One tablebase of a plan, for people.
pub(crate) fn estimate_text(table: &Estimate, threads: usize) -> String {
    text!(
        "{}: {} slots for each side to move, {} of memory, about {} on the disk, {}",
        table.material,
        table.slots,
        BinarySize(table.memory),
        BinarySize(table.disk),
        about(table.work.as_secs_f64() / threads.max(1) as f64)
    )
}

/// The whole workload of a plan, for people.
pub(crate) fn plan_text(plan: &Workload) -> String {
    let (count, all, slots, threads) =
        (plan.to_build().count(), plan.tables.len(), plan.slots(), plan.threads);
    let (memory, disk) = (BinarySize(plan.memory()), BinarySize(plan.disk()));
    let free = plan.free.map_or(String::new(), |free| text!(" ({} free)", BinarySize(free)));
    let tables =
        counted!(all == 1, "{count} of 1 table to build", "{count} of {all} tables to build");
    let time = about(plan.time().as_secs_f64());
    let time = counted!(threads == 1, "{time} with 1 thread", "{time} with {threads} threads");
    text!(
        "{tables}: {slots} slots for each side to move, at most {memory} of memory, \
         about {disk} on the disk{free}, {time}"
    )
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use indicatif::TermLike;

    use super::*;

    /// A terminal that keeps what is written to it.
    #[derive(Debug, Clone)]
    struct Screen {
        width: u16,
        lines: Arc<Mutex<Vec<String>>>,
    }

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            self.width
        }

        fn move_cursor_up(&self, _lines: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _lines: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _columns: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _columns: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.lines.lock().unwrap().push(text.to_owned());
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_bar_stays_in_its_line_and_states_its_percentage_once() {
        let folder = tempfile::tempdir().unwrap();
        let material: Material = "KRNvKAABB".parse().unwrap();
        let options = juzhong::tablebase::GenerateOptions::default();
        let plan = juzhong::tablebase::workload(folder.path(), &[material], &options).unwrap();
        for width in [80, 60] {
            let screen = Screen { width, lines: Arc::default() };
            let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
            let mut printer = Printer::with(Show::None);
            printer.show = Show::Auto;
            printer.bar = Some(one_line_bar(1000, target));
            printer.lock().total = plan.time().as_secs_f64();
            let (number, all) = (plan.tables.len(), plan.tables.len());
            let estimate = &plan.tables.last().unwrap().estimate;
            printer.started(estimate, number, all);
            screen.lines.lock().unwrap().clear();
            for done in 0..3 {
                std::thread::sleep(FRAME);
                printer.phase(material, Phase::Spreading { order: 12, distance: 100 + done });
            }
            let lines = screen.lines.lock().unwrap();
            let shown: Vec<_> = lines.iter().filter(|line| line.contains("KRNvKAABB")).collect();
            assert!(!shown.is_empty(), "{lines:?}");
            for line in shown {
                assert!(line.chars().count() <= usize::from(width), "{line}");
                assert_eq!(line.matches('%').count(), 1, "{line}");
                assert!(line.contains(" left, "), "{line}");
            }
        }
    }

    #[test]
    fn times_are_rough() {
        let times = [0.0, 0.2, 1.0, 119.5, 121.0, 9000.0].map(about);
        assert_eq!(
            times,
            ["under 1 s", "under 1 s", "about 1 s", "about 2 min", "about 3 min", "about 2.5 h"]
        );
    }
}
