//! Names of openings: along a line, and as answers have them.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::answers::line::LineRequest;
use crate::book::opening::{Code, Named, Opening, TrackOpening};
use crate::game::Line;

/// The names of a position and of those after it: along the moves from the start of a game if they are known,
/// else by what stands on the board.
#[derive(Debug, Clone)]
pub struct Names<G: Named>(Option<G::Tracker>);

impl<G: Named> Names<G> {
    /// At a position whose past is unknown.
    #[must_use]
    pub const fn without_past() -> Self {
        Self(None)
    }

    /// At the end of a line that was asked for so.
    #[must_use]
    pub fn along(request: &LineRequest, line: &Line<G>) -> Self {
        if !request.is_from_start() {
            return Self::without_past();
        }
        let mut position = line.start().clone();
        let mut names = Self(Some(G::tracker(&position)));
        for mv in line.moves() {
            position.make(mv);
            names.push(&position);
        }
        names
    }

    /// The position after one more move.
    pub fn push(&mut self, position: &G) {
        if let Some(tracker) = &mut self.0 {
            tracker.push(position);
        }
    }

    /// The name of the present position.
    #[must_use]
    pub fn here(&self, position: &G) -> Option<Opening> {
        match &self.0 {
            Some(tracker) => tracker.opening(),
            None => position.opening(),
        }
    }

    /// The name of the position after one more move.
    #[must_use]
    pub fn after(&self, position: &G) -> Option<Opening> {
        let mut next = self.clone();
        next.push(position);
        next.here(position)
    }
}

/// The code of an opening, null if there is none: the member `ecco`, in gomoku `opening`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningCode {
    member: &'static str,
    code: Option<String>,
}

impl OpeningCode {
    /// The code of an opening of the game `G`.
    #[must_use]
    pub fn of<G: Named>(code: Option<Code>) -> Self {
        Self { member: G::CODE_MEMBER, code: code.map(|code| code.to_string()) }
    }
}

/// An [`OpeningCode`] as it is written.
#[cfg(feature = "schemas")]
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only described")]
enum DescribedCode {
    /// Of xiangqi.
    Xiangqi {
        /// The code of the opening.
        ecco: Option<String>,
    },
    /// Of gomoku.
    Gomoku {
        /// The code of the opening.
        opening: Option<String>,
    },
}

impl Serialize for OpeningCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(1))?;
        members.serialize_entry(self.member, &self.code)?;
        members.end()
    }
}

/// The code and the names of an opening, null where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct OpeningName {
    /// Its code.
    #[serde(flatten)]
    #[cfg_attr(feature = "schemas", schemars(with = "DescribedCode"))]
    pub code: OpeningCode,
    /// The Chinese name.
    pub name: Option<&'static str>,
    /// The English name.
    pub name_en: Option<&'static str>,
}

impl OpeningName {
    /// The name of an opening of the game `G`.
    #[must_use]
    pub fn of<G: Named>(opening: Option<Opening>) -> Self {
        Self {
            code: OpeningCode::of::<G>(opening.map(|opening| opening.code)),
            name: opening.map(|opening| opening.name),
            name_en: opening.map(|opening| opening.english_name()),
        }
    }
}
