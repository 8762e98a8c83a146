//! The answer that a `go` is owed.

/// The answer of a search, and what it waits for.
#[derive(Debug)]
pub(crate) struct Owed<A> {
    /// Until `stop` or `ponderhit` no answer may be given.
    pub(crate) pondering: bool,
    /// Until `stop` no answer may be given.
    pub(crate) until_stop: bool,
    /// Nothing ends the search but `stop`, another `go` or the end of the input.
    pub(crate) endless: bool,
    /// The answer, as soon as there is one.
    pub(crate) answer: Option<A>,
}

impl<A> Owed<A> {
    /// Returns true if the search goes on until it is stopped.
    pub(crate) const fn is_endless(&self) -> bool {
        self.pondering || self.endless
    }

    /// `stop` came: nothing holds the answer back any more.
    pub(crate) const fn stop(&mut self) {
        (self.pondering, self.until_stop, self.endless) = (false, false, false);
    }

    /// Takes the answer if there is one that may be given.
    pub(crate) fn take(&mut self) -> Option<A> {
        let may_answer = !self.pondering && !self.until_stop;
        self.answer.take_if(|_| may_answer)
    }
}
