//! Made-up results of `parascan ilp` for several tests: a program whose loop control runs ahead of a plateau.

use std::collections::HashMap;

use parascan_ddg::event::ThreadId;
use parascan_ddg::model::{Branches, MachineModel, Rename};
use parascan_ddg::program::RoutineId;
use parascan_ddg::result::{
    Distribution, Flow, Flows, LevelHistogram, LevelMaximum, LiveWellSize, ModelFigures,
    OperationsPerLevel, Predictions, Resources, RoutineFigures, ValueFigures,
};
use parascan_ddg::stretch::{
    Branching, ChainEdge, DataFlowGraph, DependenceChain, DependenceVia, Edge, GraphLoop,
    GraphNode, OpenedIteration, Segment, StaticId,
};
use parascan_formats::profile::End;
use parascan_isa::{HistogramClass, InstructionClass, Location};
use parascan_views::ilp::{
    IlpReport, InstructionSite, Name, SourceLine, StreamResults, Stretch, StretchLoop,
};

/// Models: PerPI's, four windows, three kinds of renaming less, a predictor.
fn models() -> Vec<MachineModel> {
    let mut models = vec![MachineModel::perpi()];
    for (window, name) in [(16, "16"), (256, "256"), (10_000, "10k"), (1_000_000, "1M")] {
        let mut model = MachineModel::perpi();
        model.name = format!("perpi,window={name}");
        model.window = Some(window);
        models.push(model);
    }
    for (registers, stack) in [(false, false), (true, false), (true, true)] {
        let mut model = MachineModel::perpi();
        model.rename = Rename {
            registers,
            stack,
            memory: false,
        };
        model.name = format!("perpi,rename={}{}", u8::from(registers), u8::from(stack));
        models.push(model);
    }
    let mut model = MachineModel::perpi();
    model.name = "perpi,branches=gshare".into();
    model.branches = Branches::Gshare {
        index_bits: 12,
        history: 12,
    };
    models.push(model);
    models
}

/// A profile of so many levels: control first, then a plateau of floating point, then an end that thins out; `dense`
/// multiplies all.
fn profile(levels: u64, shift: u32, dense: f64) -> LevelHistogram {
    let bins = levels.div_ceil(1 << shift);
    let of = |bin: u64| {
        let at = bin as f64 / bins as f64;
        let control = if at < 0.12 { 40.0 } else { 0.0 };
        let data = if at < 0.75 { 14.0 } else { 56.0 * (1.0 - at) };
        let wave = 1.0 + 0.25 * (bin as f64 * 0.7).sin();
        let each = |value: f64| (value * wave * dense * (1u64 << shift) as f64).round() as u64;
        [
            each(data),
            each(data * 0.2),
            each(control),
            each(data * 0.5),
            each(data * 0.2),
            each(control * 0.5),
            u64::from(bin == 3) * 5,
        ]
    };
    LevelHistogram {
        shift,
        bins: (0..bins).map(of).collect(),
    }
}

fn outcome(model: &MachineModel, number: usize, routines: bool) -> ModelFigures {
    let levels = 100_000 * [1, 40, 12, 3, 2, 20, 6, 3, 4][number % 9];
    let profile = profile(
        levels,
        if number == 0 { 8 } else { 12 },
        100_000.0 / levels as f64,
    );
    let operations = profile.bins.iter().flatten().sum();
    ModelFigures {
        model: model.name.clone(),
        instructions: operations + 10,
        operations,
        critical_path: levels,
        system_calls: 42,
        predictions: Predictions {
            branches: 500_000,
            branches_missed: u64::from(number == 8) * 31_000,
            indirect: 800,
            indirect_missed: 0,
            returns: 20_000,
            returns_missed: u64::from(number == 8) * 3,
        },
        values: (number == 0).then(|| ValueFigures {
            created: 2_000_000,
            unread: 150_000,
            lifetimes: Distribution {
                bins: vec![
                    (0, 20_000),
                    (1, 900_000),
                    (2, 400_000),
                    (3, 200_000),
                    (10, 250_000),
                    (64, 50_000),
                    (1024, 20_000),
                    (65_536, 10_000),
                ],
                sum: 1_234_567_890,
                largest: 70_001,
            },
            sharing: Distribution {
                bins: vec![
                    (1, 1_200_000),
                    (2, 500_000),
                    (3, 100_000),
                    (5, 40_000),
                    (96, 10_000),
                ],
                sum: 3_800_000,
                largest: 99,
            },
            storage: profile
                .bins
                .iter()
                .map(|bin| 3 * bin[0] + 256 * 40)
                .collect(),
            most_alive: 93.25,
        }),
        resources: (number == 0).then(resources),
        flows: (number == 0).then(flows),
        profile,
        detail: None,
        routines: if routines {
            routines_of(operations, levels)
        } else {
            Vec::new()
        },
        live_well: LiveWellSize {
            touched: 1 << 20,
            size: 11 << 20,
            of_calls: 40 << 20,
        },
    }
}

