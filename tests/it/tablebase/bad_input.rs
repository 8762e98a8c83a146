//! Answers of tables to bad input: impossible sets, places that cannot be written, full disks,
//! damaged and mistaken files. Always an error that says what to do, never a wrong answer.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use juzhong::tablebase::{
    Entry, GenerateError, GenerateOptions, Material, Metric, NoProgress, Rules, Tables,
    VerifyOptions, Wdl, generate_all, verify,
};
use juzhong::xiangqi::Position;
use proptest::prelude::*;

use crate::support::folder::Folder;
use crate::support::program::{self, PROGRAM, command, ended, exits, text};
use crate::support::tables::{asian_tables as small_tables, copy_of};

const NAME: &str = "KRvKN.asian.dtm.jzt";

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

fn generate(dir: &Path, name: &str, metric: Metric) -> Result<(), GenerateError> {
    let options = GenerateOptions { metric, rules: Rules::Asian, ..GenerateOptions::default() };
    generate_all(dir, &[material(name)], &options, &NoProgress).map(|_| ())
}

fn whole() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| std::fs::read(small_tables().join(NAME)).unwrap())
}

/// Positions of KRvKN with either side to move, and what the undamaged table says of them.
fn samples() -> &'static [(Position, Entry)] {
    static SAMPLES: OnceLock<Vec<(Position, Entry)>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let tables = Tables::open(small_tables(), Rules::Asian, Metric::Dtm).unwrap();
        let mut seed = 1u64;
        let mut next = |limit: u64| {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (seed >> 33) % limit
        };
        let palace = |n: u64| 3 + n % 3 + 9 * (n / 3);
        let mut samples = Vec::new();
        while samples.len() < 50 {
            let men = [(palace(next(9)), 'k'), (next(90), 'n'), (next(90), 'R')];
            let king = (63 + palace(next(9)), 'K');
            let fen = fen(&[men[0], men[1], men[2], king], if next(2) == 0 { 'w' } else { 'b' });
            if let Ok(position) = Position::from_fen(&fen)
                && Material::of(&position).0 == material("KRvKN")
            {
                let entry = tables.probe(&position).unwrap();
                samples.push((position, entry));
            }
        }
        samples
    })
}

/// Squares count from the top left.
fn fen(men: &[(u64, char)], turn: char) -> String {
    let mut board = [['1'; 9]; 10];
    for &(square, man) in men {
        board[square as usize / 9][square as usize % 9] = man;
    }
    let ranks: Vec<String> = board.iter().map(|rank| rank.iter().collect()).collect();
    format!("{} {turn}", ranks.join("/"))
}

/// A copy of the folder in which one table's file has other bytes.
fn copy_with(name: &str, bytes: &[u8]) -> Folder {
    let copy = copy_of(small_tables());
    std::fs::write(copy.path().join(name), bytes).unwrap();
    copy
}

/// Runs and expects an exit code and parts of the message.
fn fails(args: &[&str], dir: &Path, code: i32, parts: &[&str]) {
    let output = command(args).arg("--dir").arg(dir).output().unwrap();
    ended(&output, code, parts);
}

/// Every answer of the table is the right one or an error. How many are errors.
fn errors_of_probes(dir: &Path) -> usize {
    let tables = Tables::open(dir, Rules::Asian, Metric::Dtm).unwrap();
    let mut errors = 0;
    for (position, right) in samples() {
        let wdl = tables.probe_wdl(position);
        assert!(wdl.as_ref().is_err() || wdl.is_ok_and(|wdl| wdl == right.wdl));
        match tables.probe(position) {
            Ok(entry) => assert_eq!(entry, *right, "{}", position.to_fen()),
            Err(error) => {
                assert!(error.to_string().contains(NAME), "{error}");
                errors += 1;
            }
        }
    }
    errors
}

/// Returns true if the table's file cannot be verified at all.
fn is_refused_by_verify(dir: &Path) -> bool {
    let options = VerifyOptions::default();
    let proofs = verify(dir, &[material("KRvKN")], &options, &NoProgress).unwrap();
    proofs.tables[0].is_err()
}

#[test]
fn impossible_material() {
    for (name, part) in [
        ("KRRRvK", "holds 2"),
        ("RRvK", "0 kings"),
        ("KRv", "0 kings"),
        ("KKvK", "2 kings"),
        ("KPPPPPPvK", "holds 5"),
        ("KXvK", "'X'"),
        ("K車vK", "'車'"),
        ("KRKN", "two sides"),
        ("", "two sides"),
    ] {
        let error = name.parse::<Material>().unwrap_err().to_string();
        assert!(error.contains(part), "{name}: {error}");
        for command in ["generate", "stats", "verify"] {
            fails(&["tablebase", command, name], small_tables(), 2, &[part]);
        }
        program::fails(&["tablebase", "plan", name], 2, &[part]);
    }
}

