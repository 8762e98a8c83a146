//! A tree of moves as nodes, one after the other, for formats that write it depth first.

use std::collections::VecDeque;

use crate::gomoku::{Board, Point};
use crate::record::model::record::Tree;

/// A node.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The move that leads here; none leads to the first node.
    pub(crate) mv: Option<Point>,
    /// Moves from the start.
    pub(crate) depth: usize,
    /// The texts after the move, a line each.
    pub(crate) comment: String,
    /// The numbers of the next nodes, that of the line first.
    pub(crate) answers: Vec<usize>,
}

/// The nodes of a tree; the first one is the start.
pub(crate) fn nodes_of(tree: &Tree<Board>) -> Vec<Node> {
    let mut nodes = vec![Node::default()];
    // A line is added before its variations, so that the move of the line is the first answer to a node.
    let mut open = VecDeque::from([(0, tree)]);
    while let Some((begin, tree)) = open.pop_front() {
        let mut path = vec![begin];
        let mut last = begin;
        for &mv in &tree.moves {
            let index = nodes.len();
            let depth = nodes[last].depth + 1;
            nodes[last].answers.push(index);
            nodes.push(Node { mv: Some(mv), depth, ..Node::default() });
            path.push(index);
            last = index;
        }
        for (ply, text) in &tree.comments {
            let Some(&node) = path.get(*ply) else { continue };
            let comment = &mut nodes[node].comment;
            if !comment.is_empty() {
                comment.push('\n');
            }
            comment.push_str(text);
        }
        for variation in &tree.variations {
            open.extend(path.get(variation.ply).map(|&parent| (parent, &variation.tree)));
        }
    }
    nodes
}
