//! How long the effort chart takes on a large tree: `cargo run --release -p parascan-analysis --example effort_speed`.
//! 1000 static regions with 100,000 distinct instances in a random graph, the hardest case: every region is in
//! everything.

mod random;

use std::time::Instant;

use parascan_analysis::effort::{EffortOptions, Sources, effort};
use parascan_formats::profile::{Context, EqualChildren, Profile, Symbol};
use parascan_formats::synthetic::{SyntheticProgram, node};

const REGIONS: u64 = 1000;
const SYMBOLS: u64 = 100_000;

/// A profile of functions in layers, each instance with five children from the layer below.
fn large() -> Profile {
    let mut random = random::numbers(7);
    let mut program = SyntheticProgram::new();
    for number in 0..REGIONS as u32 {
        let line = 1 + 50 * number;
        program.function(&format!("f{number}"), line..=line + random(40) as u32);
    }
    let mut profile = program.build([node(0, 1, 1, [])]);
    let (layers, symbols) = (10, &mut profile.tree.symbols);
    let (per_layer, regions) = (SYMBOLS / layers, REGIONS / layers);
    symbols.clear();
    for index in 0..SYMBOLS {
        let layer = index / per_layer;
        let children: Vec<EqualChildren> = (0..if layer == 0 { 0 } else { 5 })
            .map(|_| EqualChildren {
                symbol: ((layer - 1) * per_layer + random(per_layer)) as u32,
                count: 1 + random(2),
            })
            .collect();
        let of = |run: &EqualChildren, figure: fn(&Symbol) -> u64| {
            run.count * figure(&symbols[run.symbol as usize])
        };
        let own = 10 + random(100);
        let work = own + children.iter().map(|run| of(run, |s| s.work)).sum::<u64>();
        let serial = own + children.iter().map(|run| of(run, |s| s.cp)).sum::<u64>();
        let longest = children
            .iter()
            .map(|run| symbols[run.symbol as usize].cp)
            .max();
        let cp = longest.unwrap_or(1) + random(1 + (serial - longest.unwrap_or(1)) / 2);
        symbols.push(Symbol {
            region: (layer * regions + random(regions)) as u32,
            work,
            cp,
            summarised: 1,
            children,
        });
    }
    profile.tree.root = ((SYMBOLS - per_layer)..SYMBOLS)
        .map(|symbol| EqualChildren {
            symbol: symbol as u32,
            count: 1,
        })
        .collect();
    // The chart looks at contexts only for which regions ran, and how parallel they are.
    profile.contexts.truncate(1);
    for region in 0..REGIONS as u32 {
        profile.contexts.push(Context {
            region,
            tracked: true,
            children_tracked: true,
            instances: 1,
            work: 1000,
            cp: 100,
            ..Context::default()
        });
    }
    let top = |figure: fn(&Symbol) -> u64| -> u64 {
        let runs = profile.tree.root.iter();
        runs.map(|run| figure(&profile.tree.symbols[run.symbol as usize]))
            .sum()
    };
    (profile.work, profile.critical_path) = (top(|s| s.work), top(|s| s.cp));
    profile
}

fn main() {
    let profiles = [large()];
    let options = EffortOptions::default();
    let start = Instant::now();
    let chart = effort(&profiles, &Sources::new(), &options).expect("a chart");
    let took = start.elapsed();
    println!(
        "{} steps of {REGIONS} regions with {SYMBOLS} distinct instances: {took:.2?}",
        chart.steps.len()
    );
}
