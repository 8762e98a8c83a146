//! The failures of the foreign engine, and the one that plays on after them.

/// The failures of the foreign engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Failures {
    count: u32,
    /// It has introduced itself at least once.
    has_worked: bool,
}

/// The one that plays on after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Successor {
    /// The foreign engine, started again.
    Again,
    /// Our own engine.
    Own,
    /// Our part without an engine.
    Nobody,
}

impl Failures {
    /// The foreign engine has introduced itself.
    pub(crate) const fn worked(&mut self) {
        self.has_worked = true;
    }

    /// The engine is of no use any more.
    pub(crate) const fn add(&mut self) -> Successor {
        self.count = self.count.saturating_add(1);
        match self.count {
            1 => Successor::Again,
            2 => Successor::Own,
            _ => Successor::Nobody,
        }
    }

    /// A game begins with the foreign engine: what was is forgotten.
    pub(crate) const fn forgive(&mut self) {
        self.count = 0;
    }

    /// A game begins without the foreign engine: returns true if it has another chance, its last one.
    pub(crate) const fn try_again(&mut self) -> bool {
        if self.has_worked {
            self.count = 1;
        }
        self.has_worked
    }
}

impl Successor {
    /// The text for people about what happens now.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Again => "it is started again",
            Self::Own => "juzhong plays on by itself",
            Self::Nobody => "juzhong plays on as well as it can",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_has_worked_has_another_chance_in_the_next_game() {
        let mut failures = Failures::default();
        assert_eq!(failures.add(), Successor::Again);
        assert_eq!(failures.add(), Successor::Own);
        assert!(!failures.try_again());
        assert_eq!(failures.add(), Successor::Nobody);
        failures.worked();
        assert!(failures.try_again());
        assert_eq!(failures.add(), Successor::Own);
        failures.forgive();
        assert_eq!(failures.add(), Successor::Again);
    }
}
