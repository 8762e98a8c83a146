//! Hints to the processor and the system about memory. They change speed, never results.

/// Hints that the cache line of `place` will soon be read. Does nothing where the processor's architecture
/// has no such hint in the standard library.
#[inline]
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the hint is an intrinsic that takes a raw pointer")
)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program can see and cannot fault; every x86-64
        // processor has the instruction.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Asks for large pages for the capacity that a vector has reserved and not used yet: a table that is read at
/// random spends much of its time on looking up small ones. Does nothing where the system has none. Call it
/// before the first write to that memory.
#[cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "advice on memory is given by raw pointer")
)]
pub fn prefer_large_pages<T>(reserved: &mut Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        /// Advice is for whole pages; this is a multiple of every usual page size.
        const PAGE: usize = 1 << 16;
        let room = reserved.spare_capacity_mut();
        let start = room.as_mut_ptr().cast::<u8>();
        let len = size_of_val(room);
        let skipped = start.align_offset(PAGE);
        let whole = len.saturating_sub(skipped) / PAGE * PAGE;
        if whole > 0 {
            let start = start.wrapping_add(skipped).cast();
            // SAFETY: the pages lie wholly within the vector's own room, and this advice leaves their
            // contents as they are.
            let advised =
                unsafe { rustix::mm::madvise(start, whole, rustix::mm::Advice::LinuxHugepage) };
            // Without success the pages stay small.
            advised.unwrap_or(());
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = reserved;
}

/// Asks the allocator to keep little of what is freed. The one of glibc would rather keep blocks of a mebibyte and more, and
/// has up to eight arenas for each processor, none of which gives memory to another: both add up in a process that runs long
/// and searches on many threads. With this, such blocks go back to the system as soon as they are freed, and all threads share
/// two arenas. Does nothing with other allocators. Call it before other threads are started.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "a function of the C library")
)]
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGE: std::ffi::c_int = 1 << 20;
        const ARENAS: std::ffi::c_int = 2;
        for (what, value) in [(libc::M_MMAP_THRESHOLD, LARGE), (libc::M_ARENA_MAX, ARENAS)] {
            // SAFETY: the function takes two numbers and reads no memory of the caller.
            let _accepted = unsafe { libc::mallopt(what, value) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_change_nothing() {
        let mut table: Vec<u64> = Vec::with_capacity(1 << 20);
        prefer_large_pages(&mut table);
        table.resize(1 << 20, 7);
        prefetch(&table[1 << 19]);
        assert!(table.iter().all(|&word| word == 7));
        prefer_large_pages(&mut table);
        prefer_large_pages(&mut Vec::<u8>::new());
        assert_eq!(table.len(), 1 << 20);
    }
}
