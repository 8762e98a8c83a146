//! Trees of moves as binary files keep them: depth first, each move with two marks, one for an answer
//! that comes after it and one for another move in its place that comes after all its answers.

use crate::game::Game;
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::limits::MAX_VARIATION_DEPTH;
use crate::record::model::record::{Tree, Variation};
use crate::xiangqi::notation::{Dialect, IllegalReason, MoveError, read_move};
use crate::xiangqi::{Move, Position, Square};

/// A move as a file writes it.
pub(crate) trait WrittenMove<G: Game>: Sized {
    /// The move, which is number `ply` of its line, from 1; it may not be one, in which case a text says what
    /// stands there.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be played in the position.
    fn play(mv: Result<Self, String>, position: &G, ply: usize) -> Result<G::Move, BadGameReason>;
}

impl WrittenMove<Position> for Coordinates {
    fn play(
        mv: Result<Self, String>,
        position: &Position,
        ply: usize,
    ) -> Result<Move, BadGameReason> {
        let mv = mv.map_err(MoveError::Unreadable);
        mv.and_then(|mv| mv.check(position)).map_err(|error| BadGameReason::Move { ply, error })
    }
}

/// One move of the file with what stands beside it.
#[derive(Debug)]
pub(crate) struct FileMove<M = Coordinates> {
    /// A text is one in which no squares can be read.
    pub(crate) mv: Result<M, String>,
    /// The text after the move; none if empty.
    pub(crate) comment: String,
    /// No answer follows.
    pub(crate) is_last: bool,
    /// Another move in its place comes later.
    pub(crate) has_alternative: bool,
}

/// A move as two squares; a square off the board is kept as the file writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Coordinates {
    pub(crate) from: Result<Square, u8>,
    pub(crate) to: Result<Square, u8>,
}

/// A square, or the number that is none.
fn square_text(square: Result<Square, u8>) -> String {
    match square {
        Ok(square) => square.to_string(),
        Err(number) => format!("#{number}"),
    }
}

impl Coordinates {
    /// The move, if it is legal in the position.
    pub(crate) fn check(self, position: &Position) -> Result<Move, MoveError> {
        let (Ok(from), Ok(to)) = (self.from, self.to) else {
            let text = format!("{}-{}", square_text(self.from), square_text(self.to));
            return Err(MoveError::Illegal { text, reason: IllegalReason::OffBoard });
        };
        let mv = Move::new(from, to);
        if position.is_legal(mv) {
            return Ok(mv);
        }
        // Read once more as a text, which says why it is illegal.
        let text = mv.to_string();
        let letters: Vec<char> = text.chars().collect();
        match read_move(position, &letters, Dialect::Any) {
            Err(fault) => Err(fault.about(text)),
            Ok(_) => Err(MoveError::Unreadable(text)),
        }
    }
}

/// A tree that is being read.
#[derive(Debug)]
pub(crate) struct PreOrder<G: Game = Position> {
    position: G,
    /// The moves from the start to `position`.
    path: Vec<(G::Move, G::Undo)>,
    /// The main line, and in it the lines that `position` stands in.
    lines: Vec<OpenVariation<G>>,
    /// The alternatives that are still to come, the next one last; `None` where a move before them
    /// could not be played.
    promised: Vec<Option<Branch>>,
    next: Next,
    cut_variations: u64,
    /// The main line need not be legal to its end either.
    is_lenient: bool,
}

#[derive(Debug)]
struct OpenVariation<G: Game> {
    tree: Tree<G>,
    /// Plies before its first move.
    depth: usize,
}

#[derive(Debug, Clone, Copy)]
struct Branch {
    /// The line whose move is replaced.
    line: usize,
    /// Plies before that move.
    depth: usize,
}

/// The relation of the next move to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// It goes on with the line.
    Continues,
    /// It begins a variation.
    Varies,
    /// It follows a move that could not be played.
    IsLost,
}

impl<G: Game> PreOrder<G> {
    /// A tree that begins with that position and the comment on it.
    pub(crate) fn new(start: G, comment: String) -> Self {
        let mut tree = Tree::default();
        if !comment.is_empty() {
            tree.comments.push((0, comment));
        }
        Self {
            position: start,
            path: Vec::new(),
            lines: vec![OpenVariation { tree, depth: 0 }],
            promised: Vec::new(),
            next: Next::Continues,
            cut_variations: 0,
            is_lenient: false,
        }
    }

    /// A tree in which a move of the main line that cannot be played is left out with what follows it, as in
    /// variations.
    #[cfg(feature = "book")]
    pub(crate) const fn lenient(mut self) -> Self {
        self.is_lenient = true;
        self
    }

    /// Adds the next move of the file; returns whether more belong to the tree. A variation is cut
    /// at a move that cannot be played, and what follows that move is passed over.
    ///
    /// # Errors
    ///
    /// A move of the main line that cannot be played; variations too deep in one another.
    pub(crate) fn add<M: WrittenMove<G>>(
        &mut self,
        node: FileMove<M>,
    ) -> Result<bool, BadGameReason> {
        // Taken before the move is played: if it begins a variation, its alternatives are variations of the same line.
        let branch = Branch { line: self.lines.len() - 1, depth: self.path.len() };
        if node.has_alternative {
            self.promised.push((self.next != Next::IsLost).then_some(branch));
        }
        let is_last = node.is_last;
        if self.next != Next::IsLost {
            self.play(node)?;
        }
        Ok(!is_last || self.turn_back())
    }

