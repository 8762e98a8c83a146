//! Proofs as AND/OR trees, and their files.
//!
//! A file is sealed (`bytes::sealed`, magic `JZPROOF1`): position, value, distance, claims, and the nodes packed with
//! zstd. A node is a few varints; children come before their parents, by the distance back to them:
//!
//! ```text
//! 0                          the game is over
//! 1 n (point point)*n        every line that the opponent could still fill has both points of one of the pairs
//! 2 point child              the claimant's move
//! 3 + 2n (point child)*n     answers of the opponent; all others lose at once
//! 4 + 2n rest (point child)*n  the same; the node `rest` refutes all others
//! ```

use std::collections::HashMap;
use std::io::Read as _;

use serde::{Deserialize, Serialize};

use super::value::{ProofKind, Value};
use crate::bytes::sealed::{self, SealError, SealedKind};
use crate::bytes::varint;
use crate::game::{Notation, Packed, Side};
use crate::gomoku::{Board, BoardError, Point};
use crate::hash::gomoku::POINTS;

/// The kind of file.
const KIND: SealedKind = SealedKind { magic: *b"JZPROOF1", version: 1, limit: 1 << 28 };

/// The most bytes of nodes, unpacked.
const MOST_BYTES: u64 = 1 << 28;

/// The most nodes of a proof.
pub(crate) const MOST_NODES: usize = 1 << 24;

/// The number of a node within its proof.
pub type NodeId = u32;

/// A node of a proof, with the moves of the claimant and all those of its opponent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ProofNode {
    /// The game is over, as claimed.
    End,
    /// Every line on which the opponent could still make a row has both points of one of these pairs, so that the
    /// claimant holds by answering on the other point of a pair. Without pairs: there is no such line.
    Pairs(Vec<(Point, Point)>),
    /// The claimant plays the move.
    Move(Point, NodeId),
    /// The opponent is to move.
    Answers {
        /// Its moves and what refutes them.
        answers: Vec<(Point, NodeId)>,
        /// The node that refutes all other moves; `None` if the claimant completes a row after each of them.
        rest: Option<NodeId>,
    },
}

/// The result that a tree proves for one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Goal {
    /// It wins.
    Win,
    /// It does not lose.
    Hold,
}

/// The root of a tree and what it proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProofClaim {
    /// The side that the tree plays for.
    pub side: Side,
    /// The result that it reaches.
    pub goal: Goal,
    /// The root.
    pub root: NodeId,
}

/// A proof of the value of a position.
///
/// ```
/// use juzhong::game::Game;
/// use juzhong::gomoku::{Board, Point};
/// use juzhong::solve::{Budget, Proof, Prover, Value, check};
///
/// // Three in a row and the move: a row can be completed at once.
/// let mut board = Board::new(7, 7, 4)?;
/// for text in ["b4", "a1", "c4", "c1", "d4", "e1"] {
///     board.make(Point::parse(text).unwrap());
/// }
/// let proof = Prover::default().solve(&board, &Budget::default()).proof.unwrap();
/// assert_eq!((proof.value, proof.distance), (Value::Win, Some(1)));
/// // As a file and back; what a file claims is checked separately.
/// let read = Proof::from_bytes(&proof.to_bytes()?)?;
/// check(&read, &Budget::default())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// The position.
    pub board: Board,
    /// Its value for the side to move.
    pub value: Value,
    /// The way in which it was found.
    pub kind: ProofKind,
    /// Plies to the end by the tree, of wins and losses.
    pub distance: Option<u32>,
    /// One claim for a win or a loss, two for a draw.
    pub claims: Vec<ProofClaim>,
    /// The nodes, children before their parents.
    pub nodes: Vec<ProofNode>,
}

