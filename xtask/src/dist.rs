//! What users get who do not build parascan: an archive that works wherever it is unpacked, and a Debian package.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::command::{output, run};
use crate::places::WorkFolders;
use crate::{build, licences, setup, tracer};

/// Completion scripts: shell, and where they are found below a prefix.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/parascan"),
    ("zsh", "share/zsh/site-functions/_parascan"),
    ("fish", "share/fish/vendor_completions.d/parascan.fish"),
];
/// Documents at the root of the workspace that are passed on.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Builds everything and packs it into `target/dist`.
pub fn dist(places: &WorkFolders) -> Result<()> {
    let (archive, package) = pack(places)?;
    println!("{}\n{}", archive.display(), package.display());
    Ok(())
}

/// The same, then uses both in a clean Debian 12: `target/dist/root`, which needs root's rights and the network.
pub fn attempt(places: &WorkFolders) -> Result<()> {
    let (archive, package) = pack(places)?;
    let root = places.target.join("dist/root");
    ensure!(
        is_root(),
        "a clean root folder takes root's rights (chroot): run `cargo xtask dist --try` as root"
    );
    setup::install(&[setup::ROOTS])?;
    remove(&root)?;
    let mirror = "http://deb.debian.org/debian";
    run(Command::new("debootstrap")
        .args(["--variant=minbase", "bookworm"])
        .arg(&root)
        .arg(mirror))?;
    let inside = root.join("root");
    for (from, name) in [(&archive, "parascan.tar.gz"), (&package, "parascan.deb")] {
        fs::copy(from, inside.join(name)).with_context(|| from.display().to_string())?;
    }
    fs::write(inside.join("try.sh"), include_str!("dist/try.sh")).context("try.sh")?;
    // Where this system gets its packages from: LLVM 22 is not in the first release.
    fs::write(
        root.join("etc/apt/sources.list"),
        format!(
            "deb {mirror} bookworm main\ndeb {mirror} bookworm-updates main\ndeb http://deb.debian.org/debian-security bookworm-security main\n"
        ),
    )
    .context("sources.list")?;
    let tried = run(Command::new("unshare")
        .args(["--mount", "--pid", "--fork"])
        .arg("--mount-proc")
        .arg(format!("--root={}", root.display()))
        .args(["/bin/sh", "/root/try.sh"]));
    tried.with_context(|| format!("in {}, which is left as it is", root.display()))?;
    remove(&root)?;
    println!("Archive and package work in a clean Debian 12 without Rust.");
    Ok(())
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0)
}

/// Makes archive and package; their paths.
fn pack(places: &WorkFolders) -> Result<(PathBuf, PathBuf)> {
    setup::install(&[setup::TOOLCHAIN, setup::TRACER, setup::PACKING])?;
    build::build(places)?;
    tracer::build(places)?;
    let folder = places.target.join("dist");
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("parascan-{version}-x86_64-linux");
    let tree = folder.join(&name);
    stage(places, &tree)?;
    let archive = folder.join(format!("{name}.tar.gz"));
    tar(&folder, &name, &archive)?;
    let package = folder.join(format!("parascan_{version}_amd64.deb"));
    deb(&folder, &tree, version, &package)?;
    Ok((archive, package))
}

/// Lays out everything below a prefix.
fn stage(places: &WorkFolders, tree: &Path) -> Result<()> {
    remove(tree)?;
    let [bin, lib, include, man, doc] = [
        "bin",
        "lib/parascan",
        "include",
        "share/man/man1",
        "share/doc/parascan",
    ]
    .map(|f| tree.join(f));
    for each in [&bin, &lib, &include, &man, &doc] {
        fs::create_dir_all(each).with_context(|| each.display().to_string())?;
    }
    let binary = bin.join("parascan");
    strip(&places.tool("parascan"), &binary)?;
    for driver in build::DRIVERS {
        symlink("parascan", bin.join(driver)).context(driver)?;
    }
    for (from, to) in [("lib/parascan", &lib), ("include", &include)] {
        for path in files(&places.home().join(from))? {
            let target = to.join(path.file_name().context("a file has a name")?);
            match path.extension().is_some_and(|e| e == "so") {
                true => strip(&path, &target)?,
                false => copy(&path, &target)?,
            }
        }
    }
    run(Command::new(&binary).args(["man", "--all"]).arg(&man))?;
    for (shell, place) in COMPLETIONS {
        let path = tree.join(place);
        let parent = path.parent().context("a file lies in a folder")?;
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        let script = output(Command::new(&binary).args(["completions", shell]))?;
        fs::write(&path, script).with_context(|| path.display().to_string())?;
    }
    for name in DOCUMENTS {
        copy(&places.root.join(name), &doc.join(name))?;
    }
    // With the program that the tutorial begins with.
    for folder in ["docs", "docs/tutorial"] {
        let target = doc.join(folder);
        fs::create_dir_all(&target).with_context(|| target.display().to_string())?;
        for path in files(&places.root.join(folder))? {
            let name = path.file_name().context("a file has a name")?;
            copy(&path, &target.join(name))?;
        }
    }
    let notices = doc.join("THIRD-PARTY");
    fs::write(&notices, licences::notices(places)?).with_context(|| notices.display().to_string())
}

