//! `player`: what the games of a collection say about a player.

mod page;

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::cli::args::game_input::STANDARD;
use crate::cli::args::line_args::NotationArgs;
use crate::cli::args::picture::{LookArgs, write_whole};
use crate::cli::args::side::SideName;
use crate::cli::commands::book;
use crate::cli::commands::games::{
    CollectionArgs, GameOutput, OpenIndex, OutputArgs, open, refuse_both,
};
use crate::cli::print::opening_names::name_of;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, exit, with_game, write_answer};
use crate::language::{fitting, left, right, say, text, word};
use juzhong::answers::AnswerError;
use juzhong::answers::collection::{
    Meeting, ModelGame, NamedTally, Novelty, PlayerAnswer, PlayerEnding, PlayerLine, PlayerMove,
    PlayerRequest, PlayerSide, Tally,
};
use juzhong::bytes::visible::Visible;
use juzhong::collection::{Collected, Conditions};
use juzhong::engine::{Endgames, Playable, TableOptions};
use juzhong::game::Side;
use juzhong::message::message;

/// Columns of the text.
const COLUMNS: usize = 80;

/// Columns of a name in a table.
const NAME: usize = 32;

/// Show what a collection says about a player.
///
/// On each side: openings, results, the main line, the lines in which the player scored least, novelties (moves that nobody
/// in the collection had made before in a position that at least 5 earlier games reached), and the games won against the
/// best rated opponents, which -o writes. Copies of a game count once.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of the player or a part of it, in simplified or traditional characters, or in pinyin without tones.
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    collection: CollectionArgs,
    /// Other name of the same player.
    #[arg(long, value_name = "NAME")]
    alias: Vec<String>,
    /// Only players whose whole name this is, script and width aside.
    #[arg(long)]
    exact: bool,
    /// Only games from this year on.
    #[arg(long, value_name = "YEAR")]
    since: Option<u16>,
    /// Only games up to this year.
    #[arg(long, value_name = "YEAR")]
    until: Option<u16>,
    /// Show where the player leaves the book of a repertoire against which they play; needs --side.
    #[arg(long, value_name = "BOOK", requires = "side")]
    against: Option<PathBuf>,
    /// Side of the repertoire of --against.
    #[arg(long, value_name = "SIDE")]
    side: Option<SideName>,
    /// Folder of endgame tables, to tell what endings were worth when they began; may be repeated.
    #[arg(long, value_name = "FOLDER")]
    tables: Vec<PathBuf>,
    #[command(flatten)]
    notation: NotationArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Write all that as a page of HTML to be read and printed, with diagrams and plots; - is standard output, in place of
    /// the text.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
    #[command(flatten)]
    look: LookArgs,
}

impl Args {
    /// Returns true if standard output is for programs.
    pub(crate) fn writes_data(&self) -> bool {
        self.output.is_standard() || self.is_page_standard()
    }

    fn is_page_standard(&self) -> bool {
        self.html.as_deref() == Some(Path::new(STANDARD))
    }

    /// The tables, if there are any.
    fn open_tables<G: Playable>(&self) -> Result<Option<G::Tables>, CliError> {
        if self.tables.is_empty() {
            return Ok(None);
        }
        let options = TableOptions { folders: self.tables.clone(), ..TableOptions::default() };
        let tables = G::Tables::open(&options, G::Rules::default());
        tables.map(Some).map_err(|message| CliError::message(exit::NO_INPUT, message))
    }

