//! Options of an engine, as it announces them.

/// An option as its owner announces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Announced {
    /// As written; UCI allows blanks.
    pub(crate) name: String,
    /// From `type` on.
    pub(crate) kind: String,
}

impl Announced {
    /// Reads `option [name] <name> type …`.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace().peekable();
        words.next().filter(|&word| word == "option")?;
        words.next_if_eq(&"name");
        let mut name = Vec::new();
        while let Some(word) = words.next_if(|&word| word != "type") {
            name.push(word);
        }
        let kind = words.collect::<Vec<_>>().join(" ");
        (!name.is_empty()).then(|| Self { name: name.join(" "), kind })
    }

    /// Returns true if one of its values is `value`.
    pub(crate) fn has_value(&self, value: &str) -> bool {
        self.choices().iter().any(|choice| choice == value)
    }

    /// The lowest and the highest value of a number.
    pub(crate) fn range(&self) -> Option<(i64, i64)> {
        let range = (self.number("min")?, self.number("max")?);
        (self.kind_word() == Some("spin") && range.0 <= range.1).then_some(range)
    }

    /// The number behind a word.
    pub(crate) fn number(&self, word: &str) -> Option<i64> {
        self.after(word)?.parse().ok()
    }

    /// The value that it has by itself, of those that are one word.
    pub(crate) fn usual(&self) -> Option<&str> {
        self.after("default").filter(|_| matches!(self.kind_word(), Some("spin" | "check")))
    }

    /// Returns true if it is pressed rather than set.
    pub(crate) fn is_button(&self) -> bool {
        self.kind_word() == Some("button")
    }

    /// The values that it can have, for people, if `value` is none of them; `None` if `value` fits, or if
    /// that is unknown.
    pub(crate) fn refusal(&self, value: &str) -> Option<String> {
        match self.kind_word()? {
            "check" => {
                let fits = ["true", "false"].iter().any(|word| value.eq_ignore_ascii_case(word));
                (!fits).then(|| "true or false".to_owned())
            }
            "spin" => {
                let (least, most) = (self.bound("min"), self.bound("max"));
                let number = value.parse::<i128>().ok();
                let fits = number.is_some_and(|number| {
                    least.is_none_or(|least| number >= least)
                        && most.is_none_or(|most| number <= most)
                });
                let range = match (least, most) {
                    (Some(least), Some(most)) => format!("a number from {least} to {most}"),
                    _ => "a number in its range".to_owned(),
                };
                (!fits).then_some(range)
            }
            "combo" => {
                let choices = self.choices();
                let fits = choices.iter().any(|choice| choice.eq_ignore_ascii_case(value));
                (!fits && !choices.is_empty()).then(|| format!("one of {}", choices.join(", ")))
            }
            "button" => (!value.is_empty()).then(|| "a button; leave the value empty".to_owned()),
            _ => None,
        }
    }

    fn kind_word(&self) -> Option<&str> {
        self.after("type")
    }

    /// The number behind a word, even where it is one that [`number`](Self::number) has no room for.
    fn bound(&self, word: &str) -> Option<i128> {
        self.after(word)?.parse().ok()
    }

    fn after(&self, name: &str) -> Option<&str> {
        let mut words = self.kind.split_whitespace();
        words.find(|&word| word == name)?;
        words.next()
    }

    /// The choices, each of which stands after a `var`; a choice may have several words.
    fn choices(&self) -> Vec<String> {
        let mut choices: Vec<Vec<&str>> = Vec::new();
        for word in self.kind.split_whitespace() {
            match (word, choices.last_mut()) {
                ("var", _) => choices.push(Vec::new()),
                // UCCI writes the default last.
                ("default", Some(_)) => break,
                (word, Some(choice)) => choice.push(word),
                (_, None) => {}
            }
        }
        choices.into_iter().map(|choice| choice.join(" ")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strange_announcements_do_no_harm() {
        for line in ["", "option", "option name", "option name type spin", "id name x"] {
            assert_eq!(Announced::read(line), None, "{line}");
        }
        let odd = Announced::read("option name a b").unwrap();
        assert_eq!((odd.name.as_str(), odd.kind.as_str()), ("a b", ""));
        assert_eq!(odd.refusal("x"), None);
    }

    fn of_kind(kind: &str) -> Announced {
        Announced::read(&format!("option name X type {kind}")).unwrap()
    }

    #[test]
    fn numbers_have_a_range_where_they_say_one() {
        let whole = of_kind("spin default 16 min -1 max 1024");
        assert_eq!((whole.range(), whole.usual()), (Some((-1, 1024)), Some("16")));
        for odd in ["spin default 16", "spin min 2 max 1", "check default true", "spin min x max 3"]
        {
            assert_eq!(of_kind(odd).range(), None, "{odd}");
        }
        assert_eq!(of_kind("check default true").usual(), Some("true"));
        assert_eq!(of_kind("string default a b").usual(), None);
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        for (kind, good, bad) in [
            ("spin default 16 min 1 max 1024", &["1", "1024"][..], &["0", "1025", "x", ""][..]),
            ("spin min -5 max 5 default 0", &["-5"], &["-6"]),
            ("spin default 16", &["-5", "99999999999"], &["many"]),
            ("check default false", &["true", "False"], &["1", "yes", ""]),
            ("combo default b var a var b c", &["A", "b c"], &["b", "d", ""]),
            ("combo var a var b default b", &["a", "b"], &["default", "b default b"]),
            ("combo default x", &["anything"], &[]),
            ("button", &[""], &["1"]),
            ("string default <empty>", &["", "a b"], &[]),
        ] {
            let option = Announced::read(&format!("option name X type {kind}")).unwrap();
            for value in good {
                assert_eq!(option.refusal(value), None, "{kind}: {value}");
            }
            for value in bad {
                assert!(option.refusal(value).is_some(), "{kind}: {value}");
            }
        }
    }
}