fn flows() -> Flows {
    let routine = |from, to, reads| Flow {
        from: RoutineId(from),
        to: RoutineId(to),
        reads,
    };
    let thread = |from, to, reads| Flow {
        from: ThreadId(from),
        to: ThreadId(to),
        reads,
    };
    Flows {
        routines: vec![
            routine(1, 1, 3_000_000),
            routine(0, 1, 500_000),
            routine(1, 3, 250_000),
            routine(2, 0, 40_000),
            routine(3, 3, 10_000),
        ],
        threads: vec![thread(0, 0, 3_600_000), thread(0, 1, 200_000)],
    }
}

/// Of the first 50,000 levels.
fn resources() -> Resources {
    let most = |number, level| LevelMaximum { number, level };
    let needed = |operations, most, enough| OperationsPerLevel {
        operations,
        most,
        enough,
    };
    Resources {
        levels: 50_000,
        alive: most(120, 4_321),
        all: needed(2_100_000, most(90, 17), [55, 80, 90]),
        classes: vec![
            (
                InstructionClass::Integer,
                needed(1_400_000, most(64, 17), [40, 56, 64]),
            ),
            (
                InstructionClass::FloatAdd,
                needed(700_000, most(26, 18), [15, 24, 26]),
            ),
        ],
    }
}

fn routines_of(operations: u64, levels: u64) -> Vec<RoutineFigures> {
    let one = |number: u32, calls: u64, share: u64, own: u64| RoutineFigures {
        routine: RoutineId(number),
        calls,
        measured: calls - u64::from(number == 2),
        operations: operations * share / 100,
        steps: levels * share / 100 * u64::from(number + 1),
        own_operations: operations * own / 100,
        own_measured: operations * own / 100,
        own_steps: (number != 3).then_some(levels * own / 80),
        outermost_operations: operations * share / 100,
    };
    vec![
        one(0, 1, 100, 5),
        one(1, 1000, 70, 70),
        one(2, 12, 25, 22),
        one(3, 7, 3, 3),
    ]
}

fn sites(name: &str) -> HashMap<StaticId, InstructionSite> {
    let site = |number: u64, text: &str, kind| InstructionSite {
        text: text.to_owned(),
        address: 0x40_1000 + 4 * number,
        kind,
        routine: name.to_owned(),
        place: (number != 2).then(|| SourceLine {
            file: format!("/home/me/{name}.c"),
            line: 10 + number as u32,
        }),
    };
    let texts = [
        ("xor eax, eax", HistogramClass::Integer),
        ("pxor xmm1, xmm1", HistogramClass::Vector),
        ("movsd xmm0, qword ptr [rdi+rax*8]", HistogramClass::Load),
        ("mulsd xmm0, qword ptr [rsi+rax*8]", HistogramClass::Float),
        ("addsd xmm1, xmm0", HistogramClass::Float),
        ("inc rax", HistogramClass::Integer),
        ("cmp rax, rdx", HistogramClass::Integer),
        ("jne 0x401008", HistogramClass::Branch),
        ("movapd xmm0, xmm1", HistogramClass::Vector),
        ("ret", HistogramClass::Branch),
        ("mov qword ptr [rsp+8], rax", HistogramClass::Store),
    ];
    let numbered = (0..).zip(texts);
    numbered
        .map(|(number, (text, kind))| (StaticId(number), site(number.into(), text, kind)))
        .collect()
}

