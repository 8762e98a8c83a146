//! Reading the lines.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::book::opening::Code;
use crate::game::{Game, Side, Symmetric};
use crate::hash::Key;
use crate::xiangqi::notation::{MoveError, parse_move};
use crate::xiangqi::{Piece, Position, Role, Square};

/// A line of the table of openings that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("line {line} of the openings: {fault}")]
pub struct OpeningError {
    /// From 1.
    pub line: usize,
    /// The fault in that line.
    pub fault: OpeningFault,
}

/// A fault in a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum OpeningFault {
    /// Not four columns.
    #[error("there are not four columns (code, name, after, moves) with tabs between them")]
    Columns,
    /// Not a letter and two digits.
    #[error("\"{0}\" is no code; codes are A00 to E99")]
    Code(String),
    /// One code with two names.
    #[error("{code} is called \"{other}\" in an earlier line")]
    Name {
        /// The code.
        code: Code,
        /// Its first name.
        other: &'static str,
    },
    /// It goes on from a code without lines.
    #[error("it goes on from {0}, which has no line")]
    Unknown(Code),
    /// Lines that go on from each other.
    #[error("it goes on from itself, by way of {0}")]
    Circle(Code),
    /// A move that cannot be played.
    #[error("{0}")]
    Move(MoveError),
    /// A condition that is not understood.
    #[error("\"{0}\" is no condition: write 在 and an earlier move, or a man, its file and 未动")]
    Condition(String),
    /// An exact line that no game can reach.
    #[error("it is exact, but Red has {red} moves and Black {black}")]
    Uneven {
        /// Red's moves on the whole way.
        red: u32,
        /// Black's.
        black: u32,
    },
    /// Two codes end in one position.
    #[error("it ends in the position of a line of {0}")]
    Twice(Code),
}

/// The pieces that must stand on squares, and those that must not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Rules {
    stands: Vec<(Square, Piece)>,
    absent: Vec<(Square, Piece)>,
}

impl Rules {
    pub(crate) fn hold(&self, position: &Position) -> bool {
        self.stands.iter().all(|&(square, piece)| position.piece_at(square) == Some(piece))
            && self.absent.iter().all(|&(square, piece)| position.piece_at(square) != Some(piece))
    }

    /// As written, and mirrored.
    fn both(self) -> [Self; 2] {
        let mirrored = self.mirrored();
        [self, mirrored]
    }

    fn mirrored(&self) -> Self {
        let [stands, absent] = [&self.stands, &self.absent]
            .map(|list| list.iter().map(|&(square, piece)| (square.mirrored(), piece)).collect());
        Self { stands, absent }
    }

    /// Adds a piece that has moved: it stands on its target, and none of its kind on the square it came from.
    fn went(&mut self, position: &Position, from: Square, to: Square) {
        let Some(piece) = position.piece_at(to) else { return };
        self.stands.push((to, piece));
        if from != to && position.piece_at(from) != Some(piece) {
            self.absent.push((from, piece));
        }
    }
}

/// A line, ready for comparison.
#[derive(Debug)]
pub(crate) struct OpeningLine {
    pub(crate) code: Code,
    pub(crate) name: &'static str,
    /// The codes that it goes on from, and those that these go on from, and so on.
    above: BTreeSet<Code>,
    /// The key of its last position as written, if it is exact.
    pub(crate) exact: Option<Key>,
    /// The conditions on the pieces of the line itself, as written and mirrored.
    pub(crate) own: [Rules; 2],
    /// The conditions on the pieces of the whole way to it, as written and mirrored.
    pub(crate) whole: [Rules; 2],
    /// Number of its own moves.
    moves: u32,
    /// Number of all moves that lead to it.
    pub(crate) total: u32,
}

impl OpeningLine {
    pub(crate) fn is_below(&self, code: Code) -> bool {
        self.above.contains(&code)
    }
}

#[derive(Debug)]
pub(crate) struct OpeningTable {
    pub(crate) lines: Vec<OpeningLine>,
    /// By canonical key: exact lines.
    pub(crate) exact: HashMap<Key, Vec<usize>>,
    /// By code: the formations that go on from it, those of most moves first.
    pub(crate) next: BTreeMap<Code, Vec<usize>>,
}

