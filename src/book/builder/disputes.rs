//! Games whose results are in doubt: copies that state different ones, and results that contradict
//! the board.
//!
//! The rules: of copies the majority of those that state a result decides, a tie counts as unknown. A stated
//! result counts even where the main line ends in mate or stalemate for the other side: the moves may be
//! wrong as well as the result, and there is no telling which.

use std::cmp::Ordering;
use std::fmt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::book::builder::incremental::BaseBook;
use crate::book::builder::options::BuildOptions;
use crate::book::builder::pipeline::{Errors, check_stop};
use crate::book::builder::rejects::Reject;
use crate::book::builder::sources;
use crate::book::builder::sources::{Bytes, CutChunk, Hashed, SourceFault};
use crate::book::model::counted_game::{Facts, GameId, UsualStarts, majority};
use crate::book::model::error::BuildError;
use crate::book::model::filter::Filter;
use crate::book::model::move_stats::{result_number, result_of};
use crate::bytes::external_sort::{Sorter, Summand};
use crate::bytes::varint;
use crate::game::{Outcome, Symmetric};
use crate::record::{Formats, ParsedGame, Place};

/// Bytes of a source that one task reads.
const CHUNK: usize = 512 << 10;

/// The most copies of one game that are reported. All of them have a vote.
const MAX_COPIES: usize = 1000;

/// One copy of a game whose result is in doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// The game.
    pub game_id: GameId,
    /// The doubt; the same for all copies.
    pub doubt: Doubt,
    /// The result that the book counts.
    pub counted: Option<Outcome>,
    /// The result by mate or stalemate at the end, if it ends so.
    pub end: Option<Outcome>,
    /// The source of this copy.
    pub source: PathBuf,
    /// The place in the source where it begins.
    pub place: Place,
    /// Its number there, from 1.
    pub number: u64,
    /// The result that it states.
    pub stated: Option<Outcome>,
}

impl Dispute {
    /// The name of the source on one line.
    #[must_use]
    pub fn source_name(&self) -> String {
        Reject::name_on_one_line(&self.source)
    }
}

/// The kind of doubt about a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Copies state different results; the majority decided.
    Majority,
    /// Copies state different results, as many the one as the other: unknown.
    Tie,
    /// The counted result contradicts the mate or stalemate at the end.
    Board,
    /// The majority of differing copies contradicts the board.
    MajorityAndBoard,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Majority => "majority",
            Self::Tie => "tie",
            Self::Board => "board",
            Self::MajorityAndBoard => "majority,board",
        })
    }
}

/// The number of games in doubt, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DisputeCounts {
    /// Games whose copies state different results.
    pub disputed: u64,
    /// Of those, ties.
    pub tied: u64,
    /// Games whose counted result contradicts the board.
    pub contradicted: u64,
}

/// Reports to `found` every copy of every game in doubt, in the order of the games' ids, copies in the order
/// of files. It covers the games that a build of these files with these options counts: records that its
/// filter leaves out have no vote, nor have files and games that its base has. Games that begin elsewhere
/// than usual or have no moves are left out. Where every record counts, no copies differ. Of a game with more
/// than a thousand copies only the first are reported. Reads all files that are not in the base; so it must
/// be called before the book is built. Temporary files are written in `folder`.
///
/// # Errors
///
/// Those of reading inputs and the base and of writing temporary files; [`ReplaceError::Interrupted`](crate::book::model::error::ReplaceError::Interrupted)
/// after `stop` of the options was set.
pub fn disputes<G: Formats + Symmetric>(
    files: &[PathBuf],
    folder: &Path,
    options: &BuildOptions,
    found: &mut dyn FnMut(&Dispute),
) -> Result<DisputeCounts, BuildError> {
    let errors = Errors { output: folder };
    let base = BaseBook::of::<G>(options)?;
    let hashed =
        sources::find::<G>(files, folder, &options.stop, &|| check_stop(options, folder))?.0;
    let mut known: std::collections::BTreeSet<[u8; 32]> =
        base.iter().flat_map(BaseBook::sources).map(|source| source.hash).collect();
    let different: Vec<&Hashed> = hashed.iter().filter(|f| known.insert(f.hash)).collect();
    let budget = options.memory / (rayon::current_num_threads() + 2);
    let statements = Sorter::<Statement>::new(folder, budget, &options.stop);
    let filter = options.filter.folded();
    sources::open_each::<G, _>(&different, folder, &options.stop, |file, content| {
        let bytes = match content {
            Ok(bytes) => bytes,
            Err(SourceFault::Bad(_)) => return Ok(()),
            Err(SourceFault::Io(error)) => return Err(errors.io(error)),
        };
        read_statements::<G>((file, different[file]), &bytes, folder, &filter, &|batch| {
            check_stop(options, folder)?;
            statements.push(batch).map_err(|e| errors.io(e))
        })
    })?;
    let mut ids = base.map(|base| base.ids()).transpose()?.map(|ids| ids.in_order().peekable());
    let mut is_known = |id: GameId| -> Result<bool, BuildError> {
        let Some(ids) = &mut ids else { return Ok(false) };
        // Both the games and the ids of the base ascend. An error ends the search and is taken, so
        // that it is returned.
        while ids.next_if(|known| known.as_ref().is_ok_and(|known| known.1 < id)).is_some() {}
        match ids.next_if(|known| known.as_ref().map_or(true, |known| known.1 == id)) {
            Some(known) => known.map(|_| true),
            None => Ok(false),
        }
    };
    let mut judge = Judge { filter: &filter, sources: &different, counts: <_>::default(), found };
    let mut game = Copies::default();
    for statement in statements.finish().map_err(|e| errors.io(e))? {
        let statement = statement.map_err(|e| errors.io(e))?;
        let is_next = game.first_copies.first().is_some_and(|copy| copy.id != statement.id);
        if is_next || filter.every_record {
            let game = std::mem::take(&mut game);
            judge.hear(&game, &mut is_known)?;
        }
        game.add(statement);
    }
    judge.hear(&game, &mut is_known)?;
    Ok(judge.counts)
}

