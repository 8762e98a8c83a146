//! Tables of typed commands: the words that mean them, those that complete a line, the command that was meant, the help.

use crate::language::{Language, columns, left, text, word};

/// A row of a table of commands.
pub(crate) trait TypedCommand: 'static {
    /// The word that means it.
    fn word(&self) -> &'static str;

    /// Its Chinese word. Both are understood in every language.
    fn chinese(&self) -> &'static str;

    /// Both words as the help shows them, in the language of the program.
    fn name(&self) -> String {
        match Language::current() {
            Language::En => self.word().to_owned(),
            Language::Zh => format!("{} {}", self.chinese(), self.word()),
        }
    }
}

/// The command of a word, in either language.
pub(crate) fn command_of<C: TypedCommand>(word: &str, all: &'static [C]) -> Option<&'static C> {
    all.iter().find(|command| command.word() == word || command.chinese() == word)
}

/// The commands in alphabetical order, in which words are completed and compared.
pub(crate) fn by_word<C: TypedCommand>(all: &'static [C]) -> Vec<&'static C> {
    let mut commands: Vec<&C> = all.iter().collect();
    commands.sort_by_key(|command| command.word());
    commands
}

/// The words that complete a line: the English ones, and after them the Chinese ones if the program speaks Chinese.
pub(crate) fn completing_words<C: TypedCommand>(all: &'static [C]) -> Vec<&'static str> {
    let commands = by_word(all);
    let mut words: Vec<&str> = commands.iter().map(|command| command.word()).collect();
    if Language::current() == Language::Zh {
        words.extend(commands.iter().map(|command| command.chinese()));
    }
    words
}

/// The end of an answer to what is not understood: the command that was meant, or where help is.
pub(crate) fn remedy<C: TypedCommand>(meant: Option<&C>) -> String {
    let Some(meant) = meant else {
        return word("type help for what is understood").to_owned();
    };
    let english = meant.word();
    let command = match Language::current() {
        Language::En => english.to_owned(),
        Language::Zh => format!("{} ({english})", meant.chinese()),
    };
    text!("did you mean {command}?")
}

/// The command of which one word is nearest to a typed word, if it is near.
pub(crate) fn nearest<C: TypedCommand>(typed: &str, all: &'static [C]) -> Option<&'static C> {
    // Enough to see that the text is too long, whatever its length.
    let letters: Vec<char> = typed.chars().take(2 * LONGEST).collect();
    if !(2..=LONGEST).contains(&letters.len()) {
        return None;
    }
    let is_chinese = !typed.is_ascii();
    let near = by_word(all).into_iter().filter_map(|command| {
        if is_chinese && typed.contains(command.chinese()) {
            return Some((0, command));
        }
        let known = if is_chinese { command.chinese() } else { command.word() };
        let known: Vec<char> = known.chars().collect();
        let most = match is_chinese {
            // Chinese words have two or three characters: one that differs in two of them is another word.
            true => 1,
            false => known.len() / 3,
        };
        Some((distance(&letters, &known), command)).filter(|&(distance, _)| distance <= most)
    });
    // Of equally near ones the first in the alphabet: that is the one that `min_by_key` returns.
    near.min_by_key(|&(distance, _)| distance).map(|(_, command)| command)
}

/// The longest word that is compared, in characters.
const LONGEST: usize = 12;

/// The characters to be put in, left out, replaced or exchanged with their neighbours to make one word of another.
fn distance(one: &[char], other: &[char]) -> usize {
    // Row by row: every field is made of fields in the rows above it and to the left of it.
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=other.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
                let moved = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                let is_exchanged =
                    i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
                let exchanged = if is_exchanged { rows[i - 2][j - 2] + 1 } else { usize::MAX };
                replaced.min(moved).min(exchanged)
            };
        }
    }
    rows[one.len()][other.len()]
}

/// A line of the help: commands as they are typed, and what they do.
pub(crate) struct HelpLine {
    pub(crate) forms: Vec<String>,
    pub(crate) texts: Vec<String>,
}

impl HelpLine {
    pub(crate) fn new(form: String, text: &str) -> Self {
        Self { forms: vec![form], texts: vec![text.to_owned()] }
    }

    /// The line with `width` columns before its text.
    fn written(&self, width: usize) -> String {
        let texts: Vec<&str> =
            self.texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
        format!("{}{}\n", left(&self.written_forms(), width), texts.join(separators()[1]))
    }

    fn written_forms(&self) -> String {
        self.forms.join(separators()[0])
    }
}

/// The marks between commands and between texts.
fn separators() -> [&'static str; 2] {
    match Language::current() {
        Language::En => [", ", "; "],
        Language::Zh => ["，", "；"],
    }
}

/// The lines of a help, with their texts below each other.
pub(crate) fn help_text(lines: &[HelpLine]) -> String {
    let widths = lines.iter().map(|line| columns(&line.written_forms()));
    let width = widths.max().unwrap_or_default() + 2;
    lines.iter().map(|line| line.written(width)).collect()
}
