//! `juzhong tablebase generate` as a long-running program: what it states before it begins, what it
//! refuses, and that kills, signals, full disks and other processes do no harm.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use juzhong::tablebase::{Material, Metric, Rules, Tables};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::support::files::in_repository;
use crate::support::program::{PROGRAM, command, ended, juzhong, signal, text};

/// The set that the tests of kills and of several processes build: seven tables, a second or so.
const SETS: [&str; 2] = ["KRvKN", "KPPvKA"];

fn generate(args: &[&str], dir: &Path) -> Command {
    let mut command = command(&["tablebase", "generate"]);
    command.args(args).arg("--dir").arg(dir);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str], dir: &Path) -> Output {
    generate(args, dir).output().unwrap()
}

/// Every file of a folder but the lock that stays, with its bytes.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    let files = named.filter(|(name, _)| name != ".juzhong.lock");
    files.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
}

/// The files of an undisturbed run with one thread.
fn undisturbed() -> &'static BTreeMap<String, Vec<u8>> {
    static FILES: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let output = run(&["--threads", "1", SETS[0], SETS[1]], folder.path());
        assert!(output.status.success(), "{output:?}");
        files(folder.path())
    })
}

#[test]
fn tables_do_not_depend_on_the_number_of_threads() {
    for threads in ["2", "5"] {
        let folder = tempfile::tempdir().unwrap();
        let output = run(&["--threads", threads, SETS[0], SETS[1]], folder.path());
        assert!(output.status.success(), "{output:?}");
        assert!(files(folder.path()) == *undisturbed(), "{threads} threads");
    }
}

#[test]
fn after_kills_at_any_moment_the_same_command_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    for delay in [3, 20, 60, 120, 250, 400, 700] {
        let mut child = generate(&SETS, folder.path()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // As a run leaves it that is killed while it writes.
    let left = [(".KRvKN.asian.dtm.jzt.part-x1Y2z3", "half"), (".KRvK.asian.dtm.jzt.lock", "4242")];
    for (name, text) in left {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let output = run(&SETS, folder.path());
    assert!(output.status.success(), "{output:?}");
    assert!(files(folder.path()) == *undisturbed());
}

#[test]
fn two_processes_share_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let start = || generate(&["--json", SETS[0], SETS[1]], folder.path()).spawn().unwrap();
    let built: usize = [start(), start()]
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{output:?}");
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
            let tables = answer["tables"].as_array().unwrap();
            assert_eq!(tables.len(), undisturbed().len());
            tables.iter().filter(|table| table["reused"] == false).count()
        })
        .iter()
        .sum();
    assert_eq!(built, undisturbed().len(), "each table is built once");
    assert!(files(folder.path()) == *undisturbed());
}

/// A run that would take long, once it has begun.
#[cfg(unix)]
fn long_run(dir: &Path) -> Child {
    use std::io::{BufRead, BufReader};
    let mut child = generate(&["KRCvKR", "--progress", "json"], dir).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("\"start\"")));
    // Whoever writes to a closed pipe would be killed.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

#[cfg(unix)]
#[test]
fn the_first_signal_ends_in_good_order_and_soon() {
    for name in ["INT", "TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = long_run(folder.path());
        let began = Instant::now();
        assert!(signal(&child, name));
        assert_eq!(child.wait().unwrap().code(), Some(75), "{name}");
        assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
        let part = |name: &String| name.contains(".part-");
        assert!(!files(folder.path()).keys().any(part));
    }
}

#[cfg(unix)]
#[test]
fn a_second_signal_ends_at_once() {
    // Work that ends in good order before the second signal is seen has answered the first: another try.
    let was_ended_at_once = (0..5).any(|_| {
        let folder = tempfile::tempdir().unwrap();
        let mut child = long_run(folder.path());
        // Both arrive together when it goes on; which is handled first is up to the system.
        for name in ["STOP", "INT", "TERM", "CONT"] {
            assert!(signal(&child, name));
        }
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(75 | 130 | 143)), "{code:?}");
        code != Some(75)
    });
    assert!(was_ended_at_once);
}

/// A limit on the size of files stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_partial_table() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args(["-c", "ulimit -f 16; exec \"$0\" tablebase generate KRvKN --dir \"$1\""])
        .args([PROGRAM.as_ref(), folder.path()])
        .output()
        .unwrap();
    ended(&output, 74, &["cannot write", "KRvKN.asian.dtm.jzt", "free", "another --tables"]);
    assert!(!text(&output.stderr).contains(".part-"), "{output:?}");
    let names: Vec<String> = files(folder.path()).into_keys().collect();
    assert_eq!(names, ["KNvK", "KRvK", "KvK"].map(|name| format!("{name}.asian.dtm.jzt")));
    let output = run(&["KRvKN"], folder.path());
    assert!(output.status.success(), "{output:?}");
    let name = "KRvKN.asian.dtm.jzt";
    assert!(files(folder.path())[name] == undisturbed()[name]);
}

