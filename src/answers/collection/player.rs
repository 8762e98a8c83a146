//! Players by the games of a collection: openings, results, years, lines, novelties.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use crate::answers::book::figures::rounded;
use crate::answers::collection::find::positions_of;
use crate::answers::described::Described;
use crate::answers::error::AnswerError;
use crate::answers::sides::NamedSides;
use crate::book::Book;
use crate::book::opening::Code;
use crate::collection::{
    Collected, Conditions, GameIndex, IndexError, MovesOfLine, PlayerGame, PlayerName,
};
use crate::game::{BySide, Line, Outcome, Packed, Side};
use crate::hash::Key;
use crate::record::result_text;
use crate::search::{TableValue, TablebaseProbe};
use crate::tablebase::Wdl;
use crate::xiangqi::notation::MoveNotation;

/// Plies of the lines that are shown.
const LINE_PLIES: usize = 12;

/// Games that a move of a line must have.
const LINE_GAMES: u64 = 3;

/// Plies of a class of lengths.
const LENGTH_STEP: u32 = 20;

/// Rows of each list.
const ROWS: usize = 12;

/// Plies among which novelties are looked for.
const NOVELTY_PLIES: usize = 40;

/// Earlier games that must have reached a position in which a move is a novelty.
const THEORY: usize = 5;

/// The question about a player.
#[derive(Debug, Clone, Default)]
pub struct PlayerRequest {
    /// The name, or a part of it, in any script, or in pinyin without tones.
    pub name: String,
    /// Other names of the same player.
    pub aliases: Vec<String>,
    /// The names must be these, script and width aside, not contain them.
    pub is_exact: bool,
    /// Conditions on the games.
    pub conditions: Conditions,
    /// The notation of moves beside their coordinates.
    pub notation: Option<MoveNotation>,
}

/// Games with their results for a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost. The rest has no known result.
    pub losses: u64,
}

impl Tally {
    fn add(&mut self, game: &PlayerGame) {
        self.games += 1;
        match game.result {
            Some(Outcome::Draw) => self.draws += 1,
            Some(Outcome::Win(winner)) if winner == game.side => self.wins += 1,
            Some(Outcome::Win(_)) => self.losses += 1,
            None => {}
        }
    }

    /// The score of the games with a known result, 0 to 1.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let known = self.wins + self.draws + self.losses;
        (known > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / known as f64)
    }
}

/// A tally of a part of the games.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedTally {
    /// The part: a year, an opponent.
    pub name: String,
    /// Its games.
    #[serde(flatten)]
    pub tally: Tally,
}

/// A tally of the games of a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LengthTally {
    /// The fewest plies.
    pub from: u32,
    /// The most plies.
    pub to: u32,
    /// The games.
    #[serde(flatten)]
    pub tally: Tally,
}

/// An opening of a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayerOpening {
    /// The code.
    pub ecco: String,
    /// The Chinese name.
    pub name: String,
    /// The English name of the code.
    pub name_en: Option<&'static str>,
    /// Its games.
    #[serde(flatten)]
    pub tally: Tally,
    /// The last year in which it was played.
    pub last_year: Option<u16>,
}

/// The results of a player in positions of one kind by tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TableTallies {
    /// In positions that tables say the player wins.
    pub won: Tally,
    /// In drawn ones.
    pub drawn: Tally,
    /// In lost ones.
    pub lost: Tally,
}

/// An ending of few pieces of a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayerEnding {
    /// The pieces, the player's first.
    pub name: String,
    /// The games that ended with these pieces.
    #[serde(flatten)]
    pub tally: Tally,
    /// The same games, as far as tables know the position in which the pieces became these, by its value for the player;
    /// absent where tables know none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<TableTallies>,
}

/// A move of a line with the games of the player in which it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayerMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Games, and their results for the player.
    #[serde(flatten)]
    pub tally: Tally,
}

/// A line of the player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayerLine {
    /// The moves from the start.
    pub moves: Vec<PlayerMove>,
}

/// A move that nobody had made before in a position of theory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Novelty {
    /// The number of the game in the collection.
    pub id: String,
    /// The year.
    pub year: u16,
    /// The ply of the move, from 1.
    pub ply: usize,
    /// The moves up to it, the novelty last.
    pub moves: Vec<String>,
    /// The novelty in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Earlier games that reached the position.
    pub games_before: usize,
    /// The result of the game, as PGN writes it.
    pub result: &'static str,
    /// The opponent.
    pub opponent: Option<String>,
}