impl OpeningTable {
    pub(crate) fn parse(text: &'static str) -> Result<Self, OpeningError> {
        let sources = read(text)?;
        let played = play_all(&sources)?;
        let above = climb(&sources);
        let mut table = Self { lines: Vec::new(), exact: HashMap::new(), next: BTreeMap::new() };
        for (source, above) in sources.iter().zip(&above) {
            if above.contains(&source.code) {
                return Err(source.error(OpeningFault::Circle(source.code)));
            }
        }
        for (at, (source, end)) in sources.iter().zip(played).enumerate() {
            let key = end.position.key();
            if source.exact {
                let canonical = key.min(end.position.symmetric_key(1, None));
                let others = table.exact.entry(canonical).or_default();
                let other =
                    others.iter().filter_map(|&i| table.lines.get(i)).map(|l: &OpeningLine| l.code);
                if let Some(other) = other.into_iter().find(|&code| code != source.code) {
                    return Err(source.error(OpeningFault::Twice(other)));
                }
                others.push(at);
            } else {
                for &code in &source.after {
                    table.next.entry(code).or_default().push(at);
                }
            }
            table.lines.push(OpeningLine {
                code: source.code,
                name: source.name,
                above: above.get(at).cloned().unwrap_or_default(),
                exact: source.exact.then_some(key),
                own: end.own.both(),
                whole: end.whole.both(),
                moves: end.moves,
                total: end.sides.iter().sum(),
            });
        }
        for next in table.next.values_mut() {
            next.sort_by_key(|&at| std::cmp::Reverse(table.lines.get(at).map(|line| line.moves)));
        }
        Ok(table)
    }
}

/// A line as it is written.
struct SourceLine {
    number: usize,
    code: Code,
    name: &'static str,
    /// Empty: from the start of the game.
    after: Vec<Code>,
    exact: bool,
    moves: Vec<(Side, &'static str)>,
}

impl SourceLine {
    const fn error(&self, fault: OpeningFault) -> OpeningError {
        OpeningError { line: self.number, fault }
    }
}

fn read(text: &'static str) -> Result<Vec<SourceLine>, OpeningError> {
    let mut names: BTreeMap<Code, &'static str> = BTreeMap::new();
    let mut sources = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let source =
            read_line(number, line).map_err(|fault| OpeningError { line: number, fault })?;
        let name = *names.entry(source.code).or_insert(source.name);
        if name != source.name {
            return Err(source.error(OpeningFault::Name { code: source.code, other: name }));
        }
        sources.push(source);
    }
    for source in &sources {
        if let Some(&code) = source.after.iter().find(|code| !names.contains_key(code)) {
            return Err(source.error(OpeningFault::Unknown(code)));
        }
    }
    Ok(sources)
}

fn read_line(number: usize, line: &'static str) -> Result<SourceLine, OpeningFault> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[code, name, after, moves] = columns.as_slice() else { return Err(OpeningFault::Columns) };
    let code = read_code(code)?;
    let after = match after {
        "-" => Vec::new(),
        _ => after.split_whitespace().map(read_code).collect::<Result<_, _>>()?,
    };
    let mut side = Side::First;
    let mut exact = after.is_empty();
    let alternate = exact;
    let mut list = Vec::new();
    for word in moves.split_whitespace() {
        match word {
            "-" => {}
            "=" => exact = true,
            "/" => side = !side,
            _ => {
                list.push((side, word));
                if alternate {
                    side = !side;
                }
            }
        }
    }
    Ok(SourceLine { number, code, name, after, exact, moves: list })
}

/// Reads a code.
fn read_code(text: &str) -> Result<Code, OpeningFault> {
    Code::parse(text).ok_or_else(|| OpeningFault::Code(text.to_owned()))
}

/// The end of a line.
#[derive(Clone)]
struct End {
    position: Position,
    own: Rules,
    whole: Rules,
    /// The first square of every piece that has moved, by its present one.
    homes: BTreeMap<Square, Square>,
    /// The target of each move, by its text, and the piece.
    played: BTreeMap<&'static str, (Square, Option<Piece>)>,
    moves: u32,
    /// Moves of the whole way, Red's and Black's.
    sides: [u32; 2],
}

impl End {
    fn start() -> Self {
        Self {
            position: Position::start(),
            own: Rules::default(),
            whole: Rules::default(),
            homes: BTreeMap::new(),
            played: BTreeMap::new(),
            moves: 0,
            sides: [0; 2],
        }
    }
}

/// Plays every line. Each goes on from the first line of the first code that it states.
fn play_all(sources: &[SourceLine]) -> Result<Vec<End>, OpeningError> {
    let mut firsts: BTreeMap<Code, usize> = BTreeMap::new();
    for (at, source) in sources.iter().enumerate() {
        firsts.entry(source.code).or_insert(at);
    }
    let mut ends: Vec<Option<End>> = vec![None; sources.len()];
    // A line may go on from a later one of the file, so the lines are gone through until all are played.
    loop {
        let mut stuck = None;
        let mut progress = false;
        for (at, source) in sources.iter().enumerate() {
            if ends[at].is_some() {
                continue;
            }
            let before = match source.after.first() {
                None => Some(End::start()),
                Some(code) => firsts.get(code).and_then(|&first| ends[first].clone()),
            };
            if let Some(before) = before {
                ends[at] = Some(play(source, before).map_err(|fault| source.error(fault))?);
                progress = true;
            } else {
                stuck = stuck.or(Some(source));
            }
        }
        match stuck {
            None => return Ok(ends.into_iter().flatten().collect()),
            Some(source) if !progress => {
                return Err(source.error(OpeningFault::Circle(source.after[0])));
            }
            Some(_) => {}
        }
    }
}