fn register(index: usize) -> DependenceVia {
    DependenceVia::Register(Location::from_index(index).unwrap())
}

/// A dot product's loop with its instances put together.
fn collapsed() -> DataFlowGraph {
    let node = |number, first_level, last_level, critical| GraphNode {
        statics: StaticId(number),
        instances: u64::from(last_level - first_level) + 1,
        first_level,
        last_level,
        critical,
        opened: false,
        group: None,
    };
    let edge = |from, to, via, count, critical| Edge {
        from,
        to,
        via,
        count,
        critical,
    };
    DataFlowGraph {
        nodes: vec![
            node(0, 1, 1, false),
            node(1, 1, 1, false),
            node(2, 2, 101, false),
            node(3, 3, 102, false),
            node(4, 4, 103, true),
            node(5, 2, 101, false),
            node(6, 3, 102, false),
            node(7, 4, 103, false),
            node(8, 104, 104, true),
            node(9, 2, 2, false),
        ],
        edges: vec![
            edge(0, 2, register(0), 1, false),
            edge(0, 5, register(0), 1, false),
            edge(5, 5, register(0), 99, false),
            edge(5, 2, register(0), 99, false),
            edge(2, 3, DependenceVia::Memory, 100, false),
            edge(3, 4, DependenceVia::Memory, 100, false),
            edge(1, 4, DependenceVia::Memory, 1, false),
            edge(4, 4, DependenceVia::Memory, 99, true),
            edge(5, 6, register(0), 100, false),
            edge(6, 7, DependenceVia::Control, 100, false),
            edge(4, 8, DependenceVia::Memory, 1, true),
        ],
        collapsed: true,
        left_out: 7,
        instances: 606,
    }
}

/// A graph of single instances: `chains` chains of `length` that exchange values.
fn large(chains: u32, length: u32) -> DataFlowGraph {
    let mut graph = DataFlowGraph {
        nodes: Vec::new(),
        edges: Vec::new(),
        collapsed: false,
        left_out: 0,
        instances: u64::from(chains * length),
    };
    for level in 1..=length {
        for chain in 0..chains {
            graph.nodes.push(GraphNode {
                statics: StaticId(chain % 11),
                instances: 1,
                first_level: level,
                last_level: level,
                critical: chain == 3,
                opened: false,
                group: None,
            });
            let mut edge = |from: u32, critical| {
                graph.edges.push(Edge {
                    from: ((level - 2) * chains + from) as usize,
                    to: ((level - 1) * chains + chain) as usize,
                    via: register(3),
                    count: 1,
                    critical,
                });
            };
            if level > 1 {
                edge(chain, chain == 3);
                if (level + chain) % 4 == 0 && chain + 1 < chains {
                    edge(chain + 1, false);
                }
            }
        }
    }
    graph
}

fn chains() -> Vec<DependenceChain> {
    let edge = |from: Option<u32>, to, via, count| ChainEdge {
        from: from.map(StaticId),
        to: StaticId(to),
        via,
        count,
        steps: count,
    };
    let segment = |number, count, is_loop, edges: Vec<ChainEdge>| Segment {
        instructions: vec![(StaticId(number), count)],
        steps: edges.iter().map(|edge| edge.steps).sum(),
        edges,
        is_loop,
    };
    vec![
        DependenceChain {
            steps: 104,
            level: 104,
            instances: 104,
            operations: 104,
            leaves: None,
            segments: vec![
                segment(0, 1, false, vec![edge(None, 0, DependenceVia::Start, 1)]),
                segment(2, 1, false, vec![edge(Some(0), 2, register(0), 1)]),
                segment(
                    3,
                    1,
                    false,
                    vec![edge(Some(2), 3, DependenceVia::Memory, 1)],
                ),
                segment(
                    4,
                    100,
                    true,
                    vec![
                        edge(Some(4), 4, register(60), 99),
                        edge(Some(3), 4, register(57), 1),
                    ],
                ),
                segment(8, 1, false, vec![edge(Some(4), 8, register(60), 1)]),
            ],
        },
        DependenceChain {
            steps: 2,
            level: 4,
            instances: 2,
            operations: 2,
            leaves: Some(Branching {
                chain: 0,
                statics: StaticId(2),
                level: 2,
            }),
            segments: vec![segment(
                6,
                1,
                false,
                vec![edge(Some(2), 6, DependenceVia::Window, 1)],
            )],
        },
    ]
}

