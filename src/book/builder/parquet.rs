//! Data sets of shards as Parquet files: flat tables of integers and bytes, read by column names, so that
//! files that Spark and others made of them can be read too.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::column::writer::ColumnWriter;
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;

use crate::book::builder::counts::SourceCounts;
use crate::book::model::counted_game::{CountedGame, FromSource, GameId, GameKind};
use crate::book::model::groups::{GroupNames, Member};
use crate::book::model::metadata::Source;
use crate::book::model::move_stats::{MoveStats, Years};
use crate::book::model::observation::{MoveSum, Summed};
use crate::book::model::sample::PartOfSamples;

/// Rows of a row group. All of them are held in memory.
const GROUP: usize = 1 << 16;

/// Rows read at once.
const BATCH_ROWS: usize = 4096;

/// The name in a file's metadata of a checksum over its content, which this program adds to pages that have
/// none. Files of other programs do not have it.
const CHECK: &str = "juzhong.check";

/// The greatest sum that is read.
const MAX_SUM: i64 = 1 << 48;

/// The type of a column as it is written. Either integer is read where one is expected, and NULL as 0 or as
/// absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Int32,
    Int64,
    Bytes,
    Text,
}

impl Type {
    const fn is_number(self) -> bool {
        matches!(self, Self::Int32 | Self::Int64)
    }
}

/// Rows with columns.
pub(crate) trait Columns: Sized {
    /// Names and types.
    const COLUMNS: &'static [(&'static str, Type)];
    /// Columns that may be missing, as if they held NULL.
    const OPTIONAL: &'static [&'static str] = &[];
    /// Gives all numbers and all texts, each in the order of the columns.
    fn values(&self, number: &mut dyn FnMut(i64), bytes: &mut dyn FnMut(&[u8]));
    /// The inverse of `values`; `None` if they make no sense.
    fn from_values(numbers: &[i64], bytes: &[&[u8]]) -> Option<Self>;
}

fn sum(number: i64) -> Option<u64> {
    (0..=MAX_SUM).contains(&number).then_some(number.cast_unsigned())
}

/// A number of 16 bits; 0 stands for none.
fn known(number: i64) -> Option<Option<u16>> {
    u16::try_from(number).ok().map(|n| Some(n).filter(|&n| n > 0))
}

impl Columns for SourceCounts {
    const COLUMNS: &'static [(&'static str, Type)] = &[
        ("hash", Type::Bytes),
        ("name", Type::Text),
        ("records", Type::Int64),
        ("filtered", Type::Int64),
        ("bad", Type::Int64),
    ];

    fn values(&self, number: &mut dyn FnMut(i64), bytes: &mut dyn FnMut(&[u8])) {
        for n in [self.source.games, self.filtered, self.bad] {
            number(n.cast_signed());
        }
        bytes(&self.source.hash);
        bytes(self.source.name.as_bytes());
    }

    fn from_values(numbers: &[i64], bytes: &[&[u8]]) -> Option<Self> {
        let (&[games, filtered, bad], &[hash, name]) = (numbers, bytes) else { return None };
        let name = str::from_utf8(name).ok()?.to_owned();
        Some(Self {
            source: Source { hash: hash.try_into().ok()?, name, games: sum(games)? },
            filtered: sum(filtered)?,
            bad: sum(bad)?,
        })
    }
}