/// Hands over the statements of the games of a source, as far as the filter admits them.
fn read_statements<G: Formats + Symmetric>(
    (file, source): (usize, &Hashed),
    bytes: &Bytes<'_>,
    folder: &Path,
    filter: &Filter,
    push: &(dyn Fn(Vec<Statement>) -> Result<(), BuildError> + Sync),
) -> Result<(), BuildError> {
    let mut first = 0;
    let starts = UsualStarts::<G>::new();
    source.windows::<G>(bytes, CHUNK, folder, |window, chunks| {
        chunks.par_iter().enumerate().try_for_each(
            |(part, &(chunk, loss)): (usize, &CutChunk<'_>)| {
                let mut batch = Vec::new();
                let keep_legal_part = filter.keep_legal_part;
                let chunk = &chunk.keeping_legal_part(keep_legal_part);
                G::read_cut_chunk("", window, chunk, loss, &mut |game| {
                    let Ok(game) = game else { return };
                    let order = [file as u64, first + part as u64, batch.len() as u64];
                    if filter.admits_record(&game.record, &Facts::of(&game.record)) {
                        batch.extend(Statement::of(&game, &starts, filter, order));
                    }
                });
                push(batch)
            },
        )?;
        first += chunks.len() as u64;
        Ok(())
    })
}

/// The copies of one game.
#[derive(Default)]
struct Copies {
    /// The first ones.
    first_copies: Vec<Statement>,
    /// By result, of all.
    votes: [u64; 4],
}

impl Copies {
    fn add(&mut self, copy: Statement) {
        self.votes[usize::from(result_number(copy.stated))] += 1;
        if self.first_copies.len() < MAX_COPIES {
            self.first_copies.push(copy);
        }
    }
}

/// Reports games whose results are in doubt.
struct Judge<'a> {
    filter: &'a Filter,
    sources: &'a [&'a Hashed],
    counts: DisputeCounts,
    found: &'a mut dyn FnMut(&Dispute),
}

impl Judge<'_> {
    /// Reports one game, unless it is not counted or its result is clear.
    fn hear(
        &mut self,
        game: &Copies,
        is_known: &mut dyn FnMut(GameId) -> Result<bool, BuildError>,
    ) -> Result<(), BuildError> {
        let Some(first) = game.first_copies.first() else { return Ok(()) };
        let counted = majority(&game.votes);
        if !self.filter.admits_result(counted) || is_known(first.id)? {
            return Ok(());
        }
        self.tell(game, counted, first.end);
        Ok(())
    }

    /// Reports the copies of one game if its result is in doubt.
    fn tell(&mut self, game: &Copies, counted: Option<Outcome>, end: Option<Outcome>) {
        let Copies { first_copies, votes } = game;
        let Self { sources, counts, found, .. } = self;
        let is_disputed = votes[1..].iter().filter(|&&n| n > 0).count() > 1;
        let is_contradicted = end.is_some_and(|end| counted.is_some_and(|counted| counted != end));
        counts.disputed += u64::from(is_disputed);
        counts.tied += u64::from(is_disputed && counted.is_none());
        counts.contradicted += u64::from(is_contradicted);
        let doubt = match (is_disputed, is_contradicted) {
            (true, true) => Doubt::MajorityAndBoard,
            (true, false) if counted.is_none() => Doubt::Tie,
            (true, false) => Doubt::Majority,
            (false, true) => Doubt::Board,
            (false, false) => return,
        };
        for copy in first_copies {
            let source = usize::try_from(copy.order[0]).ok().and_then(|file| sources.get(file));
            found(&Dispute {
                game_id: copy.id,
                doubt,
                counted,
                end,
                source: source.map(|source| source.path.clone()).unwrap_or_default(),
                place: copy.place,
                number: copy.number,
                stated: copy.stated,
            });
        }
    }
}

