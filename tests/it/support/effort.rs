//! How much the costly tests try: a share by default, all of it if `JUZHONG_TESTS` is `full`, as on CI.

/// The share of the cases that is tried by default.
const SHARE: usize = 8;

/// Returns true if everything is to be tried.
pub(crate) fn is_full() -> bool {
    std::env::var_os("JUZHONG_TESTS").is_some_and(|effort| effort == "full")
}

/// The number of cases to try, at least one, of those that a full run tries.
pub(crate) fn cases(full: usize) -> usize {
    if is_full() { full } else { full.div_ceil(SHARE) }
}
