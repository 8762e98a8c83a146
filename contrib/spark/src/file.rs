//! Parquet files of data sets: flat tables of integers and bytes, read by column names, so that files that Spark and
//! others made of them can be read too.

use std::fs::File;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use juzhong::book::BuildError;
use juzhong::bytes::visible::ShowPath;
use parquet::basic::Compression;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::columns::{ColumnType, Columns};

/// Rows of a row group. All of them are held in memory.
const GROUP: usize = 1 << 16;

/// Rows read at once.
const BATCH_ROWS: usize = 4096;

/// The name in a file's metadata of a checksum over its content, which this program adds to pages that have
/// none. Files of other programs do not have it.
const CHECK: &str = "juzhong.check";

/// The values of one column.
enum Values {
    Numbers(Vec<i64>),
    Bytes(Vec<ByteArray>),
}

impl Values {
    const fn empty(kind: ColumnType) -> Self {
        if kind.is_number() { Self::Numbers(Vec::new()) } else { Self::Bytes(Vec::new()) }
    }

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
pub(crate) struct Writer<R> {
    file: SerializedFileWriter<File>,
    columns: Vec<Values>,
    check: Check,
    rows: PhantomData<fn(R)>,
}

/// The schema of a file, in Parquet's language.
fn schema_of<R: Columns>() -> String {
    let mut schema = String::from("message juzhong {");
    for (name, kind) in R::COLUMNS {
        let column = match kind {
            ColumnType::Int32 => format!(" REQUIRED INT32 {name};"),
            ColumnType::Int64 => format!(" REQUIRED INT64 {name};"),
            ColumnType::Bytes => format!(" REQUIRED BYTE_ARRAY {name};"),
            ColumnType::Text => format!(" REQUIRED BYTE_ARRAY {name} (UTF8);"),
        };
        schema += &column;
    }
    schema.push('}');
    schema
}

impl<R: Columns> Writer<R> {
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let schema = Arc::new(parse_message_type(&schema_of::<R>())?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false)
            .set_created_by(concat!("juzhong ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let file = File::create_new(path).with_context(|| path.shown().to_string())?;
        let file = SerializedFileWriter::new(file, schema, properties.into())?;
        let columns = R::COLUMNS.iter().map(|&(_, kind)| Values::empty(kind)).collect();
        Ok(Self { file, columns, check: Check::default(), rows: PhantomData })
    }

    pub(crate) fn put(&mut self, row: &R) -> anyhow::Result<()> {
        let mut numbers = Vec::with_capacity(16);
        let mut bytes = Vec::with_capacity(2);
        row.values(&mut |n| numbers.push(n), &mut |b| bytes.push(ByteArray::from(b.to_vec())));
        let mut numbers = numbers.into_iter();
        let mut bytes = bytes.into_iter();
        for column in &mut self.columns {
            match column {
                Values::Numbers(values) => values.extend(numbers.next()),
                Values::Bytes(values) => values.extend(bytes.next()),
            }
        }
        self.check.add(row);
        if self.columns[0].len() >= GROUP { self.end_group() } else { Ok(()) }
    }

    fn end_group(&mut self) -> anyhow::Result<()> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column()? else { break };
            write_column(writer.untyped(), column)?;
            writer.close()?;
            column.clear();
        }
        group.close()?;
        Ok(())
    }

    /// Ends the file.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        if self.columns[0].len() > 0 {
            self.end_group()?;
        }
        let check = KeyValue::new(CHECK.to_owned(), self.check.finish());
        self.file.append_key_value_metadata(check);
        Ok(self.file.into_inner()?.sync_all()?)
    }
}

fn write_column(writer: &mut ColumnWriter<'_>, values: &Values) -> anyhow::Result<()> {
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
        _ => bail!("a column of another type"),
    }
    Ok(())
}

/// A column that is read.
struct Column {
    name: &'static str,
    kind: ColumnType,
    /// Its number in the file; `None` if the file does not have it.
    number: Option<usize>,
}

/// Reads a file, whatever the order of its columns, and gives each row to `put`.
pub(crate) fn read<R: Columns>(
    path: &Path,
    put: &mut dyn FnMut(R) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    let file = open(path).map_err(|e| unusable(path, &e))?;
    let columns = columns_of::<R>(&file).map_err(|e| unusable(path, &e))?;
    let mut check = Check::default();
    for number in 0..file.num_row_groups() {
        let group = file.get_row_group(number).map_err(|e| unusable(path, &e.into()))?;
        let mut rows = GroupRows::new(&*group, &columns).map_err(|e| unusable(path, &e))?;
        while rows.left > 0 {
            for row in rows.next_batch::<R>().map_err(|e| unusable(path, &e))? {
                check.add(&row);
                put(row)?;
            }
        }
    }
    let about = file.metadata().file_metadata().key_value_metadata();
    let stated = about.into_iter().flatten().find(|pair| pair.key == CHECK);
    if stated.is_some_and(|pair| pair.value != Some(check.finish())) {
        return Err(unusable(path, &anyhow::anyhow!("damaged: not what was written")));
    }
    Ok(())
}

