//! Shards to folders of Parquet files, and back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use juzhong::book::{
    BuildError, GameRow, GroupMember, MoveSum, ShardPlan, ShardReader, ShardWriter, SourceCounts,
    Work,
};
use juzhong::bytes::atomic::folder_beside;
use juzhong::bytes::lock::FileLock;
use juzhong::bytes::paths::resolve;
use juzhong::bytes::visible::ShowPath;

use crate::columns::Columns;
use crate::file::{Writer, read};

/// Writes the data sets of a shard as Parquet files to the folder `output`, which must be new or empty.
pub(crate) fn export(shard: &Path, output: &Path) -> anyhow::Result<()> {
    let shard = ShardReader::open(shard)?;
    let output = resolve(output).with_context(|| output.shown().to_string())?;
    if !is_free(&output) {
        bail!("{}: it already exists; choose a new or an empty folder", output.shown());
    }
    let lock = FileLock::claim(&output)?.or_busy(&output)?;
    lock.sweep_folders(is_exported);
    let folder = folder_beside(&output)?;
    export_data_set::<SourceCounts>(&shard, folder.path())?;
    export_data_set::<GameRow>(&shard, folder.path())?;
    if shard.plan().is_reduced() {
        export_data_set::<MoveSum>(&shard, folder.path())?;
        export_data_set::<GroupMember>(&shard, folder.path())?;
    }
    shard.plan().write(folder.path())?;
    if output.is_dir() {
        fs::remove_dir(&output).with_context(|| output.shown().to_string())?;
    }
    fs::rename(folder.path(), &output).with_context(|| output.shown().to_string())?;
    let _moved = folder.keep();
    Ok(())
}

fn is_free(folder: &Path) -> bool {
    match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Returns true if an export writes files of that name.
fn is_exported(name: &str) -> bool {
    name == "plan.json" || name.ends_with(".parquet")
}

fn export_data_set<R: Columns>(shard: &ShardReader, folder: &Path) -> anyhow::Result<()> {
    let path = folder.join(format!("{}.parquet", R::NAME));
    let mut writer = Writer::<R>::create(&path)?;
    for row in shard.rows::<R>()? {
        writer.put(&row?)?;
    }
    writer.finish()
}

/// Makes the shard `output`, which must be new or empty, of a folder with a plan and Parquet files.
pub(crate) fn import(folder: &Path, output: &Path, work: Work) -> Result<(), BuildError> {
    let plan = ShardPlan::read(folder)?;
    let is_reduced = plan.is_reduced();
    let shard = ShardWriter::create(output, plan, work)?;
    import_data_set::<SourceCounts>(folder, &shard)?;
    import_data_set::<GameRow>(folder, &shard)?;
    if is_reduced {
        import_data_set::<MoveSum>(folder, &shard)?;
        import_data_set::<GroupMember>(folder, &shard)?;
    }
    shard.finish()
}

fn import_data_set<R: Columns>(folder: &Path, shard: &ShardWriter) -> Result<(), BuildError> {
    let files = files_of(folder, R::NAME)?;
    shard.write::<R>(|put| files.iter().try_for_each(|path| read(path, put)))?;
    Ok(())
}

/// The Parquet files of a data set, sorted.
fn files_of(folder: &Path, name: &str) -> Result<Vec<PathBuf>, BuildError> {
    let one = folder.join(format!("{name}.parquet"));
    let many = folder.join(name);
    let mut files = Vec::new();
    if one.is_file() {
        files.push(one);
    }
    if many.is_dir() {
        let entries = fs::read_dir(&many)
            .map_err(|source| BuildError::Input { path: many.clone(), source })?;
        for entry in entries {
            let entry = entry.map_err(|source| BuildError::Input { path: many.clone(), source })?;
            let path = entry.path();
            // Spark writes files of its own beside them, whose names begin with _ or a dot.
            let is_hidden = matches!(entry.file_name().as_encoded_bytes()[0], b'.' | b'_');
            if !is_hidden && path.extension().is_some_and(|e| e == "parquet") {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    if files.is_empty() {
        let what = format!("{}: no Parquet files of the data set {name}", folder.shown());
        return Err(BuildError::Shard { what: what.into() });
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use juzhong::book::{BuildOptions, GameId, GameKind, ReadOptions, map};
    use juzhong::bytes::StopFlag;
    use juzhong::xiangqi::Position;

    use super::*;

    fn work() -> Work {
        Work { memory: 1 << 20, threads: NonZero::new(1), stop: StopFlag::default() }
    }

    /// A shard of a game.
    fn shard(folder: &Path) -> PathBuf {
        let games = folder.join("a.pgn");
        fs::write(&games, "[Result \"1-0\"]\n[Group \"b\"]\n\n1. h2e2 1-0\n").unwrap();
        let shard = folder.join("shard");
        map::<Position>(&[games], &shard, BuildOptions::default(), ReadOptions::default()).unwrap();
        shard
    }

    fn game(number: u8) -> GameRow {
        GameRow {
            id: GameId([number; 16]),
            file: number.into(),
            kind: GameKind::Usual,
            start: 0,
            votes: [1, 0, 2, 0],
            year: Some(2000),
            ratings: [None, Some(1500)],
            moves: Box::new([1, 2]),
            groups: vec!["b".to_owned(), "a".to_owned(), "b".to_owned()],
        }
    }

    fn write(path: &Path, games: &[GameRow]) {
        let mut writer = Writer::create(path).unwrap();
        for game in games {
            writer.put(game).unwrap();
        }
        writer.finish().unwrap();
    }

    #[test]
    fn rows_of_several_files_come_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let parquet = folder.path().join("p");
        export(&shard(folder.path()), &parquet).unwrap();
        fs::remove_file(parquet.join("games.parquet")).unwrap();
        let games = parquet.join("games");
        fs::create_dir(&games).unwrap();
        fs::write(games.join("_SUCCESS"), "").unwrap();
        fs::write(games.join(".part-1.parquet.crc"), "").unwrap();
        write(&games.join("part-0.parquet"), &[game(9), game(3)]);
        write(&games.join("part-1.parquet"), &[game(5), game(3)]);
        let shard = folder.path().join("back");
        import(&parquet, &shard, work()).unwrap();
        let shard = ShardReader::open(&shard).unwrap();
        let found: Vec<GameRow> = shard.rows().unwrap().map(Result::unwrap).collect();
        let with_groups =
            |number| GameRow { groups: vec!["a".to_owned(), "b".to_owned()], ..game(number) };
        assert_eq!(found, [3, 5, 9].map(with_groups));
    }

    #[test]
    fn impossible_rows_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let parquet = folder.path().join("p");
        export(&shard(folder.path()), &parquet).unwrap();
        let path = parquet.join("games.parquet");
        fs::remove_file(&path).unwrap();
        write(&path, &[GameRow { votes: [1 << 49; 4], ..game(1) }]);
        let error = import(&parquet, &folder.path().join("back"), work()).unwrap_err();
        assert!(error.to_string().contains("games.parquet: a row makes no sense"), "{error}");
    }
}
