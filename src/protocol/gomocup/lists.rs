//! Lists of points, one on each line up to `DONE`.

use crate::protocol::wire::gomocup::{Cell, List};

/// Points that a list may have: those of the largest board, and one to see that there are too many.
const MOST_LISTED: usize = 401;

/// A list as it is read.
#[derive(Debug)]
pub(crate) struct PointList {
    pub(crate) list: List,
    /// Its points with their owners.
    pub(crate) stones: Vec<(Cell, Option<i64>)>,
    /// The first fault of it.
    fault: Option<String>,
}

/// The list that the lines belong to.
#[derive(Debug)]
pub(crate) enum ListState {
    /// There is none.
    Nothing,
    /// It is read.
    Reading(PointList),
    /// It may follow a command that was refused, and is passed over.
    PassedOver,
}

impl ListState {
    /// A list begins.
    pub(crate) fn begin(&mut self, list: List) {
        *self = Self::Reading(PointList { list, stones: Vec::new(), fault: None });
    }

    /// Returns true if a list is read.
    pub(crate) const fn is_reading(&self) -> bool {
        matches!(self, Self::Reading(_))
    }

    /// Something else came: the list ends. What is wrong with that, for people.
    pub(crate) fn interrupt(&mut self) -> Option<String> {
        match std::mem::replace(self, Self::Nothing) {
            Self::Reading(PointList { list, .. }) => Some(format!("{}: no DONE", list.word())),
            Self::Nothing | Self::PassedOver => None,
        }
    }

    /// The list does not count, for this reason; given back where there is no list.
    pub(crate) fn spoil(&mut self, what: String) -> Option<String> {
        match self {
            Self::Reading(point_list) => {
                point_list.fault.get_or_insert(what);
                None
            }
            Self::Nothing | Self::PassedOver => Some(what),
        }
    }

    /// A point of the list.
    ///
    /// # Errors
    ///
    /// If there is no list.
    pub(crate) fn stone(&mut self, cell: Cell, owner: Option<i64>) -> Result<(), String> {
        match self {
            Self::Reading(PointList { stones, .. }) => {
                if stones.len() < MOST_LISTED {
                    stones.push((cell, owner));
                }
                Ok(())
            }
            Self::PassedOver => Ok(()),
            Self::Nothing => Err("a point without BOARD before it".to_owned()),
        }
    }

    /// The end of the list; `None` if it was passed over.
    ///
    /// # Errors
    ///
    /// If there is no list.
    pub(crate) fn done(&mut self) -> Result<Option<PointList>, String> {
        match std::mem::replace(self, Self::Nothing) {
            Self::Reading(point_list) => Ok(Some(point_list)),
            Self::PassedOver => Ok(None),
            Self::Nothing => Err("DONE without BOARD".to_owned()),
        }
    }
}

impl PointList {
    /// Its points in order, whoever owns them.
    pub(crate) fn cells(&self) -> Vec<Cell> {
        self.stones.iter().map(|&(cell, _)| cell).collect()
    }

    /// Looks for faults: all of a list counts, or nothing.
    ///
    /// # Errors
    ///
    /// The first fault.
    pub(crate) fn check(&self) -> Result<(), String> {
        match &self.fault {
            Some(what) => Err(what.clone()),
            None if self.stones.len() == MOST_LISTED => Err("too many points".to_owned()),
            None => Ok(()),
        }
    }
}