fn stretch(name: &str, graph: DataFlowGraph) -> Stretch {
    Stretch {
        title: format!("{name}, call 1"),
        model: "perpi".into(),
        instructions: 606,
        operations: 603,
        critical_path: 104,
        stopped: true,
        histogram: Some(profile(104, 0, 1.0)),
        steps: None,
        chains: chains(),
        opened: None,
        loops: Vec::new(),
        loop_of: HashMap::new(),
        graph: Some(graph),
        sites: sites(name),
    }
}

/// Puts a loop into a stretch of [`report`]: some of its iterations, most wanted first, with graphs of their own, in
/// which the sum is opened.
#[allow(dead_code, reason = "not all tests that share this file need it")]
pub fn add_loop(stretch: &mut Stretch, iterations: &[(u64, u64)]) {
    let opened = iterations.iter().map(|&(entry, iteration)| {
        let mut graph = collapsed();
        graph.nodes[4].instances -= 1;
        let own = GraphNode {
            instances: 1,
            last_level: graph.nodes[4].first_level,
            critical: iteration % 2 == 0,
            opened: true,
            ..graph.nodes[4]
        };
        graph.nodes.push(own);
        OpenedIteration {
            entry,
            iteration,
            graph,
        }
    });
    let number = stretch.loops.len();
    stretch.loops.push(StretchLoop {
        name: "0x401008".into(),
        end: 0x40_101c,
        found: GraphLoop {
            head: StaticId(2),
            end: 0x40_101c,
            entries: 7,
            first: 100,
            longest: (3, 2000),
            opened: opened.collect(),
        },
    });
    let of_loop = (2..8).map(|own| (StaticId(own), number));
    stretch.loop_of.extend(of_loop);
}

/// Results in which the program, routines, files and threads are called `name`.
pub fn report(name: &str) -> IlpReport {
    let models = models();
    let stream = |called: &str, skip: usize| StreamResults {
        name: called.to_owned(),
        whole: skip == 0,
        outcomes: models
            .iter()
            .enumerate()
            .map(|(n, model)| outcome(model, n + skip, n == 0))
            .collect(),
    };
    let routine = |called: &str, line| Name {
        name: called.to_owned(),
        module: name.to_owned(),
        place: Some(SourceLine {
            file: format!("/home/me/{name}.c"),
            line,
        }),
    };
    IlpReport {
        program: name.to_owned(),
        command: vec![format!("./{name}"), "input.txt".into()],
        again: ["parascan", "ilp", "--steps"]
            .map(|word| Some(word.to_owned()))
            .into_iter()
            .chain([None, Some("--report".to_owned()), Some(name.to_owned())])
            .collect(),
        again_open: ["parascan", "ilp", "--open"]
            .map(|word| Some(word.to_owned()))
            .into_iter()
            .chain([None, Some(name.to_owned())])
            .collect(),
        scope: "from main".into(),
        end: End::Signalled(11),
        partial: true,
        notes: vec![format!("{name} was entered by a jump.")],
        streams: vec![
            stream("all threads", 0),
            stream(&format!("thread {name}"), 1),
        ],
        models,
        focus: 0,
        routines: vec![
            routine("main", 40),
            routine(name, 10),
            routine("std::vector<double>::push_back(double const&)", 1),
            Name {
                name: "0x401f30".into(),
                ..Name::default()
            },
        ],
        stretches: vec![
            stretch(name, collapsed()),
            Stretch {
                histogram: None,
                chains: Vec::new(),
                ..stretch(name, large(24, 30))
            },
        ],
    }
}
