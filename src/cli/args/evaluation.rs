//! The option that names an evaluation, the same for every command whose own engine searches.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::cli::{CliError, Context, exit};
use juzhong::game::EvaluationKind;
use juzhong::protocol::client::EngineEntry;

/// The evaluation of this program's own engine.
#[derive(Debug, clap::Args)]
pub(crate) struct EvaluationArgs {
    /// The way in which this program's own engine evaluates positions of xiangqi: by its network, or by classical terms.
    #[arg(long, value_name = "KIND", default_value_t, value_parser = kinds())]
    evaluation: EvaluationKind,
}

/// Reads the name of an evaluation.
fn kinds() -> impl TypedValueParser<Value = EvaluationKind> {
    let names = PossibleValuesParser::new(EvaluationKind::ALL.map(EvaluationKind::name));
    names.try_map(|name| name.parse::<EvaluationKind>())
}

impl EvaluationArgs {
    /// The evaluation.
    pub(crate) const fn kind(&self) -> EvaluationKind {
        self.evaluation
    }

    /// Refuses an evaluation that stands on the command line where another engine searches.
    pub(crate) fn check(
        &self,
        entry: Option<&EngineEntry>,
        context: &Context<'_>,
    ) -> Result<(), CliError> {
        if entry.is_some() && context.is_typed("evaluation") {
            let message =
                "--evaluation is of this program's own engine; leave out --evaluation or --engine";
            return Err(CliError::message(exit::USAGE, message));
        }
        Ok(())
    }
}