/// The result that one copy of a game states, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Statement {
    id: GameId,
    /// The numbers of the source, of the part of it, and of the game in that part: no two are equal.
    order: [u64; 3],
    place: Place,
    number: u64,
    stated: Option<Outcome>,
    end: Option<Outcome>,
}

impl Statement {
    /// The statement of a game; `None` for games that books do not count.
    fn of<G: Formats + Symmetric>(
        game: &ParsedGame<G>,
        starts: &UsualStarts<G>,
        filter: &Filter,
        order: [u64; 3],
    ) -> Option<Self> {
        let record = &game.record;
        let moves = &record.tree.moves;
        if moves.is_empty() {
            return None;
        }
        let number = starts.number_of(record.start.as_ref().map(G::to_fen).as_deref())?;
        let start = starts.get(number)?;
        let text = starts.text(number);
        let id = if filter.fold_mirror || !G::ORIENTED {
            GameId::folded::<G>((start, text), moves).0
        } else {
            GameId::new::<G>(text, moves)
        };
        let place = game.place;
        let number = game.game;
        Some(Self { id, order, place, number, stated: record.result, end: game.end })
    }
}

impl Summand for Statement {
    fn order(&self, other: &Self) -> Ordering {
        (self.id, self.order).cmp(&(other.id, other.order))
    }

    fn absorb(&mut self, _equal: Self) {}

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.id.0);
        let (unit, place) = match self.place {
            Place::Line(line) => (0, line),
            Place::Offset(offset) => (1, offset),
        };
        let results = [self.stated, self.end].map(|result| u64::from(result_number(result)));
        for n in self.order.into_iter().chain([unit, place, self.number]).chain(results) {
            varint::put(out, n);
        }
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let id = GameId(*input.split_off(..16)?.first_chunk()?);
        let mut n = [0; 8];
        for n in &mut n {
            *n = varint::take(input)?;
        }
        let [file, part, game, unit, place, number, stated, end] = n;
        let place = match unit {
            0 => Place::Line(place),
            1 => Place::Offset(place),
            _ => return None,
        };
        let order = [file, part, game];
        Some(Self {
            id,
            order,
            place,
            number,
            stated: result_of_number(stated),
            end: result_of_number(end),
        })
    }
}

