//! The facts of instructions, compared with what the processor does: instructions are executed one at a time, from
//! random states.
//!
//! By perturbation: what changes must be in `writes` or a written slot; a change of everything that is not in `reads`
//! nor in a read slot must change no result; and a change of one location in `reads` must be able to change some
//! result.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod machine;
mod second;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use iced_x86::Code;
use machine::generate::{Generator, sample};
use machine::place::{self, LocationBits};
use machine::trial::Trial;
use machine::{Fault, Machine, Random, State};
use parascan_isa::location::{Flags, GeneralPart, SingleRegister, VectorPart};
use parascan_isa::{InstructionClass, Location};

/// Code and memory have fixed addresses: one machine at a time.
static ONE: Mutex<()> = Mutex::new(());

/// The hand-checked instructions, which are also those of which every source must matter.
const CASES: &str = include_str!("cases.txt");

/// Instructions of which part of an operand cannot matter, though the model takes it to be read: the constant decides,
/// or few bits are used.
const PARTIAL: [&str; 5] = [
    "25ff000000",   // and eax, 0xff
    "480facd807",   // shrd rax, rbx, 7
    "0fbae005",     // bt eax, 5
    "0fabd8",       // bts eax, ebx
    "c4e37546c221", // vperm2i128 ymm0, ymm1, ymm2, 0x21
];

/// A machine, its places without and with MMX registers, and random numbers.
struct Bench {
    machine: Machine,
    x87: Vec<(Location, LocationBits)>,
    mmx: Vec<(Location, LocationBits)>,
    random: Random,
    seed: u64,
}

impl Bench {
    fn start() -> Self {
        let seed = std::env::var("PARASCAN_SEED")
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(4);
        println!("seed {seed} (set PARASCAN_SEED for another)");
        let machine = Machine::start().expect("a child process can be traced");
        Self {
            x87: place::all(machine.layout(), false),
            mmx: place::all(machine.layout(), true),
            machine,
            random: Random(seed),
            seed,
        }
    }
}

/// Executes an instruction from a state and from another one that is equal where the facts say that it is read. Returns
/// state before and after, and what does not agree.
fn compare(
    trial: &Trial,
    machine: &mut Machine,
    random: &mut Random,
) -> Result<(State, State, Vec<String>), Option<Fault>> {
    let bytes = &trial.sample.bytes;
    let before = trial.state(machine, random).ok_or(None)?;
    let after = machine.run(bytes, &before)?;
    let mut found = trial.unexpected_writes(&before, &after);
    if let Some(other) = trial.perturbed(&before, random) {
        match machine.run(bytes, &other) {
            Ok(other_after) => {
                found.extend(trial.unexpected_reads((&before, &after), (&other, &other_after)));
            }
            Err(fault) => found.push(format!("{fault:?} depends on something else")),
        }
    }
    Ok((before, after, found))
}

/// What was seen.
#[derive(Default)]
struct Tally {
    tested: BTreeMap<String, u32>,
    codes: BTreeSet<Code>,
    missing: BTreeSet<Code>,
    /// Kinds of source: whether one was seen to matter, and an example.
    sources: BTreeMap<(Code, String), (bool, String)>,
    problems: Vec<String>,
}

impl Tally {
    fn report(&self) {
        let idle = self.sources.iter().filter(|(_, (matters, _))| !matters);
        println!(
            "{} different instructions of {} codes agree {:?}; {} codes are not of this processor (or need a state of their own); {} of {} kinds of source did not show",
            self.tested.values().sum::<u32>(),
            self.codes.len(),
            self.tested,
            self.missing.difference(&self.codes).count(),
            idle.clone().count(),
            self.sources.len(),
        );
        if std::env::var_os("PARASCAN_VERBOSE").is_some() {
            for ((code, role), (_, example)) in idle {
                println!("did not show: {code:?} {role}: {example}");
            }
            println!("not executed: {:?}", self.missing.difference(&self.codes));
        }
        for problem in self.problems.iter().take(50) {
            println!("{problem}");
        }
    }
}