    fn request(&self) -> PlayerRequest {
        let conditions = Conditions { years: (self.since, self.until), ..Conditions::default() };
        PlayerRequest {
            name: self.name.clone(),
            aliases: self.alias.clone(),
            is_exact: self.exact,
            conditions,
            notation: self.notation.asked(),
        }
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Collected + Playable>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    refuse_both(&args.output, context)?;
    if args.is_page_standard() && (context.common.json || args.output.is_standard()) {
        let message = "standard output takes one answer; name a file for the others";
        return Err(CliError::message(exit::USAGE, message));
    }
    let side = args.side.map(SideName::side::<G>).transpose()?;
    let repertoire = args.against.as_deref().map(book::open).transpose()?;
    let OpenIndex { index, .. } = open::<G>(&args.collection)?;
    let is_for_people = !context.common.json || args.html.is_some();
    let notation = Some(args.notation.shown()).filter(|_| is_for_people);
    let request = args.request();
    let request = PlayerRequest { notation: notation.or(request.notation), ..request };
    let tables = args.open_tables::<G>()?;
    let mut found = request.find::<G>(&index).map_err(AnswerError::from)?;
    if let Some(tables) = &tables {
        found.judge(tables);
    }
    if found.games.is_empty() {
        let message = message!("no game of {} in the collection", args.name);
        return Err(CliError::message(exit::FAILED, message));
    }
    let answer = match (&repertoire, side) {
        (Some(book), Some(side)) => found.answer_against(book, side)?,
        _ => found.answer(),
    };
    if args.output.is_given() {
        let mut output = GameOutput::open::<G>(&args.output, context.out)?;
        for side in [answer.sides.first(), answer.sides.second()] {
            for game in &side.model_games {
                let stored = index.game(&game.id).map_err(AnswerError::from)?;
                if let Some(stored) = stored {
                    output.write::<G>(&index, &stored.about)?;
                }
            }
        }
        output.close()?;
    }
    if let Some(path) = &args.html {
        let page = page::page::<G>(&answer, args.look.look(args.notation.shown()));
        write_whole(path, page.as_bytes(), context.out)?;
    }
    if args.output.is_standard() || args.is_page_standard() {
        // The games, or the page, are the answer.
    } else if context.common.json {
        write_answer(context.out, &answer)?;
    } else {
        Sheet { out: context.out }.player::<G>(&answer)?;
    }
    Ok(exit::OK)
}

/// The text of an answer.
struct Sheet<'a> {
    out: &'a mut dyn Write,
}