/// Plays a line's own moves from where it goes on. Where one side has fewer moves than the other,
/// it passes: its moves there do not matter.
fn play(source: &SourceLine, before: End) -> Result<End, OpeningFault> {
    let mut end = End { moves: 0, own: Rules::default(), whole: Rules::default(), ..before };
    let mut own: BTreeMap<Square, Square> = BTreeMap::new();
    for &(side, text) in &source.moves {
        if is_condition(text) {
            continue;
        }
        if end.position.turn() != side {
            end.position.pass();
        }
        let mv = parse_move(&end.position, text).map_err(OpeningFault::Move)?;
        let from = mv.from();
        let to = mv.to();
        end.position.make(mv);
        end.played.insert(text, (to, end.position.piece_at(to)));
        for homes in [&mut own, &mut end.homes] {
            let home = homes.remove(&from).unwrap_or(from);
            homes.insert(to, home);
        }
        end.moves += 1;
        end.sides[side.index()] += 1;
    }
    let [red, black] = end.sides;
    if source.exact && red != black && red != black + 1 {
        return Err(OpeningFault::Uneven { red, black });
    }
    let turn = if red > black { Side::Second } else { Side::First };
    if source.exact && end.position.turn() != turn {
        end.position.pass();
    }
    for (&to, &from) in &own {
        end.own.went(&end.position, from, to);
    }
    for (&to, &from) in &end.homes {
        end.whole.went(&end.position, from, to);
    }
    for &(side, text) in source.moves.iter().filter(|(_, text)| is_condition(text)) {
        let stands =
            condition(&end, side, text).ok_or_else(|| OpeningFault::Condition(text.to_owned()))?;
        end.own.stands.push(stands);
        end.whole.stands.push(stands);
    }
    Ok(end)
}

/// Condition: the piece of an earlier move still stands where that led.
const STILL: &str = "在";
/// Condition: a piece has not moved.
const UNMOVED: &str = "未动";

fn is_condition(text: &str) -> bool {
    text.starts_with(STILL) || text.ends_with(UNMOVED)
}

fn condition(end: &End, side: Side, text: &str) -> Option<(Square, Piece)> {
    if let Some(mv) = text.strip_prefix(STILL) {
        let &(square, piece) = end.played.get(mv)?;
        return Some((square, piece?));
    }
    let mut words = text.strip_suffix(UNMOVED)?.chars();
    let man = words.next()?;
    let file = words.next()?;
    let role = match man {
        '车' => Role::Rook,
        '马' => Role::Horse,
        '相' | '象' => Role::Elephant,
        '仕' | '士' => Role::Advisor,
        '炮' => Role::Cannon,
        '兵' | '卒' => Role::Pawn,
        _ => return None,
    };
    let number = "一二三四五六七八九".chars().position(|c| c == file);
    let number = number.or_else(|| "１２３４５６７８９".chars().position(|c| c == file))?;
    let file = u8::try_from(number).ok()?;
    // Each side counts files from its own right hand.
    let file = if side == Side::First { 8 - file } else { file };
    let piece = Piece::new(side, role);
    let start = Position::start();
    let home = start.pieces(side, role).into_iter().find(|square| square.file() == file)?;
    words.next().is_none().then_some((home, piece))
}

/// For every line all codes above it: those that it goes on from; for a line from the start, those of the
/// lines that begin it; and the codes above these.
fn climb(sources: &[SourceLine]) -> Vec<BTreeSet<Code>> {
    let mut above: Vec<BTreeSet<Code>> = sources
        .iter()
        .map(|line| {
            if !line.after.is_empty() {
                return line.after.iter().copied().collect();
            }
            sources
                .iter()
                .filter(|other: &&SourceLine| {
                    other.after.is_empty()
                        && other.moves.len() < line.moves.len()
                        && line.moves.starts_with(&other.moves)
                })
                .map(|other| other.code)
                .collect()
        })
        .collect();
    // What is above a code is above the lines that go on from it, too: repeated until nothing is added.
    loop {
        let mut by_code: BTreeMap<Code, BTreeSet<Code>> = BTreeMap::new();
        for (line, codes) in sources.iter().zip(&above) {
            by_code.entry(line.code).or_default().extend(codes);
        }
        let mut grown = false;
        for codes in &mut above {
            let more: BTreeSet<Code> =
                codes.iter().filter_map(|code| by_code.get(code)).flatten().copied().collect();
            let before = codes.len();
            codes.extend(more);
            grown |= codes.len() > before;
        }
        if !grown {
            return above;
        }
    }
}
