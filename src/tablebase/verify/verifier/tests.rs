//! Tests of the verifier: it accepts what the generator makes, and finds every kind of planted fault.

use crate::tablebase::generate::generator::{NoProgress, generate_all};
use crate::tablebase::generate::options::GenerateOptions;
use crate::tablebase::verify::verifier::*;

pub(crate) fn silent() -> Observer<'static> {
    Observer { progress: &NoProgress, stop: StopFlag::default() }
}

/// A set generated under rules and metric, ready to be proved.
fn prover(name: &str, rules: Rules, metric: Metric) -> Prover<'static> {
    let folder = tempfile::tempdir().unwrap();
    let material: Material = name.parse().unwrap();
    let options = GenerateOptions { rules, metric, ..GenerateOptions::default() };
    generate_all(folder.path(), &[material], &options, &NoProgress).unwrap();
    let tables = Tables::open(folder.path(), rules, metric).unwrap();
    let mut table = tables.load(material, [true; 2]).unwrap();
    let placements = placements(&table.index, &silent()).unwrap();
    mark(&mut table, &placements);
    let subs = material.captures().into_iter();
    let subs = subs.map(|left| (left, Arc::new(tables.load(left, [true; 2]).unwrap()))).collect();
    Prover::new(table, placements, &subs, metric, silent())
}

impl Prover<'_> {
    /// Proves the table with one word changed.
    fn prove_with(
        &mut self,
        rules: Rules,
        (side, slot): (usize, usize),
        word: u16,
    ) -> Verification {
        let old = std::mem::replace(&mut self.table.words[side][slot], word);
        let result = self.prove(rules).unwrap();
        self.table.words[side][slot] = old;
        result
    }

    /// The first place from `start` on (around the end) whose value is as wanted.
    fn find(&self, start: usize, wanted: impl Fn(Entry) -> bool) -> Option<(usize, usize)> {
        let slots = self.table.index.slots as usize;
        let sides = self.table.words.len();
        let places = (0..sides * slots).map(|i| (start + i) % (sides * slots));
        let mut places = places.map(|i| (i / slots, i % slots));
        places.find(|&(side, slot)| self.entry(side, slot as u32).is_some_and(&wanted))
    }

    /// The word of a win of order 1 and up, if there is one.
    fn rule_word(&self) -> Option<u16> {
        let rank = self.table.ranks.iter().position(|&(order, _)| order > 0)?;
        Some(2 * rank as u16 + 1)
    }
}

#[test]
fn generated_tables_pass() {
    for rules in [Rules::None, Rules::Check] {
        for metric in Metric::ALL {
            for name in ["KNvKA", "KRvKN", "KPvKP", "KCvKN"] {
                let mut prover = prover(name, rules, metric);
                let result = prover.prove(rules).unwrap();
                assert!(result.passed(), "{name} {rules} {metric}: {:?}", result.mismatches);
                assert!(result.positions > 0);
            }
        }
    }
}

#[test]
fn any_changed_value_is_noticed() {
    let sets = [
        ("KNvKA", Rules::None, Metric::Dtm),
        ("KNvKA", Rules::Check, Metric::Dtc),
        ("KPvKP", Rules::Check, Metric::Dtm),
    ];
    for (name, rules, metric) in sets {
        let mut prover = prover(name, rules, metric);
        let last = 2 * prover.table.ranks.len() as u16;
        for start in (0..60_000).step_by(9_973) {
            for wanted in [Wdl::Win, Wdl::Draw, Wdl::Loss] {
                let Some(place) = prover.find(start, |entry| entry.wdl == wanted) else { continue };
                let word = prover.table.words[place.0][place.1];
                // A win made a loss and the reverse, distances 1 more and 1 less, a draw.
                let win_or_loss = ((word - 1) ^ 1) + 1;
                let choices = [win_or_loss, word + 2, word.wrapping_sub(2), DRAW, 1, last];
                let others = choices.into_iter().filter(|&other: &u16| {
                    other != word && (other == DRAW || (1..=last).contains(&other))
                });
                for changed in others {
                    let result = prover.prove_with(rules, place, changed);
                    assert!(!result.passed(), "{name} {rules} {metric} {place:?} {changed}");
                    assert!(!result.mismatches[0].fen.is_empty());
                }
            }
        }
    }
}