/// A game of the player in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelGame {
    /// The number in the collection.
    pub id: String,
    /// The year.
    pub year: Option<u16>,
    /// The opponent.
    pub opponent: Option<String>,
    /// The rating of the opponent.
    pub opponent_rating: Option<u16>,
    /// The code of the opening.
    pub ecco: Option<String>,
    /// Plies.
    pub plies: u32,
}

/// The games of a player on one side, summed up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayerSide {
    /// All games.
    #[serde(flatten)]
    pub tally: Tally,
    /// The score of the games with a known result, 0 to 1.
    pub score: Option<f64>,
    /// Mean number of plies.
    pub mean_plies: Option<u64>,
    /// The openings, the most frequent first.
    pub openings: Vec<PlayerOpening>,
    /// The endings of few pieces in which games ended, the player's pieces first, the most frequent first.
    pub endings: Vec<PlayerEnding>,
    /// The line of the most frequent moves of both.
    pub main_line: PlayerLine,
    /// The lines of at least some games in which the player scored least, the worst first.
    pub trouble: Vec<PlayerLine>,
    /// Moves that nobody had made before, the latest first.
    pub novelties: Vec<Novelty>,
    /// Games won, those against the best rated opponents first, then the latest.
    pub model_games: Vec<ModelGame>,
}

/// A position of a repertoire to which the player's games lead, and where they leave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Meeting {
    /// The moves to the last common position.
    pub moves: Vec<String>,
    /// The games that leave there, with their results for the player.
    #[serde(flatten)]
    pub tally: Tally,
    /// The player is to move there: the repertoire has no answer to what is played.
    pub by_player: bool,
    /// The moves by which they leave.
    pub next: Vec<PlayerMove>,
}

/// A player by the games of a collection: schema `juzhong.player/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayerAnswer {
    schema: &'static str,
    /// The names found, the most frequent first.
    pub names: Vec<NamedGames>,
    /// All games: copies are one.
    #[serde(flatten)]
    pub tally: Tally,
    /// The years.
    pub years: Vec<NamedTally>,
    /// The games by their length, in steps of 20 plies, the shortest first.
    pub lengths: Vec<LengthTally>,
    /// The opponents, the most frequent first.
    pub opponents: Vec<NamedTally>,
    /// On each side.
    pub sides: NamedSides<PlayerSide>,
    /// The places at which the player and a repertoire meet, the most frequent first; absent without a repertoire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meetings: Option<Vec<Meeting>>,
}

/// A name with its games.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedGames {
    /// The name as the records have it.
    pub name: String,
    /// Games, copies counted.
    pub games: u64,
}

/// The games of a player, from which answers are made.
#[derive(Debug)]
pub struct FoundPlayer<G: Collected> {
    /// The names.
    pub names: Vec<PlayerName>,
    /// The games.
    pub games: Vec<PlayerGame>,
    lines: HashMap<i64, MovesOfLine<G>>,
    novelties: Vec<(Side, Novelty)>,
    /// What tables say of the endings of lines, for the player on a side.
    values: HashMap<(i64, Side), Wdl>,
    notation: Option<MoveNotation>,
}

impl PlayerRequest {
    /// The games of the player.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn find<G: Described + Collected>(
        &self,
        index: &GameIndex,
    ) -> Result<FoundPlayer<G>, IndexError> {
        let mut names: Vec<PlayerName> = Vec::new();
        for wanted in std::iter::once(&self.name).chain(&self.aliases) {
            let found = index.player_names(wanted)?;
            let found = found.into_iter().filter(|name| self.is_meant(wanted, &name.name));
            names.extend(found.filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        names.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.name.cmp(&b.name)));
        let games = index.player_games(&names, &self.conditions)?;
        let lines = index.moves_of_lines::<G>(games.iter().map(|game| game.line))?;
        let mut found = FoundPlayer {
            names,
            games,
            lines,
            novelties: Vec::new(),
            values: HashMap::new(),
            notation: self.notation,
        };
        found.novelties = found.find_novelties(index)?;
        Ok(found)
    }

    fn is_meant(&self, wanted: &str, name: &str) -> bool {
        let fold = crate::book::fold_name;
        !self.is_exact || fold(wanted.trim()) == fold(name.trim())
    }
}

