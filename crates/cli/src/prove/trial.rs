//! A proof at work: builds, rounds of runs, the race check, and what is kept.

use std::path::PathBuf;

use parascan_analysis::apply::{Applied, AppliedEntry, Edit, edits};
use parascan_analysis::plan::{self, Plan, PlanOptions};
use parascan_analysis::proof::{Proof, Races, TimedRun, Variant, VariantEntries};
use parascan_formats::profile::Profile;
use parascan_views::{apply_notes, patch};

use super::config::{ProveConfig, RaceCheck};
use super::runs::{BuiltProgram, ProofProgress, RunOutput, StandardInput};
use super::state::{ProofFolder, ProofState};
use super::{build, races, runs};
use crate::apply::tree::SourceTree;
use crate::apply::wanted;
use crate::driver::plain::BuildPurpose;
use crate::exit::{Failure, FailureKind, Outcome};
use crate::process::signals;
use crate::{args, print};

/// A proof that is being made: the copies, builds and runs of the plan's variants.
pub struct RunningProof<'a> {
    pub config: &'a ProveConfig,
    pub profiles: &'a [Profile],
    pub input: &'a StandardInput,
    pub folder: &'a mut ProofFolder,
    pub progress: ProofProgress,
}

impl RunningProof<'_> {
    /// Makes the whole proof, as far as it was not made before.
    pub fn all(
        &mut self,
        raw: &args::ProveArgs,
        options: &mut PlanOptions,
        state: &mut ProofState,
    ) -> Outcome<Proof> {
        let ideal = plan::plan(self.profiles, options)?;
        let expected = self.serial(&edits(&ideal).1, state)?;
        let same_input = self.same_input();
        if let Some(machine) = &mut options.machine {
            // What was measured is the recorded run's time only if it is the same run.
            if same_input && machine.serial_seconds.is_none() {
                machine.serial_seconds = Some(state.first);
            }
            if raw.planning.cores.is_none() {
                machine.cores = self.config.threads.iter().copied().fold(2, u32::max);
            }
        }
        let plan = plan::plan(self.profiles, options)?;
        let (entries, edits) = edits(&plan);
        let wanted = wanted(&entries, edits.len(), raw.entries.as_ref())?;
        if state.proof.is_none() {
            self.notes(&plan, &entries, &edits, &wanted, raw)?;
            state.proof = Some(self.begin(&plan, &entries, &edits, &wanted, same_input));
        }
        self.variants(&edits, &expected, state)?;
        let more = untried(&plan, &edits, proof(state));
        if !more.is_empty() {
            proof(state).variants.extend(more);
            self.variants(&edits, &expected, state)?;
        }
        let proof = proof(state).clone();
        if let Some(output) = &self.config.patch {
            let proven = proof.proven();
            let wanted: Vec<bool> = edits
                .iter()
                .map(|e| e.ranks.iter().any(|rank| proven.contains(rank)))
                .collect();
            let changes =
                SourceTree::new(&self.config.root)?.changes(self.profiles, &edits, &wanted);
            let files: Vec<_> = changes.files.into_values().collect();
            output.write(patch(&files).as_bytes())?;
        }
        Ok(proof)
    }

    /// Builds and runs the serial program; what it gives.
    fn serial(&mut self, edits: &[Edit], state: &mut ProofState) -> Outcome<RunOutput> {
        let copy = self.folder.path().join("serial");
        let kept = self.folder.path().join("expected");
        if let Some(code) = state.code
            && let Some(results) = RunOutput::load(&kept, code)
        {
            return Ok(results);
        }
        let cannot = |why: String| {
            Failure::new(
                FailureKind::NoProgram,
                format!("the serial program cannot be built: {why}"),
            )
        };
        self.progress.say("builds the serial program");
        let serial = self.variation(edits, &[]);
        let built = build::build(self.config, serial, BuildPurpose::Serial, &copy)?;
        let built = built.map_err(cannot)?;
        self.progress.say("runs the serial program");
        let program = BuiltProgram::new(self.config, built, self.input);
        // The first run reads files that later ones find in memory.
        program.run(None, runs::FOREVER, self.folder.path())?;
        let (done, results) = program.run(None, runs::FOREVER, self.folder.path())?;
        let code = done.status.and_then(|status| status.code());
        let Some(code) = code else {
            return Err(Failure::new(
                FailureKind::NoProgram,
                format!("the serial program does not work: {}", done.end()),
            ));
        };
        results.save(&kept)?;
        state.code = Some(code);
        state.first = done.seconds;
        self.folder.save(state)?;
        Ok(results)
    }

    /// The source with the code of these entries.
    fn variation<'e>(&self, edits: &'e [Edit], ranks: &'e [u32]) -> build::Variation<'e>
    where
        Self: 'e,
    {
        build::Variation {
            profiles: self.profiles,
            edits,
            ranks,
        }
    }

    /// Whether the program runs with what it was recorded with.
    fn same_input(&self) -> bool {
        let [profile] = self.profiles else {
            return false;
        };
        let recorded = profile.provenance.command.iter().skip(1);
        let given = self.config.arguments.iter();
        recorded
            .map(String::as_str)
            .eq(given.map(|a| a.to_string_lossy()))
    }

    /// Says of which entries there is nothing to try.
    fn notes(
        &self,
        plan: &Plan,
        entries: &[AppliedEntry],
        edits: &[Edit],
        wanted: &[bool],
        raw: &args::ProveArgs,
    ) -> Outcome<()> {
        let changes = SourceTree::new(&self.config.root)?.changes(self.profiles, edits, wanted);
        let asked = |e: &&AppliedEntry| {
            raw.entries
                .as_ref()
                .is_none_or(|list| list.contains(e.rank))
        };
        let without = |e: &&AppliedEntry| e.edit.is_err();
        let applied = Applied {
            plan,
            entries: entries
                .iter()
                .filter(asked)
                .filter(without)
                .cloned()
                .collect(),
            states: changes.states,
            files: Vec::new(),
        };
        print::error(&print::error_style().lay_out(|style| apply_notes(&applied, style)))
    }

    /// The variants that are to be tried.
    fn begin(
        &self,
        plan: &Plan,
        entries: &[AppliedEntry],
        edits: &[Edit],
        wanted: &[bool],
        same_input: bool,
    ) -> Proof {
        let with_code = || edits.iter().zip(wanted).filter(|(_, wanted)| **wanted);
        let mut variants: Vec<Variant> = with_code()
            .map(|(edit, _)| {
                let named = |e: &&AppliedEntry| e.rank == edit.first_rank();
                let place = entries.iter().find(named).map(|e| e.figures.id.to_string());
                variant(
                    plan,
                    VariantEntries::Entry,
                    &[edit],
                    place.unwrap_or_default(),
                )
            })
            .collect();
        if variants.len() > 1 {
            let all: Vec<&Edit> = with_code().map(|(edit, _)| edit).collect();
            variants.push(variant(plan, VariantEntries::All, &all, String::new()));
        }
        let command = std::iter::once(self.config.program.display().to_string());
        let arguments = self.config.arguments.iter();
        Proof {
            command: command
                .chain(arguments.map(|a| a.to_string_lossy().into_owned()))
                .collect(),
            threads: self.config.threads.clone(),
            serial: Vec::new(),
            nondeterministic: None,
            same_input,
            variants,
        }
    }

    /// Builds, runs and checks all variants, as far as that was not done before.
    fn variants(
        &mut self,
        edits: &[Edit],
        expected: &RunOutput,
        state: &mut ProofState,
    ) -> Outcome<()> {
        self.builds(edits, state)?;
        self.rounds(expected, state)?;
        self.races(edits, state)
    }

    fn builds(&mut self, edits: &[Edit], state: &mut ProofState) -> Outcome<()> {
        for number in 0..proof(state).variants.len() {
            let all = proof(state).variants.len();
            let one = &proof(state).variants[number];
            let copy = self.copy(number);
            if one.has_failed() || copy.with_extension("built").exists() {
                continue;
            }
            self.progress
                .say(&format!("builds variant {} of {all}", number + 1));
            let own = self.variation(edits, &one.entries);
            let built = build::build(self.config, own, BuildPurpose::OpenMp, &copy)?;
            if signals::interrupted() {
                return Ok(());
            }
            match built {
                Ok(_) => std::fs::write(copy.with_extension("built"), "").map_err(|e| {
                    Failure::new(
                        FailureKind::Io,
                        format!("cannot write into {}: {e}", copy.display()),
                    )
                })?,
                Err(why) => proof(state).variants[number].unbuilt = Some(why),
            }
            self.folder.save(state)?;
        }
        Ok(())
    }

    fn rounds(&mut self, expected: &RunOutput, state: &mut ProofState) -> Outcome<()> {
        let config = self.config;
        let limit = runs::limit(state.first);
        let serial = build::Built::of(config, &self.folder.path().join("serial"));
        let serial = BuiltProgram::new(config, serial, self.input);
        for round in 0..config.rounds {
            let mut serial_seconds = None;
            for number in 0..proof(state).variants.len() {
                for &threads in &config.threads {
                    let one = &proof(state).variants[number];
                    let so_far = one.runs.iter().filter(|run| run.threads == threads);
                    if one.has_failed() || so_far.count() > round {
                        continue;
                    }
                    if signals::interrupted() {
                        return Ok(());
                    }
                    let all = config.rounds;
                    self.progress
                        .say(&format!("runs round {} of {all}", round + 1));
                    let before = match serial_seconds {
                        Some(seconds) => seconds,
                        None => {
                            let (done, results) = serial.run(None, limit, self.folder.path())?;
                            if signals::interrupted() {
                                return Ok(());
                            }
                            let differs = results.difference(expected, None);
                            let proof = proof(state);
                            proof.serial.push(done.seconds);
                            if proof.nondeterministic.is_none() {
                                proof.nondeterministic = differs;
                            }
                            *serial_seconds.insert(done.seconds)
                        }
                    };
                    let built = build::Built::of(config, &self.copy(number));
                    let program = BuiltProgram::new(config, built, self.input);
                    let (done, results) = program.run(Some(threads), limit, self.folder.path())?;
                    if signals::interrupted() {
                        return Ok(());
                    }
                    let one = &mut proof(state).variants[number];
                    let tolerance = one.reorders.then_some(config.tolerance);
                    let difference = match done.status {
                        None => Some(done.end()),
                        Some(_) => results.difference(expected, tolerance),
                    };
                    one.runs.push(TimedRun {
                        threads,
                        seconds: done.seconds,
                        serial_seconds: before,
                        difference,
                    });
                    self.folder.save(state)?;
                }
            }
        }
        Ok(())
    }

    fn races(&mut self, edits: &[Edit], state: &mut ProofState) -> Outcome<()> {
        let own = match &self.config.races {
            RaceCheck::None => return Ok(()),
            RaceCheck::Same if state.first > races::SHORT => return Ok(()),
            RaceCheck::Same => None,
            RaceCheck::With(arguments) => Some(arguments.as_str()),
        };
        for number in 0..proof(state).variants.len() {
            let all = proof(state).variants.len();
            let one = &proof(state).variants[number];
            if one.has_failed() || one.races.is_some() {
                continue;
            }
            self.progress.say(&format!(
                "looks for races in variant {} of {all}",
                number + 1
            ));
            let variation = self.variation(edits, &one.entries);
            let copy = self.copy(number).with_extension("race");
            let built = build::build(self.config, variation, BuildPurpose::Race, &copy)?;
            let found = match built {
                Ok(built) => {
                    let command = races::command(own, self.config, &built);
                    let limit = runs::limit(state.first);
                    races::look(command, &built, self.input, limit, &copy)?
                }
                Err(why) => Races::Unchecked(format!("it cannot be built for that: {why}")),
            };
            if signals::interrupted() {
                return Ok(());
            }
            let _ = std::fs::remove_dir_all(&copy);
            proof(state).variants[number].races = Some(found);
            self.folder.save(state)?;
        }
        Ok(())
    }

    fn copy(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("variant{number}"))
    }
}

