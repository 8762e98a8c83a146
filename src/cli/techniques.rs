//! `juzhong bench techniques`: the nodes of searches with fewer techniques.

use super::{CliError, Context, exit, write_answer};
use juzhong::answers::TechniquesAnswer;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Maximum depth; plain alpha-beta takes about twenty times as long for each additional ply.
    #[arg(long, default_value_t = TechniquesAnswer::DEPTH, value_parser = clap::value_parser!(u32).range(1..=12))]
    depth: u32,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let answer = TechniquesAnswer::measure(args.depth)?;
    if context.common.json {
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    writeln!(context.out, "{:<20} depth       nodes  quiescence    document", "search")?;
    for search in &answer.searches {
        let name = search.name;
        for count in &search.depths {
            let document = count.document.map_or_else(|| "-".to_owned(), |n| n.to_string());
            writeln!(
                context.out,
                "{name:<20} {:>5} {:>11} {:>11} {document:>11}",
                count.depth, count.nodes, count.quiescence_nodes
            )?;
        }
    }
    Ok(exit::OK)
}
