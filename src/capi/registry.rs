//! Handles: numbers that stand for what is open, looked up at each call.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::status::{Failure, JZ_ERROR_CLOSED, JZ_ERROR_HANDLE, JZ_ERROR_TOO_MANY};

/// The most things of one kind that can be open at the same time.
const MAX_OPEN: usize = 4096;

// From the top, a handle has 8 bits of the kind, 32 of the serial number and 24 of the slot.
const SLOT_BITS: u32 = 24;
const SERIAL_BITS: u32 = 32;

static NEXT_THREAD: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static THREAD: Cell<usize> = Cell::new(NEXT_THREAD.fetch_add(1, Ordering::Relaxed));
}

/// The open objects of one kind. A handle holds the kind, a serial number that no other handle of the kind has (up to
/// 2³² of them), and a slot.
///
/// Each lane has references of its own to all that is open, so that threads of different lanes share no lock and no
/// counter. Who has looked something up keeps it until the call ends: closing ends nothing that is under way.
#[derive(Debug)]
pub(crate) struct Registry<T, const LANES: usize> {
    kind: u8,
    /// The last serial number; held while something is opened or closed.
    serial: Mutex<u32>,
    lanes: [Lane<T>; LANES],
}

/// A lane in cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
struct Lane<T>(Mutex<Vec<Option<Open<T>>>>);

/// Something open, as a lane refers to it.
#[derive(Debug)]
struct Open<T> {
    handle: u64,
    found: HandleTarget<T>,
}

/// The object that a handle stands for, counted by the lane in which it was found.
#[derive(Debug)]
pub(crate) struct HandleTarget<T>(Arc<OfLane<T>>);

/// The reference of a lane to what all lanes share.
#[derive(Debug)]
struct OfLane<T>(Arc<T>);

impl<T> Deref for HandleTarget<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0.0
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic leaves nothing behind these locks half changed, so that a poisoned one can be used on.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

const fn slot(handle: u64) -> usize {
    (handle & ((1 << SLOT_BITS) - 1)) as usize
}

impl<T> Lane<T> {
    fn open(&self, handle: u64, shared: &Arc<T>) {
        let mut slots = locked(&self.0);
        let slot = slot(handle);
        if slots.len() <= slot {
            slots.resize_with(slot + 1, || None);
        }
        let found = HandleTarget(Arc::new(OfLane(Arc::clone(shared))));
        slots[slot] = Some(Open { handle, found });
    }

    fn find(&self, handle: u64) -> Option<HandleTarget<T>> {
        let slots = locked(&self.0);
        let open = slots.get(slot(handle))?.as_ref()?;
        (open.handle == handle).then(|| HandleTarget(Arc::clone(&open.found.0)))
    }

    fn close(&self, handle: u64) -> Option<Open<T>> {
        let mut slots = locked(&self.0);
        slots.get_mut(slot(handle))?.take_if(|open| open.handle == handle)
    }
}

impl<T, const LANES: usize> Registry<T, LANES> {
    /// Nothing open of this kind, whose number no other kind has; not 0.
    pub(crate) const fn new(kind: u8) -> Self {
        let lanes = [const { Lane(Mutex::new(Vec::new())) }; LANES];
        Self { kind, serial: Mutex::new(0), lanes }
    }

    /// Gives a new handle to something.
    pub(crate) fn open(&self, value: T) -> Result<u64, Failure> {
        let mut serial = locked(&self.serial);
        // The lock is held until every lane has the object, so that no other thread takes the slot.
        let slot = self.free_slot().ok_or(Failure::of(JZ_ERROR_TOO_MANY))?;
        *serial = serial.wrapping_add(1);
        let upper = u64::from(self.kind) << SERIAL_BITS | u64::from(*serial);
        let handle = upper << SLOT_BITS | slot as u64;
        let value = Arc::new(value);
        self.lanes.iter().for_each(|lane| lane.open(handle, &value));
        Ok(handle)
    }

    fn free_slot(&self) -> Option<usize> {
        let slots = locked(&self.lanes[0].0);
        let slot = slots.iter().position(Option::is_none).unwrap_or(slots.len());
        (slot < MAX_OPEN).then_some(slot)
    }

    /// The object that a handle stands for.
    pub(crate) fn find(&self, handle: u64) -> Result<HandleTarget<T>, Failure> {
        // A thread that ends takes any lane.
        let thread = THREAD.try_with(Cell::get).unwrap_or(0);
        let found = self.lanes[thread % LANES].find(handle);
        found.ok_or_else(|| self.not_found(handle))
    }

    /// Closes a handle. What it stands for goes when the last call that uses it ends.
    pub(crate) fn close(&self, handle: u64) -> Result<(), Failure> {
        let serial = locked(&self.serial);
        let closed: Vec<_> = self.lanes.iter().filter_map(|lane| lane.close(handle)).collect();
        // What was closed is dropped at the end of this function, which may take long: not under the lock.
        drop(serial);
        if closed.is_empty() { Err(self.not_found(handle)) } else { Ok(()) }
    }

    fn not_found(&self, handle: u64) -> Failure {
        let is_kind = handle >> (SERIAL_BITS + SLOT_BITS) == u64::from(self.kind);
        Failure::of(if is_kind { JZ_ERROR_CLOSED } else { JZ_ERROR_HANDLE })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_handles_never_come_back() {
        let registry = Registry::<&str, 2>::new(7);
        let status = |handle| registry.find(handle).map(|_| ()).map_err(|failure| failure.status);
        let (a, b) = (registry.open("a").unwrap(), registry.open("b").unwrap());
        assert_eq!(*registry.find(b).unwrap(), "b");
        registry.close(a).unwrap();
        assert_eq!(status(a), Err(JZ_ERROR_CLOSED));
        assert_eq!(registry.close(a).unwrap_err().status, JZ_ERROR_CLOSED);
        let c = registry.open("c").unwrap();
        assert_eq!((slot(c), status(a), status(b)), (slot(a), Err(JZ_ERROR_CLOSED), Ok(())));
        for never in [0, 1, u64::MAX, c ^ 1 << 62] {
            assert_eq!(status(never), Err(JZ_ERROR_HANDLE));
        }
    }

    #[test]
    fn closing_ends_nothing_that_is_under_way() {
        let registry = Registry::<String, 3>::new(1);
        let handle = registry.open("open".to_owned()).unwrap();
        let found = registry.find(handle).unwrap();
        registry.close(handle).unwrap();
        assert_eq!(*found, "open");
    }

    #[test]
    fn all_threads_find_what_one_has_opened() {
        let registry = Registry::<u32, 4>::new(1);
        let handle = registry.open(5).unwrap();
        std::thread::scope(|scope| {
            let find = || registry.find(handle).map(|found| *found).ok();
            let threads: Vec<_> = (0..9).map(|_| scope.spawn(find)).collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap() == Some(5)));
        });
    }
}