impl Columns for FromSource {
    const COLUMNS: &'static [(&'static str, Type)] = &[
        ("source", Type::Int64),
        ("id_high", Type::Int64),
        ("id_low", Type::Int64),
        ("kind", Type::Int32),
        ("unknown", Type::Int64),
        ("first", Type::Int64),
        ("draws", Type::Int64),
        ("second", Type::Int64),
        ("year", Type::Int32),
        ("first_rating", Type::Int32),
        ("second_rating", Type::Int32),
        ("moves", Type::Bytes),
        ("line_groups", Type::Text),
    ];
    const OPTIONAL: &'static [&'static str] = &["source", "moves", "line_groups"];

    fn values(&self, number: &mut dyn FnMut(i64), bytes: &mut dyn FnMut(&[u8])) {
        let CountedGame { id, serial, kind, start, votes, year, ratings, moves, groups, .. } =
            &self.0;
        let kind = u64::from(*start) << 8 | *kind as u64;
        let id = u128::from_be_bytes(id.0);
        for n in [*serial, (id >> 64) as u64, id as u64, kind].into_iter().chain(*votes) {
            number(n.cast_signed());
        }
        for n in [*year, ratings[0], ratings[1]] {
            number(n.unwrap_or(0).into());
        }
        let packed: Vec<u8> = moves.iter().flat_map(|mv| mv.to_le_bytes()).collect();
        bytes(&packed);
        bytes(groups.to_lines().as_bytes());
    }

    fn from_values(numbers: &[i64], bytes: &[&[u8]]) -> Option<Self> {
        let &[serial, high, low, kind, u, f, d, s, year, first, second] = numbers else {
            return None;
        };
        let &[moves, groups] = bytes else { return None };
        let (pairs, rest) = moves.as_chunks();
        let id = u128::from(high.cast_unsigned()) << 64 | u128::from(low.cast_unsigned());
        rest.is_empty().then_some(Self(CountedGame {
            id: GameId(id.to_be_bytes()),
            serial: serial.cast_unsigned(),
            kind: GameKind::from_number(u8::try_from(kind & 0xff).ok()?)?,
            start: u8::try_from(kind >> 8).ok()?,
            votes: [sum(u)?, sum(f)?, sum(d)?, sum(s)?],
            year: known(year)?,
            ratings: [known(first)?, known(second)?],
            moves: pairs.iter().map(|&pair| u16::from_le_bytes(pair)).collect(),
            groups: GroupNames::from_lines(str::from_utf8(groups).ok()?),
            details: None,
        }))
    }
}

impl Columns for Member {
    const COLUMNS: &'static [(&'static str, Type)] =
        &[("key", Type::Int64), ("move", Type::Int32), ("name", Type::Text)];

    fn values(&self, number: &mut dyn FnMut(i64), bytes: &mut dyn FnMut(&[u8])) {
        number(self.key);
        number(self.mv.into());
        bytes(self.group.as_bytes());
    }

    fn from_values(numbers: &[i64], bytes: &[&[u8]]) -> Option<Self> {
        let (&[key, mv], &[group]) = (numbers, bytes) else { return None };
        let group = str::from_utf8(group).ok()?.into();
        Some(Self { key, mv: u16::try_from(mv).ok()?, group })
    }
}

/// Never written: shards with samples have the program's own format.
impl Columns for PartOfSamples {
    const COLUMNS: &'static [(&'static str, Type)] = &[];

    fn values(&self, _number: &mut dyn FnMut(i64), _bytes: &mut dyn FnMut(&[u8])) {}

    fn from_values(_numbers: &[i64], _bytes: &[&[u8]]) -> Option<Self> {
        None
    }
}

impl Columns for Summed {
    const COLUMNS: &'static [(&'static str, Type)] = &[
        ("key", Type::Int64),
        ("move", Type::Int32),
        ("games", Type::Int64),
        ("first", Type::Int64),
        ("draws", Type::Int64),
        ("second", Type::Int64),
        ("rating_sum", Type::Int64),
        ("rating_count", Type::Int64),
        ("year_min", Type::Int32),
        ("year_max", Type::Int32),
    ];

    fn values(&self, number: &mut dyn FnMut(i64), _bytes: &mut dyn FnMut(&[u8])) {
        let MoveSum { key, mv, stats: t } = &self.0;
        number(*key);
        number((*mv).into());
        for n in [t.games, t.first, t.draws, t.second, t.rating_sum, t.rating_count] {
            number(n.cast_signed());
        }
        let (min, max) = t.years.map_or((0, 0), |y| (y.min, y.max));
        number(min.into());
        number(max.into());
    }

    fn from_values(numbers: &[i64], _bytes: &[&[u8]]) -> Option<Self> {
        let &[key, mv, games, first, draws, second, ratings, rated, min, max] = numbers else {
            return None;
        };
        let years = match (known(min)?, known(max)?) {
            (Some(min), Some(max)) => Some(Years { min, max }),
            (None, None) => None,
            _ => return None,
        };
        let stats = MoveStats {
            games: sum(games)?,
            first: sum(first)?,
            draws: sum(draws)?,
            second: sum(second)?,
            rating_sum: sum(ratings)?,
            rating_count: sum(rated)?,
            years,
        };
        let row = Self(MoveSum { key, mv: u16::try_from(mv).ok()?, stats });
        row.is_sound().then_some(row)
    }
}

