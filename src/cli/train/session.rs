//! The exercises that are due, asked one after the other. Each answer is in the file before the next line is read.

use std::io::Write;
use std::path::PathBuf;

use super::listing::opened;
use super::words::{self, Command};
use super::{Args, truth};
use crate::cli::args::player::tell_warnings;
use crate::cli::exit::by_kind;
use crate::cli::interrupt::Interruptible;
use crate::cli::print::terminal::{Terminal, View, wants_colour};
use crate::cli::prompt::{Entered, Prompt, Words, move_words};
use crate::cli::{CliError, Context, exit, notice};
use crate::language::{self, counted, text, word, wrapped};
use juzhong::answers::legal_moves;
use juzhong::bytes::visible::VisibleLines;
use juzhong::engine::Playable;
use juzhong::game::Side;
use juzhong::message::{Message, message};
use juzhong::train::{
    Collection, Day, Examined, Examiner, Exercise, Grade, Kind, Opened, TableResult,
};
use juzhong::xiangqi::notation::MoveNotation;

/// Columns of a line with many moves.
const WIDTH: usize = 78;

/// Asks the exercises of a game that are due.
pub(crate) fn run<G: Terminal + Playable>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let collection = Collection::read(&args.file).map_err(by_kind)?;
    let day = args.day();
    let due = collection.due(G::NAME, day);
    let asked = due.len().min(args.number as usize);
    let exercises = opened::<G>(&due[..asked])?;
    let mut session = Session::<G>::new(args, day, context);
    session.begin(due.len(), asked)?;
    let mut left = None;
    for (number, opened) in (1..).zip(&exercises) {
        if let Next::Leave(code) = session.ask(opened, number, asked)? {
            left = Some(code);
            break;
        }
    }
    session.end(&collection, left)
}

/// The next step after an exercise.
enum Next {
    /// The next one.
    Exercise,
    /// The end, with that exit code.
    Leave(u8),
}

/// The next step after a line.
enum Turn {
    /// Another line about the same exercise.
    Same,
    /// The next exercise.
    Done,
    Leave(u8),
}

/// A session with exercises.
struct Session<'a, G: Terminal + Playable> {
    args: &'a Args,
    file: PathBuf,
    day: Day,
    notation: MoveNotation,
    view: View,
    prompt: Prompt,
    interruptible: Option<Interruptible>,
    /// Set up when the first move is not one of the exercise's own.
    examiner: Option<Examiner<G>>,
    right: usize,
    wrong: usize,
    out: &'a mut dyn Write,
}

/// An exercise while it is asked.
struct Asked<'a, 'b, G: Terminal + Playable> {
    opened: &'a Opened<'b, G>,
    is_hinted: bool,
    /// True once an answer has been noted.
    is_noted: bool,
}

impl<'a, G: Terminal + Playable> Session<'a, G> {
    fn new(args: &'a Args, day: Day, context: &'a mut Context<'_>) -> Self {
        let prompt = Prompt::new("train-history.txt", || Words::new(words::words(), |_| false));
        let caught = prompt.is_terminal().then(Interruptible::catch).transpose();
        let interruptible = caught.unwrap_or_else(|error| {
            tracing::debug!("no handler for interrupts: {error}");
            None
        });
        Self {
            args,
            file: args.file.clone(),
            day,
            notation: args.notation.shown(),
            view: View {
                is_flipped: args.flip && G::HAS_VIEWS,
                is_coloured: wants_colour(),
                ..args.drawing.view::<G>(args.notation)
            },
            prompt,
            interruptible,
            examiner: None,
            right: 0,
            wrong: 0,
            out: &mut *context.out,
        }
    }

    fn say(&mut self, text: impl Into<Message>) -> Result<(), CliError> {
        writeln!(self.out, "{}", VisibleLines(language::translated(text)))?;
        Ok(())
    }

    fn begin(&mut self, due: usize, asked: usize) -> Result<(), CliError> {
        if due == 0 {
            return self.say(text!("nothing is due on {}", self.day));
        }
        self.say(counted!(due == 1, "{} exercise is due", "{} exercises are due", due))?;
        match asked < due {
            true => self.say(text!("the first {asked} of them are asked (--number)")),
            false => Ok(()),
        }
    }

