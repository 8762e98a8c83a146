//! Finding the sources in a file: itself, or the members of an archive, and of archives in it.
//!
//! Members of zip archives stay packed until they are read, and tar archives are not packed: their
//! members are ranges of bytes. A packed tar, a 7z archive, and archives within archives are unpacked
//! here, one round after the other, each to one *store*; ranges in it are members then.

use std::io::{Cursor, Read};
use std::ops::Range;
use std::path::Path;

use crate::bytes::StopFlag;
use crate::message::{Message, message};
use crate::record::archives::admit::{
    Admit, Archive, HEAD_BYTES, HIDDEN, LINK, base_name, is_hidden,
};
use crate::record::archives::content::{Content, UnpackError};
use crate::record::archives::member::{MAX_UNPACKED, Member, Packing};
use crate::record::archives::unpack::{
    Coding, Spool, Stoppable, TRUNCATED, pump, read_up_to, too_much,
};
use crate::record::archives::{sevenz, tar, zip};
use crate::record::model::limits::{FREE_BYTES, MAX_RATIO};

/// The most members that an archive may have, those of archives in it included.
pub const MAX_MEMBERS: usize = 1 << 20;

/// Archives lie in others that deep at most.
const MAX_DEPTH: u32 = 2;

/// The number of bytes from which an archive is recognised.
const MARK_BYTES: usize = 512;

/// The sources found in a file.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) members: Vec<Member>,
    /// The contents that were unpacked; members refer to these by number, from 1. 0 is the file itself.
    pub(crate) stores: Vec<Content<'static>>,
    /// The members that are passed over, with the reasons.
    pub(crate) skipped: Vec<(String, Message)>,
}

/// Something that may be an archive, or is none for certain.
#[derive(Debug)]
enum Item {
    Open { member: Member, depth: u32 },
    Done(Member),
}

#[derive(Debug)]
struct Finder<'a> {
    bytes: &'a [u8],
    stop: &'a StopFlag,
    admit: Admit,
    stores: Vec<Content<'static>>,
    /// The contents unpacked in this round.
    spool: Spool<'a>,
    /// Bytes that may still be unpacked.
    left: u64,
    /// Members that may still be found.
    room: usize,
    /// Bytes that decoders of 7z may still fill with their models.
    model_room: u64,
    skipped: Vec<(String, Message)>,
}

/// Finds the sources in a file. Temporary files are made in `folder`.
///
/// # Errors
///
/// [`UnpackError::Io`] and [`UnpackError::Interrupted`]; what is bad is a member with a fault.
pub(crate) fn find(
    bytes: &[u8],
    folder: &Path,
    stop: &StopFlag,
    admit: Admit,
) -> Result<Found, UnpackError> {
    let total = budget(bytes.len());
    let mut finder = Finder {
        bytes,
        stop,
        admit,
        stores: Vec::new(),
        spool: Spool::new(folder),
        left: total,
        room: MAX_MEMBERS,
        model_room: sevenz::FREE_MODEL_BYTES,
        skipped: Vec::new(),
    };
    let whole = Member::whole(0, 0..bytes.len());
    let mut items = vec![Item::Open { member: whole, depth: 0 }];
    while items.iter().any(|item| matches!(item, Item::Open { .. })) {
        let mut next = Vec::new();
        for item in items {
            match item {
                Item::Open { member, depth } => finder.expand(member, depth, &mut next)?,
                done @ Item::Done(_) => next.push(done),
            }
        }
        items = next;
        let spool = std::mem::replace(&mut finder.spool, Spool::new(folder));
        finder.stores.push(spool.finish().map_err(UnpackError::Io)?);
    }
    if stop.is_set() {
        return Err(UnpackError::Interrupted);
    }
    let Finder { stores, skipped, .. } = finder;
    let unpacked: usize = stores.iter().map(|store| store.len()).sum();
    // What lies in the stores may be packed once more: with this ratio all of it stays about within the budget.
    let ratio = (total / (unpacked as u64).max(1)).clamp(1, MAX_RATIO);
    let members = items.into_iter().map(|item| match item {
        Item::Open { member, .. } | Item::Done(member) => {
            let ratio = if member.store == 0 { MAX_RATIO } else { ratio };
            Member { ratio, ..member }
        }
    });
    Ok(Found { members: members.collect(), stores, skipped })
}