/// The reasons why bytes are no proof.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum ProofError {
    /// The container is damaged or another one.
    #[error("not a readable proof")]
    Sealed(#[from] SealError),
    /// The position cannot be read.
    #[error("the position of the proof cannot be read")]
    Position(#[from] BoardError),
    /// The nodes cannot be unpacked or decoded.
    #[error("node {node} of the proof is malformed")]
    Node {
        /// The number of the node, from 0.
        node: usize,
    },
    /// Something else is out of range.
    #[error("the proof has an impossible {0}")]
    Field(&'static str),
    /// The proof has too many nodes to be written.
    #[error("the proof is too large to be written")]
    TooLarge,
}

#[derive(Serialize, Deserialize)]
struct Payload {
    position: String,
    value: u8,
    kind: u8,
    distance: Option<u32>,
    /// Side, goal, root.
    claims: Vec<(u8, u8, u32)>,
    node_count: u32,
    node_bytes: u64,
    packed: Vec<u8>,
}

impl Proof {
    /// The most plies below each node.
    pub(crate) fn plies(&self) -> Vec<u32> {
        let mut plies: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let most = match node {
                ProofNode::End | ProofNode::Pairs(_) => 0,
                &ProofNode::Move(_, child) => plies_before(&plies, child),
                ProofNode::Answers { answers, rest } => {
                    let all = answers.iter().map(|&(_, child)| child).chain(*rest);
                    // A move that needs no node takes two plies with the row that is completed after it.
                    all.map(|child| plies_before(&plies, child)).max().unwrap_or(0).max(2)
                }
            };
            plies.push(most);
        }
        plies
    }

    /// The bytes of a file.
    ///
    /// # Errors
    ///
    /// If the proof is too large.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ProofError> {
        let mut bytes = Vec::new();
        for (id, node) in self.nodes.iter().enumerate() {
            put_node(&mut bytes, id, node).ok_or(ProofError::Node { node: id })?;
        }
        if self.nodes.len() > MOST_NODES || bytes.len() as u64 > MOST_BYTES {
            return Err(ProofError::TooLarge);
        }
        let packed = zstd::bulk::compress(&bytes, 3).map_err(|_| ProofError::TooLarge)?;
        let claims = self.claims.iter().map(|claim| {
            (claim.side.index() as u8, u8::from(claim.goal == Goal::Hold), claim.root)
        });
        let payload = Payload {
            position: self.board.to_fen(),
            value: self.value as u8,
            kind: self.kind as u8,
            distance: self.distance,
            claims: claims.collect(),
            node_count: self.nodes.len() as u32,
            node_bytes: bytes.len() as u64,
            packed,
        };
        Ok(sealed::seal(KIND, &payload)?)
    }

    /// Reads a file. What it claims is not verified; [`check`](super::check()) does that.
    ///
    /// # Errors
    ///
    /// If the bytes are no such file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ProofError> {
        let payload: Payload = sealed::unseal(KIND, bytes)?;
        let board = Board::from_fen(&payload.position)?;
        let value = Value::from_number(payload.value).ok_or(ProofError::Field("value"))?;
        let kind = ProofKind::from_number(payload.kind).ok_or(ProofError::Field("kind"))?;
        if payload.node_bytes > MOST_BYTES || payload.node_count as usize > MOST_NODES {
            return Err(ProofError::Field("size"));
        }
        let bytes = unpack(&payload.packed, payload.node_bytes)?;
        let nodes = take_nodes(&bytes, payload.node_count as usize)?;
        let claims = payload.claims.iter().take(3).map(|&claim| read_claim(claim, nodes.len()));
        let claims: Option<Vec<ProofClaim>> = claims.collect();
        let claims = claims.ok_or(ProofError::Field("claim"))?;
        Ok(Self { board, value, kind, distance: payload.distance, claims, nodes })
    }
}

/// The most plies to the end from before the move that leads to the node `child`; `plies` are those of the nodes
/// themselves.
fn plies_before(plies: &[u32], child: NodeId) -> u32 {
    plies.get(child as usize).copied().unwrap_or(0) + 1
}

fn read_claim((side, goal, root): (u8, u8, u32), nodes: usize) -> Option<ProofClaim> {
    let side = Side::ALL.into_iter().find(|known| known.index() == usize::from(side))?;
    let goal = match goal {
        0 => Goal::Win,
        1 => Goal::Hold,
        _ => return None,
    };
    ((root as usize) < nodes).then_some(ProofClaim { side, goal, root })
}

fn unpack(packed: &[u8], len: u64) -> Result<Vec<u8>, ProofError> {
    let mut bytes = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(packed)
        .map_err(|_| ProofError::Field("packing"))?;
    // One byte more than stated is enough to show that there are more; reading all could take any amount of
    // memory.
    decoder.take(len + 1).read_to_end(&mut bytes).map_err(|_| ProofError::Field("packing"))?;
    if bytes.len() as u64 == len { Ok(bytes) } else { Err(ProofError::Field("size")) }
}