#[test]
fn what_the_rule_decides_cannot_be_changed() {
    for metric in Metric::ALL {
        let rules = Rules::Check;
        let mut prover = prover("KRvKN", rules, metric);
        let rule_word = prover.rule_word().unwrap();
        let draw = prover.find(0, |entry| entry.wdl == Wdl::Draw).unwrap();
        let mut changes = vec![(draw, rule_word), (draw, rule_word + 1)];
        let ranks = prover.table.ranks.iter().filter(|&&(order, _)| order > 0);
        for (&(order, distance), wdl) in ranks.flat_map(|r| [(r, Wdl::Win), (r, Wdl::Loss)]) {
            let Some(place) = prover.find(0, |e| e == Entry { wdl, order, distance }) else {
                continue;
            };
            let word = prover.table.words[place.0][place.1];
            // A draw, another distance or order, order 0, the other result.
            let others = [DRAW, word + 2, word - 2, 2 - (word & 1), ((word - 1) ^ 1) + 1];
            changes.extend(others.map(|other| (place, other)));
        }
        changes.retain(|&(_, word)| prover.table.checked_meaning(word).is_some());
        assert!(changes.len() > 10, "{}", changes.len());
        for (place, word) in changes {
            let result = prover.prove_with(rules, place, word);
            assert!(!result.passed(), "{metric} {place:?} {word}");
        }
    }
}

#[test]
fn exchanged_values_are_noticed() {
    let mut prover = prover("KRvKN", Rules::Check, Metric::Dtm);
    let by_rule = prover.find(0, |e| e.wdl == Wdl::Win && e.order > 0).unwrap();
    let start = by_rule.0 * prover.table.index.slots as usize;
    let plain = prover.find(start, |e| e.wdl == Wdl::Win && e.order == 0).unwrap();
    assert_eq!(by_rule.0, plain.0);
    prover.table.words[plain.0].swap(by_rule.1, plain.1);
    assert!(!prover.prove(Rules::Check).unwrap().passed());
}

/// The table of another rule: draws by it that are none are noticed by the rounds.
#[test]
fn values_without_the_rule_do_not_pass_for_values_with_it() {
    let mut prover = prover("KRvKN", Rules::None, Metric::Dtm);
    assert!(prover.prove(Rules::None).unwrap().passed());
    let result = prover.prove(Rules::Check).unwrap();
    assert!(!result.passed());
    let mut checks = result.mismatches.iter().map(|mismatch| mismatch.check);
    let is_by_rule = checks.any(|check| check.contains("by the repetition rule"));
    assert!(is_by_rule, "{:?}", result.mismatches);
}

#[test]
fn reports_do_not_depend_on_threads() {
    let mut prover = prover("KNvKA", Rules::Check, Metric::Dtm);
    for start in (0..48_000).step_by(1_500) {
        let (side, slot) = prover.find(start, |entry| entry.wdl == Wdl::Win).unwrap();
        prover.table.words[side][slot] = DRAW;
    }
    let [one, four] = [1, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let result = pool.install(|| prover.prove(Rules::Check)).unwrap();
        (result.wrong, result.mismatches)
    });
    assert_eq!(one.1.len(), REPORTED);
    assert_eq!(one, four);
}

#[test]
fn proofs_can_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let materials = Material::all_up_to(3);
    generate_all(folder.path(), &materials, &GenerateOptions::default(), &NoProgress).unwrap();
    let options = VerifyOptions { threads: NonZero::new(2), ..VerifyOptions::default() };
    let stopped = VerifyOptions { stop: StopFlag::default(), ..options };
    stopped.stop.set();
    let proofs = verify(folder.path(), &materials, &stopped, &NoProgress).unwrap();
    assert!(proofs.interrupted && proofs.tables.is_empty());
    let proofs = verify(folder.path(), &materials, &options, &NoProgress).unwrap();
    assert!(!proofs.interrupted && proofs.tables.len() == materials.len());
    assert!(proofs.tables.into_iter().all(|table| table.unwrap().passed()));
}

/// KRCvKR is the smallest set known that chase decides anything in.
#[test]
#[ignore = "cargo test --release --lib chases_that_the_table_lacks -- --ignored: minutes"]
fn chases_that_the_table_lacks_are_noticed() {
    let by_check = prover("KRCvKR", Rules::Check, Metric::Dtm).table;
    let mut prover = prover("KRCvKR", Rules::Asian, Metric::Dtm);
    for side in 0..2 {
        let mut words = by_check.words[side].iter().zip(&prover.table.words[side]);
        let slot = words.position(|(&by_check, &by_chase)| {
            by_check == DRAW && !matches!(by_chase, DRAW | ILLEGAL)
        });
        let slot = slot.unwrap();
        assert!(!prover.prove_with(Rules::Asian, (side, slot), DRAW).passed());
    }
}