fn unusable(path: &Path, error: &anyhow::Error) -> BuildError {
    BuildError::Shard { what: format!("{}: {error:#}; make it again", path.shown()).into() }
}

fn open(path: &Path) -> anyhow::Result<SerializedFileReader<File>> {
    Ok(SerializedFileReader::new(File::open(path)?)?)
}

fn columns_of<R: Columns>(file: &SerializedFileReader<File>) -> anyhow::Result<Vec<Column>> {
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let mut columns = Vec::new();
    for &(name, kind) in R::COLUMNS {
        let number = (0..schema.num_columns()).find(|&i| schema.column(i).path().string() == name);
        if number.is_none() && !R::OPTIONAL.contains(&name) {
            bail!("no column {name}");
        }
        columns.push(Column { name, kind, number });
    }
    Ok(columns)
}

/// The rows of a row group that are still to be read.
struct GroupRows<'a> {
    columns: &'a [Column],
    readers: Vec<Option<ColumnReader>>,
    left: usize,
}

impl<'a> GroupRows<'a> {
    fn new(group: &dyn RowGroupReader, columns: &'a [Column]) -> anyhow::Result<Self> {
        let mut readers = Vec::new();
        for column in columns {
            readers.push(column.number.map(|number| group.get_column_reader(number)).transpose()?);
        }
        Ok(Self { columns, readers, left: usize::try_from(group.metadata().num_rows())? })
    }

    fn next_batch<R: Columns>(&mut self) -> anyhow::Result<Vec<R>> {
        let count = self.left.min(BATCH_ROWS);
        let mut batch = Vec::with_capacity(self.columns.len());
        for (column, reader) in self.columns.iter().zip(&mut self.readers) {
            let values = read_column(reader.as_mut(), column.kind, count)?;
            if values.len() != count {
                bail!("the column {} cannot be read", column.name);
            }
            batch.push(values);
        }
        self.left -= count;
        to_rows(&batch, count)
    }
}

fn to_rows<R: Columns>(columns: &[Values], count: usize) -> anyhow::Result<Vec<R>> {
    let mut rows = Vec::with_capacity(count);
    let mut numbers = Vec::new();
    let mut bytes = Vec::new();
    for row in 0..count {
        numbers.clear();
        bytes.clear();
        for column in columns {
            match column {
                Values::Numbers(values) => numbers.push(values[row]),
                Values::Bytes(values) => bytes.push(values[row].data()),
            }
        }
        rows.push(R::from_values(&numbers, &bytes).context("a row makes no sense")?);
    }
    Ok(rows)
}

/// Up to `count` values of a column. A missing column holds NULL.
fn read_column(
    reader: Option<&mut ColumnReader>,
    kind: ColumnType,
    count: usize,
) -> anyhow::Result<Values> {
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
        _ => bail!("a column of another type"),
    })
}

fn read_values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    null: &T::T,
) -> Result<Vec<T::T>, ParquetError> {
    let mut levels = Vec::new();
    let mut values = Vec::with_capacity(count);
    reader.read_records(count, Some(&mut levels), None, &mut values)?;
    // A column that cannot be NULL has no levels, or all are 0.
    if levels.len() == values.len() || levels.is_empty() {
        return Ok(values);
    }
    let mut present = values.into_iter();
    let value = |level| if level > 0 { present.next() } else { Some(null.clone()) };
    Ok(levels.into_iter().filter_map(value).collect())
}

#[cfg(test)]
mod tests {
    use juzhong::book::GroupMember;
    use parquet::data_type::{ByteArrayType, Int64Type};

    use super::*;

    /// Two members as another program writes them: other integers, another order, NULL.
    fn foreign(path: &Path) {
        let schema = "message other { OPTIONAL BYTE_ARRAY name (UTF8); OPTIONAL INT64 extra; \
                      OPTIONAL INT64 move; REQUIRED INT64 key; }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let file = File::create_new(path).unwrap();
        let mut file = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
        let mut group = file.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let names = [ByteArray::from("a"), ByteArray::from("b")];
        column.typed::<ByteArrayType>().write_batch(&names, Some(&[1, 1]), None).unwrap();
        column.close().unwrap();
        let columns: [(&[i64], Option<&[i16]>); 3] =
            [(&[], Some(&[0, 0])), (&[7], Some(&[0, 1])), (&[5, -5], None)];
        for (numbers, levels) in columns {
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(numbers, levels, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        file.close().unwrap();
    }

    #[test]
    fn files_of_other_programs_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("line_groups.parquet");
        foreign(&path);
        let mut rows = Vec::new();
        read(&path, &mut |row: GroupMember| {
            rows.push(row);
            Ok(())
        })
        .unwrap();
        let member = |key, mv, group: &str| GroupMember { key, mv, group: group.into() };
        assert_eq!(rows, [member(5, 0, "a"), member(-5, 7, "b")]);
    }

    #[test]
    fn a_missing_column_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("moves.parquet");
        foreign(&path);
        let error = read(&path, &mut |_: juzhong::book::MoveSum| Ok(())).unwrap_err();
        assert!(error.to_string().contains("moves.parquet: no column games"), "{error}");
    }
}