/// Appends a node; `None` if a child does not come before it.
fn put_node(out: &mut Vec<u8>, id: usize, node: &ProofNode) -> Option<()> {
    match node {
        ProofNode::End => varint::put(out, 0),
        ProofNode::Pairs(pairs) => {
            varint::put(out, 1);
            varint::put(out, pairs.len() as u64);
            for &(point, other) in pairs {
                varint::put(out, point.pack().into());
                varint::put(out, other.pack().into());
            }
        }
        &ProofNode::Move(point, child) => {
            varint::put(out, 2);
            varint::put(out, point.pack().into());
            varint::put(out, distance_back(id, child)?);
        }
        ProofNode::Answers { answers, rest } => {
            varint::put(out, 3 + 2 * answers.len() as u64 + u64::from(rest.is_some()));
            if let Some(rest) = *rest {
                varint::put(out, distance_back(id, rest)?);
            }
            for &(point, child) in answers {
                varint::put(out, point.pack().into());
                varint::put(out, distance_back(id, child)?);
            }
        }
    }
    Some(())
}

/// The distance from a node back to its child; `None` if that does not come before it.
fn distance_back(id: usize, child: NodeId) -> Option<u64> {
    (id as u64).checked_sub(child.into()).filter(|&back| back > 0)
}

fn take_nodes(mut bytes: &[u8], count: usize) -> Result<Vec<ProofNode>, ProofError> {
    // Every node takes a byte at least.
    if count > bytes.len() {
        return Err(ProofError::Field("number of nodes"));
    }
    let mut nodes = Vec::with_capacity(count);
    for id in 0..count {
        nodes.push(take_node(&mut bytes, id).ok_or(ProofError::Node { node: id })?);
    }
    if bytes.is_empty() { Ok(nodes) } else { Err(ProofError::Node { node: count }) }
}

fn take_node(bytes: &mut &[u8], id: usize) -> Option<ProofNode> {
    Some(match varint::take(bytes)? {
        0 => ProofNode::End,
        1 => {
            let count =
                usize::try_from(varint::take(bytes)?).ok().filter(|&count| count <= POINTS)?;
            ProofNode::Pairs(
                (0..count)
                    .map(|_| Some((take_point(bytes)?, take_point(bytes)?)))
                    .collect::<Option<_>>()?,
            )
        }
        2 => ProofNode::Move(take_point(bytes)?, take_child(bytes, id)?),
        tag => {
            // No more answers than points: what a file states is bounded before anything is allocated by it.
            let count = usize::try_from((tag - 3) / 2).ok().filter(|&count| count <= POINTS)?;
            let has_rest = (tag - 3) % 2 == 1;
            let rest = if has_rest { Some(take_child(bytes, id)?) } else { None };
            ProofNode::Answers {
                answers: (0..count)
                    .map(|_| Some((take_point(bytes)?, take_child(bytes, id)?)))
                    .collect::<Option<_>>()?,
                rest,
            }
        }
    })
}

fn take_point(bytes: &mut &[u8]) -> Option<Point> {
    Point::unpack(u16::try_from(varint::take(bytes)?).ok()?)
}

fn take_child(bytes: &mut &[u8], id: usize) -> Option<NodeId> {
    let back = usize::try_from(varint::take(bytes)?).ok().filter(|&back| back > 0)?;
    NodeId::try_from(id.checked_sub(back)?).ok()
}

/// The nodes of a proof while it is drawn up: equal nodes are kept once.
#[derive(Debug)]
pub(crate) struct Nodes {
    nodes: Vec<ProofNode>,
    numbers: HashMap<ProofNode, NodeId>,
    most: usize,
}

impl Nodes {
    /// No node yet; at most that many bytes of them.
    pub(crate) fn new(memory: usize) -> Self {
        // A node and its number are kept twice, with answers on the heap.
        let most = (memory / 160).clamp(1 << 10, MOST_NODES);
        Self { nodes: Vec::new(), numbers: HashMap::new(), most }
    }

    /// Adds a node whose children were added before; `None` if there are too many.
    pub(crate) fn add(&mut self, node: ProofNode) -> Option<NodeId> {
        if let Some(&id) = self.numbers.get(&node) {
            return Some(id);
        }
        if self.nodes.len() >= self.most {
            return None;
        }
        let id = self.nodes.len() as NodeId;
        self.numbers.insert(node.clone(), id);
        self.nodes.push(node);
        Some(id)
    }

    pub(crate) fn into_nodes(self) -> Vec<ProofNode> {
        self.nodes
    }
}
