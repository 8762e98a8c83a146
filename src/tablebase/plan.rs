//! The cost of building a set of tables, as a graph: for workflow engines that run one job for each
//! table, on one machine or many.

use std::fmt::Write;

use serde::Serialize;

use crate::tablebase::format::file_name;
use crate::tablebase::generate::estimate::with_captures;
use crate::tablebase::generate::estimate::{Estimate, estimate};
use crate::tablebase::generate::options::GenerateError;
use crate::tablebase::material::Material;
use crate::tablebase::value::{Metric, Rules};

/// The tables of a set and all those their captures lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The repetition rules.
    pub rules: Rules,
    /// The metric of distances.
    pub metric: Metric,
    /// Each table after those its captures lead to; otherwise fewer pieces first, then by material.
    pub tables: Vec<PlannedTable>,
}

/// One table of a [`Plan`]. Serialises with these names, as programs read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlannedTable {
    /// The canonical name of its material.
    pub material: String,
    /// Number of pieces, kings included.
    pub men: usize,
    /// Slots per side to move.
    pub slots: u64,
    /// Peak memory of building it, in bytes.
    pub memory: u64,
    /// The name of its file.
    pub file: String,
    /// The materials that one capture leads to: their tables must be there before.
    pub captures: Vec<String>,
}