#[test]
fn impossible_material_in_a_list() {
    let list = tempfile::NamedTempFile::new().unwrap();
    let path = list.path().to_str().unwrap();
    for (text, part) in
        [("KRvK\nKRRRvK # three\n", "line 2"), ("\u{fffd}", "line 1"), ("", "no material")]
    {
        std::fs::write(path, text).unwrap();
        fails(&["tablebase", "generate", "--list", path], small_tables(), 65, &[path, part]);
    }
}

#[test]
fn places_that_cannot_be_written() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut places: Vec<PathBuf> = vec![file.path().to_owned(), file.path().join("tables")];
    if Path::new("/proc/self").exists() {
        places.push("/proc/tables".into());
    }
    for place in places {
        let name = place.to_str().unwrap();
        fails(&["tablebase", "generate", "KRvK"], &place, 73, &[name, "--tables"]);
        let error = generate(&place, "KRvK", Metric::Dtm).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    assert_eq!(file.path().metadata().unwrap().len(), 0);
}

#[cfg(unix)]
#[test]
fn folders_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o500)).unwrap();
    if std::fs::write(folder.path().join("probe"), "").is_ok() {
        return; // The superuser writes everywhere.
    }
    fails(&["tablebase", "generate", "KRvK"], folder.path(), 73, &["KvK.asian", "--tables"]);
}

/// A file-size limit stands for the full disk: both end a write in the middle.
#[cfg(unix)]
#[test]
fn a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let script = "ulimit -f 20 || exit 99; exec \"$@\"";
    let output = Command::new("bash")
        .args(["-c", script, "bash"])
        .arg(PROGRAM)
        .args(["tablebase", "generate", "KRvKN", "--dir"])
        .arg(folder.path())
        .output();
    let Ok(output) = output else { return };
    if output.status.code() == Some(99) {
        return;
    }
    ended(&output, 74, &[NAME, "space", "--tables"]);
    let mut left =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!left.any(|name| name.to_string_lossy().contains(".part-")));
    assert!(!folder.path().join(NAME).exists());
    generate(folder.path(), "KRvKN", Metric::Dtm).unwrap();
    assert_eq!(std::fs::read(folder.path().join(NAME)).unwrap(), whole());
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for args in [vec!["tablebase", "plan", "--men", "5"], vec!["tablebase", "list", "--dir", "."]] {
        let mut child = command(&args).arg("--json").stdout(full()).spawn().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(74), "{args:?}");
    }
}

#[test]
fn truncated_files() {
    let len = whole().len();
    let starts = (0..32).chain((32..len).step_by(len / 32)).chain([len - 1]);
    for end in starts {
        let copy = copy_with(NAME, &whole()[..end]);
        assert_eq!(errors_of_probes(copy.path()), samples().len(), "{end} bytes");
        let error = generate(copy.path(), "KRvKN", Metric::Dtm).unwrap_err().to_string();
        assert!(error.contains(NAME) && error.contains("truncated"), "{end} bytes: {error}");
    }
    for end in [0, 7, 30, len / 2, len - 1] {
        let copy = copy_with(NAME, &whole()[..end]);
        for command in ["generate", "stats", "verify"] {
            let parts = [NAME, "truncated", "generate it again"];
            fails(&["tablebase", command, "KRvKN"], copy.path(), 65, &parts);
        }
    }
}

#[test]
fn single_flipped_bits() {
    let len = whole().len();
    // Magic to material; header and blocks; block tables, of at least two bytes a block.
    let places = (0..64).chain((64..len - 32).step_by(len / 128)).chain(len - 32..len);
    for (i, at) in places.enumerate() {
        let mut bytes = whole().to_vec();
        bytes[at] ^= 1 << (i % 8);
        let copy = copy_with(NAME, &bytes);
        errors_of_probes(copy.path());
        match generate(copy.path(), "KRvKN", Metric::Dtm) {
            // The bit made it a file of an older version, which is built again.
            Ok(()) => {
                assert_eq!(std::fs::read(copy.path().join(NAME)).unwrap(), whole(), "byte {at}");
            }
            Err(error) => {
                assert!(matches!(error, GenerateError::Table(_)), "byte {at}: {error}");
                assert!(error.to_string().contains(NAME), "byte {at}: {error}");
            }
        }
    }
}

