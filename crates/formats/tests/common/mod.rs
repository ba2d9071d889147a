//! What tests share: profiles that use everything, arbitrary ones, and logs of made-up runs.
#![allow(dead_code, reason = "every test file uses another part")]
#![allow(unreachable_pub, reason = "shared by test files")]

pub mod image;
pub mod simulate;

use parascan_formats::evidence::{
    Dependence, DependenceKind, Evidence, LoopEvidence, Site, SiteAccess, SiteUse,
};
use parascan_formats::latency::LatencyTable;
use parascan_formats::module::{
    AddressStep, BrokenDependence, BrokenKind, MemoryStream, Operator, ReductionObstacle,
    RegionKind, RegionStatic,
};
use parascan_formats::profile::{
    BlindSpot, Bursts, Caveat, Context, End, EqualChildren, Module, Profile, Provenance, Region,
    Sample, Symbol, Tree,
};
use parascan_formats::source::{
    BestValue, Doubt, DoubtKind, Fingerprint, Form, IndexedExtremum, LoopSource, Obstacle,
    ObstacleKind, Reduced, ReducedArray, Sharing, SharingDoubt, Statement, Variable, VariableKind,
};
use parascan_formats::synthetic::{SyntheticProgram, node};
use proptest::collection::vec;
use proptest::prelude::*;

/// A small profile in which every field occurs. `fixtures/v6.prof` holds it, `v1.prof` to `v5.prof`
/// what those versions knew of it: never change it.
pub fn sample() -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 10..=30);
    let (rows, row) = program.add_loop(main, 12..=20);
    let (columns, column) = program.add_loop(row, 14..=18);
    let helper = program.function("std::vector<int>::push_back(int const&)", 40..=44);
    program.fixed(column).folded = true;
    program.fixed(rows).counted = false;
    use Operator::{Add, And, Max, Min, Mul, Or, Xor};
    let kinds = [Add, Mul, And, Or, Xor, Min, Max].map(BrokenKind::Reduction);
    let more = [BrokenKind::Induction, BrokenKind::ArrayReduction(Add)];
    program.fixed(rows).broken = kinds
        .into_iter()
        .chain(more)
        .zip(15..)
        .map(broken)
        .collect();
    let inner = |count| node(columns, 3, 9, [node(column, 7, 6, []).times(count)]);
    let roots = [node(
        main,
        100,
        90,
        [
            node(
                rows,
                1,
                30,
                [
                    node(row, 2, 11, [inner(8)]).times(5),
                    node(row, 2, 12, [inner(9)]),
                ],
            ),
            node(helper, 17, 5, []),
        ],
    )];
    let mut profile = program.build(roots);
    let other = LatencyTable::preset("kremlin").expect("a preset");
    profile.modules.push(Module {
        source: "other.cpp".to_owned(),
        directory: "/src".to_owned(),
        producer: "clang version 22".to_owned(),
        latency: other,
        without: vec!["other.cpp:12:sum".to_owned(), "other.cpp:14:a[]".to_owned()],
    });
    profile.regions[helper as usize].module = 1;
    profile.tree.symbols[3].summarised = 2;
    profile.contexts[2].carried = Some(1);
    profile.contexts[3].carried = Some(0);
    profile.provenance = Provenance {
        parascan: "0.1.0".to_owned(),
        command: vec!["./prog".to_owned(), "input \u{e9}.txt".to_owned()],
        directory: "/home/user".to_owned(),
        started: 1_790_000_000,
        duration_ms: 1234,
        runs: 2,
        first_level: 0,
        end_level: Some(15),
        depth_reached: 17,
        machine: "Linux 6.1, 2 processors".to_owned(),
    };
    profile.caveats = vec![
        Caveat::Threads(3),
        Caveat::Folded {
            entries: 1 << 40,
            depth: 64,
        },
        Caveat::TreeSummarised,
        Caveat::ContextsFull,
        Caveat::LogFull,
        Caveat::ForeignModule,
        Caveat::ShadowAlias,
        Caveat::Partial,
        Caveat::RunsDiffer("work of main".to_owned()),
        Caveat::NotTracked(15),
        Caveat::RunsVary { millionths: 18 },
        Caveat::ClocksFull {
            work: 1 << 31,
            total: Some(1 << 33),
            left_out: None,
        },
    ];
    profile.end = End::Signalled(15);
    profile.blind_spots = vec![
        BlindSpot {
            callee: "puts".to_owned(),
            calls: 99,
        },
        BlindSpot {
            callee: "(indirect)".to_owned(),
            calls: 1,
        },
    ];
    profile.evidence = Some(evidence(rows));
    profile.bursts = Some(Bursts {
        count: 40,
        seed: 7,
        work: 50,
        native: true,
        ended: true,
        native_seconds: Some(2.5),
        samples: (profile.contexts.iter().zip(0..))
            .map(|(context, number)| Sample {
                whole: context.instances.min(1),
                segments: number,
                error: 3 * number,
                time_error: (number > 1).then_some(number as f64 / 2.0),
            })
            .collect(),
    });
    let fixed = &mut profile.regions[rows as usize].fixed;
    (fixed.streams, fixed.vectorized) = ((0..4).map(stream).collect(), Some(false));
    fixed.writes_to_frame = Some(true);
    let source = profile.regions[rows as usize].fixed.source.as_mut();
    let source = source.expect("a loop");
    source.doubts = doubts(DoubtKind::Sets, 13);
    (source.last_line, source.descends) = (21, true);
    source.text = Some(Fingerprint::of(b"int main"));
    source.captured = vec!["to".to_owned(), "n".to_owned()];
    source.uneven = true;
    source.best = vec![IndexedExtremum {
        value: BestValue::Variable("most".to_owned()),
        is_minimum: true,
        position: "at".to_owned(),
        others: vec!["row".to_owned()],
    }];
    source.start = "n - 1".to_owned();
    source.nest = vec![(13, 5)];
    source.arrays = vec![ReducedArray {
        name: "h".to_owned(),
        operator: Operator::Xor,
        length: "n + 1".to_owned(),
        elements: 0,
    }];
    source.reduced = vec![Reduced {
        name: "s".to_owned(),
        form: Form::Pointer,
        members: vec![
            ("low".to_owned(), Operator::Min),
            ("n".to_owned(), Operator::Add),
        ],
        watched: true,
    }];
    profile
}

