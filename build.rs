//! Gives the program its icon, version and manifest on Windows. Elsewhere, and for the library alone, nothing is done.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "cli")]
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "windows") {
        resource::add();
    }
}

#[cfg(feature = "cli")]
mod resource {
    use std::path::{Path, PathBuf};
    use std::{env, fs, io};

    /// The folder of the icon, the manifest and the resource script.
    const FOLDER: &str = "contrib/windows";

    /// Links the resource to the program. Without a compiler of resources the program is the same but for these, so
    /// that is a warning.
    pub(super) fn add() {
        println!("cargo::rerun-if-changed={FOLDER}");
        leave_time_out();
        let added = script().and_then(|script| {
            winresource::WindowsResource::new().set_resource_file(&script).compile_for("juzhong")
        });
        if let Err(error) = added {
            println!("cargo::warning=juzhong.exe has no icon and no version: {error}");
        }
    }

    /// Leaves the time of linking out of the program, which is the same bytes from the same sources then.
    fn leave_time_out() {
        let argument = match env::var("CARGO_CFG_TARGET_ENV").as_deref() {
            Ok("msvc") => "/Brepro",
            _ => "-Wl,--no-insert-timestamp",
        };
        println!("cargo::rustc-link-arg-bin=juzhong={argument}");
    }

    /// Writes the resource script of this version, and returns its path.
    fn script() -> io::Result<String> {
        let folder = Path::new(&variable("CARGO_MANIFEST_DIR")?).join(FOLDER);
        let numbers =
            ["MAJOR", "MINOR", "PATCH"].map(|part| variable(&format!("CARGO_PKG_VERSION_{part}")));
        let numbers = numbers.into_iter().collect::<io::Result<Vec<_>>>()?;
        let script = fs::read_to_string(folder.join("juzhong.rc"))?
            // Slashes are understood everywhere, backslashes would have to be escaped.
            .replace("@FOLDER@", &folder.display().to_string().replace('\\', "/"))
            .replace("@NUMBERS@", &format!("{},0", numbers.join(",")))
            .replace("@VERSION@", &variable("CARGO_PKG_VERSION")?);
        let path = PathBuf::from(variable("OUT_DIR")?).join("juzhong.rc");
        fs::write(&path, script)?;
        Ok(path.display().to_string())
    }

    /// A variable that cargo sets.
    fn variable(name: &str) -> io::Result<String> {
        env::var(name).map_err(io::Error::other)
    }
}