/// The result of a number.
fn result_of_number(n: u64) -> Option<Outcome> {
    u8::try_from(n).ok().and_then(result_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::builder::game_files::{ReadOptions, build};
    use crate::game::{Game, MoveList, Side};
    use crate::xiangqi::{Position, START_FEN};

    fn reported(files: &[(&str, &str)]) -> (DisputeCounts, Vec<String>) {
        reported_with(files, Filter::default())
    }

    fn reported_with(files: &[(&str, &str)], filter: Filter) -> (DisputeCounts, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.path().join(name)).collect();
        for (path, (_, text)) in paths.iter().zip(files) {
            std::fs::write(path, text).unwrap();
        }
        let mut reported = Vec::new();
        let options = BuildOptions { memory: 1 << 20, filter, ..BuildOptions::default() };
        let counts = disputes::<Position>(&paths, folder.path(), &options, &mut |dispute| {
            let name = dispute.source.file_name().unwrap().to_string_lossy().into_owned();
            let stated = dispute.stated.map_or("*".to_owned(), |result| result.to_string());
            let Dispute { doubt, place, number, .. } = dispute;
            reported.push(format!("{name}:{place} {number} {stated} {doubt}"));
        });
        (counts.unwrap(), reported)
    }

    #[test]
    fn the_start_is_named_as_in_books() {
        assert_eq!(Position::start().to_fen(), START_FEN);
    }

    #[test]
    fn copies_that_differ_across_formats() {
        let (counts, reported) = reported(&[
            ("a.pgn", "[Result \"1-0\"]\n\n1. h2e2 h9g7 1-0\n\n[Result \"0-1\"]\n\n1. c3c4 0-1\n"),
            ("b.jsonl", "{\"moves\":\"h2e2 h9g7\",\"result\":\"0-1\"}\n{\"moves\":\"c3c4\"}\n"),
            ("c.txt", "h2e2 h9g7 1-0\nb2e2 b9c7 1-0\n"),
        ]);
        assert_eq!(counts, DisputeCounts { disputed: 1, tied: 0, contradicted: 0 });
        assert_eq!(
            reported,
            ["a.pgn:1 1 1-0 majority", "b.jsonl:1 1 0-1 majority", "c.txt:1 1 1-0 majority"]
        );
    }

    #[test]
    fn what_the_filter_leaves_out_has_no_vote() {
        let files = [
            ("a.pgn", "[Date \"1990\"]\n[Result \"1-0\"]\n\n1. h2e2 h9g7 1-0\n"),
            ("b.pgn", "[Date \"2005\"]\n[Result \"0-1\"]\n\n1. h2e2 h9g7 0-1\n"),
        ];
        assert_eq!(reported(&files).0, DisputeCounts { disputed: 1, tied: 1, contradicted: 0 });
        let won = Some(crate::book::model::filter::Ending::Known(Outcome::Win(Side::First)));
        for filter in [
            Filter { since: Some(2000), ..Filter::default() },
            Filter { every_record: true, ..Filter::default() },
            Filter { result: won, ..Filter::default() },
        ] {
            assert_eq!(reported_with(&files, filter), Default::default());
        }
    }

    #[test]
    fn all_copies_decide() {
        let [few, many] = [("1-0", MAX_COPIES), ("0-1", MAX_COPIES + 1)]
            .map(|(result, count)| format!("h2e2 h9g7 {result}\n").repeat(count));
        let (counts, list) = reported(&[("a.txt", &few), ("b.txt", &many)]);
        assert_eq!(counts, DisputeCounts { disputed: 1, tied: 0, contradicted: 0 });
        assert_eq!((list.len(), &*list[0]), (MAX_COPIES, "a.txt:1 1 1-0 majority"));
    }

    #[test]
    fn what_the_base_knows_is_settled() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, book] = ["a.txt", "b.txt", "a.book"].map(|name| folder.path().join(name));
        std::fs::write(&a, "h2e2 h9g7 1-0\nb2e2 b9c7 1-0\n").unwrap();
        let differing = "h2e2 h9g7 0-1\nh2e2 h9g7 1-0\nc3c4 c6c5 0-1\nc3c4 c6c5 1-0\n";
        std::fs::write(&b, differing).unwrap();
        let options = BuildOptions { memory: 1 << 20, ..BuildOptions::default() };
        let files = [a.clone()];
        build::<Position>(&files, &book, options.clone(), ReadOptions::default()).unwrap();
        let options = BuildOptions { base: Some(book), ..options };
        let files = [a, b];
        let counts = disputes::<Position>(&files, folder.path(), &options, &mut |_| {}).unwrap();
        assert_eq!(counts, DisputeCounts { disputed: 1, tied: 1, contradicted: 0 });
    }

    #[test]
    fn results_that_contradict_the_board() {
        let (moves, won) = game_to_mate();
        let (right, wrong) =
            (won.to_string(), if won == Outcome::Win(Side::First) { "0-1" } else { "1-0" });
        let (counts, list) = reported(&[("a.txt", &format!("{moves} {wrong}\n{moves} {wrong}\n"))]);
        assert_eq!(counts, DisputeCounts { disputed: 0, tied: 0, contradicted: 1 });
        assert_eq!(list, [format!("a.txt:1 1 {wrong} board"), format!("a.txt:2 2 {wrong} board")]);
        let (counts, list) = reported(&[("a.txt", &format!("{moves} {right}\n"))]);
        assert_eq!((counts, list.len()), (DisputeCounts::default(), 0));
    }

    /// Moves by chance until a king is mated.
    fn game_to_mate() -> (String, Outcome) {
        let mut chance = 1_u64;
        loop {
            let mut position = Position::start();
            let mut moves = String::new();
            for _ in 0..600 {
                let mut legal = MoveList::new();
                position.legal_moves(&mut legal);
                let Some(count) = std::num::NonZeroUsize::new(legal.len()) else {
                    return (moves, Outcome::Win(!position.turn()));
                };
                chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let mv = legal[(chance >> 33) as usize % count];
                moves.extend([mv.to_string().as_str(), " "]);
                position.make(mv);
            }
        }
    }

    #[test]
    fn put_then_take_is_identity() {
        let statement = Statement {
            id: GameId([7; 16]),
            order: [1, 2, 3],
            place: Place::Offset(1 << 40),
            number: 9,
            stated: Some(Outcome::Draw),
            end: Some(Outcome::Win(Side::Second)),
        };
        let mut bytes = Vec::new();
        statement.put(&mut bytes);
        assert_eq!(Statement::take(&mut bytes.as_slice()), Some(statement));
    }
}