/// A position in a game: the key, and the move made there in the canonical frame.
struct Visit {
    key: Key,
    next: u16,
    ply: usize,
}

impl<G: Described + Collected> FoundPlayer<G> {
    /// The answer.
    #[must_use]
    pub fn answer(&self) -> PlayerAnswer {
        let names = self.names.iter();
        let mut tally = Tally::default();
        let mut years = BTreeMap::<u16, Tally>::new();
        let mut opponents = BTreeMap::<&str, Tally>::new();
        let mut lengths = BTreeMap::<u32, Tally>::new();
        for game in &self.games {
            lengths.entry(game.plies / LENGTH_STEP).or_default().add(game);
            tally.add(game);
            if let Some(year) = game.year {
                years.entry(year).or_default().add(game);
            }
            if let Some(opponent) = &game.opponent {
                opponents.entry(opponent).or_default().add(game);
            }
        }
        let mut opponents: Vec<_> = opponents.into_iter().map(named).collect();
        opponents.sort_by_key(|opponent| Reverse(opponent.tally.games));
        opponents.truncate(ROWS);
        PlayerAnswer {
            schema: "juzhong.player/1",
            names: names
                .map(|name| NamedGames { name: name.name.clone(), games: name.games })
                .collect(),
            tally,
            years: years.into_iter().map(named).collect(),
            lengths: lengths.into_iter().map(of_length).collect(),
            opponents,
            sides: NamedSides::of::<G>(BySide::new_with(|side| self.side(side))),
            meetings: None,
        }
    }

    fn of_side(&self, side: Side) -> impl Iterator<Item = &PlayerGame> {
        self.games.iter().filter(move |game| game.side == side)
    }

    fn side(&self, side: Side) -> PlayerSide {
        let mut tally = Tally::default();
        let mut plies = 0;
        for game in self.of_side(side) {
            tally.add(game);
            plies += u64::from(game.plies);
        }
        let tree = LineTree::grow(self.of_side(side), &self.lines);
        let novelties = self.novelties.iter().filter(|(of, _)| *of == side);
        PlayerSide {
            score: tally.score().map(rounded),
            mean_plies: (tally.games > 0).then(|| plies / tally.games),
            openings: self.openings(side),
            endings: self.endings(side),
            main_line: self.shown(&tree.main_line()),
            trouble: tree.trouble(side).iter().map(|line| self.shown(line)).collect(),
            novelties: novelties.map(|(_, novelty)| novelty.clone()).take(ROWS).collect(),
            model_games: self.model_games(side),
            tally,
        }
    }

    fn openings(&self, side: Side) -> Vec<PlayerOpening> {
        let mut openings = BTreeMap::<&str, PlayerOpening>::new();
        for game in self.of_side(side) {
            let Some(code) = &game.code else { continue };
            let opening = openings.entry(code).or_insert_with(|| PlayerOpening {
                ecco: code.clone(),
                name: game.opening.clone().unwrap_or_default(),
                name_en: Code::parse(code).and_then(Code::english_name),
                tally: Tally::default(),
                last_year: None,
            });
            opening.tally.add(game);
            opening.last_year = opening.last_year.max(game.year);
        }
        let mut openings: Vec<_> = openings.into_values().collect();
        openings.sort_by_key(|opening| Reverse(opening.tally.games));
        openings.truncate(ROWS);
        openings
    }

    fn endings(&self, side: Side) -> Vec<PlayerEnding> {
        let mut endings = BTreeMap::<String, PlayerEnding>::new();
        for game in self.of_side(side) {
            let Some((name, _)) = self.ending(game) else { continue };
            let ending = endings.entry(name.clone()).or_insert_with(|| PlayerEnding {
                name,
                tally: Tally::default(),
                tables: None,
            });
            ending.tally.add(game);
            let Some(&value) = self.values.get(&(game.line, side)) else { continue };
            let tables = ending.tables.get_or_insert_default();
            match value {
                Wdl::Win => tables.won.add(game),
                Wdl::Draw => tables.drawn.add(game),
                Wdl::Loss => tables.lost.add(game),
            }
        }
        let mut endings: Vec<_> = endings.into_values().collect();
        endings.sort_by_key(|ending| Reverse(ending.tally.games));
        endings.truncate(ROWS);
        endings
    }