/// An archive of a folder that has the same bytes whoever makes it of the same files.
fn tar(folder: &Path, name: &str, archive: &Path) -> Result<()> {
    let new = archive.with_extension("new");
    run(Command::new("tar")
        .arg("--directory")
        .arg(folder)
        .args([
            "--sort=name",
            "--owner=0",
            "--group=0",
            "--numeric-owner",
            "--mtime=@0",
        ])
        .args(["--gzip", "--create", "--file"])
        .arg(&new)
        .arg(name))?;
    build::replace(&new, archive)
}

/// A Debian package of the tree below `/usr`.
fn deb(folder: &Path, tree: &Path, version: &str, package: &Path) -> Result<()> {
    let root = folder.join("package");
    remove(&root)?;
    let control = root.join("DEBIAN");
    fs::create_dir_all(&control).with_context(|| control.display().to_string())?;
    run(Command::new("cp").arg("-a").arg(tree).arg(root.join("usr")))?;
    let libc =
        output(Command::new("dpkg-query").args(["--showformat=${Version}", "--show", "libc6"]))?;
    let size = output(
        Command::new("du")
            .args(["--summarize", "--block-size=1024"])
            .arg(tree),
    )?;
    let size = size
        .split_whitespace()
        .next()
        .context("du printed nothing")?;
    let text = format!(
        "Package: parascan\n\
         Version: {version}\n\
         Architecture: amd64\n\
         Maintainer: the parascan authors <maintainers@users.noreply.a-seed-2a08f234.example>\n\
         Installed-Size: {size}\n\
         Depends: clang-22, libllvm22, libc6 (>= {}), libgcc-s1, libstdc++6\n\
         Recommends: libomp-22-dev, libclang-rt-22-dev\n\
         Suggests: flang-22\n\
         Section: devel\n\
         Priority: optional\n\
         Description: finds the parallelism in programs\n \
         Where it is, what it is worth, what stops it, and what to do first: for\n \
         serial programs in C, C++ and Fortran, OpenMP programs, and instructions of any\n \
         x86-64 program.\n",
        upstream(&libc)?
    );
    fs::write(control.join("control"), text).context("control")?;
    let new = package.with_extension("new");
    run(Command::new("dpkg-deb")
        .args(["--root-owner-group", "--build"])
        .arg(&root)
        .arg(&new))?;
    remove(&root)?;
    build::replace(&new, package)
}

/// A Debian version without its revision: what symbols of a library depend on.
fn upstream(version: &str) -> Result<&str> {
    let upstream = version
        .trim()
        .rsplit_once('-')
        .map_or(version.trim(), |(upstream, _)| upstream);
    if !upstream.starts_with(|c: char| c.is_ascii_digit()) {
        bail!("libc6 has version {version:?}");
    }
    Ok(upstream)
}

/// The files of a folder, not those of folders in it, by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>();
    let mut paths = paths.with_context(|| folder.display().to_string())?;
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let copied = fs::copy(from, to).and_then(|_| {
        let executable = fs::metadata(from)?.permissions().mode() & 0o111 != 0;
        fs::set_permissions(
            to,
            fs::Permissions::from_mode(if executable { 0o755 } else { 0o644 }),
        )
    });
    copied.with_context(|| format!("{} -> {}", from.display(), to.display()))
}

/// A copy without what only debuggers need.
fn strip(from: &Path, to: &Path) -> Result<()> {
    run(Command::new("objcopy")
        .arg("--strip-unneeded")
        .arg(from)
        .arg(to))
}

fn remove(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder).with_context(|| folder.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_lose_their_revision() {
        assert_eq!(upstream("2.36-9+deb12u14\n").unwrap(), "2.36");
        assert_eq!(upstream("2.41").unwrap(), "2.41");
        assert!(upstream("").is_err());
    }
}
