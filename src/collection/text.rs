//! Texts as they are searched: folded, with the pinyin of Chinese names.

use std::fmt::Write;

use pinyin::ToPinyin;

use crate::book::fold_name;

/// The texts that a search for words looks in: each folded, and once more in pinyin if it has Chinese characters.
pub(crate) fn searched<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let folded = folded(part);
        let spelled = spelled(&folded);
        push(&mut text, &folded);
        if let Some(Spelled { whole, initials }) = spelled {
            push(&mut text, &whole);
            // Both lv and lu are written for lü.
            if whole.contains('v') {
                push(&mut text, &whole.replace('v', "u"));
            }
            push(&mut text, &initials);
        }
    }
    text
}

fn push(text: &mut String, part: &str) {
    // Words of a search have no line feed, so none is found across two parts.
    let separator = if text.is_empty() { "" } else { "\n" };
    // Writing to a string does not fail.
    let _ = write!(text, "{separator}{part}");
}

/// A text in simplified characters, half width and small letters, with `v` for `ü`.
pub(crate) fn folded(text: &str) -> String {
    fold_name(text).replace('ü', "v")
}

/// The words of a search, folded as [`searched`] folds texts.
pub(crate) fn words(text: &str) -> Vec<String> {
    folded(text).split_whitespace().map(str::to_owned).collect()
}

/// The key by which names are sorted: their pinyin, then the names.
pub(crate) fn sort_key(name: &str) -> String {
    let folded = folded(name);
    match spelled(&folded) {
        Some(Spelled { whole, .. }) => format!("{whole} {folded}"),
        None => folded,
    }
}

/// A text in pinyin without tones.
struct Spelled {
    whole: String,
    /// The first letters of the syllables.
    initials: String,
}

/// A folded text in pinyin without tones, `v` for `ü`; `None` for one without Chinese characters.
fn spelled(folded: &str) -> Option<Spelled> {
    if folded.is_ascii() {
        return None;
    }
    let mut spelled = Spelled { whole: String::new(), initials: String::new() };
    let mut is_chinese = false;
    for c in folded.chars() {
        match c.to_pinyin() {
            Some(syllable) => {
                is_chinese = true;
                let syllable = syllable.plain().replace('ü', "v");
                spelled.initials.extend(syllable.chars().next());
                spelled.whole.push_str(&syllable);
            }
            None => spelled.whole.push(c),
        }
    }
    is_chinese.then_some(spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(name: &str, words_of: &str) -> bool {
        let text = searched([name]);
        words(words_of).iter().all(|word| text.contains(word.as_str()))
    }

    #[test]
    fn names_are_found_in_any_script_and_in_pinyin() {
        for query in ["胡荣华", "胡榮華", "hu ronghua", "HuRongHua", "ｈｕ", "hrh", "荣华", "胡 华"]
        {
            for name in ["胡榮華", "胡荣华"] {
                assert!(finds(name, query), "{query} finds {name}");
            }
        }
        for query in ["lvqin", "luqin", "lüqin", "吕", "呂欽"] {
            assert!(finds("吕钦", query), "{query}");
        }
        assert!(finds("Ｂｏｂｂｙ", "bobby") && !finds("柳大华", "胡"));
    }

    #[test]
    fn names_are_sorted_by_pinyin() {
        let mut names = ["许银川", "Bobby", "胡榮華", "柳大华", "胡荣华"];
        names.sort_by_key(|name| sort_key(name));
        assert_eq!(names[0], "Bobby");
        assert_eq!(names[3..], ["柳大华", "许银川"]);
    }
}