    /// The pieces with which a game ended, the player's first, and the position in which they became these; `None` if they
    /// are too many.
    fn ending(&self, game: &PlayerGame) -> Option<(String, G)> {
        let line = self.lines.get(&game.line)?;
        let mut position = line.start.clone().unwrap_or_else(G::start);
        let mut ending = position.ending_name(game.side).map(|name| (name, position.clone()));
        for &mv in &line.moves {
            position.make(mv);
            let name = position.ending_name(game.side);
            if name.as_ref() != ending.as_ref().map(|(name, _)| name) {
                ending = name.map(|name| (name, position.clone()));
            }
        }
        ending
    }

    /// Notes what tables say of the positions in which endings began.
    pub fn judge(&mut self, tables: &impl TablebaseProbe<G>) {
        let mut values = HashMap::new();
        for game in &self.games {
            if let Some(value) = self.value_by(tables, game) {
                values.insert((game.line, game.side), value);
            }
        }
        self.values = values;
    }

    /// The value to the player of the position in which the ending of a game began.
    fn value_by(&self, tables: &impl TablebaseProbe<G>, game: &PlayerGame) -> Option<Wdl> {
        let (_, position) = self.ending(game)?;
        let is_to_move = position.turn() == game.side;
        let value = match tables.probe(&Line::new(position, 0), i32::MAX)? {
            TableValue::Mate(_) | TableValue::Win(_) => Wdl::Win,
            TableValue::Draw => Wdl::Draw,
            TableValue::Loss(_) | TableValue::Mated(_) => Wdl::Loss,
        };
        Some(if is_to_move { value } else { -value })
    }

    fn model_games(&self, side: Side) -> Vec<ModelGame> {
        let mut games: Vec<&PlayerGame> =
            self.of_side(side).filter(|game| game.result == Some(Outcome::Win(side))).collect();
        games.sort_by_key(|game| Reverse((game.ratings[(!side).index()], game.year)));
        games.into_iter().take(ROWS).map(ModelGame::from).collect()
    }

    /// A line of the tree as it is shown.
    fn shown(&self, line: &[(G::Move, Tally)]) -> PlayerLine {
        let mut position = G::start();
        let moves = line.iter().map(|&(mv, tally)| {
            let shown = self.shown_move(&position, mv, tally);
            position.make(mv);
            shown
        });
        PlayerLine { moves: moves.collect() }
    }

    /// The canonical positions of a game's first moves, with what was played there.
    fn visits(&self, game: &PlayerGame) -> Vec<Visit> {
        let Some(line) = self.lines.get(&game.line) else { return Vec::new() };
        let mut position = line.start.clone().unwrap_or_else(G::start);
        let mut visits = Vec::new();
        for (ply, &mv) in line.moves.iter().take(NOVELTY_PLIES).enumerate() {
            let canonical = position.canonical();
            let next = position.canonical_move(canonical, mv).pack();
            if position.turn() == game.side {
                visits.push(Visit { key: canonical.key, next, ply });
            }
            position.make(mv);
        }
        visits
    }

    /// The first move of each game of the player that nobody had made in a position of theory.
    fn find_novelties(&self, index: &GameIndex) -> Result<Vec<(Side, Novelty)>, IndexError> {
        let dated = self.games.iter().filter_map(|game| Some((game, game.year?)));
        let games: Vec<_> = dated.map(|(game, year)| (game, year, self.visits(game))).collect();
        let keys: HashSet<Key> =
            games.iter().flat_map(|(_, _, visits)| visits.iter().map(|visit| visit.key)).collect();
        let mut keys: Vec<Key> = keys.into_iter().collect();
        keys.sort_unstable();
        let all = index.visits(&keys)?;
        let mut found = Vec::new();
        for (game, year, visits) in games {
            let novelty = visits.iter().find_map(|visit| {
                let others = all.get(&visit.key)?;
                let before = others.before(year);
                // The game itself is one of them.
                let is_new = others.until(visit.next, year) <= 1;
                (before >= THEORY && is_new).then_some((visit, before))
            });
            if let Some((visit, before)) = novelty {
                found.push((game.side, self.novelty(game, year, (visit.ply, before))));
            }
        }
        // Games come by date: the latest novelties are shown first.
        found.reverse();
        Ok(found)
    }