/// One dependence and its two sites.
fn evidence(region: u32) -> Evidence {
    let site = |access, line| Site {
        access,
        name: "sum".to_owned(),
        file: "a.c".to_owned(),
        line,
        column: 7,
        function: "main".to_owned(),
    };
    Evidence {
        partial: true,
        incomplete: false,
        threads: true,
        unseen: vec!["interpret".to_owned()],
        sites: vec![
            site(SiteAccess::LocalWrite, 12),
            site(SiteAccess::LocalRead, 9),
        ],
        loops: vec![LoopEvidence {
            region,
            instances: 2,
            iterations: 1 << 40,
            dependences: vec![Dependence {
                kind: DependenceKind::Flow,
                source: 0,
                sink: 1,
                object: None,
                reduction: false,
                least: 1,
                most: 4095,
                last: 77,
                count: 9,
                iterations: 8,
                instances: 2,
            }],
            uses: vec![SiteUse {
                site: 0,
                writes: true,
                exposed: false,
                live: Some(1),
            }],
        }],
    }
}

fn broken((kind, line): (BrokenKind, u32)) -> BrokenDependence {
    let beside = match line {
        17 => ReductionObstacle::Read(18),
        20 => ReductionObstacle::Set(19),
        _ => ReductionObstacle::Nothing,
    };
    BrokenDependence {
        beside,
        ..BrokenDependence::new(format!("v{line}"), kind, line)
    }
}

/// Any valid profile.
pub fn profiles() -> impl Strategy<Value = Profile> {
    let counts = (1..4usize, 0..12usize, 0..20usize, 0..20usize);
    counts.prop_flat_map(|(modules, regions, contexts, symbols)| {
        let (contexts, symbols) = if regions == 0 {
            (0, 0)
        } else {
            (contexts, symbols)
        };
        let fixed = (
            (provenance(), end(), vec(caveat(), 0..4)),
            vec(module(), modules),
            vec(region(modules as u32), regions),
            vec(
                (".{0,9}", 0..1u64 << 40).prop_map(|(callee, calls)| BlindSpot { callee, calls }),
                0..4,
            ),
        );
        let dynamic = (
            context(regions as u32),
            vec(context(regions as u32), contexts),
            vec(symbol(regions as u32), symbols),
            vec(run(), 0..5),
            any::<(u64, u64)>(),
        );
        (fixed, dynamic).prop_map(|((run, modules, regions, blind_spots), dynamic)| {
            let (provenance, end, caveats) = run;
            let (root, contexts, symbols, top, (work, critical_path)) = dynamic;
            let contexts = linked(root, contexts);
            let tree = tree(symbols, top);
            let regions = nested(regions);
            let bursts = (work % 2 == 1).then(|| bursts(work, critical_path, &contexts));
            Profile {
                provenance,
                end,
                caveats,
                modules,
                regions,
                contexts,
                blind_spots,
                work,
                critical_path,
                tree,
                evidence: None,
                bursts,
            }
        })
    })
}