    /// Asks one exercise until it is answered, shown or skipped.
    fn ask(&mut self, opened: &Opened<'_, G>, number: usize, of: usize) -> Result<Next, CliError> {
        let source = &opened.exercise.source;
        self.say(text!("\n{number} of {of}: {source}"))?;
        self.draw(opened)?;
        let mut asked = Asked { opened, is_hinted: false, is_noted: false };
        loop {
            if let Some(interruptible) = &self.interruptible {
                interruptible.end();
            }
            let (position, notation) = (opened.line.position(), self.notation);
            let entered = self.prompt.read("> ", || move_words(position, notation), self.out)?;
            let turn = match entered {
                Entered::Line(line) => self.obey(&line, &mut asked)?,
                Entered::Unreadable(why) => {
                    self.say(text!("not understood: {}", language::translated(why)))?;
                    Turn::Same
                }
                Entered::End => {
                    self.say("\nend of input")?;
                    Turn::Leave(exit::OK)
                }
                Entered::Interrupt => Turn::Leave(exit::INTERRUPTED_BY_USER),
            };
            match turn {
                Turn::Same => {}
                Turn::Done => return Ok(Next::Exercise),
                Turn::Leave(code) => return Ok(Next::Leave(code)),
            }
        }
    }

    /// Does what was typed.
    fn obey(&mut self, line: &str, asked: &mut Asked<'_, '_, G>) -> Result<Turn, CliError> {
        if line.trim().is_empty() {
            return Ok(Turn::Same);
        }
        let Some(command) = words::command_of(line) else { return self.answer(line, asked) };
        match command {
            Command::Hint => self.hint(asked)?,
            Command::Show => {
                self.show(asked.opened)?;
                self.note(asked, Grade::Wrong)?;
                return Ok(Turn::Done);
            }
            Command::Skip => return Ok(Turn::Done),
            Command::Board => self.draw(asked.opened)?,
            Command::Moves => {
                let position = asked.opened.line.position();
                let moves = legal_moves(position).into_iter();
                let texts: Vec<String> =
                    moves.map(|mv| position.write_move(mv, self.notation)).collect();
                self.say(wrapped(&texts.join(" "), WIDTH).join("\n"))?;
            }
            Command::Help => write!(self.out, "{}", words::help())?,
            Command::Quit => return Ok(Turn::Leave(exit::OK)),
        }
        Ok(Turn::Same)
    }

    /// Judges a move.
    fn answer(&mut self, typed: &str, asked: &mut Asked<'_, '_, G>) -> Result<Turn, CliError> {
        let opened = asked.opened;
        let position = opened.line.position();
        let mv = match position.read_move(typed) {
            Ok(mv) => mv,
            Err(reason) => {
                let reason = language::translated(reason);
                let remedy = words::remedy(typed);
                self.say(text!("{reason}; {remedy}"))?;
                return Ok(Turn::Same);
            }
        };
        let text = position.write_move(mv, self.notation);
        if let Some(place) = opened.place_of(mv) {
            let truth = truth::of_accepted(&opened.exercise.accepted[place]);
            self.say(with_truth(text!("right: {text}"), &truth))?;
            self.note(asked, if asked.is_hinted { Grade::Hinted } else { Grade::Right })?;
            return Ok(Turn::Done);
        }
        let Some(examined) = self.examine(opened, mv)? else {
            self.say("search stopped; move not judged")?;
            return Ok(Turn::Same);
        };
        let truth = truth::of_examined(&examined);
        if examined.is_right {
            self.say(with_truth(text!("right, as good as the answer: {text}"), &truth))?;
            self.show(opened)?;
            self.note(asked, if asked.is_hinted { Grade::Hinted } else { Grade::Right })?;
            return Ok(Turn::Done);
        }
        self.say(with_truth(text!("wrong: {text}"), &truth))?;
        self.note(asked, Grade::Wrong)?;
        self.say("try again, or type hint, show or skip")?;
        Ok(Turn::Same)
    }

    /// Looks a move up. Ctrl-C at a terminal ends that.
    fn examine(
        &mut self,
        opened: &Opened<'_, G>,
        mv: G::Move,
    ) -> Result<Option<Examined>, CliError> {
        self.out.flush()?;
        let stop = self.interruptible.as_ref().map(Interruptible::begin).unwrap_or_default();
        let examiner = match &mut self.examiner {
            Some(examiner) => examiner,
            none => none.insert(self.args.examiner()?),
        };
        let examined = examiner.examine(opened, mv, &stop).map_err(by_kind)?;
        tell_warnings(examiner.engine());
        Ok(examined)
    }

    /// Tells the piece that makes the right move; where there are no pieces to move, the truth about that.
    fn hint(&mut self, asked: &mut Asked<'_, '_, G>) -> Result<(), CliError> {
        asked.is_hinted = true;
        let Some(right) = asked.opened.exercise.accepted.first() else { return Ok(()) };
        let from: String = right.mv.chars().take(2).collect();
        // A move of four letters is one of xiangqi, which begins with the square of the piece.
        if right.mv.len() == 4 {
            return self.say(text!("hint: the piece on {from}"));
        }
        let truth = truth::of_accepted(right);
        self.say(text!("hint: {}", if truth.is_empty() { word("none") } else { &truth }))
    }