    fn novelty(&self, game: &PlayerGame, year: u16, (ply, before): (usize, usize)) -> Novelty {
        let line = self.lines.get(&game.line);
        let moves = line.map_or(&[][..], |line| &line.moves[..=ply]);
        let mut position = line.and_then(|line| line.start.clone()).unwrap_or_else(G::start);
        let mut text = None;
        for (at, &mv) in moves.iter().enumerate() {
            if at == ply {
                text = self.notation.map(|notation| position.write_move(mv, notation));
            }
            position.make(mv);
        }
        Novelty {
            id: game.number.to_string(),
            year,
            ply: ply + 1,
            moves: moves.iter().map(|&mv| G::move_text(mv)).collect(),
            text,
            games_before: before,
            result: result_text(game.result),
            opponent: game.opponent.clone(),
        }
    }

    /// The answer, with the places where the player, on the side that the repertoire of `side` has against it, leaves its
    /// book.
    ///
    /// # Errors
    ///
    /// The book cannot be read.
    pub fn answer_against(&self, book: &Book, side: Side) -> Result<PlayerAnswer, AnswerError> {
        let keys = positions_of::<G>(book)?;
        let mut left = BTreeMap::<Key, Vec<(&PlayerGame, usize)>>::new();
        for game in self.of_side(!side) {
            if let Some((key, ply)) = self.last_common(game, &keys) {
                left.entry(key).or_default().push((game, ply));
            }
        }
        let mut meetings: Vec<Meeting> =
            left.values().filter_map(|games| self.meeting(games)).collect();
        meetings.sort_by_key(|meeting| Reverse(meeting.tally.games));
        meetings.truncate(ROWS);
        Ok(PlayerAnswer { meetings: Some(meetings), ..self.answer() })
    }

    /// The last position of a game that is among these, the start aside, and its ply.
    fn last_common(&self, game: &PlayerGame, keys: &HashSet<Key>) -> Option<(Key, usize)> {
        let line = self.lines.get(&game.line).filter(|line| line.start.is_none())?;
        let mut position = G::start();
        let mut last = None;
        for (ply, &mv) in (1..).zip(&line.moves) {
            position.make(mv);
            let key = position.canonical().key;
            if !keys.contains(&key) {
                break;
            }
            last = Some((key, ply));
        }
        last
    }

    /// The place where games leave a book, each after a number of plies.
    fn meeting(&self, games: &[(&PlayerGame, usize)]) -> Option<Meeting> {
        let &(game, ply) = games.first()?;
        let mut position = G::start();
        let moves = &self.lines.get(&game.line)?.moves[..ply];
        for &mv in moves {
            position.make(mv);
        }
        let mut tally = Tally::default();
        let mut next = BTreeMap::<G::Move, Tally>::new();
        for &(of, ply) in games {
            tally.add(of);
            if let Some(&mv) = self.lines.get(&of.line).and_then(|line| line.moves.get(ply)) {
                next.entry(mv).or_default().add(of);
            }
        }
        let mut next: Vec<_> = next.into_iter().collect();
        next.sort_by_key(|(_, tally)| Reverse(tally.games));
        let next = next.into_iter().take(ROWS);
        let next = next.map(|(mv, tally)| self.shown_move(&position, mv, tally));
        Some(Meeting {
            moves: moves.iter().map(|&mv| G::move_text(mv)).collect(),
            tally,
            by_player: position.turn() == game.side,
            next: next.collect(),
        })
    }

    /// A move in a position, with its games.
    fn shown_move(&self, position: &G, mv: G::Move, tally: Tally) -> PlayerMove {
        PlayerMove {
            mv: G::move_text(mv),
            text: self.notation.map(|notation| position.write_move(mv, notation)),
            tally,
        }
    }
}

impl From<&PlayerGame> for ModelGame {
    fn from(game: &PlayerGame) -> Self {
        Self {
            id: game.number.to_string(),
            year: game.year,
            opponent: game.opponent.clone(),
            opponent_rating: game.ratings[(!game.side).index()],
            ecco: game.code.clone(),
            plies: game.plies,
        }
    }
}

fn of_length((class, tally): (u32, Tally)) -> LengthTally {
    let from = class * LENGTH_STEP;
    LengthTally { from, to: from.saturating_add(LENGTH_STEP - 1), tally }
}

