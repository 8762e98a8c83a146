//! The texts that stand in scripts of the page.

/// The strings in single quotes of a source of the page.
pub(crate) fn strings_of_script(source: &str) -> impl Iterator<Item = String> {
    let lines = source.lines().filter(|line| !line.trim_start().starts_with(['*', '/']));
    lines.flat_map(|line| {
        let (mut strings, mut rest) = (Vec::new(), line);
        while let Some((_, from)) = rest.split_once('\'') {
            let mut text = String::new();
            let mut chars = from.char_indices();
            rest = "";
            while let Some((at, c)) = chars.next() {
                match c {
                    '\'' => {
                        rest = &from[at + 1..];
                        strings.push(text.clone());
                        break;
                    }
                    '\\' => text.extend(chars.next().map(|(_, c)| c)),
                    c => text.push(c),
                }
            }
        }
        strings
    })
}
