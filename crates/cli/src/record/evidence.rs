//! The run that observes dependences: the same program, told to report every access, and what it leaves.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use parascan_abi::deps::{ENV_EVIDENCE, ENV_EVIDENCE_LIMIT};
use parascan_formats::evidence::raw;
use parascan_formats::module::RegionKind;
use parascan_formats::profile::Profile;

use super::child::{self, Program, Running, Surroundings};
use crate::exit::{Failure, Kind, Outcome};

/// Iterations observed unless the user says otherwise: some seconds.
pub const LIMIT: u32 = 50_000_000;

/// Runs the program; its evidence goes to a file in `folder`, which need not come to be. `limit`: iterations observed at most.
pub fn observe(
    program: &Program,
    folder: &Path,
    limit: u32,
    around: Surroundings,
) -> Outcome<PathBuf> {
    let path = folder.join("evidence");
    let mut command = Command::new(&program.path);
    command.arg0(&program.words[0]).args(&program.words[1..]);
    command.env(ENV_EVIDENCE, &path);
    command.env(ENV_EVIDENCE_LIMIT, limit.to_string());
    command.env_remove(parascan_abi::log::ENV_DIR);
    command.stdin(around.stdin);
    if around.silent {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    if let Some(directory) = around.directory {
        command.current_dir(directory);
    }
    let child = command
        .spawn()
        .map_err(|e| child::cannot_start("explain", &program.words[0], &program.path, &e))?;
    let pid = child.id() as i32;
    super::signals::watch(pid);
    let mut running = vec![Running {
        pid,
        number: 0,
        levels: 0..0,
        logs: PathBuf::new(),
    }];
    child::wait_any(&mut running)?;
    Ok(path)
}

/// Puts the evidence of a run into the profile of the same program.
pub fn add(profile: &mut Profile, path: &Path) -> Outcome<()> {
    let bytes = std::fs::read(path).map_err(|_| {
        Failure::new(
            Kind::BadLog,
            "the run that was to observe dependences left no evidence: the program ended by a signal, or was built with an older parascan",
        )
    })?;
    let mut regions = vec![0_u32; profile.modules.len()];
    for region in &profile.regions {
        regions[region.module as usize] += 1;
    }
    let modules: Vec<(&str, u32)> = profile
        .modules
        .iter()
        .zip(&regions)
        .map(|(m, &n)| (m.source.as_str(), n))
        .collect();
    let is_loop = |region: u32| {
        profile
            .regions
            .get(region as usize)
            .is_some_and(|r| r.fixed.kind == RegionKind::Loop)
    };
    let evidence = raw::read(&bytes, &modules, is_loop)
        .map_err(|e| Failure::new(Kind::BadLog, e.to_string()))?;
    profile.evidence = Some(evidence);
    Ok(())
}