    fn play<M: WrittenMove<G>>(&mut self, node: FileMove<M>) -> Result<(), BadGameReason> {
        if self.next == Next::Varies {
            if self.lines.len() > MAX_VARIATION_DEPTH {
                return Err(BadGameReason::TooDeep);
            }
            self.lines.push(OpenVariation { tree: Tree::default(), depth: self.path.len() });
            self.next = Next::Continues;
        }
        match M::play(node.mv, &self.position, self.path.len() + 1) {
            Ok(mv) => {
                self.path.push((mv, self.position.make(mv)));
                if let Some(line) = self.lines.last_mut() {
                    line.tree.moves.push(mv);
                    if !node.comment.is_empty() {
                        line.tree.comments.push((line.tree.moves.len(), node.comment));
                    }
                }
            }
            Err(reason) if self.lines.len() == 1 && !self.is_lenient => return Err(reason),
            Err(_) => {
                self.cut_variations += 1;
                self.next = Next::IsLost;
            }
        }
        Ok(())
    }

    /// Goes back to where the next alternative begins; false if there is none.
    fn turn_back(&mut self) -> bool {
        let Some(promised) = self.promised.pop() else { return false };
        let Some(branch) = promised else {
            self.next = Next::IsLost;
            return true;
        };
        while self.path.len() > branch.depth {
            if let Some((mv, undo)) = self.path.pop() {
                self.position.unmake(mv, undo);
            }
        }
        self.close_to(branch.line + 1);
        // The move that is replaced was one that cannot be played: then its line ends before it.
        let is_end = self
            .lines
            .last()
            .is_some_and(|line| line.depth + line.tree.moves.len() == branch.depth);
        self.next = if is_end { Next::Continues } else { Next::Varies };
        true
    }

    /// Closes lines until only `open` are open.
    fn close_to(&mut self, open: usize) {
        while self.lines.len() > open {
            let Some(mut line) = self.lines.pop() else { return };
            let Some(parent) = self.lines.last_mut() else { return };
            // Alternatives of later moves come first in the file; those of one move keep its order.
            line.tree.variations.sort_by_key(|variation| variation.ply);
            if !line.tree.moves.is_empty() {
                let ply = line.depth - parent.depth;
                parent.tree.variations.push(Variation { ply, tree: line.tree });
            }
        }
    }

    /// The tree, and how many variations were cut.
    pub(crate) fn finish(mut self) -> (Tree<G>, u64) {
        self.close_to(1);
        let mut tree = self.lines.pop().map(|line| line.tree).unwrap_or_default();
        tree.variations.sort_by_key(|variation| variation.ply);
        (tree, self.cut_variations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(mv: &str, marks: &str) -> FileMove {
        let square = |text: &str| Square::parse(text).ok_or(99);
        let mv = Ok(Coordinates { from: square(&mv[..2]), to: square(&mv[2..]) });
        let is_last = marks.contains('.');
        let has_alternative = marks.contains('|');
        FileMove { mv, comment: String::new(), is_last, has_alternative }
    }

    fn read(nodes: &[(&str, &str)]) -> Result<(String, u64), BadGameReason> {
        let mut tree = PreOrder::new(Position::start(), String::new());
        for (index, (mv, marks)) in nodes.iter().enumerate() {
            let more = tree.add(node(mv, marks))?;
            assert_eq!(more, index + 1 < nodes.len());
        }
        let (tree, cut) = tree.finish();
        Ok((text(&tree), cut))
    }

    fn text(tree: &Tree<Position>) -> String {
        let mut words = Vec::new();
        for (ply, mv) in tree.moves.iter().enumerate() {
            words.push(mv.to_string());
            let here = tree.variations.iter().filter(|variation| variation.ply == ply);
            words.extend(here.map(|variation| format!("({})", text(&variation.tree))));
        }
        words.join(" ")
    }

    #[test]
    fn alternatives_become_variations_of_the_line_they_leave() {
        let nodes = [
            ("h2e2", "|"),
            ("h9g7", "|"),
            ("h0g2", "."),
            ("h7e7", "|"),
            ("h0g2", "|."),
            ("e2e6", "."),
            ("b9c7", "."),
            ("b2e2", "|."),
            ("c3c4", "."),
        ];
        let expected = "h2e2 (b2e2) (c3c4) h9g7 (h7e7 h0g2 (e2e6)) (b9c7) h0g2";
        assert_eq!(read(&nodes), Ok((expected.to_owned(), 0)));
    }

    #[test]
    fn a_variation_is_cut_where_it_cannot_be_played() {
        let nodes = [
            ("h2e2", "|"),
            ("h9g7", "."),
            ("b2e2", ""),
            ("h9g9", "|"),
            ("h0g2", "|."),
            ("h0g2", "|."),
            ("h0g2", "."),
            ("h9g7", "."),
        ];
        assert_eq!(read(&nodes), Ok(("h2e2 (b2e2 h9g7) h9g7".to_owned(), 1)));
        let at_once = [("h2e2", "|"), ("h9g7", "."), ("a0a9", ".")];
        assert_eq!(read(&at_once), Ok(("h2e2 h9g7".to_owned(), 1)));
    }

    #[test]
    fn the_main_line_must_be_legal() {
        let reason = |mv| read(&[("h2e2", ""), (mv, ".")]).unwrap_err().to_string();
        assert_eq!(reason("h9h8"), "ply 2: \"h9h8\" is illegal: the piece does not move like that");
        assert_eq!(reason("z9h8"), "ply 2: \"#99-h8\" is illegal: it leaves the board");
    }
}
