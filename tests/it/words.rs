//! Names and words that `src/` no longer uses, so that none of them comes back.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Identifiers that no file has any more, each with what is said instead.
const RETIRED: [(&str, &str); 33] = [
    ("ledger", "the ids of games, as in `IdWriter`"),
    ("workshop", "`generator`"),
    ("salvage", "what was recovered"),
    ("fate", "`outcome`"),
    ("hunter", "`chaser`"),
    ("hunters", "`chasers`"),
    ("evader", "`victim`"),
    ("evaders", "`victims`"),
    ("Desk", "what it holds"),
    ("Follower", "`OpeningTracker`"),
    ("StoneFollower", "`StoneTracker`"),
    ("Worth", "`TermValue`"),
    ("ManWorth", "`PieceValue`"),
    ("Standing", "`MatchTotals`, `StandPat`"),
    ("Heard", "`ChildOutput`, `BrainReply`, `InfoEffect`"),
    ("NOBODY", "`NO_SOURCE`"),
    ("lot", "`batch`"),
    ("lots", "`batches`"),
    ("rationed", "`is_limited`"),
    ("untold", "`unreported`"),
    ("table_move", "`tt_move`: a table is an endgame table"),
    ("table_noisy", "`tt_noisy`"),
    ("table_cutoff", "`tt_cutoff`"),
    ("table_key", "`tt_key`"),
    ("TableCensus", "`TableCounts`"),
    ("told", "what it is: a message, a setting, `translated`"),
    ("Told", "what it is: `Translated`, `Members`, `LastCommand`"),
    ("LOOK", "`POLL_INTERVAL`, or what lies between two checks"),
    ("FAREWELL", "`QUIT_GRACE`, `SHUTDOWN_TIME`"),
    ("PATIENCE", "what it bounds, as in `QUEUE_TIME`"),
    ("survey", "`stats`; the step before an answer is `find`"),
    ("BookSurvey", "`FoundStats`"),
    ("census", "`counts`"),
];

/// The same for all rooms but those in [`OTHERS`], where some of the names mean other things.
const RETIRED_BELOW: [(&str, &str); 4] = [
    ("Held", "what is held, such as `PendingGo`"),
    ("Taken", "what was taken, such as `ImportedRow`"),
    ("Settled", "what it is the result of"),
    ("farewell", "`say_bye`"),
];

/// Rooms above or beside the others.
const OTHERS: [&str; 4] = ["record", "language", "web", "cli"];

/// Words that comments no longer use. Names above that are plain words, too (`lot`, `survey`), are none of them.
const RETIRED_WORDS: [&str; 9] =
    ["ledger", "workshop", "salvage", "fate", "hunter", "hunters", "evader", "evaders", "farewell"];

/// Phrases that comments no longer use: `a number of`, `that number of`, or the unit says the same.
const RETIRED_PHRASES: [&str; 1] = ["so many"];

/// The beginnings of names of functions that are questions.
const QUESTIONS: [&str; 3] = ["is_", "has_", "may_"];