#[test]
fn verification_notices_flipped_bits() {
    for at in [9, 40, whole().len() / 3, whole().len() * 2 / 3, whole().len() - 1] {
        let mut bytes = whole().to_vec();
        bytes[at] ^= 4;
        let copy = copy_with(NAME, &bytes);
        assert!(is_refused_by_verify(copy.path()), "byte {at}");
        fails(&["tablebase", "verify", "KRvKN"], copy.path(), 65, &[NAME]);
    }
}

/// One flipped bit in the header, a block of either section, and a block table.
#[test]
fn flipped_bits_on_the_command_line() {
    let len = whole().len();
    let fens: Vec<String> = samples().iter().map(|(position, _)| position.to_fen()).collect();
    for (at, part) in [
        (100, "checksum"),
        (header_len(whole()) + 1, "WDL block 0 at byte"),
        (len / 2, "distance block"),
        (len - 1, "block table"),
    ] {
        let mut bytes = whole().to_vec();
        bytes[at] ^= 0x20;
        let copy = copy_with(NAME, &bytes);
        for command in ["generate", "verify"] {
            let parts = [NAME, part, "remove the file and generate it again"];
            fails(&["tablebase", command, "KRvKN"], copy.path(), 65, &parts);
        }
        let (list, dir) = (copy.write("positions", fens.join("\n")), copy.at(""));
        let answers =
            text(&exits(&["tablebase", "probe", "--fens", &list, "--dir", &dir], 65).stdout);
        assert_eq!(answers.lines().count(), samples().len());
        for (line, (_, right)) in answers.lines().zip(samples()) {
            let answer: serde_json::Value = serde_json::from_str(line).unwrap();
            if answer["error"].is_null() {
                assert_eq!(answer["wdl"], right.wdl.name(), "{line}");
                let distance = (right.wdl != Wdl::Draw).then_some(right.distance);
                assert_eq!(answer["distance"], serde_json::json!(distance), "{line}");
            } else {
                assert_eq!(answer["error"]["code"], 65, "{line}");
                assert!(line.contains(NAME) && line.contains(part), "{line}");
            }
        }
    }
}

#[test]
fn damage_in_smaller_tables_is_noticed() {
    let name = "KRvK.asian.dtm.jzt";
    let whole = std::fs::read(small_tables().join(name)).unwrap();
    for (at, part) in [(header_len(&whole) + 1, " block 0 at byte "), (whole.len() - 1, "table")] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        let copy = copy_with(name, &bytes);
        let parts = [name, part, "damaged", "generate it again"];
        fails(&["tablebase", "generate", "KRvKN"], copy.path(), 65, &parts);
    }
}

#[test]
fn files_of_other_tables() {
    let none = tempfile::tempdir().unwrap();
    let options = GenerateOptions { rules: Rules::None, ..GenerateOptions::default() };
    generate_all(none.path(), &[material("KRvK")], &options, &NoProgress).unwrap();
    generate(none.path(), "KRvK", Metric::Dtc).unwrap();
    let other = |name: &str| std::fs::read(none.path().join(name)).unwrap();
    for (target, bytes, part) in [
        ("KRvK.asian.dtm.jzt", whole().to_vec(), "material in the file is \"KRvKN\""),
        ("KRvK.asian.dtm.jzt", other("KRvK.none.dtm.jzt"), "rules in the file is \"none\""),
        ("KRvK.asian.dtm.jzt", other("KRvK.asian.dtc.jzt"), "metric in the file is \"dtc\""),
    ] {
        let copy = copy_with(target, &bytes);
        for command in ["generate", "stats", "verify"] {
            let parts = [target, part, "generate it again"];
            fails(&["tablebase", command, "KRvK"], copy.path(), 65, &parts);
        }
        let tables = Tables::open(copy.path(), Rules::Asian, Metric::Dtm).unwrap();
        let position = Position::from_fen("3k5/9/9/9/9/9/9/9/9/R3K4 w").unwrap();
        assert!(tables.probe(&position).unwrap_err().to_string().contains(part));
    }
}

#[test]
fn absent_rules_and_metrics() {
    for option in [["--rules", "none"], ["--metric", "dtc"]] {
        let args = ["tablebase", "stats", "KRvKN", option[0], option[1]];
        fails(
            &args,
            small_tables(),
            66,
            &["KRvKN", &option.join(" "), "juzhong tablebase generate"],
        );
    }
}