/// Bursts whose numbers follow from two.
fn bursts(count: u64, seed: u64, contexts: &[Context]) -> Bursts {
    Bursts {
        count,
        seed,
        work: count / 2,
        native: seed.is_multiple_of(2),
        ended: seed.is_multiple_of(3),
        native_seconds: seed.is_multiple_of(5).then_some((count >> 20) as f64),
        samples: (contexts.iter())
            .map(|context| Sample {
                whole: context.instances / 2,
                segments: seed >> 40,
                error: count >> 40,
                time_error: seed.is_multiple_of(2).then_some((count >> 40) as f64 / 4.0),
            })
            .collect(),
    }
}

fn provenance() -> impl Strategy<Value = Provenance> {
    let texts = (".{0,9}", vec(".{0,9}", 0..4), ".{0,9}", ".{0,9}");
    let numbers = any::<(u64, u64, u32, u32, Option<u32>, u32)>();
    (texts, numbers).prop_map(|((parascan, command, directory, machine), numbers)| {
        let (started, duration_ms, runs, first_level, end_level, depth_reached) = numbers;
        Provenance {
            parascan,
            command,
            directory,
            started,
            duration_ms,
            runs,
            first_level,
            end_level,
            depth_reached,
            machine,
        }
    })
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![
        any::<i32>().prop_map(End::Exited),
        any::<i32>().prop_map(End::Signalled),
        Just(End::Unknown)
    ]
}

fn caveat() -> impl Strategy<Value = Caveat> {
    prop_oneof![
        any::<u32>().prop_map(Caveat::Threads),
        any::<(u64, u32)>().prop_map(|(entries, depth)| Caveat::Folded { entries, depth }),
        ".{0,9}".prop_map(Caveat::RunsDiffer),
        any::<u32>().prop_map(Caveat::NotTracked),
        any::<u32>().prop_map(|millionths| Caveat::RunsVary { millionths }),
        any::<(u64, Option<u64>, Option<u32>)>().prop_map(|(work, total, left_out)| {
            Caveat::ClocksFull {
                work,
                total,
                left_out,
            }
        }),
        prop::sample::select(vec![
            Caveat::TreeSummarised,
            Caveat::ContextsFull,
            Caveat::LogFull,
            Caveat::ForeignModule,
            Caveat::ShadowAlias,
            Caveat::Partial,
        ]),
    ]
}

fn module() -> impl Strategy<Value = Module> {
    (".{0,9}", ".{0,9}", ".{0,9}", any::<u32>()).prop_map(|(source, directory, producer, units)| {
        Module {
            source,
            directory,
            producer,
            without: Vec::new(),
            latency: LatencyTable {
                fp_fma: units,
                external: units / 2,
                ..LatencyTable::default()
            },
        }
    })
}

/// Memory that a loop walks over, which differs with a number.
fn stream(n: u32) -> MemoryStream {
    let steps = [
        AddressStep::Same,
        AddressStep::By(-8),
        AddressStep::Moves,
        AddressStep::Irregular,
    ];
    MemoryStream {
        name: format!("s{n}[]"),
        line: n,
        base: n / 2,
        bytes: 1 << (n % 4),
        reads: !n.is_multiple_of(3),
        writes: n % 3 < 2,
        steps: steps
            .into_iter()
            .cycle()
            .skip(n as usize % 4)
            .take(n as usize % 5)
            .collect(),
    }
}

