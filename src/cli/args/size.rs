//! Sizes on the command line.
use juzhong::message::{Message, message};

/// Bytes: digits with an optional K, M, G or T (of 1024), `iB` or `B` after them, small letters or
/// large.
pub(crate) fn parse_size<T: TryFrom<u64>>(text: &str) -> Result<T, Message> {
    // Digits are one byte each, so that the number of them is where the unit begins.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => Some(0),
        "k" | "kb" | "kib" => Some(10),
        "m" | "mb" | "mib" => Some(20),
        "g" | "gb" | "gib" => Some(30),
        "t" | "tb" | "tib" => Some(40),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok();
    let size = number.zip(shift).and_then(|(number, shift)| number.checked_mul(1 << shift));
    size.and_then(|size| T::try_from(size).ok())
        .ok_or_else(|| message!("\"{text}\" is no size; write 512MiB or 2GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("2GiB"), Ok(2u64 << 30));
        assert_eq!(parse_size("500 M"), Ok(500usize << 20));
        assert_eq!(parse_size("64mb"), Ok(64u32 << 20));
        assert_eq!(parse_size("123"), Ok(123u64));
        for bad in ["", "GiB", "1.5G", "-1", "5X", "99999999999999999999", "20000000T"] {
            assert!(parse_size::<u64>(bad).is_err(), "{bad}");
        }
        assert!(parse_size::<u32>("5GiB").is_err());
    }
}