#[test]
fn newer_versions() {
    let mut bytes = whole().to_vec();
    bytes[9] = 1;
    let copy = copy_with(NAME, &bytes);
    for command in ["generate", "stats", "verify"] {
        let parts = [NAME, "version", "update juzhong"];
        fails(&["tablebase", command, "KRvKN"], copy.path(), 65, &parts);
    }
    assert_eq!(std::fs::read(copy.path().join(NAME)).unwrap(), bytes, "nothing was overwritten");
}

/// Makes the header's checksum right again after a change: see `bytes::sealed`.
fn reseal(bytes: &mut [u8]) {
    let Some(length) = bytes.get(12..20).map(|field| u64::from_le_bytes(field.try_into().unwrap()))
    else {
        return;
    };
    let end = length.saturating_add(24).min(bytes.len() as u64) as usize;
    if end > 24 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&bytes[..20]);
        hasher.update(&bytes[24..end]);
        bytes[20..24].copy_from_slice(&hasher.finalize().to_le_bytes());
    }
}

#[test]
fn changed_dependencies() {
    let tables = Tables::open(small_tables(), Rules::Asian, Metric::Dtm).unwrap();
    let content = tables.stats(material("KRvK")).unwrap().content;
    let mut bytes = std::fs::read(small_tables().join("KRvK.asian.dtm.jzt")).unwrap();
    let at = bytes.windows(32).position(|window| window == content).unwrap();
    bytes[at] ^= 1;
    reseal(&mut bytes);
    let copy = copy_with("KRvK.asian.dtm.jzt", &bytes);
    let parts = [NAME, "built from another KRvK", "generate it again"];
    fails(&["tablebase", "generate", "KRvKN"], copy.path(), 65, &parts);
}

/// One change of a file's bytes.
#[derive(Debug, Clone)]
enum Change {
    Flip(prop::sample::Index, u8),
    Write(prop::sample::Index, Vec<u8>),
    Insert(prop::sample::Index, Vec<u8>),
    Remove(prop::sample::Index, usize),
    Truncate(prop::sample::Index),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let len = bytes.len();
        match self {
            _ if len == 0 => {}
            Self::Flip(at, mask) => bytes[at.index(len)] ^= mask,
            Self::Write(at, new) => {
                let at = at.index(len);
                let end = len.min(at + new.len());
                bytes[at..end].copy_from_slice(&new[..end - at]);
            }
            Self::Insert(at, new) => {
                let at = at.index(len);
                bytes.splice(at..at, new.iter().copied());
            }
            Self::Remove(at, count) => {
                let at = at.index(len);
                bytes.drain(at..len.min(at + count));
            }
            Self::Truncate(at) => bytes.truncate(at.index(len)),
        }
    }
}

fn any_change() -> impl Strategy<Value = Change> {
    // Half of the changes are in the header, where they do most.
    let at = any::<prop::sample::Index>;
    let bytes = || prop::collection::vec(any::<u8>(), 1..16);
    prop_oneof![
        4 => (at(), any::<u8>()).prop_map(|(at, mask)| Change::Flip(at, mask)),
        2 => (at(), bytes()).prop_map(|(at, bytes)| Change::Write(at, bytes)),
        1 => (at(), bytes()).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        1 => (at(), 1..64usize).prop_map(|(at, count)| Change::Remove(at, count)),
        1 => at().prop_map(Change::Truncate),
    ]
}

/// Bytes of the header, which is much smaller than the blocks.
fn header_len(bytes: &[u8]) -> usize {
    24 + u64::from_le_bytes(bytes[12..20].try_into().unwrap()) as usize
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn changed_files_give_errors_or_right_answers(
        changes in prop::collection::vec(any_change(), 1..4),
        is_header: bool,
    ) {
        let (header, blocks) = whole().split_at(header_len(whole()));
        let bytes = if is_header {
            let mut header = header.to_vec();
            changes.iter().for_each(|change| change.apply(&mut header));
            [&header, blocks].concat()
        } else {
            let mut bytes = whole().to_vec();
            changes.iter().for_each(|change| change.apply(&mut bytes));
            bytes
        };
        let copy = copy_with(NAME, &bytes);
        errors_of_probes(copy.path());
        prop_assert!(bytes == whole() || is_refused_by_verify(copy.path()));
    }

    /// Bytes of any kind, also after a header that is whole.
    #[test]
    fn garbage_is_refused(garbage in prop::collection::vec(any::<u8>(), 0..2000), start: bool) {
        let header = &whole()[..if start { header_len(whole()) } else { 0 }];
        let copy = copy_with(NAME, &[header, &garbage].concat());
        prop_assert_eq!(errors_of_probes(copy.path()), samples().len());
        prop_assert!(is_refused_by_verify(copy.path()));
    }

    /// With the checksum made right, the header may say anything.
    #[test]
    fn forged_headers_never_panic(changes in prop::collection::vec(any_change(), 1..4)) {
        let (header, blocks) = whole().split_at(header_len(whole()));
        let mut payload = header[24..].to_vec();
        changes.iter().for_each(|change| change.apply(&mut payload));
        let mut bytes = header[..24].to_vec();
        bytes[12..20].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&payload);
        reseal(&mut bytes);
        bytes.extend_from_slice(blocks);
        let copy = copy_with(NAME, &bytes);
        let tables = Tables::open(copy.path(), Rules::Asian, Metric::Dtm).unwrap();
        let mut answers = 0;
        for (position, _) in samples() {
            answers += usize::from(tables.probe(position).is_ok());
            answers += usize::from(tables.probe_root(position).is_ok());
        }
        let stats = tables.stats(material("KRvKN"));
        prop_assert!(answers == 0 || stats.is_ok());
    }
}