    /// Shows the moves that are right.
    fn show(&mut self, opened: &Opened<'_, G>) -> Result<(), CliError> {
        let position = opened.line.position();
        for (&mv, accepted) in opened.accepted.iter().zip(&opened.exercise.accepted) {
            let text = position.write_move(mv, self.notation);
            self.say(with_truth(text!("answer: {text}"), &truth::of_accepted(accepted)))?;
            let line = line_of(position, &accepted.line, self.notation);
            if line.len() > 1 {
                self.say(format!("  {}", line.join(" ")))?;
            }
        }
        Ok(())
    }

    /// Notes an answer in the file, the first one to an exercise, and tells when it comes again.
    fn note(&mut self, asked: &mut Asked<'_, '_, G>, grade: Grade) -> Result<(), CliError> {
        if asked.is_noted {
            return Ok(());
        }
        asked.is_noted = true;
        match grade {
            Grade::Wrong => self.wrong += 1,
            Grade::Right | Grade::Hinted => self.right += 1,
        }
        let id = &asked.opened.exercise.id;
        let due = Collection::update(&self.file, false, |collection| {
            collection.answer(id, grade, self.day).map(|schedule| schedule.due)
        });
        let Some(due) = due.map_err(by_kind)? else { return Ok(()) };
        let days = due.days_since(self.day);
        self.say(counted!(
            days == 1,
            "next time: {due}, in {} day",
            "next time: {due}, in {} days",
            days
        ))
    }

    /// Draws the board, and says what is wanted.
    fn draw(&mut self, opened: &Opened<'_, G>) -> Result<(), CliError> {
        let position = opened.line.position();
        let drawing = position.draw(self.view, opened.line.moves().last());
        write!(self.out, "{drawing}")?;
        let task = task(opened, self.notation);
        self.say(task)
    }

    /// The sums, and when there is more to do.
    fn end(&mut self, before: &Collection, left: Option<u8>) -> Result<u8, CliError> {
        if let Err(error) = self.prompt.remember() {
            notice(message!("what was typed is not remembered: {error}"));
        }
        let now = Collection::read(&self.file);
        // If the file cannot be read any more, what is due is as it was at the beginning.
        let now = now.as_ref().unwrap_or(before);
        if self.right + self.wrong > 0 {
            let (right, wrong) = (self.right, self.wrong);
            self.say(text!("\n{right} right, {wrong} wrong"))?;
        }
        let still = now.due(G::NAME, self.day).len();
        if still > 0 {
            self.say(counted!(
                still == 1,
                "{} exercise is still due",
                "{} exercises are still due",
                still
            ))?;
        }
        if let Some((day, count)) = next_day::<G>(now.exercises(), self.day) {
            self.say(counted!(
                count == 1,
                "{} exercise is due on {day}",
                "{} exercises are due on {day}",
                count
            ))?;
        }
        Ok(left.unwrap_or(exit::OK))
    }
}

/// A text with what is known, if something is.
fn with_truth(text: String, truth: &str) -> String {
    if truth.is_empty() { text } else { format!("{text}  ({truth})") }
}

/// The texts of a line that is expected.
fn line_of<G: Terminal + Playable>(
    position: &G,
    texts: &[String],
    notation: MoveNotation,
) -> Vec<String> {
    let mut position = position.clone();
    let mut written = Vec::new();
    for text in texts {
        let mv = G::parse_move(text).filter(|&mv| position.is_legal(mv));
        let Some(mv) = mv else { break };
        written.push(position.write_move(mv, notation));
        position.make(mv);
    }
    written
}

/// Says what is wanted in an exercise.
fn task<G: Terminal + Playable>(opened: &Opened<'_, G>, notation: MoveNotation) -> String {
    let position = opened.line.position();
    let side = side_word::<G>(position.turn());
    let goal = opened.exercise.accepted.first().and_then(|right| right.table);
    match (opened.exercise.kind, opened.played, goal.map(|goal| goal.wdl)) {
        (_, Some(played), _) => {
            let played = position.write_move(played, notation);
            text!("{side} to move; you played {played}; find better")
        }
        (Kind::Repertoire, ..) => text!("{side} to move; which move does the repertoire have?"),
        (_, None, Some(TableResult::Win)) => text!("{side} to move and win"),
        (_, None, Some(TableResult::Draw)) => text!("{side} to move and hold the draw"),
        _ => text!("{side} to move; find the best move"),
    }
}

fn side_word<G: Terminal + Playable>(side: Side) -> &'static str {
    word(G::side_name(side))
}

/// The first day after one on which exercises of a game are due, and their number.
fn next_day<G: Terminal + Playable>(exercises: &[Exercise], day: Day) -> Option<(Day, usize)> {
    let of_game = exercises.iter().filter(|exercise| exercise.game == G::NAME);
    let days: Vec<Day> =
        of_game.filter_map(|exercise| exercise.schedule.due).filter(|&due| due > day).collect();
    let first = *days.iter().min()?;
    Some((first, days.iter().filter(|&&due| due == first).count()))
}