/// The values of one column.
enum Values {
    Numbers(Vec<i64>),
    Bytes(Vec<ByteArray>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    fn clear(&mut self) {
        match self {
            Self::Numbers(numbers) => numbers.clear(),
            Self::Bytes(bytes) => bytes.clear(),
        }
    }
}

fn empty<S: Columns>() -> Vec<Values> {
    let empty = |is_number| {
        if is_number { Values::Numbers(Vec::new()) } else { Values::Bytes(Vec::new()) }
    };
    S::COLUMNS.iter().map(|column| empty(column.1.is_number())).collect()
}

/// A checksum over the values of all rows, in their order: of each number 8 bytes, of bytes their count
/// and themselves.
#[derive(Default)]
struct Check(crc32fast::Hasher);

impl Check {
    fn add(&mut self, row: &impl Columns) {
        let hasher = std::cell::RefCell::new(&mut self.0);
        row.values(&mut |n| hasher.borrow_mut().update(&n.to_le_bytes()), &mut |bytes| {
            let mut hasher = hasher.borrow_mut();
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        });
    }

    /// CRC32 as eight digits.
    fn finish(self) -> String {
        format!("{:08x}", self.0.finalize())
    }
}

/// Writes a file.
pub(crate) struct Writer<S> {
    file: SerializedFileWriter<File>,
    columns: Vec<Values>,
    rows: u64,
    check: Check,
    set: PhantomData<fn(S)>,
}

impl<S: Columns> Writer<S> {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut schema = String::from("message juzhong {");
        for (name, kind) in S::COLUMNS {
            let kind = match kind {
                Type::Int32 => format!("INT32 {name}"),
                Type::Int64 => format!("INT64 {name}"),
                Type::Bytes => format!("BYTE_ARRAY {name}"),
                Type::Text => format!("BYTE_ARRAY {name} (UTF8)"),
            };
            schema += " REQUIRED ";
            schema += &kind;
            schema.push(';');
        }
        schema.push('}');
        let schema = Arc::new(parse_message_type(&schema).map_err(io_error)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false)
            .set_created_by(concat!("juzhong ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let file = SerializedFileWriter::new(File::create_new(path)?, schema, properties.into())
            .map_err(io_error)?;
        Ok(Self { file, columns: empty::<S>(), rows: 0, check: Check::default(), set: PhantomData })
    }

    pub(crate) fn put(&mut self, row: &S) -> io::Result<()> {
        let (mut numbers, mut bytes) = (Vec::with_capacity(16), Vec::with_capacity(2));
        row.values(&mut |n| numbers.push(n), &mut |b| bytes.push(ByteArray::from(b.to_vec())));
        let (mut numbers, mut bytes) = (numbers.into_iter(), bytes.into_iter());
        for column in &mut self.columns {
            match column {
                Values::Numbers(values) => values.extend(numbers.next()),
                Values::Bytes(values) => values.extend(bytes.next()),
            }
        }
        self.check.add(row);
        self.rows += 1;
        if self.columns[0].len() >= GROUP { self.end_group() } else { Ok(()) }
    }

    fn end_group(&mut self) -> io::Result<()> {
        let mut group = self.file.next_row_group().map_err(io_error)?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column().map_err(io_error)? else { break };
            write_column(writer.untyped(), column).map_err(io_error)?;
            writer.close().map_err(io_error)?;
            column.clear();
        }
        group.close().map_err(io_error)?;
        Ok(())
    }

    /// Ends the file; the number of rows.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        if self.columns[0].len() > 0 {
            self.end_group()?;
        }
        let check = KeyValue::new(CHECK.to_owned(), self.check.finish());
        self.file.append_key_value_metadata(check);
        let file = self.file.into_inner().map_err(io_error)?;
        file.sync_all()?;
        Ok(self.rows)
    }
}