#[cfg(unix)]
#[test]
fn folders_that_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let file = tempfile::NamedTempFile::new().unwrap();
    ended(&run(&["KvK"], file.path()), 73, &["cannot write", "another --tables"]);
    let folder = tempfile::tempdir().unwrap();
    let mode = |mode| std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(mode));
    mode(0o555).unwrap();
    let is_refused = std::fs::write(folder.path().join("probe"), "").is_err();
    // Root may write anywhere.
    if is_refused {
        ended(&run(&["KvK"], folder.path()), 73, &["cannot write", "another --tables"]);
    }
    mode(0o755).unwrap();
    assert!(run(&["KvK"], folder.path()).status.success());
    mode(0o555).unwrap();
    assert!(run(&["KvK"], folder.path()).status.success(), "nothing to build, nothing to write");
    mode(0o755).unwrap();
}

#[test]
fn a_dry_run_states_what_is_to_do_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("not/yet");
    let plan = || -> Value {
        let output = run(&["KRvKN", "--dry-run", "--json"], &dir);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let before = plan();
    assert_eq!(before["schema"], "juzhong.tablebase.generate.plan/1");
    assert_eq!(before["total"]["to_build"], 4);
    assert_eq!(before["total"]["slots"], 54 + 4050 + 4050 + 364_500);
    assert_eq!(before["tables"][3]["material"], "KRvKN");
    assert_eq!(before["tables"][3]["slots"], 364_500);
    assert_eq!(before["tables"][3]["state"], "absent");
    // 4.25 bytes a slot, one side of KRvK and KNvK each, 64 MiB.
    let memory = 364_500 * 17 / 4 + 2 * 2 * 4050 + (64 << 20);
    assert_eq!(before["tables"][3]["memory"], memory);
    assert!(!dir.exists());
    let text = text(&run(&["KRvKN", "--dry-run"], &dir).stdout);
    assert!(
        text.contains("KRvKN: 364500 slots") && text.contains("4 of 4 tables to build"),
        "{text}"
    );
    assert!(run(&["KRvK"], &dir).status.success());
    let after = plan();
    assert_eq!(after["total"]["to_build"], 2);
    let sizes = after["tables"].as_array().unwrap().iter();
    let there: Vec<&Value> = sizes.filter(|table| table["state"] == "present").collect();
    assert_eq!(there.len(), 2);
    assert!(there[0]["bytes"].as_u64().unwrap() > 0);
}

#[test]
fn what_does_not_fit_is_refused_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("tables");
    for dry in [&[][..], &["--dry-run"]] {
        let args = [&["KRvKN", "--memory", "65MiB"], dry].concat();
        let output = run(&args, &dir);
        ended(&output, 2, &["KRvKN needs about 66 MiB", "65 MiB", "--memory"]);
        let last = text(&output.stderr).lines().last().unwrap().to_owned();
        assert!(last.contains("KRvKN needs"), "the refusal stands last: {last}");
    }
    assert!(!dir.exists());
    ended(&run(&["KRRNNvKRRNN"], &dir), 2, &["KRRNNvKRRNN has more than 4 billion slots"]);
    ended(&run(&["KRRRvK"], &dir), 2, &["3 R", "a set holds 2"]);
    ended(&run(&["KR*NvK"], &dir), 2, &["does not end a side"]);
    ended(&run(&["KvK", "--threads", "0"], &dir), 2, &["1..=1024"]);
    ended(&run(&[], &dir), 2, &["<MATERIAL|--men <N>|--family <NAME>|--list <FILE>>"]);
}

#[test]
fn lists_and_patterns_name_each_set_once() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.txt");
    let write = |text: &str| std::fs::write(&list, text).unwrap();
    let dir = folder.path().join("tables");
    let dry = |args: &[&str]| run(&[args, &["--dry-run", "--json"]].concat(), &dir);
    let names = |output: &Output| -> Vec<String> {
        assert!(output.status.success(), "{output:?}");
        let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
        let tables = plan["tables"].as_array().unwrap().iter();
        tables.map(|table| table["material"].as_str().unwrap().to_owned()).collect()
    };
    let path = list.to_str().unwrap();
    write("# sets\n\nKRvKN  # a comment\nKNvKR\n  khvk\n");
    assert_eq!(names(&dry(&["--list", path, "KRvKN"])).len(), 4);
    let nine = names(&dry(&["KRvK*"]));
    assert!(nine.iter().any(|name| name == "KRvKAABB"));
    write("KRvK*\n");
    assert_eq!(names(&dry(&["--list", path])), nine);
    write("KRvKN\n# fine\nKXvK\n");
    ended(&dry(&["--list", path]), 65, &["list.txt, line 3", "'X'"]);
    write(&format!("KRvK\n{}\n", "K".repeat(1 << 20)));
    ended(&dry(&["--list", path]), 65, &["line 2"]);
    write("# nothing\n");
    ended(&dry(&["--list", path]), 65, &["names no material"]);
    ended(&dry(&["--list", "no-such-list"]), 66, &["no-such-list"]);
}

