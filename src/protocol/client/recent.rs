//! The latest messages of an engine to people, which say the most about its end.

use std::collections::VecDeque;

use crate::bytes::visible::Visible;

/// Messages that are kept, and characters of each.
const MESSAGES: usize = 4;
const LONGEST: usize = 300;

/// The latest messages of an engine.
#[derive(Debug, Default)]
pub(crate) struct RecentWords(VecDeque<String>);

impl RecentWords {
    /// Keeps a line if it is a message to people.
    pub(crate) fn hear(&mut self, line: &str) {
        let line = line.trim_start();
        let mut words = line.splitn(3, char::is_whitespace);
        let text = match (words.next(), words.next(), words.next()) {
            (Some("info"), Some("string" | "message"), Some(text)) => text,
            (Some("ERROR" | "MESSAGE"), Some(_), _) => line,
            _ => return,
        };
        if self.0.len() == MESSAGES {
            self.0.pop_front();
        }
        self.0.push_back(text.trim().chars().take(LONGEST).collect());
    }

    /// The end of a sentence with all of them, empty if there are none.
    pub(crate) fn text(&self) -> String {
        let texts: Vec<&str> = self.0.iter().map(String::as_str).collect();
        if texts.is_empty() { String::new() } else { format!(": {}", Visible(texts.join(" "))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_messages_are_kept() {
        let mut recent = RecentWords::default();
        recent.hear("info depth 3 score cp 1");
        assert_eq!(recent.text(), "");
        (0..1000).for_each(|n| recent.hear(&format!("info string {n} {}", "x".repeat(9999))));
        let text = recent.text();
        assert!(text.starts_with(": 996 x") && text.len() < 2000, "{text}");
        recent.hear("ERROR no net");
        assert!(recent.text().ends_with("ERROR no net"));
    }
}