/// A part of a source text that is looked at.
enum Token<'a> {
    Name(&'a str),
    Comment(&'a str),
}

/// Names and line comments of a source text in order, each with the number of its line. Strings, characters and numbers
/// are left out.
fn tokens(text: &str) -> Vec<(usize, Token<'_>)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut line = 1;
    while at < text.len() {
        let rest = &text[at..];
        let length = token_length(rest);
        let token = &rest[..length];
        if token.starts_with("//") {
            found.push((line, Token::Comment(token)));
        } else if token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !token.contains('"')
        {
            found.push((line, Token::Name(token)));
        }
        line += token.matches('\n').count();
        at += length;
    }
    found
}

/// The length in bytes of the token that a text begins with.
fn token_length(rest: &str) -> usize {
    let first = rest.chars().next().expect("not the end");
    let prefix = rest.len() - rest.trim_start_matches(['b', 'r', 'c']).len();
    if rest.starts_with("//") {
        rest.find('\n').unwrap_or(rest.len())
    } else if rest[prefix..].starts_with(['"', '#']) && (prefix > 0 || first == '"') {
        string_length(rest, prefix)
    } else if first == '\'' {
        character_length(rest)
    } else if first.is_ascii_alphanumeric() || first == '_' {
        rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
    } else {
        first.len_utf8()
    }
}

/// The length of a string whose prefix (`r`, `b`) has `prefix` bytes.
fn string_length(rest: &str, prefix: usize) -> usize {
    let body = &rest[prefix..];
    let hashes = body.len() - body.trim_start_matches('#').len();
    if !body[hashes..].starts_with('"') {
        return prefix; // a raw name or an attribute
    }
    let open = prefix + hashes + 1;
    if rest[..prefix].contains('r') {
        let end = format!("\"{}", "#".repeat(hashes));
        return rest[open..].find(&end).map_or(rest.len(), |found| open + found + end.len());
    }
    let mut is_escaped = false;
    let end = rest[open..].find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.map_or(rest.len(), |end| open + end + 1)
}

/// The length of a character literal; of the quotation mark alone before a lifetime.
fn character_length(rest: &str) -> usize {
    let body = &rest[1..];
    let Some(first) = body.chars().next() else { return 1 };
    let after = if first == '\\' { 2 } else { first.len_utf8() };
    match body.get(after..).and_then(|rest| rest.find('\'')) {
        Some(0) => after + 2,
        Some(more) if first == '\\' => after + more + 2,
        _ => 1,
    }
}

/// All sources of `folder`.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Paths below `src` and texts of all sources.
fn all_sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("UTF-8");
        (path.strip_prefix(&root).expect("below src").to_owned(), text)
    };
    files.into_iter().map(read).collect()
}

/// The words of a text, letters and digits only.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// Returns true for a name of several words, as `ProbeBudget`.
fn is_compound(word: &str) -> bool {
    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
    let has_capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    has_capital
        && capitals > 1
        && word.chars().all(|c| c.is_ascii_alphanumeric())
        && word.chars().any(|c| c.is_ascii_lowercase())
}

/// The prose of a comment: no code between backticks, no links, nothing between angle brackets.
fn prose(comment: &str) -> String {
    let mut kept = String::new();
    let mut end = None;
    for c in comment.chars() {
        match end {
            Some(last) if c == last => end = None,
            Some(_) => {}
            None => match c {
                '`' => end = Some('`'),
                '[' => end = Some(']'),
                '(' if kept.ends_with('\u{0}') => end = Some(')'),
                '<' => end = Some('>'),
                _ => kept.push(c),
            },
        }
        if end.is_none() && c == ']' {
            kept.push('\u{0}');
        }
    }
    kept
}