/// Facts of a loop's source that differ with a number.
fn loop_source(n: u32) -> LoopSource {
    let pick = |k: u32, of: u32| (n / k) % of;
    LoopSource {
        statement: if pick(1, 2) == 0 {
            Statement::For
        } else {
            Statement::While
        },
        index: (pick(2, 2) == 0).then(|| format!("i{n}")),
        obstacles: vec![Obstacle {
            kind: if pick(3, 2) == 0 {
                ObstacleKind::Iterator
            } else {
                ObstacleKind::Exit
            },
            name: String::new(),
            line: n,
        }],
        directive: (pick(5, 2) == 0).then(|| "#pragma unroll".to_owned()),
        starts_line: pick(7, 2) == 0,
        last_line: n + 1,
        text: (pick(16, 2) == 0).then(|| Fingerprint::of(&n.to_le_bytes())),
        captured: (0..if pick(16, 2) == 0 { pick(7, 3) } else { 0 })
            .map(|k| format!("c{k}"))
            .collect(),
        descends: pick(9, 2) == 0,
        uneven: pick(18, 2) == 0,
        step: pick(17, 4),
        nest: (0..pick(11, 4)).map(|k| (n + k, 7)).collect(),
        arrays: (0..pick(13, 3))
            .map(|k| ReducedArray {
                name: format!("h{k}"),
                operator: Operator::Add,
                length: n.to_string(),
                elements: n.into(),
            })
            .collect(),
        best: vec![IndexedExtremum {
            value: match pick(5, 2) {
                0 => BestValue::Variable(format!("v{n}")),
                _ => BestValue::At(vec![format!("v{n}["), "]".to_owned()]),
            },
            is_minimum: pick(4, 2) == 0,
            position: "at".to_owned(),
            others: (0..pick(6, 3)).map(|k| format!("o{k}")).collect(),
        }],
        start: (0..pick(8, 2)).map(|_| "first").collect(),
        reduced: vec![Reduced {
            name: format!("s{n}"),
            form: if pick(10, 2) == 0 {
                Form::Named
            } else {
                Form::Reference
            },
            members: (0..pick(12, 3))
                .map(|k| (format!("m{k}"), Operator::Max))
                .collect(),
            watched: pick(14, 2) == 0,
        }],
        variables: vec![Variable {
            name: format!("v{n}"),
            line: n / 2,
            global: pick(11, 2) == 0,
            shape: if pick(13, 2) == 0 {
                VariableKind::Array(u64::from(n))
            } else {
                VariableKind::Record
            },
            sharing: match pick(17, 6) {
                0 => Sharing::Reduction(Operator::Max),
                1 => Sharing::Unknown(SharingDoubt::IndexAfter),
                2 => Sharing::Unknown(SharingDoubt::Passed),
                3 => Sharing::Unknown(SharingDoubt::Handed),
                4 => Sharing::Unknown(SharingDoubt::Kept),
                _ => Sharing::Own,
            },
            at: n / 3,
        }],
        doubts: doubts(
            if pick(19, 2) == 0 {
                DoubtKind::Call
            } else {
                DoubtKind::Write
            },
            n,
        ),
    }
}

/// A doubt of this kind, and one of every kind that version 3 did not know.
fn doubts(kind: DoubtKind, line: u32) -> Vec<Doubt> {
    [
        kind,
        DoubtKind::Reference,
        DoubtKind::ThreadLocal,
        DoubtKind::Leaves,
        DoubtKind::Constexpr,
        DoubtKind::Alloca,
        DoubtKind::Sets,
        DoubtKind::Large,
        DoubtKind::Binding,
        DoubtKind::Nameless,
        DoubtKind::Class,
        DoubtKind::Wraps,
        DoubtKind::Infinite,
        DoubtKind::Guarded,
        DoubtKind::State,
        DoubtKind::Team,
        DoubtKind::Stale,
        DoubtKind::Later,
        DoubtKind::Neighbours,
        DoubtKind::Meets,
        DoubtKind::Unordered,
        DoubtKind::Errno,
        DoubtKind::SameElement,
        DoubtKind::ZeroStep,
        DoubtKind::Called,
    ]
    .map(|kind| Doubt {
        kind,
        name: "f".to_owned(),
        line,
    })
    .to_vec()
}

