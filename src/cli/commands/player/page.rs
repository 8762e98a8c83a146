//! A player as a page to be read and printed.

use crate::cli::print::opening_names::name_of;
use crate::cli::print::terminal::Terminal;
use crate::language::{Language, counts, text, word};
use juzhong::answers::collection::{
    Meeting, ModelGame, NamedTally, Novelty, PlayerAnswer, PlayerLine, PlayerMove, PlayerOpening,
    PlayerSide, Tally,
};
use juzhong::game::Side;
use juzhong::picture::{BoardLook, HtmlPage, Plot, PlotKind, Scene, Series, draw_board};

use super::shown_move;

/// The page of an answer.
pub(super) fn page<G: Terminal>(answer: &PlayerAnswer, look: BoardLook) -> String {
    let name = answer.names.first().map_or("?", |name| name.name.as_str());
    let page = HtmlPage::new(name, Language::current().tag());
    let mut writer = PlayerPage { page, look };
    writer.head(answer, name);
    writer.plots(answer);
    writer.tallies(word("Opponents"), &answer.opponents);
    for (side, of) in [(Side::First, answer.sides.first()), (Side::Second, answer.sides.second())] {
        if of.tally.games > 0 {
            writer.side::<G>(side, of);
        }
    }
    if let Some(meetings) = &answer.meetings {
        writer.meetings::<G>(meetings);
    }
    writer.page.finish()
}

struct PlayerPage {
    page: HtmlPage,
    look: BoardLook,
}

impl PlayerPage {
    fn head(&mut self, answer: &PlayerAnswer, name: &str) {
        self.page.begin("header", "");
        self.page.element("h1", "", name);
        self.page.element("p", "", &summary(&answer.tally));
        let others: Vec<String> =
            answer.names.iter().map(|name| format!("{} ({})", name.name, name.games)).collect();
        if others.len() > 1 {
            self.page.element("p", "", &others.join(" · "));
        }
        self.page.end("header");
    }

    fn plots(&mut self, answer: &PlayerAnswer) {
        let years: Vec<u16> =
            answer.years.iter().filter_map(|year| year.name.parse::<u16>().ok()).collect();
        if let (Some(&first), Some(&last)) = (years.first(), years.last()) {
            // Years without games have their place.
            let tally_of = |year: u16| {
                let of = years.iter().position(|&other| other == year);
                of.map_or_else(Tally::default, |at| answer.years[at].tally)
            };
            let tallies: Vec<(String, Tally)> =
                (first..=last).map(|year| (year.to_string(), tally_of(year))).collect();
            self.page.plot(&results(text!("Games by year"), &tallies));
        }
        let lengths = answer.lengths.iter();
        let lengths = lengths.map(|of| (format!("{}-{}", of.from, of.to), of.tally));
        self.page
            .plot(&results(text!("Games by their number of plies"), &lengths.collect::<Vec<_>>()));
    }

    fn tallies(&mut self, heading: &str, rows: &[NamedTally]) {
        if rows.is_empty() {
            return;
        }
        let rows = rows.iter().map(|row| (row.name.clone(), row.tally));
        self.table(heading, rows.collect());
    }

    fn table(&mut self, heading: &str, rows: Vec<(String, Tally)>) {
        self.page.element("h3", "", heading);
        let heads = ["", word("games"), "+", "=", "-", word("score")];
        let rows: Vec<Vec<String>> =
            rows.into_iter().map(|(name, tally)| cells(name, &tally)).collect();
        self.page.table(1, &heads, &rows);
    }

    fn side<G: Terminal>(&mut self, side: Side, of: &PlayerSide) {
        self.page.element("h2", "", word(G::side_name(side)));
        let mut about = summary(&of.tally);
        if let Some(plies) = of.mean_plies {
            about = format!("{about} · {}", text!("  {plies} plies on average").trim());
        }
        self.page.element("p", "", &about);
        if !of.openings.is_empty() {
            let rows = of.openings.iter().map(|opening| (title(opening), opening.tally));
            self.table(word("Openings"), rows.collect());
        }
        if !of.endings.is_empty() {
            let rows = of.endings.iter().flat_map(super::ending_rows);
            self.table(word("Endings"), rows.collect());
        }
        if !of.main_line.moves.is_empty() {
            self.page.element("h3", "", word("Most frequent moves"));
            self.page.begin("div", "grid");
            self.line::<G>(&of.main_line, side);
            self.page.end("div");
        }
        if !of.trouble.is_empty() {
            self.page.element("h3", "", word("Lines with the lowest scores"));
            self.page.begin("div", "grid");
            for line in &of.trouble {
                self.line::<G>(line, side);
            }
            self.page.end("div");
        }
        if !of.novelties.is_empty() {
            self.page.element("h3", "", word("Novelties"));
            self.page.begin("div", "grid");
            for novelty in &of.novelties {
                self.novelty::<G>(novelty, side);
            }
            self.page.end("div");
        }
        self.model_games(&of.model_games);
    }

    /// Draws the end of a line, with its moves below.
    fn line<G: Terminal>(&mut self, line: &PlayerLine, side: Side) {
        let moves: Vec<&str> = line.moves.iter().map(|mv| mv.mv.as_str()).collect();
        let texts: Vec<&str> = line.moves.iter().map(shown_move).collect();
        let tally = line.moves.last().map_or_else(Tally::default, |last| last.tally);
        let caption = format!("{} ({})", numbered::<G>(&texts), summary(&tally));
        self.figure::<G>(&moves, &caption, side);
    }

