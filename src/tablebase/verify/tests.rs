use super::super::{GenerateOptions, NoProgress, generate_all};
use super::*;

/// A set generated under rules and metric, ready to be proved.
fn prover(name: &str, rules: Rules, metric: Metric) -> Prover<'static> {
    let folder = tempfile::tempdir().unwrap();
    let material: Material = name.parse().unwrap();
    let options = GenerateOptions { rules, metric, ..GenerateOptions::default() };
    generate_all(folder.path(), &[material], &options, &NoProgress).unwrap();
    let open =
        |material| TableFile::open(folder.path(), material, rules, metric).unwrap().load().unwrap();
    let mut table = open(material);
    let placements = placements(&table.index, &NoProgress).unwrap();
    mark(&mut table, &placements);
    let subs = material.captures().into_iter().map(|left| (left, Arc::new(open(left)))).collect();
    Prover::new(table, placements, &subs, metric, &NoProgress)
}