impl Sheet<'_> {
    fn player<G: Terminal>(&mut self, answer: &PlayerAnswer) -> Result<(), CliError> {
        let names = answer.names.iter().map(|name| format!("{} ({})", name.name, name.games));
        let names = names.collect::<Vec<_>>().join(", ");
        writeln!(self.out, "{}", Visible(fitting(&names, COLUMNS)))?;
        self.line(word("all games"), &answer.tally)?;
        self.tallies("Years", &answer.years)?;
        self.tallies("Opponents", &answer.opponents)?;
        for (side, of) in
            [(Side::First, answer.sides.first()), (Side::Second, answer.sides.second())]
        {
            if of.tally.games > 0 {
                self.side(word(G::side_name(side)), of)?;
            }
        }
        if let Some(meetings) = &answer.meetings {
            self.meetings(meetings)?;
        }
        Ok(())
    }

    fn heading(&mut self, text: &str) -> Result<(), CliError> {
        Ok(writeln!(self.out, "\n{}", word(text))?)
    }

    /// A row: a name, games, won, drawn, lost, score.
    fn line(&mut self, name: &str, tally: &Tally) -> Result<(), CliError> {
        let name = left(&fitting(name, NAME), NAME);
        Ok(writeln!(self.out, "  {} {}", Visible(name), counts(tally))?)
    }

    fn tallies(&mut self, heading: &str, rows: &[NamedTally]) -> Result<(), CliError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.heading(heading)?;
        rows.iter().try_for_each(|row| self.line(&row.name, &row.tally))
    }

    fn side(&mut self, name: &str, side: &PlayerSide) -> Result<(), CliError> {
        writeln!(self.out, "\n== {name} ==")?;
        self.line(word("all games"), &side.tally)?;
        if let Some(plies) = side.mean_plies {
            say!(self.out, "  {plies} plies on average")?;
        }
        self.heading("Openings")?;
        for opening in &side.openings {
            let name = name_of(&opening.ecco, &opening.name);
            self.line(&format!("{} {name}", opening.ecco), &opening.tally)?;
        }
        self.endings(&side.endings)?;
        if !side.main_line.moves.is_empty() {
            self.heading("Most frequent moves")?;
            self.moves(&side.main_line)?;
        }
        if !side.trouble.is_empty() {
            self.heading("Lines with the lowest scores")?;
            side.trouble.iter().try_for_each(|line| self.moves(line))?;
        }
        if !side.novelties.is_empty() {
            self.heading("Novelties")?;
            side.novelties.iter().try_for_each(|novelty| self.novelty(novelty))?;
        }
        if !side.model_games.is_empty() {
            self.heading("Games won")?;
            side.model_games.iter().try_for_each(|game| self.game(game))?;
        }
        Ok(())
    }

    fn endings(&mut self, endings: &[PlayerEnding]) -> Result<(), CliError> {
        if endings.is_empty() {
            return Ok(());
        }
        self.heading("Endings")?;
        let mut rows = endings.iter().flat_map(ending_rows);
        rows.try_for_each(|(name, tally)| self.line(&name, &tally))
    }

    /// A line of moves, then the games of its last move.
    fn moves(&mut self, line: &PlayerLine) -> Result<(), CliError> {
        let moves: Vec<&str> = line.moves.iter().map(shown_move).collect();
        for row in crate::language::wrapped(&moves.join(" "), COLUMNS - 2) {
            writeln!(self.out, "  {row}")?;
        }
        match line.moves.last() {
            Some(last) => Ok(writeln!(self.out, "    {}", counts(&last.tally))?),
            None => Ok(()),
        }
    }

    fn novelty(&mut self, novelty: &Novelty) -> Result<(), CliError> {
        let last = novelty.moves.last().map_or("", String::as_str);
        let mv = novelty.text.as_deref().unwrap_or(last);
        let number = novelty.ply.div_ceil(2);
        let opponent = fitting(novelty.opponent.as_deref().unwrap_or("?"), NAME);
        say!(
            self.out,
            "  {} move {number}: {mv} ({} games before), {} against {}, game {}",
            novelty.year,
            novelty.games_before,
            novelty.result,
            Visible(opponent),
            novelty.id
        )?;
        Ok(())
    }

    fn game(&mut self, game: &ModelGame) -> Result<(), CliError> {
        let year = game.year.map_or_else(|| "?".to_owned(), |year| year.to_string());
        let opponent = left(&fitting(game.opponent.as_deref().unwrap_or("?"), NAME), NAME);
        let code = game.ecco.as_deref().unwrap_or("");
        writeln!(
            self.out,
            "{:>8} {year:>4} {} {:>4} {code}",
            game.id,
            Visible(opponent),
            game.plies
        )?;
        Ok(())
    }

    fn meetings(&mut self, meetings: &[Meeting]) -> Result<(), CliError> {
        self.heading("Where the player leaves the repertoire")?;
        for meeting in meetings {
            let moves = meeting.moves.join(" ");
            for row in crate::language::wrapped(&moves, COLUMNS - 2) {
                writeln!(self.out, "  {row}")?;
            }
            writeln!(self.out, "    {}", counts(&meeting.tally))?;
            let next =
                meeting.next.iter().map(|mv| format!("{} {}", shown_move(mv), mv.tally.games));
            let next = next.collect::<Vec<_>>().join(", ");
            let text = match meeting.by_player {
                true => text!("not answered: {next}"),
                false => text!("left by the other side: {next}"),
            };
            writeln!(self.out, "    {}", fitting(&text, COLUMNS - 4))?;
        }
        Ok(())
    }
}

/// The rows of an ending: all games, then those of each value by tables.
fn ending_rows(ending: &PlayerEnding) -> Vec<(String, Tally)> {
    let mut rows = vec![(ending.name.clone(), ending.tally)];
    if let Some(tables) = &ending.tables {
        let values = [
            (word("won by tables"), tables.won),
            (word("drawn by tables"), tables.drawn),
            (word("lost by tables"), tables.lost),
        ];
        let played = values.into_iter().filter(|(_, tally)| tally.games > 0);
        rows.extend(played.map(|(name, tally)| (format!("  {name}"), tally)));
    }
    rows
}

fn shown_move(mv: &PlayerMove) -> &str {
    mv.text.as_deref().unwrap_or(&mv.mv)
}

/// Games, won, drawn, lost, and the score.
fn counts(tally: &Tally) -> impl Display {
    let score =
        tally.score().map_or_else(|| "-".to_owned(), |score| format!("{:.1}%", score * 100.0));
    format!(
        "{} {} {} {} {}",
        right(&tally.games.to_string(), 7),
        right(&format!("+{}", tally.wins), 6),
        right(&format!("={}", tally.draws), 6),
        right(&format!("-{}", tally.losses), 6),
        right(&score, 7)
    )
}
