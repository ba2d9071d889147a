//! How long planning takes on a large profile: `cargo run --release -p parascan-analysis --example plan_speed`.
//! Fails when a plan of 100,000 contexts takes more than 50 ms of processor time (wall time where Linux does not tell).

mod random;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use parascan_analysis::costs::TargetMachine;
use parascan_analysis::personality::{BUILT_IN, Personality};
use parascan_analysis::plan::{PlanOptions, plan};
use parascan_formats::profile::{Context, Profile};
use parascan_formats::synthetic::{SyntheticProgram, node};

const CONTEXTS: usize = 100_000;
const LIMIT: Duration = Duration::from_millis(50);

/// A profile with `CONTEXTS` contexts of 2000 functions with a loop each, in a random tree in which any may call any.
fn large() -> Profile {
    let mut program = SyntheticProgram::new();
    let mut random = random::numbers(7);
    let functions: Vec<(u32, u32, u32)> = (0..2000)
        .map(|number| {
            let line = 1 + 10 * number;
            let body = program.function(&format!("f{number}"), line..=line + 8);
            let (looping, iteration) = program.add_loop(body, line + 1..=line + 7);
            (body, looping, iteration)
        })
        .collect();
    let mut profile = program.build([node(0, 1, 1, [])]);
    profile.tree = parascan_formats::profile::Tree::default();
    // Depth first, as `record` writes them; figures are added from the leaves up.
    let mut contexts = vec![Context {
        region: u32::MAX,
        instances: 1,
        ..Context::default()
    }];
    let mut open: Vec<u32> = vec![0];
    while contexts.len() + 3 <= CONTEXTS {
        let keep = if open.len() > 20 {
            1 + random(20)
        } else {
            open.len() as u64 - random(2)
        };
        open.truncate(keep.max(1) as usize);
        let parent = open[open.len() - 1];
        let depth = if parent == 0 {
            0
        } else {
            contexts[parent as usize].depth + 1
        };
        let (body, looping, iteration) = functions[random(2000) as usize];
        for (step, region) in [body, looping, iteration].into_iter().enumerate() {
            let above = contexts.len() as u32 - 1;
            let parent = if step == 0 { parent } else { above };
            contexts.push(Context {
                parent,
                region,
                depth: depth + step as u32,
                tracked: true,
                children_tracked: true,
                instances: if step == 2 { 10 } else { 1 },
                work: 10 + random(100),
                ..Context::default()
            });
        }
        open.push(contexts.len() as u32 - 1);
    }
    for index in (1..contexts.len()).rev() {
        let (parent, work) = (contexts[index].parent as usize, contexts[index].work);
        contexts[parent].work += work;
        contexts[parent].child_work += work;
        contexts[parent].children += contexts[index].instances;
        let sp = 1 + random(20);
        let context = &mut contexts[index];
        context.cp = context.work / sp;
        context.parallel_time = context.work as f64 / sp as f64;
        (context.multi, context.multi_flat) = (1, random(2));
    }
    profile.work = contexts[0].work;
    profile.critical_path = profile.work / 2;
    profile.contexts = contexts;
    profile.validate().expect("a valid profile");
    profile
}

/// Time this (single) thread spent on a processor, so that a busy machine does not count.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(
        text.split_whitespace().next()?.parse().ok()?,
    ))
}

fn main() -> ExitCode {
    let profile = large();
    let mut late = false;
    let machine = TargetMachine {
        cores: 16,
        serial_seconds: Some(1.0),
        recorded: false,
        calibrated: false,
        memory: None,
    };
    let variants = BUILT_IN.map(|name| [(name, None), (name, Some(machine))]);
    for (name, machine) in variants.into_iter().flatten() {
        let options = PlanOptions {
            machine,
            personality: Personality::built_in(name).expect("built in"),
            min_speedup_doall: Some(0.01),
            min_speedup_doacross: Some(0.01),
            ..PlanOptions::default()
        };
        let mut times: Vec<Duration> = Vec::new();
        let mut last = None;
        for _ in 0..7 {
            let (start, used) = (Instant::now(), processor_time());
            last = Some(plan(std::slice::from_ref(&profile), &options).expect("a plan"));
            let used = processor_time()
                .zip(used)
                .map(|(after, before)| after.saturating_sub(before));
            times.push(used.unwrap_or_else(|| start.elapsed()));
        }
        times.sort();
        let plan = last.expect("seven plans");
        println!(
            "{name}, {}: {} contexts, {} chosen, {} rejected, optimal {}: {:.1} ms (fastest {:.1}, slowest {:.1})",
            if machine.is_some() {
                "16 cores"
            } else {
                "ideal"
            },
            profile.contexts.len(),
            plan.entries.len(),
            plan.rejected.len(),
            plan.optimal,
            times[3].as_secs_f64() * 1e3,
            times[0].as_secs_f64() * 1e3,
            times[6].as_secs_f64() * 1e3,
        );
        late |= times[3] > LIMIT;
    }
    if late {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
