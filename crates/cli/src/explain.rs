//! `parascan explain`: which dependence stops a loop.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use parascan_abi::log::DEFAULT_MAX_DEPTH;
use parascan_analysis::evidence::LoopFacts;
use parascan_analysis::explain::{explain, focus};
use parascan_formats::codec;
use parascan_formats::evidence::Evidence;
use parascan_formats::module::LeftOutDependence;
use parascan_formats::profile::Profile;
use parascan_views::{explain_csv, explain_json, explain_text};

use crate::args::{self, Format};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::output::OutputFile;
use crate::process::child::prepare_process;
use crate::process::scratch::Scratch;
use crate::process::signals;
use crate::record::config;
use crate::record::evidence::{self, ObservedScope};
use crate::record::profiles;
use crate::record::program::{RecordedProgram, RunSetup};
use crate::record::stdin::{self, InputSource};
use crate::{planning, print, profile};

/// Prints explanations, after a run that observes dependences where the profile has no evidence, too little for the
/// limit or the loops that are given, or a program is given.
pub fn run(mut raw: args::ExplainArgs) -> Outcome<()> {
    find_profile(&mut raw);
    let raw = &raw;
    let sink = print::PrintTarget::new(raw.printing.output.as_deref())?;
    let mut read = profile::read_all(std::slice::from_ref(&raw.profile))?;
    let [one] = &mut read[..] else {
        return Ok(());
    };
    let options = planning::by_default()?;
    // A wrong name is told before anything runs.
    let known = explain(std::slice::from_ref(one), &raw.regions, &[], &options)?;
    let others = profile::read_all(&raw.without)?;
    for (path, other) in raw.without.iter().zip(&others) {
        let names_loop = |text: &String| {
            let left_out = LeftOutDependence::parse(text);
            let regions = &mut other.regions.iter().map(|r| &r.fixed);
            left_out.is_some_and(|l| regions.any(|r| l.is_of(&r.file, r.line)))
        };
        let mut left_out = other.modules.iter().flat_map(|m| &m.without);
        if !left_out.any(names_loop) {
            return Err(Failure::new(
                FailureKind::Usage,
                format!(
                    "{}: the program was built with nothing left out; PARASCAN_WITHOUT=FILE:LINE:NAME must name the line on which the \
                     loop begins and what is read there, both as `parascan explain` prints them",
                    path.display()
                ),
            ));
        }
    }
    // Nothing was found in what the quota allowed, of a loop that is asked for.
    let open = |facts: &LoopFacts| {
        facts.instances + facts.iterations <= u64::from(evidence::QUOTA)
            && facts.is_short()
            && !facts.partial
            && facts.blocking().next().is_none()
    };
    let ended = known
        .loops
        .iter()
        .filter_map(|l| l.facts.as_ref())
        .any(open);
    let more = |e: &Evidence| e.partial && raw.limit.is_some() || ended && !raw.regions.is_empty();
    if !raw.command.is_empty() || one.evidence.as_ref().is_none_or(more) {
        observe(raw, one)?;
    }
    let all = explain(&read, &raw.regions, &others, &options)?;
    sink.write(&match raw.printing.format {
        Format::Text => sink.style().lay_out(|style| explain_text(&all, style)),
        Format::Json => explain_json(&all),
        Format::Csv => explain_csv(&all),
    })
}

/// The first argument is a loop, and the profile the one that all commands read, if it is no file and looks like one:
/// `solver.c:120`.
fn find_profile(raw: &mut args::ExplainArgs) {
    let is_loop = |text: &&str| text.contains(':') && !Path::new(text).exists();
    let Some(region) = raw.profile.to_str().filter(is_loop) else {
        return;
    };
    if Path::new(args::DEFAULT_PROFILE).is_file() {
        raw.regions.insert(0, region.to_owned());
        raw.profile = args::DEFAULT_PROFILE.into();
    }
}

/// Runs the program and puts its evidence into the profile, in memory and in its file.
fn observe(raw: &args::ExplainArgs, profile: &mut Profile) -> Outcome<()> {
    if profiles::is_further(profile) {
        return Err(Failure::new(
            FailureKind::Usage,
            format!(
                "{}: the profile is of a process that the program started or forked; only the program's first process can be observed, \
                 and what that does says nothing of this one",
                raw.profile.display()
            ),
        ));
    }
    let recorded = || {
        let words = profile.provenance.command.iter();
        words.map(OsString::from).collect::<Vec<_>>()
    };
    let (command, directory, mut input) = if raw.command.is_empty() {
        let directory = PathBuf::from(&profile.provenance.directory);
        (recorded(), Some(directory), None)
    } else {
        let input = InputSource::of_process(true).map_err(stdin::not_for_evidence)?;
        (raw.command.clone(), None, Some(input))
    };
    if command.is_empty() {
        return Err(Failure::new(
            FailureKind::Usage,
            "the profile does not say how the program was run: give the program and its input behind --",
        ));
    }
    let output = if raw.profile.as_os_str() == "-" {
        None
    } else {
        Some(OutputFile::check_for(
            "parascan explain FILE",
            &raw.profile,
        )?)
    };
    let mut program = RecordedProgram::whole(command, DEFAULT_MAX_DEPTH);
    if let Some(directory) = &directory
        && program.path.is_absolute()
        && PathBuf::from(&program.words[0]).is_relative()
    {
        program.path = directory.join(&program.words[0]);
    }
    let scratch = Scratch::new()?;
    signals::install();
    prepare_process();
    let focus = focus(profile, &raw.regions, &planning::by_default()?)?;
    let scope = ObservedScope {
        limit: raw.limit.unwrap_or(config::LIMIT),
        ..ObservedScope::new(focus, profile.work)
    };
    let mut first = true;
    evidence::add(profile, scope, |scope| {
        let stdin = match (&mut input, std::mem::take(&mut first)) {
            (None, _) => Stdio::null(),
            (Some(input), true) => input.first().map_err(stdin::not_for_evidence)?,
            (Some(input), false) => input.again().map_err(stdin::not_for_evidence)?,
        };
        let around = RunSetup {
            stdin,
            silent: true,
            directory: directory.clone(),
        };
        evidence::observe(
            &program,
            &scratch.folder_named(scope.folder())?,
            scope,
            around,
        )
    })?;
    if let Some(output) = output {
        let bytes = codec::encode(profile).map_err(|e| {
            Failure::new(
                FailureKind::BadLog,
                format!("the profile cannot be written: {e}"),
            )
        })?;
        output.write(&bytes)?;
    }
    Ok(())
}