#[test]
fn facts_agree_with_the_processor() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut bench = Bench::start();
    let mut generator = Generator::new(bench.seed, bench.machine.layout().has_avx512(), 4);
    let mut tally = Tally::default();
    let (x87, mmx) = (bench.x87, bench.mmx);
    let (machine, random) = (&mut bench.machine, &mut bench.random);
    while let Some(sample) = generator.next() {
        let trial = Trial::new(&sample, &x87, &mmx);
        let code = sample.raw.code();
        let mut done = 0;
        let mut moved = None;
        for _ in 0..12 {
            let (before, after, mut found) = match compare(&trial, machine, random) {
                Ok(result) => result,
                Err(None | Some(Fault(libc::SIGILL))) => break,
                Err(Some(_)) => continue,
            };
            done += 1;
            if done > 1 && trial.moved(&before, &after) != moved {
                found.push("adds no constant".to_owned());
            }
            moved = trial.moved(&before, &after);
            if !found.is_empty() {
                let problem = format!("{}: {}", trial.name(), found.join(", "));
                tally.problems.push(problem);
                break;
            }
            for &(location, place) in trial.places {
                if !trial.facts.reads.contains(&location) {
                    continue;
                }
                let role = (code, trial.role(location));
                let seen = tally.sources.entry(role).or_default();
                if !seen.0 {
                    let states = (&before, &after);
                    seen.0 = trial.influences(machine, (location, place), states, random);
                    seen.1 = trial.name();
                }
            }
            if done == 3 {
                break;
            }
        }
        if done == 0 {
            tally.missing.insert(code);
        } else {
            tally.codes.insert(code);
            let encoding = format!("{:?}", code.encoding());
            *tally.tested.entry(encoding).or_default() += 1;
        }
    }
    tally.report();
    assert!(
        tally.problems.is_empty(),
        "{} instructions differ",
        tally.problems.len()
    );
    let tested: u32 = tally.tested.values().sum();
    assert!(tested >= 10_000, "only {tested} tested");
    let idle = tally
        .sources
        .values()
        .filter(|(matters, _)| !matters)
        .count();
    assert!(
        idle * 10 < tally.sources.len(),
        "{idle} of {} kinds of source never mattered",
        tally.sources.len()
    );
}

/// Bytes in hexadecimal at the start of a line.
fn bytes(line: &str) -> Vec<u8> {
    let text = line.split('|').next().unwrap_or_default().trim();
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

#[test]
fn every_source_of_the_common_instructions_matters() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let bench = Bench::start();
    let (x87, mmx) = (bench.x87, bench.mmx);
    let (mut machine, mut random) = (bench.machine, bench.random);
    let mut problems = Vec::new();
    let mut tested = 0;
    for line in CASES.lines().filter(|line| !line.starts_with('#')) {
        let Some(sample) = sample(&bytes(line)) else {
            continue;
        };
        let trial = Trial::new(&sample, &x87, &mmx);
        // Hints use their address without any result, and the model leaves the control bits of MXCSR alone.
        if trial.facts.class == InstructionClass::Nop {
            continue;
        }
        let mut open: Vec<(Location, LocationBits)> = trial
            .places
            .iter()
            .copied()
            .filter(|(location, _)| trial.facts.reads.contains(location))
            .filter(|(location, _)| *location != Location::single(SingleRegister::Mxcsr))
            .collect();
        let mut executed = false;
        for _ in 0..400 {
            if executed && open.is_empty() {
                break;
            }
            let (before, after, found) = match compare(&trial, &mut machine, &mut random) {
                Ok(result) => result,
                Err(None | Some(Fault(libc::SIGILL))) => break,
                Err(Some(_)) => continue,
            };
            executed = true;
            if !found.is_empty() {
                problems.push(format!("{line}: {}", found.join(", ")));
                break;
            }
            let states = (&before, &after);
            open.retain(|pair| !trial.influences(&mut machine, *pair, states, &mut random));
        }
        if executed {
            tested += 1;
            if !open.is_empty() && !PARTIAL.iter().any(|partial| line.starts_with(partial)) {
                let idle: Vec<String> = open.iter().map(|(l, _)| l.to_string()).collect();
                problems.push(format!("{line}: no influence of {}", idle.join(", ")));
            }
        }
    }
    println!("{tested} instructions");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(tested >= 180, "only {tested} tested");
}

#[test]
fn wrong_facts_are_noticed() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut bench = Bench::start();
    // add rax, rbx; add dword ptr [rdi], eax; addss xmm0, xmm1
    for (code, hidden_read, hidden_write) in [
        (
            "4801d8",
            Location::general(3, GeneralPart::High),
            Location::general(0, GeneralPart::Low),
        ),
        (
            "0107",
            Location::general(0, GeneralPart::Low),
            Location::flags(Flags::Status),
        ),
        (
            "f30f58c1",
            Location::vector(1, VectorPart::Low),
            Location::vector(0, VectorPart::Low),
        ),
    ] {
        let sample = sample(&bytes(code)).expect("an instruction");
        let mut notices = |change: &dyn Fn(&mut parascan_isa::Instruction)| {
            let (x87, mmx) = (bench.x87.clone(), bench.mmx.clone());
            let mut trial = Trial::new(&sample, &x87, &mmx);
            change(&mut trial.facts);
            (0..20).any(|_| {
                compare(&trial, &mut bench.machine, &mut bench.random)
                    .is_ok_and(|(_, _, found)| !found.is_empty())
            })
        };
        assert!(!notices(&|_| {}), "{code} agrees");
        assert!(notices(&|facts| facts.reads.retain(|l| *l != hidden_read)));
        assert!(notices(&|facts| facts
            .writes
            .retain(|l| *l != hidden_write)));
    }
}
