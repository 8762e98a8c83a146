//! `juzhong man`: the pages of the manual.

use std::path::PathBuf;
use std::{fs, io};

use clap_mangen::Man;

use crate::cli::{CliError, Context, OrExit, exit};
use crate::language::say;
use juzhong::bytes::atomic;
use juzhong::bytes::visible::ShowPath;

/// Write man pages.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Output folder; it is created.
    #[arg(long)]
    dir: PathBuf,
}

/// Writes the pages of the program whose commands these are.
pub(crate) fn run(
    args: &Args,
    program: clap::Command,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    fs::create_dir_all(&args.dir).or_exit_with(exit::CANNOT_CREATE, || args.dir.shown())?;
    let mut command = program.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(command, "", &mut pages)?;
    for (name, page) in &pages {
        let path = args.dir.join(name);
        atomic::write(&path, page)
            .or_exit_with(exit::CANNOT_CREATE, || path.shown().to_string())?;
    }
    say!(context.out, "{} man pages in {}", pages.len(), args.dir.shown())?;
    Ok(exit::OK)
}

/// Adds the page of a command, and those of the commands below it that are shown in its help.
fn collect(
    command: clap::Command,
    above: &str,
    pages: &mut Vec<(String, Vec<u8>)>,
) -> io::Result<()> {
    let name = if above.is_empty() {
        command.get_name().to_owned()
    } else {
        format!("{above}-{}", command.get_name())
    };
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        collect(below.clone(), &name, pages)?;
    }
    let mut page = Vec::new();
    Man::new(command.display_name(name.clone())).render(&mut page)?;
    pages.push((format!("{name}.1"), page));
    Ok(())
}
