//! The answers, written as text or as JSON.

use serde::Serialize;

use super::known::Known;
use juzhong::xiangqi::Move;

/// An answer before it is written as text or JSON.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// A word for the state of things.
    Status(&'static str),
    All(Vec<Known>),
    Best(Move),
    /// Moves that are about as good.
    Search(Vec<Move>),
    Score(i64),
    Line {
        score: i64,
        moves: Vec<Move>,
    },
    Rules(Vec<(Move, &'static str)>),
}

impl Answer {
    /// The answer to a question that lacks something or has too much.
    pub(crate) const INVALID: Self = Self::Status("invalid parameters");

    /// The answer as text.
    pub(crate) fn to_text(&self) -> String {
        fn joined<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
            items.iter().map(text).collect::<Vec<_>>().join("|")
        }
        match self {
            Self::Status(word) => (*word).to_owned(),
            Self::All(known) => joined(known, Known::to_text),
            Self::Best(mv) => format!("move:{mv}"),
            Self::Search(moves) => joined(moves, |mv| format!("search:{mv}")),
            Self::Score(score) => format!("eval:{score}"),
            Self::Line { score, moves } => {
                let pv = joined(moves, ToString::to_string);
                format!("score:{score},depth:{},pv:{pv}", moves.len())
            }
            Self::Rules(moves) => joined(moves, |(mv, rule)| format!("move:{mv},rule:{rule}")),
        }
    }

    /// The answer as an object.
    pub(crate) fn object(&self) -> AnswerObject {
        let (status, members) = match self {
            Self::Status(word) => (*word, None),
            Self::All(known) => {
                ("ok", Some(Members::All { moves: known.iter().map(Known::object).collect() }))
            }
            Self::Best(mv) => ("ok", Some(Members::Best { mv: mv.to_string() })),
            Self::Search(moves) => {
                let search_moves =
                    moves.iter().map(|mv| MoveObject { uci: mv.to_string() }).collect();
                ("ok", Some(Members::Search { search_moves }))
            }
            Self::Score(score) => ("ok", Some(Members::Score { eval: *score })),
            Self::Line { score, moves } => {
                let pv = moves.iter().map(ToString::to_string).collect();
                ("ok", Some(Members::Line { depth: moves.len(), pv, score: *score }))
            }
            Self::Rules(moves) => {
                let judged =
                    |(mv, rule): &(Move, &'static str)| JudgedMove { rule, uci: mv.to_string() };
                ("ok", Some(Members::Rules { moves: moves.iter().map(judged).collect() }))
            }
        };
        AnswerObject { status, members }
    }
}

/// An answer as an object.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "ChessdbAnswer", description = "An answer as chessdb.cn writes it.")
)]
pub(crate) struct AnswerObject {
    status: &'static str,
    #[serde(flatten)]
    members: Option<Members>,
}

/// The members beside the status.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Members {
    All {
        moves: Vec<KnownMove>,
    },
    Best {
        #[serde(rename = "move")]
        mv: String,
    },
    Search {
        search_moves: Vec<MoveObject>,
    },
    Score {
        eval: i64,
    },
    Line {
        depth: usize,
        pv: Vec<String>,
        score: i64,
    },
    Rules {
        moves: Vec<JudgedMove>,
    },
}

/// A move that is known.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "ChessdbMove"))]
struct KnownMove {
    note: String,
    rank: u8,
    score: i64,
    uci: String,
    /// In percent, with two digits after the point.
    #[serde(skip_serializing_if = "Option::is_none")]
    winrate: Option<String>,
}

/// A move alone.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "ChessdbFound"))]
struct MoveObject {
    uci: String,
}

/// A move that the rules were asked about.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "ChessdbJudged"))]
struct JudgedMove {
    rule: &'static str,
    uci: String,
}

impl Known {
    /// The sign of its rank and what is behind it.
    fn marked(&self) -> String {
        format!("{} ({})", ["?", "*", "!"][usize::from(self.rank)], self.note)
    }

    fn to_text(&self) -> String {
        let Self { mv, score, rank, win_rate, .. } = self;
        let rate = win_rate.map_or_else(String::new, |rate| format!(",winrate:{rate:.2}"));
        format!("move:{mv},score:{score},rank:{rank},note:{}{rate}", self.marked())
    }

    fn object(&self) -> KnownMove {
        KnownMove {
            note: self.marked(),
            rank: self.rank,
            score: self.score,
            uci: self.mv.to_string(),
            winrate: self.win_rate.map(|rate| format!("{rate:.2}")),
        }
    }
}