/// The bytes that a file of that length may unpack to, with all that is in it.
fn budget(len: usize) -> u64 {
    FREE_BYTES.saturating_add((len as u64).saturating_mul(MAX_RATIO)).min(MAX_UNPACKED)
}

impl Finder<'_> {
    fn slice(&self, store: usize, range: Range<usize>) -> &[u8] {
        let bytes = match store.checked_sub(1) {
            None => self.bytes,
            Some(store) => self.stores.get(store).map_or(&[][..], |content| content),
        };
        bytes.get(range).unwrap_or_default()
    }

    fn bytes_of(&self, member: &Member) -> &[u8] {
        self.slice(member.store, member.data.clone())
    }

    /// Adds the members of an archive, or the member itself if it is none.
    fn expand(
        &mut self,
        member: Member,
        depth: u32,
        to: &mut Vec<Item>,
    ) -> Result<(), UnpackError> {
        if self.stop.is_set() {
            return Err(UnpackError::Interrupted);
        }
        let head = self.head(&member);
        let (kind, coding) = match (Archive::of(&head), Coding::of(&head)) {
            (None, Some(coding)) => (self.archive_within(&member, coding), Some(coding)),
            (kind, _) => (kind, None),
        };
        let Some(kind) = kind else {
            let packing = match (member.packing, coding) {
                (Packing::Bare, Some(coding)) => Packing::Coded(coding),
                (packing, _) => packing,
            };
            to.push(Item::Done(Member { packing, ..member }));
            return Ok(());
        };
        if kind == Archive::Rar || depth >= MAX_DEPTH {
            let fault = match kind {
                Archive::Rar => {
                    "a RAR archive, which is not read; unpack it (unrar x, or 7z x) and \
                                 give what is in it"
                }
                _ => {
                    "an archive within an archive within an archive; unpack it and give what is in \
                      it"
                }
            };
            to.push(Item::Done(member.with_fault(fault)));
            return Ok(());
        }
        if member.packing != Packing::Bare || coding.is_some() {
            return self.unpack(member, depth, coding, to);
        }
        match kind {
            Archive::Zip => self.zip(&member, depth, to),
            Archive::Tar => self.tar(&member, depth, to),
            Archive::SevenZ => return self.sevenz(&member, depth, to),
            Archive::Rar => {}
        }
        Ok(())
    }

    /// The first bytes of a member, those of a zip archive unpacked.
    fn head(&self, member: &Member) -> Vec<u8> {
        let bytes = self.bytes_of(member);
        let mut head = vec![0; MARK_BYTES];
        let input = Stoppable { packed: bytes, stop: self.stop };
        let read = match member.packing {
            Packing::Zip { method: 8, .. } => {
                read_up_to(&mut flate2::read::DeflateDecoder::new(input), &mut head)
            }
            Packing::Zip { method: 93, .. } => {
                Coding::Zstd.open(input).and_then(|mut input| read_up_to(&mut *input, &mut head))
            }
            _ => read_up_to(&mut &*bytes, &mut head),
        };
        head.truncate(read.unwrap_or(0));
        head
    }

    /// Returns the kind of archive that a packed member unpacks to, if it is one.
    fn archive_within(&self, member: &Member, coding: Coding) -> Option<Archive> {
        let mut head = vec![0; MARK_BYTES];
        let (input, _) = member.open_layer(self.bytes_of(member), self.stop).ok()?;
        let len =
            coding.open(input).and_then(|mut input| read_up_to(&mut *input, &mut head)).ok()?;
        Archive::of(&head[..len])
    }

    /// Unpacks an archive that is packed itself; it is looked at in the next round.
    fn unpack(
        &mut self,
        member: Member,
        depth: u32,
        coding: Option<Coding>,
        to: &mut Vec<Item>,
    ) -> Result<(), UnpackError> {
        // Taken out meanwhile, for the bytes that are unpacked are borrowed from `self`.
        let mut spool = std::mem::replace(&mut self.spool, Spool::new(Path::new("")));
        let start = spool.len();
        let unpacked = self.unpack_to(&mut spool, &member, coding);
        self.left = self.left.saturating_sub(spool.len() - start);
        let end = spool.len();
        self.spool = spool;
        match unpacked {
            Ok((_, is_cut)) => {
                let is_cut = is_cut || member.is_cut;
                let whole = Member::whole(self.stores.len() + 1, range(start, end));
                let member = Member { name: member.name, is_cut, ..whole };
                to.push(Item::Open { member, depth });
                Ok(())
            }
            Err(UnpackError::Bad(what)) => {
                to.push(Item::Done(member.with_fault(what)));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn unpack_to(
        &self,
        spool: &mut Spool<'_>,
        member: &Member,
        coding: Option<Coding>,
    ) -> Result<(u64, bool), UnpackError> {
        let bad = |error| UnpackError::Bad(crate::record::archives::unpack::damage(&error));
        let (mut input, _) = member.open_layer(self.bytes_of(member), self.stop).map_err(bad)?;
        if let Some(coding) = coding {
            input = coding.open(input).map_err(bad)?;
        }
        pump(&mut *input, self.left, self.stop, &mut |part| spool.push(part))
    }

    /// Adds a member of an archive, unless it is to be passed over.
    fn add(
        &mut self,
        outer: &Member,
        member: Member,
        is_other: bool,
        depth: u32,
        to: &mut Vec<Item>,
    ) {
        let name = member.name.as_deref().unwrap_or_default();
        let why = if is_hidden(name) {
            HIDDEN
        } else if is_other {
            LINK
        } else {
            let name = Some(inner_name(outer, name));
            self.room = self.room.saturating_sub(1);
            let member = Member { name, ..member };
            to.push(if member.fault.is_some() {
                Item::Done(member)
            } else {
                Item::Open { member, depth: depth + 1 }
            });
            return;
        };
        self.skipped.push((inner_name(outer, name), why.to_owned().into()));
    }

    /// Adds what is lost of an archive.
    fn add_loss(archive: &Member, loss: Message, to: &mut Vec<Item>) {
        let name = archive.name.clone();
        let whole = Member::whole(archive.store, archive.data.clone());
        to.push(Item::Done(Member { name, ..whole }.with_fault(loss)));
    }

    fn zip(&mut self, archive: &Member, depth: u32, to: &mut Vec<Item>) {
        let bytes = self.bytes_of(archive);
        let (found, loss) = match zip::entries(bytes, self.room) {
            Ok(entries) => (entries, None),
            Err(what) => {
                let found = zip::recovered(bytes, self.room, self.left, self.stop);
                let count = found.len();
                (found, Some(message!("{what}; {count} members were found without it")))
            }
        };
        let len = bytes.len() as u64;
        let limit = self.left;
        let first = archive.data.start;
        let mut unpacked = 0_u64;
        let mut packed = 0_u64;
        for entry in found {
            let zip::ZipEntry { name, data, method, is_encrypted, is_other, crc, size, is_cut } =
                entry;
            let with_this = unpacked.saturating_add(size);
            // More than the whole archive only if members share bytes, by which a small one would give any amount.
            packed = packed.saturating_add(data.len() as u64);
            let fault = if is_encrypted {
                Some("encrypted; unpack the archive with its password first".into())
            } else if !matches!(method, 0 | 8 | 93) {
                Some(message!(
                    "packed by method {method} of zip; only 0, 8 and 93 are read: pack it again"
                ))
            } else if with_this > limit {
                Some(too_much(limit))
            } else if packed > len {
                Some("members of the archive overlap".into())
            } else {
                unpacked = with_this;
                None
            };
            let data = first + data.start..first + data.end;
            let whole = Member::whole(archive.store, data);
            let packing = Packing::Zip { method, crc, size };
            let member = Member { name: Some(name), packing, fault, is_cut, ..whole };
            self.add(archive, member, is_other, depth, to);
        }
        self.left = self.left.saturating_sub(unpacked);
        if let Some(loss) = loss {
            Self::add_loss(archive, loss, to);
        }
    }

    fn tar(&mut self, archive: &Member, depth: u32, to: &mut Vec<Item>) {
        let tar::Listing { entries, loss } = tar::entries(self.bytes_of(archive), self.room);
        let first = archive.data.start;
        for tar::TarEntry { name, data, kind, is_cut } in entries {
            let whole = Member::whole(archive.store, first + data.start..first + data.end);
            let fault = (kind == tar::TarKind::Sparse)
                .then(|| "a file with holes; pack it again without --sparse".into());
            let member = Member { name: Some(name), fault, is_cut, ..whole };
            self.add(archive, member, kind == tar::TarKind::Other, depth, to);
        }
        if let Some(loss) = loss.or_else(|| archive.is_cut.then(|| TRUNCATED.into())) {
            Self::add_loss(archive, loss, to);
        }
    }

    /// Unpacks a 7z archive, without what is passed over.
    fn sevenz(
        &mut self,
        archive: &Member,
        depth: u32,
        to: &mut Vec<Item>,
    ) -> Result<(), UnpackError> {
        let store = self.stores.len() + 1;
        let mut spool = std::mem::replace(&mut self.spool, Spool::new(Path::new("")));
        let start = spool.len();
        let stop = self.stop;
        let limit = self.left;
        let admit = self.admit;
        let mut model_room = self.model_room;
        let mut found = Vec::new();
        let mut skipped = Vec::new();
        let mut take = |name: &str, input: Result<&mut dyn Read, Message>| {
            if stop.is_set() {
                return Err(UnpackError::Interrupted);
            }
            let taken = input
                .map_err(UnpackError::Bad)
                .and_then(|input| take_file((name, admit), input, &mut spool, limit, stop));
            match taken {
                Ok(Taken::File(data)) => found.push((name.to_owned(), Ok(data))),
                Ok(Taken::Skipped(why)) => skipped.push((inner_name(archive, name), why)),
                Err(UnpackError::Bad(what)) => found.push((name.to_owned(), Err(what))),
                Err(error) => return Err(error),
            }
            Ok(())
        };
        let packed = Stoppable { packed: Cursor::new(self.bytes_of(archive)), stop };
        let read = sevenz::each(packed, limit, self.room, &mut model_room, &mut take);
        self.model_room = model_room;
        self.left = self.left.saturating_sub(spool.len() - start);
        self.spool = spool;
        self.skipped.extend(skipped);
        for (name, data) in found {
            let member = match data {
                Ok(data) => Member::whole(store, data),
                Err(what) => Member::whole(archive.store, archive.data.clone()).with_fault(what),
            };
            self.add(archive, Member { name: Some(name), ..member }, false, depth, to);
        }
        match read {
            Err(UnpackError::Bad(what)) => Self::add_loss(archive, what, to),
            other => other?,
        }
        Ok(())
    }
}

/// The outcome of reading a file of a 7z archive.
enum Taken {
    File(Range<usize>),
    Skipped(Message),
}

/// Unpacks a file to the spool, unless it is to be passed over. It is read to its end in any case.
fn take_file(
    (name, admit): (&str, Admit),
    input: &mut dyn Read,
    spool: &mut Spool<'_>,
    limit: u64,
    stop: &StopFlag,
) -> Result<Taken, UnpackError> {
    let start = spool.len();
    let mut head = Vec::new();
    let mut judged = None;
    let (_, is_cut) = pump(input, limit, stop, &mut |part| {
        if judged.is_none() {
            head.extend_from_slice(part);
            if head.len() >= HEAD_BYTES {
                let verdict = judge(name, admit, &head);
                if verdict.is_ok() {
                    spool.push(&head)?;
                }
                judged = Some(verdict);
            }
            return Ok(());
        }
        if judged.as_ref().is_some_and(Result::is_ok) { spool.push(part) } else { Ok(()) }
    })?;
    let verdict = if let Some(verdict) = judged {
        verdict
    } else {
        let verdict = judge(name, admit, &head);
        if verdict.is_ok() {
            spool.push(&head).map_err(UnpackError::Io)?;
        }
        verdict
    };
    match verdict {
        Err(why) => Ok(Taken::Skipped(why)),
        Ok(()) if is_cut => Err(UnpackError::Bad("truncated: it ends too early".into())),
        Ok(()) => Ok(Taken::File(range(start, spool.len()))),
    }
}

/// Judges a file of an archive by its path and its beginning.
fn judge(name: &str, admit: Admit, head: &[u8]) -> Result<(), Message> {
    if is_hidden(name) {
        return Err(HIDDEN.into());
    }
    admit(base_name(name), head)
}

/// The path of a member, behind that of the archive where this lies in another one.
fn inner_name(archive: &Member, name: &str) -> String {
    let name = name.trim_start_matches("./").trim_start_matches('/');
    match &archive.name {
        Some(outer) => format!("{outer}/{name}"),
        None => name.to_owned(),
    }
}

fn range(start: u64, end: u64) -> Range<usize> {
    usize_of(start)..usize_of(end)
}

fn usize_of(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