#[test]
fn retired_names_do_not_come_back() {
    let mut wrong = Vec::new();
    for (path, text) in all_sources() {
        let is_other = OTHERS.iter().any(|room| path.starts_with(room));
        let below = if is_other { &[] } else { RETIRED_BELOW.as_slice() };
        for (line, token) in tokens(&text) {
            let place = format!("{}:{line}", path.display());
            match token {
                Token::Name(name) => {
                    let retired = RETIRED.iter().chain(below).find(|(old, _)| *old == name);
                    wrong.extend(retired.map(|(old, new)| format!("{place}: {old}, say {new}")));
                }
                Token::Comment(comment) => {
                    let used =
                        RETIRED_WORDS.iter().filter(|old| words(comment).any(|w| w == **old));
                    let phrases = RETIRED_PHRASES.iter().filter(|old| comment.contains(**old));
                    let used = used.chain(phrases);
                    wrong.extend(used.map(|old| format!("{place}: {old} in a comment")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "retired names and words:\n{}", wrong.join("\n"));
}

/// A rename by search and replace leaves sentences such as "ProbeBudget has ended".
#[test]
fn names_of_types_in_comments_are_marked_as_code() {
    let sources = all_sources();
    let mut types = HashSet::new();
    for (_, text) in &sources {
        let names: Vec<&str> = tokens(text)
            .into_iter()
            .filter_map(|(_, token)| if let Token::Name(name) = token { Some(name) } else { None })
            .collect();
        let defined =
            names.windows(2).filter(|pair| ["struct", "enum", "trait"].contains(&pair[0]));
        types.extend(defined.map(|pair| pair[1].to_owned()));
    }
    let mut wrong = Vec::new();
    for (path, text) in &sources {
        let mut is_code = false;
        for (line, token) in tokens(text) {
            let Token::Comment(comment) = token else { continue };
            if comment.contains("```") {
                is_code = !is_code;
            }
            let is_link = comment.contains("]: crate::");
            if !is_code && !is_link {
                let prose = prose(comment);
                let bare = words(&prose).filter(|word| is_compound(word) && types.contains(*word));
                let place = format!("{}:{line}", path.display());
                wrong.extend(bare.map(|name| format!("{place}: {name} without backticks")));
            }
        }
    }
    assert!(wrong.is_empty(), "names of types as words:\n{}", wrong.join("\n"));
}

/// The name and the return type of each function of a source text whose name begins as a question.
fn questions(text: &str) -> Vec<(usize, &str, &str)> {
    let names: Vec<(usize, &str)> = tokens(text)
        .into_iter()
        .filter_map(|(line, token)| match token {
            Token::Name(name) => Some((line, name)),
            Token::Comment(_) => None,
        })
        .collect();
    let asks = |name: &str| QUESTIONS.iter().any(|start| name.starts_with(start));
    let functions = names.windows(2).filter(|pair| pair[0].1 == "fn" && asks(pair[1].1));
    functions.map(|pair| (pair[1].0, pair[1].1, return_type(text, pair[1].1))).collect()
}

/// The return type of the function `name`, empty without one.
fn return_type<'a>(text: &'a str, name: &str) -> &'a str {
    let start = text.find(&format!("fn {name}(")).or_else(|| text.find(&format!("fn {name}<")));
    let signature = &text[start.expect("a function of that name")..];
    let mut depth = 0;
    let end = signature.find(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        depth == 0 && (c == '{' || c == ';')
    });
    let signature = &signature[..end.expect("an end of the signature")];
    signature.rsplit_once("->").map_or("", |(_, returned)| returned.trim())
}

/// A function whose name is a question answers it, with a `bool` that may be missing or fail.
#[test]
fn functions_named_as_questions_answer_them() {
    let mut wrong = Vec::new();
    for (path, text) in all_sources() {
        for (line, name, returned) in questions(&text) {
            if !words(returned).any(|word| word == "bool") {
                wrong.push(format!("{}:{line}: {name} returns `{returned}`", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "names of questions:\n{}", wrong.join("\n"));
}

#[test]
fn questions_are_found_with_their_answers() {
    let text = "fn is_a(b: [u8; 2]) -> bool { c }\n// fn is_d()\nfn e();\nfn has_f<G>(\n) -> io::Result<()>\n{}";
    assert_eq!(questions(text), [(1, "is_a", "bool"), (4, "has_f", "io::Result<()>")]);
}

#[test]
fn strings_and_lifetimes_are_no_names() {
    let text = "let a: &'b str = r#\"c \"d\"#; // e\n'f' b\"g\\\"h\" '\\'' '\\u{1}' r\"i\" 'j'; k";
    let seen: Vec<String> = tokens(text)
        .into_iter()
        .map(|(line, token)| match token {
            Token::Name(name) => format!("{line} {name}"),
            Token::Comment(comment) => format!("{line} {comment}"),
        })
        .collect();
    assert_eq!(seen, ["1 let", "1 a", "1 b", "1 str", "1 // e", "2 k"]);
}

/// The help of a command stands at its arguments: a text at the variant of the subcommand, too, would hide it.
#[test]
fn no_help_text_is_hidden_by_another() {
    let mut wrong = Vec::new();
    let of_cli =
        |(path, _): &(PathBuf, String)| path.components().any(|part| part.as_os_str() == "cli");
    for (path, text) in all_sources().into_iter().filter(of_cli) {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(arguments) = line.trim().strip_suffix("Args),") else { continue };
            // One command under two names has a text for each.
            if arguments.ends_with("(uci::") {
                continue;
            }
            let above = lines[..at].iter().rev().find(|line| !line.trim_start().starts_with("#["));
            if above.is_some_and(|line| line.trim_start().starts_with("///")) {
                wrong.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "two help texts:\n{}", wrong.join("\n"));
}