/// The offset of the fields of the last stream in a header: see FORMAT.md. The set has four components.
fn last_stream(bytes: &[u8]) -> usize {
    header_len(bytes) - (1 + 8 + 4 + 8 + 8 + 4)
}

/// A file that states this length of a block table or of blocks, and is so long, but takes no room on
/// the disk.
fn sparse(field: usize, len: u64) -> Folder {
    let mut bytes = whole().to_vec();
    let at = last_stream(&bytes) + 13 + 8 * field;
    let before = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    bytes[at..at + 8].copy_from_slice(&len.to_le_bytes());
    reseal(&mut bytes);
    let copy = copy_with(NAME, &bytes);
    let file = std::fs::File::options().write(true).open(copy.path().join(NAME)).unwrap();
    file.set_len((bytes.len() as u64 - before).saturating_add(len).min(1 << 42)).unwrap();
    copy
}

/// Lengths are bounded by what the layout can be before anything is read or allocated by them.
#[cfg(unix)]
#[test]
fn sparse_files_with_huge_lengths_take_no_memory() {
    let script = "ulimit -v 1500000 || exit 99; exec \"$@\"";
    for (field, len) in [(1, 3 << 30), (0, 3 << 30), (1, 1 << 41), (1, u64::MAX), (0, u64::MAX / 2)]
    {
        let copy = sparse(field, len);
        for command in ["stats", "verify", "generate"] {
            let output = Command::new("bash")
                .args(["-c", script, "bash"])
                .arg(PROGRAM)
                .args(["tablebase", command, "KRvKN", "--dir"])
                .arg(copy.path())
                .output();
            let Ok(output) = output else { return };
            if output.status.code() == Some(99) {
                return;
            }
            ended(&output, 65, &[NAME, "generate it again"]);
        }
    }
}

/// Anything but a regular file is refused at once, whatever its name.
#[cfg(unix)]
#[test]
fn a_fifo_named_like_a_table_is_refused() {
    let copy = copy_with(NAME, whole());
    std::fs::remove_file(copy.path().join(NAME)).unwrap();
    let made = Command::new("mkfifo").arg(copy.path().join(NAME)).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let fen = format!("--fen={}", samples()[0].0.to_fen());
    for args in [
        ["tablebase", "stats", "KRvKN"],
        ["tablebase", "verify", "KRvKN"],
        ["tablebase", "generate", "KRvKN"],
        ["tablebase", "probe", fen.as_str()],
        ["tablebase", "list", "-v"],
    ] {
        let mut command = Command::new("timeout");
        command.arg("30").arg(PROGRAM).args(args);
        let output = command.arg("--dir").arg(copy.path()).output().unwrap();
        assert_ne!(output.status.code(), Some(124), "{args:?} waits");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = message + &String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("FIFO") || args[1] == "list", "{args:?}: {said}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever the lengths of the streams are, sealed and with a file as long as they say: an error,
    /// at once and in little memory.
    #[test]
    fn forged_lengths_are_refused(
        field in 0..2usize,
        len in prop_oneof![any::<u64>(), 0..1u64 << 40, 0..1u64 << 16],
    ) {
        let at = last_stream(whole()) + 13 + 8 * field;
        let right = u64::from_le_bytes(whole()[at..at + 8].try_into().unwrap());
        let copy = sparse(field, len);
        prop_assert_eq!(errors_of_probes(copy.path()) > 0, len != right);
    }
}