fn write_column(writer: &mut ColumnWriter<'_>, values: &Values) -> Result<(), ParquetError> {
    match (writer, values) {
        (ColumnWriter::Int64ColumnWriter(writer), Values::Numbers(numbers)) => {
            writer.write_batch(numbers, None, None)?;
        }
        (ColumnWriter::Int32ColumnWriter(writer), Values::Numbers(numbers)) => {
            let numbers: Vec<i32> = numbers.iter().map(|&n| n as i32).collect();
            writer.write_batch(&numbers, None, None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Values::Bytes(bytes)) => {
            writer.write_batch(bytes, None, None)?;
        }
        _ => return Err(ParquetError::General("a column of another type".to_owned())),
    }
    Ok(())
}

/// Reads a file, whatever the order of its columns; `push` gets rows in batches.
pub(crate) fn read<S: Columns>(
    path: &Path,
    push: &mut dyn FnMut(Vec<S>) -> io::Result<()>,
) -> io::Result<()> {
    let file = SerializedFileReader::new(File::open(path)?).map_err(io_error)?;
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let place =
        |name: &str| (0..schema.num_columns()).find(|&i| schema.column(i).path().string() == name);
    let mut places = Vec::new();
    for (name, kind) in S::COLUMNS {
        let place = place(name);
        if place.is_none() && !S::OPTIONAL.contains(name) {
            return Err(io::Error::other(format!("no column {name}")));
        }
        places.push((*name, *kind, place));
    }
    let mut check = Check::default();
    for number in 0..file.num_row_groups() {
        let group = file.get_row_group(number).map_err(io_error)?;
        read_group(&*group, &places, &mut |rows: Vec<S>| {
            rows.iter().for_each(|row| check.add(row));
            push(rows)
        })?;
    }
    let about = file.metadata().file_metadata().key_value_metadata();
    let stated = about.into_iter().flatten().find(|pair| pair.key == CHECK);
    if stated.is_some_and(|pair| pair.value != Some(check.finish())) {
        return Err(io::Error::other("damaged: not what was written"));
    }
    Ok(())
}

fn read_group<S: Columns>(
    group: &dyn RowGroupReader,
    places: &[(&str, Type, Option<usize>)],
    push: &mut dyn FnMut(Vec<S>) -> io::Result<()>,
) -> io::Result<()> {
    let mut readers = Vec::new();
    for &(name, kind, place) in places {
        let reader = place.map(|place| group.get_column_reader(place)).transpose();
        readers.push((name, kind, reader.map_err(io_error)?));
    }
    let rows = usize::try_from(group.metadata().num_rows()).map_err(io::Error::other)?;
    let mut left = rows;
    while left > 0 {
        let count = left.min(BATCH_ROWS);
        let mut columns = Vec::with_capacity(readers.len());
        for (name, kind, reader) in &mut readers {
            let values = read_column(reader.as_mut(), *kind, count).map_err(io_error)?;
            if values.len() != count {
                return Err(io::Error::other(format!("the column {name} cannot be read")));
            }
            columns.push(values);
        }
        push(to_rows(&columns, count)?)?;
        left -= count;
    }
    Ok(())
}

fn to_rows<S: Columns>(columns: &[Values], count: usize) -> io::Result<Vec<S>> {
    let mut rows = Vec::with_capacity(count);
    let (mut numbers, mut bytes) = (Vec::new(), Vec::new());
    for row in 0..count {
        numbers.clear();
        bytes.clear();
        for column in columns {
            match column {
                Values::Numbers(values) => numbers.push(values[row]),
                Values::Bytes(values) => bytes.push(values[row].data()),
            }
        }
        let row = S::from_values(&numbers, &bytes);
        rows.push(row.ok_or_else(|| io::Error::other("a row makes no sense"))?);
    }
    Ok(rows)
}

/// Up to `count` values of a column. A missing column holds NULL.
fn read_column(
    reader: Option<&mut ColumnReader>,
    kind: Type,
    count: usize,
) -> Result<Values, ParquetError> {
    Ok(match (reader, kind.is_number()) {
        (None, true) => Values::Numbers(vec![0; count]),
        (None, false) => Values::Bytes(vec![ByteArray::from(Vec::new()); count]),
        (Some(ColumnReader::Int64ColumnReader(reader)), true) => {
            Values::Numbers(read_values(reader, count, &0)?)
        }
        (Some(ColumnReader::Int32ColumnReader(reader)), true) => {
            Values::Numbers(read_values(reader, count, &0)?.into_iter().map(i64::from).collect())
        }
        (Some(ColumnReader::ByteArrayColumnReader(reader)), false) => {
            Values::Bytes(read_values(reader, count, &ByteArray::from(Vec::new()))?)
        }
        _ => return Err(ParquetError::General("a column of another type".to_owned())),
    })
}

fn read_values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    null: &T::T,
) -> Result<Vec<T::T>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::with_capacity(count));
    reader.read_records(count, Some(&mut levels), None, &mut values)?;
    // A column that cannot be NULL has no levels, or all are 0.
    if levels.len() == values.len() || levels.is_empty() {
        return Ok(values);
    }
    let mut present = values.into_iter();
    let value = |level| if level > 0 { present.next() } else { Some(null.clone()) };
    Ok(levels.into_iter().filter_map(value).collect())
}

fn io_error(error: ParquetError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