fn named((name, tally): (impl ToString, Tally)) -> NamedTally {
    NamedTally { name: name.to_string(), tally }
}

/// The first moves of games from the usual start, as a tree.
struct LineTree<M> {
    nodes: Vec<LineNode<M>>,
}

struct LineNode<M> {
    /// The side to move.
    tally: Tally,
    next: BTreeMap<M, usize>,
}

impl<M: Packed> LineTree<M> {
    fn grow<'a, G: Collected<Move = M>>(
        games: impl Iterator<Item = &'a PlayerGame>,
        lines: &HashMap<i64, MovesOfLine<G>>,
    ) -> Self {
        let root = LineNode { tally: Tally::default(), next: BTreeMap::new() };
        let mut tree = Self { nodes: vec![root] };
        for game in games {
            let Some(line) = lines.get(&game.line).filter(|line| line.start.is_none()) else {
                continue;
            };
            let mut at = 0;
            for &mv in line.moves.iter().take(LINE_PLIES) {
                let new = tree.nodes.len();
                let next = *tree.nodes[at].next.entry(mv).or_insert(new);
                if next == new {
                    let node = LineNode { tally: Tally::default(), next: BTreeMap::new() };
                    tree.nodes.push(node);
                }
                tree.nodes[next].tally.add(game);
                at = next;
            }
        }
        tree
    }

    /// The line of the most frequent moves.
    fn main_line(&self) -> Vec<(M, Tally)> {
        let mut line = Vec::new();
        let mut at = 0;
        while let Some((mv, next)) = self.most_played(at) {
            line.push((mv, self.nodes[next].tally));
            at = next;
        }
        line
    }

    fn most_played(&self, at: usize) -> Option<(M, usize)> {
        let enough = self.nodes[at]
            .next
            .iter()
            .filter(|(_, next)| self.nodes[**next].tally.games >= LINE_GAMES);
        let most = enough.max_by_key(|(mv, next)| (self.nodes[**next].tally.games, Reverse(**mv)));
        most.map(|(&mv, &next)| (mv, next))
    }

    /// The lines that end with a move of the other side after which the player scored least.
    fn trouble(&self, side: Side) -> Vec<Vec<(M, Tally)>> {
        let mut found: Vec<(f64, Vec<(M, Tally)>)> = Vec::new();
        let mut open = vec![(0, Vec::new())];
        while let Some((at, line)) = open.pop() {
            let mover = if line.len() % 2 == 0 { Side::First } else { Side::Second };
            for (&mv, &next) in &self.nodes[at].next {
                let tally = self.nodes[next].tally;
                if tally.games < LINE_GAMES {
                    continue;
                }
                let mut longer = line.clone();
                longer.push((mv, tally));
                if let Some(score) = tally.score().filter(|_| mover != side) {
                    found.push((score, longer.clone()));
                }
                open.push((next, longer));
            }
        }
        found.retain(|(score, _)| *score < 0.5);
        // Of lines of which one begins the other, with the same score, the shorter says as much.
        found.sort_by(|(a, one), (b, other)| {
            a.total_cmp(b)
                .then_with(|| games_of(other).cmp(&games_of(one)))
                .then_with(|| one.len().cmp(&other.len()))
                .then_with(|| moves_of(one).cmp(moves_of(other)))
        });
        let mut lines: Vec<Vec<(M, Tally)>> = Vec::new();
        for (_, line) in found {
            if !lines.iter().any(|known| is_nested(known, &line)) {
                lines.push(line);
            }
            if lines.len() == ROWS / 2 {
                break;
            }
        }
        lines
    }
}

/// The games that played a line to its end.
fn games_of<M>(line: &[(M, Tally)]) -> u64 {
    line.last().map_or(0, |(_, tally)| tally.games)
}

fn moves_of<M: Packed>(line: &[(M, Tally)]) -> impl Iterator<Item = M> {
    line.iter().map(|&(mv, _)| mv)
}

/// Returns true if one of two lines begins with the other.
fn is_nested<M: Packed>(one: &[(M, Tally)], other: &[(M, Tally)]) -> bool {
    // The shorter one ends the comparison.
    moves_of(one).zip(moves_of(other)).all(|(a, b)| a == b)
}
