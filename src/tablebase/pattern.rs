//! Names of several materials at once.

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::tablebase::material::{MAX_NAME, Material, MaterialError, parse_side};
use crate::xiangqi::Role;

/// One material, or several: a `*` that ends a side stands for any number of further advisors and
/// elephants, as far as a set holds them. `KRNvK*` names nine materials, `KRNvKA*` six (those with an
/// advisor), `KR*vK*` 81.
///
/// ```
/// use juzhong::tablebase::Pattern;
///
/// let pattern: Pattern = "KRvK*".parse()?;
/// // Up to two advisors and up to two elephants.
/// assert_eq!(pattern.materials().len(), 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    materials: BTreeSet<Material>,
}

impl Pattern {
    /// The materials, each once.
    #[must_use]
    pub const fn materials(&self) -> &BTreeSet<Material> {
        &self.materials
    }
}

impl FromStr for Pattern {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<Self, MaterialError> {
        let shown: String = text.chars().take(MAX_NAME).collect();
        let sides: Vec<&str> = text.split(['v', 'V']).collect();
        let &[first, second] = sides.as_slice() else { return Err(MaterialError::Sides(shown)) };
        if text.len() > MAX_NAME {
            return Err(MaterialError::Sides(shown));
        }
        let first = choices(first, &shown)?;
        let second = choices(second, &shown)?;
        let pairs = first.iter().flat_map(|&a| second.iter().map(move |&b| Material::new(a, b)));
        Ok(Self { materials: pairs.collect() })
    }
}

/// The counts, by role, that a side may have.
fn choices(letters: &str, text: &str) -> Result<Vec<[u8; 7]>, MaterialError> {
    let (letters, is_starred) = match letters.strip_suffix('*') {
        Some(letters) => (letters, true),
        None => (letters, false),
    };
    if letters.contains('*') {
        return Err(MaterialError::Star(text.to_owned()));
    }
    let mut choices = vec![parse_side(letters, text)?];
    if is_starred {
        for role in [Role::Advisor, Role::Elephant] {
            choices = choices.into_iter().flat_map(|counts| with_more(counts, role)).collect();
        }
    }
    Ok(choices)
}

/// The counts with as many of a role as they have, up to a full set.
fn with_more(counts: [u8; 7], role: Role) -> impl Iterator<Item = [u8; 7]> {
    (counts[role.index()]..=role.full_count()).map(move |count| {
        let mut counts = counts;
        counts[role.index()] = count;
        counts
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let pattern: Pattern = text.parse().unwrap();
        pattern.materials().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_star_adds_advisors_and_elephants() {
        assert_eq!(names("KNvK"), ["KNvK"]);
        let nine = names("KRNvK*");
        assert_eq!(nine.len(), 9);
        for name in ["KRNvK", "KRNvKAA", "KRNvKB", "KRNvKAABB"] {
            assert!(nine.iter().any(|n| n == name), "{name}");
        }
        assert_eq!(names("kraVK"), ["KRAvK"]);
        assert_eq!(names("KRvKA*").len(), 6);
        assert_eq!(names("KR*vK*").len(), 81);
        // Colours do not matter, so of 81 pairs 36 come twice.
        assert_eq!(names("K*vK*").len(), 45);
    }

    #[test]
    fn wrong_patterns_are_refused() {
        for (text, part) in [
            ("KR*NvK", "does not end a side"),
            ("*KvK", "does not end a side"),
            ("K**vK", "does not end a side"),
            ("K*", "two sides"),
            ("KRRRvK*", "holds 2"),
            ("*v*", "0 kings"),
        ] {
            let error = text.parse::<Pattern>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!("KR*vK".parse::<Material>().unwrap_err().to_string().contains("several"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text: String) {
            proptest::prop_assert!(text.parse::<Pattern>().map_or(true, |p| !p.materials().is_empty()));
        }
    }
}