    fn novelty<G: Terminal>(&mut self, novelty: &Novelty, side: Side) {
        let moves: Vec<&str> = novelty.moves.iter().map(String::as_str).collect();
        let mv = novelty.text.as_deref().or(moves.last().copied()).unwrap_or_default();
        let number = novelty.ply.div_ceil(G::MOVES_A_NUMBER);
        let opponent = novelty.opponent.as_deref().unwrap_or("?");
        let caption = text!(
            "  {} move {number}: {mv} ({} games before), {} against {}, game {}",
            novelty.year,
            novelty.games_before,
            novelty.result,
            opponent,
            novelty.id
        );
        self.figure::<G>(&moves, caption.trim(), side);
    }

    /// Draws the position after some moves from the usual start, seen from a side; only the text where they are of another
    /// start.
    fn figure<G: Terminal>(&mut self, moves: &[&str], caption: &str, side: Side) {
        let mut position = G::start();
        let mut played = Vec::new();
        for mv in moves {
            let next = G::parse_move(mv).and_then(|mv| Some((mv, position.play(mv).ok()?)));
            let Some((mv, after)) = next else {
                self.page.element("p", "", caption);
                return;
            };
            played.push(mv);
            position = after;
        }
        // Seen by the side of the player; the option to flip boards turns that round.
        let is_flipped = self.look.is_flipped != (side == Side::Second && G::HAS_VIEWS);
        let look = BoardLook { is_flipped, ..self.look };
        let scene = Scene { position: &position, moves: &played, marks: &[], look };
        self.page.figure(&draw_board(&scene), caption);
    }

    fn model_games(&mut self, games: &[ModelGame]) {
        if games.is_empty() {
            return;
        }
        self.page.element("h3", "", word("Games won"));
        let heads = [word("opponent"), word("opening"), word("year"), word("plies"), word("game")];
        let rows = games.iter().map(|game| {
            let opponent = game.opponent.as_deref().unwrap_or("?");
            let rating = game.opponent_rating.map_or_else(String::new, |of| format!(" ({of})"));
            vec![
                format!("{opponent}{rating}"),
                game.ecco.clone().unwrap_or_default(),
                game.year.map_or_else(String::new, |year| year.to_string()),
                game.plies.to_string(),
                game.id.clone(),
            ]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        self.page.table(2, &heads, &rows);
    }

    fn meetings<G: Terminal>(&mut self, meetings: &[Meeting]) {
        self.page.element("h2", "", word("Where the player leaves the repertoire"));
        self.page.begin("div", "grid");
        for meeting in meetings {
            let moves: Vec<&str> = meeting.moves.iter().map(String::as_str).collect();
            let next = meeting.next.iter().map(with_games).collect::<Vec<_>>().join(", ");
            let next = match meeting.by_player {
                true => text!("not answered: {next}"),
                false => text!("left by the other side: {next}"),
            };
            let caption = format!("{} · {next}", summary(&meeting.tally));
            self.figure::<G>(&moves, &caption, Side::First);
        }
        self.page.end("div");
    }
}

fn with_games(mv: &PlayerMove) -> String {
    format!("{} {}", shown_move(mv), mv.tally.games)
}

fn title(opening: &PlayerOpening) -> String {
    format!("{} {}", opening.ecco, name_of(&opening.ecco, &opening.name))
}

/// Moves with their numbers.
fn numbered<G: Terminal>(moves: &[&str]) -> String {
    let pairs = moves.chunks(G::MOVES_A_NUMBER).zip(1..);
    let texts = pairs.map(|(moves, number)| format!("{number}. {}", moves.join(" ")));
    texts.collect::<Vec<_>>().join(" ")
}

fn percent(tally: &Tally) -> String {
    tally.score().map_or_else(|| "-".to_owned(), |score| format!("{:.1}%", score * 100.0))
}

/// The counts in a line.
fn summary(tally: &Tally) -> String {
    let Tally { games, wins, draws, losses } = *tally;
    let score = percent(tally);
    let counted = counts::games(games);
    text!("{counted}: +{wins} ={draws} -{losses}, {score}")
}

fn cells(name: String, tally: &Tally) -> Vec<String> {
    let Tally { games, wins, draws, losses } = *tally;
    let counts = [games, wins, draws, losses].map(|count| count.to_string());
    [name].into_iter().chain(counts).chain([percent(tally)]).collect()
}

/// A plot of results.
fn results(title: String, rows: &[(String, Tally)]) -> Plot {
    let unknown =
        |tally: &Tally| tally.games.saturating_sub(tally.wins + tally.draws + tally.losses);
    let series = [
        (word("won"), values_of(rows, |tally| tally.wins)),
        (word("drawn"), values_of(rows, |tally| tally.draws)),
        (word("lost"), values_of(rows, |tally| tally.losses)),
        (word("unknown"), values_of(rows, unknown)),
    ];
    let series = series.map(|(name, values)| Series { name: name.to_owned(), values });
    let series = series.into_iter().filter(|series| {
        series.name != word("unknown") || series.values.iter().any(|&value| value > 0.0)
    });
    let series = series.collect();
    let labels = rows.iter().map(|(label, _)| label.clone()).collect();
    Plot { title, labels, series, kind: PlotKind::Results, unit: "" }
}

/// A number of each tally.
fn values_of(rows: &[(String, Tally)], number: fn(&Tally) -> u64) -> Vec<f64> {
    rows.iter().map(|(_, tally)| number(tally) as f64).collect()
}
