use serde_json::json;

use super::progress::Printer;
use super::{Asked, Folder, generate_error};
use crate::cli::{CliError, Context, OrExit, exit};
use crate::tablebase::{GenerateOptions, Material, generate_all};

/// Builds tables.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Sets of men, as in KRvKN.
    #[arg(required_unless_present = "men", value_name = "MATERIAL")]
    materials: Vec<Asked>,
    /// All sets of up to this many men, kings included.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=6))]
    men: Option<u8>,
    #[command(flatten)]
    folder: Folder,
    /// Number of threads (default: one for each core).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Refuse what needs more memory, as in 2GiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
}

/// Bytes, with an optional K, M, G or T (of 1024), `iB` or `B` after it.
fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => Some(1u64),
        "k" | "kb" | "kib" => Some(1 << 10),
        "m" | "mb" | "mib" => Some(1 << 20),
        "g" | "gb" | "gib" => Some(1 << 30),
        "t" | "tb" | "tib" => Some(1 << 40),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok();
    let size = number.zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    size.ok_or_else(|| format!("\"{text}\" is no size; write 500MiB or 2GiB"))
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let mut materials: Vec<Material> = args.materials.iter().map(|asked| asked.material).collect();
    materials.extend(args.men.into_iter().flat_map(|men| Material::all_up_to(men.into())));
    let options = GenerateOptions {
        rules: args.folder.rules,
        metric: args.folder.metric,
        threads: args.threads.map(usize::from),
        memory: args.memory,
    };
    let printer = Printer::new();
    super::progress::catch_interrupts().or_exit(exit::IO)?;
    let report = generate_all(&args.folder.dir, &materials, &options, &printer);
    printer.done();
    let report = report.map_err(generate_error)?;
    if context.common.json {
        let tables: Vec<_> = report
            .tables
            .iter()
            .map(|built| {
                json!({
                    "material": built.material.to_string(),
                    "path": built.path.display().to_string(),
                    "bytes": built.bytes,
                    "reused": built.reused,
                })
            })
            .collect();
        let answer = json!({
            "schema": "juzhong.tablebase.generate/1",
            "rules": args.folder.rules.name(),
            "metric": args.folder.metric.name(),
            "tables": tables,
        });
        writeln!(context.out, "{answer}")?;
        return Ok(exit::OK);
    }
    let built = report.tables.iter().filter(|table| !table.reused).count();
    let bytes: u64 = report.tables.iter().map(|table| table.bytes).sum();
    writeln!(
        context.out,
        "{} tables in {} ({built} built now), {bytes} bytes",
        report.tables.len(),
        args.folder.dir.display()
    )?;
    Ok(exit::OK)
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        assert_eq!(parse_size("500 M"), Ok(500 << 20));
        assert_eq!(parse_size("123"), Ok(123));
        for wrong in ["", "GiB", "1.5G", "-1", "99999999999T", "3 apples"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