/// What is known by now.
fn proof(state: &mut ProofState) -> &mut Proof {
    state.proof.as_mut().expect("the plan was made")
}

/// What has to run in further rounds. Of entries that ran before it is known whether there are races.
fn untried(plan: &Plan, edits: &[Edit], proof: &Proof) -> Vec<Variant> {
    let variant = |(which, entries): (VariantEntries, Vec<u32>)| {
        let with: Vec<&Edit> = with_ranks(edits, &entries).collect();
        let before = proof.variant_of(&entries);
        Variant {
            races: before.and_then(|v| v.races.clone()),
            ..variant(plan, which, &with, String::new())
        }
    };
    proof.untried().into_iter().map(variant).collect()
}

/// The edits of these entries.
fn with_ranks<'a>(edits: &'a [Edit], ranks: &'a [u32]) -> impl Iterator<Item = &'a Edit> {
    let own = |edit: &&Edit| edit.ranks.iter().any(|rank| ranks.contains(rank));
    edits.iter().filter(own)
}

fn variant(plan: &Plan, which: VariantEntries, edits: &[&Edit], place: String) -> Variant {
    let mut entries: Vec<u32> = edits.iter().flat_map(|e| e.ranks.iter().copied()).collect();
    entries.sort_unstable();
    // Savings add up where no chosen region runs inside another.
    let adds_up = edits.len() == 1 || !plan.personality.nests();
    let outlook = plan.outlook.as_ref().filter(|_| adds_up);
    Variant {
        which,
        place,
        expected: outlook.map(|outlook| outlook.together(&entries)),
        reorders: edits.iter().any(|e| e.reorders()),
        unbuilt: None,
        runs: Vec::new(),
        races: None,
        entries,
    }
}