impl Plan {
    /// Plans the tables of `materials` and all those their captures lead to.
    ///
    /// # Errors
    ///
    /// [`GenerateError::TooLarge`] if no table of one of them can be built.
    pub fn new(
        materials: &[Material],
        rules: Rules,
        metric: Metric,
    ) -> Result<Self, GenerateError> {
        let tables = with_captures(materials)?
            .into_iter()
            .map(|material: Material| -> Result<PlannedTable, GenerateError> {
                let Estimate { slots, memory, .. } =
                    estimate(material, rules).ok_or(GenerateError::TooLarge(material))?;
                Ok(PlannedTable {
                    material: material.to_string(),
                    men: material.men(),
                    slots,
                    memory,
                    file: file_name(material, rules, metric),
                    captures: material.captures().iter().map(Material::to_string).collect(),
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { rules, metric, tables })
    }

    /// As a graph in the DOT language; arrows lead from a table to those it needs.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut text = format!(
            "// Tables with rules {}, metric {}; arrows lead to what a table needs.\n\
             digraph tables {{\n  node [shape=box];\n",
            self.rules, self.metric
        );
        for table in &self.tables {
            let PlannedTable { material, slots, .. } = table;
            let memory = table.memory_mib();
            append(
                &mut text,
                format_args!(
                    "  \"{material}\" [label=\"{material}\\n{slots} slots\\n{memory} MiB\"];\n"
                ),
            );
        }
        for PlannedTable { material, captures, .. } in &self.tables {
            for left in captures {
                append(&mut text, format_args!("  \"{material}\" -> \"{left}\";\n"));
            }
        }
        text.push_str("}\n");
        text
    }

    /// As a makefile with a rule for each table. Its variables `DIR`, `JUZHONG` and `OPTIONS` can be
    /// set where `make` is called; the folder's name must be without spaces.
    #[must_use]
    pub fn to_make(&self) -> String {
        let rules = self.rules;
        let metric = self.metric;
        let mut text = format!(
            "# Endgame tables with rules {rules}, metric {metric}, one job for each:\n\
             #   make -f THIS_FILE -j 2 DIR=tables JUZHONG=juzhong OPTIONS='--threads 1'\n\
             DIR ?= tables\nJUZHONG ?= juzhong\nOPTIONS ?=\n\
             GENERATE = $(JUZHONG) tablebase generate --tables $(DIR) --rules {rules} --metric {metric} \
             $(OPTIONS)\n\n.PHONY: all\nall:"
        );
        for PlannedTable { file, .. } in &self.tables {
            append(&mut text, format_args!(" \\\n  $(DIR)/{file}"));
        }
        text.push('\n');
        for table in &self.tables {
            self.append_rule(table, &mut text);
        }
        text
    }

    fn append_rule(&self, table: &PlannedTable, text: &mut String) {
        let PlannedTable { material, slots, file, captures, .. } = table;
        let memory = table.memory_mib();
        append(text, format_args!("\n# {slots} slots, {memory} MiB\n$(DIR)/{file}:"));
        for left in captures {
            let needed = self.tables.iter().find(|other| other.material == *left);
            append(text, format_args!(" $(DIR)/{}", needed.map_or(left, |other| &other.file)));
        }
        // A table that was there already is younger than what it was built from from now on.
        append(text, format_args!("\n\t$(GENERATE) {material}\n\t@touch -c $@\n"));
    }
}

impl PlannedTable {
    /// Peak memory of building it, in MiB, rounded up.
    #[must_use]
    pub const fn memory_mib(&self) -> u64 {
        self.memory.div_ceil(1 << 20)
    }
}

fn append(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ok = text.write_fmt(arguments);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(names: &[&str]) -> Plan {
        let materials: Vec<Material> = names.iter().map(|name| name.parse().unwrap()).collect();
        Plan::new(&materials, Rules::Check, Metric::Dtm).unwrap()
    }

    #[test]
    fn every_table_comes_after_those_it_needs() {
        let plan = Plan::new(&Material::all_up_to(5), Rules::None, Metric::Dtc).unwrap();
        assert_eq!(plan.tables.len(), 226);
        for (i, table) in plan.tables.iter().enumerate() {
            let before = &plan.tables[..i];
            for left in &table.captures {
                let needed = before.iter().find(|other| other.material == *left).unwrap();
                assert!(needed.slots < table.slots && needed.memory <= table.memory);
            }
        }
    }

    #[test]
    fn the_order_of_asking_does_not_matter() {
        let plan = plan(&["KRvKN", "KRvKA"]);
        assert_eq!(plan, self::plan(&["KAvKR", "KRvK", "KNvKR"]));
        let names: Vec<&str> = plan.tables.iter().map(|table| table.material.as_str()).collect();
        assert_eq!(names, ["KvK", "KAvK", "KNvK", "KRvK", "KRvKA", "KRvKN"]);
        assert_eq!(plan.tables[5].captures, ["KNvK", "KRvK"]);
        assert_eq!(plan.tables[5].file, "KRvKN.check.dtm.jzt");
    }

    #[test]
    fn golden_texts() {
        let plan = Plan {
            tables: plan(&["KRvK"])
                .tables
                .into_iter()
                .map(|table| PlannedTable { memory: 3 << 19, ..table })
                .collect(),
            ..plan(&["KRvK"])
        };
        let slots: Vec<u64> = plan.tables.iter().map(|table| table.slots).collect();
        let dot = plan.to_dot();
        assert!(dot.contains(&format!("\"KRvK\" [label=\"KRvK\\n{} slots\\n2 MiB\"];", slots[1])));
        assert!(dot.contains("\n  \"KRvK\" -> \"KvK\";\n}\n"), "{dot}");
        let make = plan.to_make();
        let rule = format!(
            "\n# {} slots, 2 MiB\n\
             $(DIR)/KRvK.check.dtm.jzt: $(DIR)/KvK.check.dtm.jzt\n\
             \t$(GENERATE) KRvK\n\t@touch -c $@\n",
            slots[1]
        );
        assert!(make.ends_with(&rule), "{make}");
        let all = "all: \\\n  $(DIR)/KvK.check.dtm.jzt \\\n  $(DIR)/KRvK.check.dtm.jzt\n";
        assert!(make.contains(all), "{make}");
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for name in ["KRRNNCCvKRRNNCC", "KRRNNCCPPPPPAABBvKRRNNCCPPPPPAABB"] {
            let material = name.parse().unwrap();
            let error = Plan::new(&[material], Rules::Check, Metric::Dtm).unwrap_err();
            assert!(
                matches!(error, GenerateError::TooLarge(large) if large == material),
                "{error}"
            );
        }
    }
}