#[test]
fn progress_in_json_is_one_object_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(&["KRvKN", "--progress", "json"], folder.path());
    assert!(output.status.success(), "{output:?}");
    let lines = text(&output.stderr);
    let objects: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |event: &str| objects.iter().filter(|object| object["event"] == event).count();
    assert!(objects.iter().all(|object| object["schema"] == "juzhong.tablebase.progress/1"));
    assert_eq!((of("plan"), of("start"), of("finish")), (1, 4, 4));
    assert_eq!(objects[0]["to_build"], 4);
    let silent = run(&["KRvK", "--progress", "none"], folder.path());
    assert!(silent.stderr.is_empty(), "{silent:?}");
}

#[test]
fn the_work_goes_on_when_nobody_reads_its_progress() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = generate(&["KRvKN", "--progress", "json"], folder.path()).spawn().unwrap();
    drop(child.stderr.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(files(folder.path()).len(), 4);
}

/// Tables of format version 2, as the program wrote them before version 3.
#[test]
fn tables_of_version_2_serve_beside_newer_ones_and_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let check = ["--rules", "check"];
    let sets = ["KRvKN", "KPvK"];
    let build = |dir: &Path| {
        let output = run(&[&check[..], &sets[..]].concat(), dir);
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout)
    };
    build(folder.path());
    let newest = files(folder.path());
    let older = ["KRvK", "KNvK", "KPvK"].map(|set| format!("{set}.check.dtm.jzt"));
    for name in &older {
        let file = in_repository("tests/data/tables_v2").join(name);
        assert_eq!(std::fs::read(&file).unwrap()[8], 2);
        std::fs::copy(file, folder.path().join(name)).unwrap();
    }
    let dir = folder.path().to_str().unwrap();
    let answer = |args: &[&str]| -> Value {
        let output = juzhong(&[args, &["--tables", dir, "--rules", "check", "--json"]].concat());
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let proof = answer(&["tablebase", "verify"]);
    assert_eq!(proof["tables"].as_array().unwrap().len(), newest.len());
    let fresh = tempfile::tempdir().unwrap();
    build(fresh.path());
    let mixed = Tables::open(folder.path(), Rules::Check, Metric::Dtm).unwrap();
    let whole = Tables::open(fresh.path(), Rules::Check, Metric::Dtm).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut draw = |below: u32| random.random_range(0..below);
    for set in ["KRvK", "KNvK", "KPvK", "KRvKN"] {
        let material: Material = set.parse().unwrap();
        for _ in 0..300 {
            let swapped = draw(2) == 1;
            let found = mixed.random_position((material, swapped), None, &mut draw).unwrap();
            let (position, value) = found.unwrap();
            assert_eq!(value, whole.probe(&position).unwrap());
            assert_eq!(mixed.probe_root(&position).unwrap(), whole.probe_root(&position).unwrap());
        }
        let stats = |tables: &Tables| tables.stats(material).unwrap();
        assert_eq!(stats(&mixed).content, stats(&whole).content);
        assert_eq!(stats(&mixed).sides, stats(&whole).sides);
    }
    let before = files(folder.path());
    build(folder.path());
    assert!(files(folder.path()) == before);
    drop(mixed); // files that are open keep their names on Windows
    for name in &older {
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
    build(folder.path());
    assert!(files(folder.path()) == newest);
}

/// A header says of itself which fields it has: a version that it was not written in is damage.
#[test]
fn a_version_that_the_header_was_not_written_in_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(&["KRvK", "--rules", "check"], folder.path()).status.success());
    let path = folder.path().join("KRvK.check.dtm.jzt");
    let file = in_repository("tests/data/tables_v2/KRvK.check.dtm.jzt");
    let [newer, older] = [&path, &file].map(|path| std::fs::read(path).unwrap());
    for (bytes, version) in [(newer, 2), (older.clone(), 3), (older, 1)] {
        let mut bytes = bytes;
        bytes[8] = version;
        std::fs::write(&path, bytes).unwrap();
        let error = Tables::open(folder.path(), Rules::Check, Metric::Dtm)
            .and_then(|tables| tables.stats("KRvK".parse().unwrap()).map(|_| ()));
        assert!(error.is_err(), "version {version}");
    }
}