fn region(modules: u32) -> impl Strategy<Value = Region> {
    let kind = prop::sample::select(vec![
        RegionKind::Function,
        RegionKind::Loop,
        RegionKind::Iteration,
    ]);
    let texts = (".{0,9}", ".{0,9}", ".{0,9}");
    let numbers = any::<(Option<u32>, u32, u32, u32, bool, bool)>();
    let broken = vec((".{0,5}", 0..9usize, any::<u32>(), 0..4u8), 0..3);
    (0..modules, kind, texts, numbers, broken).prop_map(|(module, kind, texts, numbers, broken)| {
        let (function, linkage_name, file) = texts;
        let (parent, line, column, end_line, counted, folded) = numbers;
        let broken = broken.into_iter().map(|(name, kind, line, beside)| {
            let beside = match beside {
                0 => ReductionObstacle::Nothing,
                1 => ReductionObstacle::Read(line / 2),
                2 => ReductionObstacle::Set(line),
                _ => ReductionObstacle::Position,
            };
            let kind = match kind {
                0 => BrokenKind::Induction,
                1 => BrokenKind::Reduction(Operator::Mul),
                2 => BrokenKind::Reduction(Operator::Max),
                3 => BrokenKind::ArrayReduction(Operator::Xor),
                _ => BrokenKind::ArrayReduction(Operator::Add),
            };
            BrokenDependence {
                beside,
                ..BrokenDependence::new(name, kind, line)
            }
        });
        let broken = broken.collect();
        let fixed = RegionStatic {
            kind,
            parent,
            function,
            linkage_name,
            file,
            line,
            column,
            end_line,
            counted,
            broken,
            folded,
            source: (kind == RegionKind::Loop && counted).then(|| loop_source(line)),
            streams: match kind {
                RegionKind::Loop => (0..line % 3).map(|k| stream(line + k)).collect(),
                _ => Vec::new(),
            },
            vectorized: (kind == RegionKind::Loop && line % 3 > 0).then_some(line % 3 == 1),
            writes_to_frame: (kind == RegionKind::Loop && line % 2 > 0).then_some(line % 3 == 2),
        };
        Region { module, fixed }
    })
}

/// Makes parents earlier regions of the same module.
fn nested(mut regions: Vec<Region>) -> Vec<Region> {
    for index in 0..regions.len() {
        let parent = regions[index]
            .fixed
            .parent
            .map(|parent| parent as usize % (index + 1));
        let fits = parent.filter(|&p| p < index && regions[p].module == regions[index].module);
        regions[index].fixed.parent = fits.map(|p| p as u32);
    }
    regions
}

fn context(regions: u32) -> impl Strategy<Value = Context> {
    let figures = prop::array::uniform13(0..1u64 << 50);
    let carried = prop::option::of(0..1u64 << 50);
    (
        any::<u32>(),
        0..regions.max(1),
        any::<(bool, bool)>(),
        figures,
        0f64..1e300,
        carried,
    )
        .prop_map(
            |(parent, region, (tracked, children_tracked), f, parallel_time, carried)| Context {
                parent,
                region,
                depth: 0,
                tracked,
                children_tracked,
                instances: f[0],
                work: f[1],
                cp: f[2],
                cp_max: f[3],
                child_work: f[4],
                child_cp: f[5],
                children: f[6],
                children_min: f[7],
                children_max: f[8],
                gap: f[9],
                gap_max: f[10],
                multi: f[11],
                multi_flat: f[12],
                parallel_time,
                carried,
            },
        )
}

fn linked(root: Context, others: Vec<Context>) -> Vec<Context> {
    let mut contexts = vec![Context {
        parent: 0,
        region: u32::MAX,
        ..root
    }];
    for context in others {
        let parent = context.parent % contexts.len() as u32;
        let depth = if parent == 0 {
            0
        } else {
            contexts[parent as usize].depth + 1
        };
        contexts.push(Context {
            parent,
            depth,
            ..context
        });
    }
    contexts
}

fn symbol(regions: u32) -> impl Strategy<Value = Symbol> {
    let numbers = (0..regions.max(1), 0..1u64 << 20, 0..1u64 << 20, 1..3u64);
    (numbers, vec(run(), 0..4)).prop_map(|((region, work, cp, summarised), children)| Symbol {
        region,
        work,
        cp,
        summarised,
        children,
    })
}

fn run() -> impl Strategy<Value = EqualChildren> {
    (any::<u32>(), 1..3u64).prop_map(|(symbol, count)| EqualChildren { symbol, count })
}

/// Makes children earlier symbols.
fn tree(mut symbols: Vec<Symbol>, mut root: Vec<EqualChildren>) -> Tree {
    let len = symbols.len();
    let sequences = symbols
        .iter_mut()
        .map(|s| &mut s.children)
        .chain([&mut root]);
    for (index, sequence) in sequences.enumerate() {
        if index == 0 {
            sequence.clear();
        }
        sequence
            .iter_mut()
            .for_each(|run| run.symbol %= index.min(len) as u32);
    }
    Tree { symbols, root }
}
