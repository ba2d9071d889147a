//! Builds of variants, each in a copy of the source tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use parascan_analysis::apply::{Edit, EditState};
use parascan_formats::profile::Profile;

use super::config::ProveConfig;
use super::copy;
use crate::apply::tree::SourceTree;
use crate::driver::plain::{self, BuildPurpose};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::process::{limited, signals};
use crate::record::built;
use crate::shell::quoted;

/// No build takes longer.
const LIMIT: Duration = Duration::from_secs(4 * 3600);
/// File systems may keep times in whole seconds, and round them.
const SLACK: Duration = Duration::from_secs(2);

/// A program that was built.
#[derive(Debug)]
pub struct Built {
    /// Where it runs.
    pub folder: PathBuf,
    /// The executable that the build left behind.
    pub program: PathBuf,
}

impl Built {
    /// How the program is built in this copy of the source tree.
    pub fn of(config: &ProveConfig, copy: &Path) -> Self {
        Self {
            folder: copy.join(&config.run_folder),
            program: copy.join(&config.program),
        }
    }
}

/// All edits that there may be in a source, and which of them a variant has: those of these entries of the plan.
#[derive(Clone, Copy)]
pub struct Variation<'a> {
    pub profiles: &'a [Profile],
    pub edits: &'a [Edit],
    pub ranks: &'a [u32],
}

/// Makes a copy of the tree with a variant's edits in it and no others, and builds there; the inner error is why there
/// is no program.
pub fn build(
    config: &ProveConfig,
    variation: Variation,
    purpose: BuildPurpose,
    copy: &Path,
) -> Outcome<Result<Built, String>> {
    let _ = fs::remove_dir_all(copy);
    let configured = copy::tree(&config.root, copy)?;
    let found = build_in(config, variation, purpose, copy)?;
    Ok(found.map_err(|why| match configured {
        true => format!("{why}; {CONFIGURED}"),
        false => why,
    }))
}

/// What to do where a folder of CMake's or Meson's is missed.
const CONFIGURED: &str = "folders that CMake or Meson configured are not copied, because they lead back to the original: have --build configure one, \
                          as in 'cmake -S . -B build -DCMAKE_C_COMPILER={cc} && cmake --build build'";

/// The same in a copy of the tree.
fn build_in(
    config: &ProveConfig,
    Variation {
        profiles,
        edits,
        ranks,
    }: Variation,
    purpose: BuildPurpose,
    copy: &Path,
) -> Outcome<Result<Built, String>> {
    let io = |e: std::io::Error| {
        Failure::new(
            FailureKind::Io,
            format!("cannot build in {}: {e}", copy.display()),
        )
    };
    let of_variant = |edit: &Edit| edit.ranks.iter().any(|rank| ranks.contains(rank));
    let wanted: Vec<bool> = edits.iter().map(of_variant).collect();
    let changes = SourceTree::new(copy)?
        .of_copy()
        .changes(profiles, edits, &wanted);
    for state in &changes.states {
        if let EditState::Refused(why) = state {
            return Ok(Err(why.to_string()));
        }
    }
    for (path, change) in &changes.files {
        fs::write(path, &change.new).map_err(io)?;
    }
    let scratch = copy.with_extension("build");
    fs::create_dir_all(&scratch).map_err(io)?;
    let seen = scratch.join("seen");
    let _ = fs::remove_file(&seen);
    let begun = SystemTime::now();
    let done = limited::run(&mut command(config, purpose, copy, &seen)?, LIMIT, &scratch);
    let done = done.map_err(io)?;
    if signals::interrupted() {
        return Ok(Err("interrupted".to_owned()));
    }
    if done.code() != Some(0) {
        let said = first_error(&done.stderr);
        return Ok(Err(match said {
            Some(said) => said,
            None => format!("the build command failed: {}", done.end()),
        }));
    }
    let built = Built::of(config, copy);
    let new = fs::metadata(&built.program).and_then(|m| m.modified());
    let name = config.program.display();
    let compiled = seen.exists();
    Ok(match new {
        Err(_) => Err(format!("the build command made no {name}")),
        _ if !compiled => Err(
            "the build command did not call {cc} or {c++}: give them as its compilers".to_owned(),
        ),
        Ok(time) if time + SLACK < begun => Err(format!(
            "the build command did not make {name} anew: have it clean up first"
        )),
        _ if built::surely(&built.program) => Err(format!(
            "{name} is instrumented for parascan record: have the build command clean up first"
        )),
        Ok(_) => Ok(built),
    })
}

fn command(
    config: &ProveConfig,
    purpose: BuildPurpose,
    copy: &Path,
    seen: &Path,
) -> Outcome<Command> {
    let own = std::env::current_exe().map_err(|e| {
        Failure::new(
            FailureKind::Internal,
            format!("cannot find parascan itself: {e}"),
        )
    })?;
    let driver = |name: &str| {
        let path = own.with_file_name(name);
        match path.is_file() {
            true => Ok(path),
            false => Err(Failure::new(
                FailureKind::Unavailable,
                format!("{} is missing: install parascan as a whole", path.display()),
            )),
        }
    };
    let (cc, cxx) = (driver("parascan-cc")?, driver("parascan-c++")?);
    let text = config
        .build
        .replace("{cc}", &quoted(&cc))
        .replace("{c++}", &quoted(&cxx))
        .replace("{cxx}", &quoted(&cxx));
    let mut command = Command::new("sh");
    command
        .args(["-c", &text])
        .current_dir(copy.join(&config.build_folder))
        .stdin(Stdio::null())
        .env("CC", &cc)
        .env("CXX", &cxx)
        .env(plain::PURPOSE, purpose.name())
        .env(plain::SEEN, seen);
    Ok(command)
}

/// The first message about an error.
fn first_error(messages: &str) -> Option<String> {
    let mut lines = messages.lines();
    let line = lines.find(|l| l.contains("error") || l.contains("Error"))?;
    Some(line.trim().to_owned())
}
