//! Stretches: hand-solved graphs and chains, the scope of a stretch, and an obvious implementation on random streams.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::common::by_reference;
use crate::common::random::{Shape, looping, models, stream};
use parascan_ddg::event::{MemorySpan, ThreadId};
use parascan_ddg::model::{Branches, MachineModel, SystemCalls, Units};
use parascan_ddg::options::{EngineOptions, Routines};
use parascan_ddg::program::{BlockId, RoutineId};
use parascan_ddg::result::LevelHistogram;
use parascan_ddg::stretch::{
    DataFlowGraph, DependenceChain, DependenceVia, GraphSettings, IterationOffer, IterationRequest,
    LoopCounts, Recorder, Recording, RecordingEnd, StaticId, StreamPart, StretchSettings,
};
use parascan_ddg::synthetic::{
    OwnedEvent, Stream, flags, general, instruction, leaving, load, reading, writing,
};
use parascan_isa::{
    Control, HistogramClass, Instruction, InstructionClass, Location, MemoryOperand,
};
use proptest::prelude::*;

const T: ThreadId = ThreadId(0);
const ALL: StreamPart = StreamPart::Instances {
    skip: 0,
    count: None,
};
const GRAPH: GraphSettings = GraphSettings {
    levels: None,
    nodes: 100,
    collapse: false,
    open: None,
    offer: None,
};

fn record(
    stream: &Stream,
    model: &MachineModel,
    part: StreamPart,
    graph: Option<GraphSettings>,
) -> Recording {
    let settings = StretchSettings {
        part,
        limit: 1_000_000,
        graph,
    };
    let mut recorder = Recorder::new(model, &settings);
    stream
        .replay(|program, thread, event| recorder.event(program, thread, event))
        .unwrap();
    recorder.finish()
}

fn levels(recording: &Recording) -> Vec<u32> {
    recording.instances.iter().map(|i| i.level).collect()
}

fn register(number: u8) -> DependenceVia {
    DependenceVia::Register(general(number)[0])
}

/// PerPI, Table 3: `(a + b) + (c + d)`.
fn table_3() -> Stream {
    let (eax, ebx, edx, ebp) = (general(0), general(3), general(2), general(5));
    let pointer = std::slice::from_ref(&ebp);
    let add = |to, from| instruction(InstructionClass::Integer, [to, from], [to, &flags()]);
    let add_memory = reading(
        4,
        instruction(InstructionClass::Integer, [&ebx, &ebp], [&ebx, &flags()]),
    );
    Stream::straight([
        (load(&eax, pointer), vec![0x1000]),
        (load(&edx, pointer), vec![0x1008]),
        (add(&edx, &eax), vec![]),
        (load(&ebx, pointer), vec![0x1010]),
        (add_memory, vec![0x1018]),
        (add(&edx, &ebx), vec![]),
    ])
}

#[test]
fn table_3_of_perpi_as_a_graph() {
    let recording = record(&table_3(), &MachineModel::perpi(), ALL, Some(GRAPH));
    assert_eq!(levels(&recording), [1, 1, 2, 1, 2, 3]);
    assert_eq!((recording.operations(), recording.critical_path()), (6, 3));
    assert_eq!(recording.ended, RecordingEnd::WithStream);
    let graph = recording.graph.as_ref().unwrap();
    let edges: BTreeSet<_> = graph
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to, edge.via, edge.count))
        .collect();
    let expected = [
        (0, 2, register(0), 1),
        (1, 2, register(2), 1),
        (3, 4, register(3), 1),
        (2, 5, register(2), 1),
        (4, 5, register(3), 1),
    ];
    assert_eq!(edges, BTreeSet::from(expected));
    // One of the two ways of three steps, whole.
    assert_eq!(graph.nodes.iter().filter(|node| node.critical).count(), 3);
    let path: Vec<_> = graph.edges.iter().filter(|edge| edge.critical).collect();
    assert_eq!(path.len(), 2);
    assert!(path.iter().all(|edge| graph.nodes[edge.from].critical));
    let histogram = recording.histogram(None, 100);
    let by_kind = |step: usize, kind: HistogramClass| histogram.bins[step][kind as usize];
    assert_eq!((histogram.shift, histogram.bins.len()), (0, 3));
    assert_eq!(by_kind(0, HistogramClass::Load), 3);
    assert_eq!(by_kind(1, HistogramClass::Integer), 2);
    assert_eq!(by_kind(2, HistogramClass::Integer), 1);
    let narrow = recording.histogram(None, 2);
    assert_eq!((narrow.shift, narrow.bins.len()), (1, 2));
    assert_eq!(histogram.within(2), narrow);
    assert_eq!(histogram.within(3), histogram);
    assert_eq!(histogram.within(0), recording.histogram(None, 1));
}

#[test]
fn chains_of_table_3_share_nothing() {
    let recording = record(&table_3(), &MachineModel::perpi(), ALL, None);
    let chains = recording.chains(10);
    let shown: Vec<_> = chains
        .iter()
        .map(|chain| (chain.steps, chain.level, chain.instances, chain.leaves))
        .collect();
    assert_eq!(shown, [(3, 3, 3, None), (2, 2, 2, None), (1, 1, 1, None)]);
    assert_eq!(recording.chains(1), chains[..1]);
}

/// A loop: the block is executed so often, its last instruction leads back; all slots walk by 8 bytes.
fn around(body: impl IntoIterator<Item = Instruction>, times: u64) -> Stream {
    let mut stream = Stream::new();
    let target = stream.next_address();
    let counter = general(1);
    let mut body: Vec<_> = body.into_iter().collect();
    let slots = body.iter().map(|i| i.slots.len()).sum();
    body.push(instruction(
        InstructionClass::Integer,
        [&counter],
        [&counter, &flags()],
    ));
    body.push(leaving(
        Control::Branch { target },
        instruction(InstructionClass::Jump, [&flags()], []),
    ));
    let id = stream.block(RoutineId(0), true, body);
    for time in 0..times {
        stream.run(T, id, &vec![0x1_0000 + 8 * time; slots]);
    }
    stream
}

/// The edges between instructions of the loop that a chain goes round: from, to, through what, how often.
fn recurring(chain: &DependenceChain) -> Vec<(u32, u32, DependenceVia, u64)> {
    let round = chain.segments.iter().find(|segment| segment.is_loop);
    let edges = &round.expect("the chain goes round").edges;
    edges
        .iter()
        .filter_map(|edge| Some((edge.from?.0, edge.to.0, edge.via, edge.count)))
        .collect()
}

#[test]
fn the_chain_of_a_reduction_is_its_add() {
    let (sum, value, pointer) = (general(0), general(2), general(1));
    let add = instruction(InstructionClass::FloatAdd, [&sum, &value], [&sum]);
    let mut slow = MachineModel::perpi();
    slow.latency.steps[InstructionClass::FloatAdd as usize] = 4;
    for (model, critical_path) in [(MachineModel::perpi(), 101), (slow, 401)] {
        let body = [load(&value, std::slice::from_ref(&pointer)), add.clone()];
        let recording = record(&around(body, 100), &model, ALL, None);
        assert_eq!(recording.critical_path(), critical_path);
        let chain = &recording.chains(1)[0];
        assert_eq!((chain.steps, chain.level), (critical_path, critical_path));
        assert_eq!(recurring(chain)[0], (1, 1, register(0), 99));
    }
}

#[test]
fn the_chain_of_a_pointer_chase_is_its_load() {
    let pointer = general(3);
    let chase = load(&pointer, std::slice::from_ref(&pointer));
    let recording = record(&around([chase], 1000), &MachineModel::perpi(), ALL, None);
    let chains = recording.chains(2);
    // The counter and the last branch are one step longer than the chase.
    assert_eq!((chains[0].steps, chains[0].instances), (1001, 1001));
    assert_eq!(recurring(&chains[0]), [(1, 1, register(1), 999)]);
    assert_eq!((chains[1].steps, chains[1].instances), (1000, 1000));
    assert_eq!(chains[1].leaves, None);
    assert_eq!(recurring(&chains[1]), [(0, 0, register(3), 999)]);
    assert_eq!(chains[1].segments.len(), 1);
    assert_eq!(chains[1].segments[0].steps, 1000);
    assert_eq!(chains[1].segments[0].instructions, [(StaticId(0), 1000)]);
}

#[test]
fn a_loop_through_memory_names_memory() {
    let (value, pointer) = (general(0), general(5));
    let read = reading(
        8,
        instruction(InstructionClass::Integer, [&value, &pointer], [&flags()]),
    );
    let mut stream = Stream::new();
    let id = stream.block(RoutineId(0), true, [writing(8, read)]);
    for _ in 0..10 {
        stream.run(T, id, &[0x2000, 0x2000]);
    }
    let wanted = GraphSettings { nodes: 3, ..GRAPH };
    let recording = record(&stream, &MachineModel::perpi(), ALL, Some(wanted));
    assert_eq!(
        recurring(&recording.chains(1)[0]),
        [(0, 0, DependenceVia::Memory, 9)]
    );
    let graph = recording.graph.unwrap();
    assert!(graph.collapsed);
    assert_eq!(graph.instances, 10);
    assert_eq!((graph.nodes.len(), graph.nodes[0].instances), (1, 10));
    assert_eq!(graph.nodes[0].first_level, 1);
    assert_eq!(graph.nodes[0].last_level, 10);
    assert_eq!((graph.edges.len(), graph.edges[0].count), (1, 9));
    assert!(graph.edges[0].critical);
}

#[test]
fn a_graph_of_some_levels_has_only_these() {
    let wanted = GraphSettings {
        levels: Some((2, 3)),
        ..GRAPH
    };
    let recording = record(&table_3(), &MachineModel::perpi(), ALL, Some(wanted));
    let graph = recording.graph.unwrap();
    assert_eq!(graph.instances, 3);
    let edges: Vec<_> = graph
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to))
        .collect();
    assert_eq!(edges, [(0, 2), (1, 2)]);
}

#[test]
fn nodes_beyond_the_cap_are_counted() {
    let wanted = GraphSettings {
        nodes: 4,
        collapse: true,
        ..GRAPH
    };
    let recording = record(&table_3(), &MachineModel::perpi(), ALL, Some(wanted));
    let graph = recording.graph.unwrap();
    assert_eq!((graph.nodes.len(), graph.left_out), (4, 2));
    assert_eq!(graph.nodes.iter().filter(|node| node.critical).count(), 3);
}

/// `main` calls `f` twice; `f` adds to a register and calls `g`, which adds to it as well.
fn calls() -> Stream {
    let [main, f, g] = [0, 1, 2].map(RoutineId);
    let sum = general(0);
    let add = || instruction(InstructionClass::Integer, [&sum], [&sum]);
    let plain = || instruction(InstructionClass::Call, [], []);
    let call = |target| leaving(Control::Call { target }, plain());
    let leave = || leaving(Control::Return, plain());
    let mut stream = Stream::new();
    let f_address = stream.next_address();
    let f_first = stream.block(f, true, [add(), call(0x999)]);
    let f_last = stream.block(f, false, [add(), leave()]);
    let g_block = stream.block(g, true, [add(), add(), leave()]);
    let in_main = stream.block(main, true, [add(), call(f_address)]);
    let behind = stream.block(main, false, [add(), call(f_address)]);
    let end = stream.block(main, false, [add()]);
    for caller in [in_main, behind] {
        for block in [caller, f_first, g_block, f_last] {
            stream.run(T, block, &[]);
        }
    }
    stream.run(T, end, &[]);
    stream
}

#[test]
fn a_call_is_measured_from_its_own_entry() {
    let stream = calls();
    let call = |routine, number| StreamPart::Call {
        first: RoutineId(routine),
        last: RoutineId(routine),
        number,
    };
    for number in [1, 2] {
        let recording = record(&stream, &MachineModel::perpi(), call(1, number), None);
        assert_eq!(recording.ended, RecordingEnd::Complete);
        // f: add, call; g: add, add, return; f: add, return.
        assert_eq!(levels(&recording), [1, 1, 2, 3, 1, 4, 1], "call {number}");
    }
    let any = StreamPart::Call {
        first: RoutineId(1),
        last: RoutineId(2),
        number: 2,
    };
    let recording = record(&stream, &MachineModel::perpi(), any, None);
    assert_eq!(recording.call, Some((T, RoutineId(2))));
    let inner = record(&stream, &MachineModel::perpi(), call(2, 2), None);
    assert_eq!(levels(&inner), [1, 2, 1]);
    let outer = record(&stream, &MachineModel::perpi(), call(0, 1), None);
    assert_eq!(
        (outer.ended, outer.instances.len()),
        (RecordingEnd::WithStream, 19)
    );
    let missing = record(&stream, &MachineModel::perpi(), call(1, 3), None);
    assert_eq!(missing.ended, RecordingEnd::NotReached { seen: 2 });
    assert!(missing.instances.is_empty() && missing.chains(3).is_empty());
    assert_eq!(missing.histogram(None, 10).bins.len(), 0);
}

#[test]
fn instances_are_skipped_and_counted() {
    let stream = calls();
    let part = |skip, count| StreamPart::Instances { skip, count };
    let recording = record(&stream, &MachineModel::perpi(), part(2, Some(7)), None);
    assert_eq!(levels(&recording), [1, 1, 2, 3, 1, 4, 1]);
    assert_eq!(recording.ended, RecordingEnd::Complete);
    let late = record(&stream, &MachineModel::perpi(), part(100, Some(1)), None);
    assert_eq!(late.ended, RecordingEnd::NotReached { seen: 19 });
    let settings = StretchSettings {
        part: ALL,
        limit: 5,
        graph: None,
    };
    let mut recorder = Recorder::new(&MachineModel::perpi(), &settings);
    stream
        .replay(|program, thread, event| recorder.event(program, thread, event))
        .unwrap();
    assert!(recorder.is_done());
    let limited = recorder.finish();
    assert_eq!(limited.ended, RecordingEnd::AtLimit);
    assert_eq!(levels(&limited), levels(&recorded_all(&stream))[..5]);
}

fn recorded_all(stream: &Stream) -> Recording {
    record(stream, &MachineModel::perpi(), ALL, None)
}

#[test]
fn constraints_of_the_machine_are_named() {
    let sum = general(0);
    let add = || instruction(InstructionClass::Integer, [&sum], [&sum]);
    let constant = || instruction(InstructionClass::Move, [], [&sum]);
    let straight =
        |body: Vec<Instruction>| Stream::straight(body.into_iter().map(|i| (i, Vec::new())));
    let stream = straight(vec![add(), add(), constant()]);

    let mut model = MachineModel::perpi();
    model.rename.registers = false;
    let recording = record(&stream, &model, ALL, Some(GRAPH));
    assert_eq!(levels(&recording), [1, 2, 3]);
    assert_eq!(recording.instances[2].via(), DependenceVia::RegisterStorage);

    let mut model = MachineModel::perpi();
    model.window = Some(2);
    let recording = record(&stream, &model, ALL, None);
    assert_eq!(levels(&recording), [1, 2, 2]);
    assert_eq!(recording.instances[2].via(), DependenceVia::Window);
    assert_eq!(recording.instances[2].before(), Some(0));

    let mut model = MachineModel::perpi();
    model.system_calls = SystemCalls::Conservative;
    let system = leaving(
        Control::System,
        instruction(InstructionClass::System, [], []),
    );
    let recording = record(
        &straight(vec![add(), add(), system, constant()]),
        &model,
        ALL,
        None,
    );
    assert_eq!(levels(&recording), [1, 2, 1, 3]);
    assert_eq!(recording.instances[3].via(), DependenceVia::SystemCall);
    assert_eq!(recording.instances[3].before(), Some(1));

    let mut model = MachineModel::perpi();
    model.branches = Branches::None;
    let recording = record(&around([constant()], 2), &model, ALL, None);
    // Constant, counter, branch; then all wait for the branch.
    assert_eq!(levels(&recording), [1, 1, 2, 3, 3, 4]);
    assert_eq!(recording.instances[3].via(), DependenceVia::Control);

    let mut model = MachineModel::perpi();
    model.units = Units::Generic(1);
    let stream = straight(vec![constant(), constant(), add()]);
    let recording = record(&stream, &model, ALL, None);
    assert_eq!(levels(&recording), [1, 2, 3]);
    // What waited for a unit is in the steps of the chain that waited.
    assert_eq!(recording.chains(1)[0].steps, 3);
}

/// What an instance reads and writes, spelled out.
#[derive(Clone, Debug)]
struct SpelledInstance {
    reads: BTreeSet<Cell>,
    writes: BTreeSet<Cell>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Register(usize),
    Byte(u64),
}

fn any_instruction() -> impl Strategy<Value = (Instruction, Vec<u64>)> {
    let registers = || proptest::collection::vec((0u8..5).prop_map(general), 0..3);
    let slot = (any::<bool>(), any::<bool>(), 1u16..9)
        .prop_map(|(read, write, size)| MemoryOperand { read, write, size });
    let slots = proptest::collection::vec((slot, 0x1ffcu64..0x2008), 0..3);
    (registers(), registers(), slots).prop_map(|(reads, writes, slots)| {
        let mut result = instruction(InstructionClass::Integer, &reads, &writes);
        let (slots, addresses) = slots.into_iter().unzip();
        result.slots = slots;
        (result, addresses)
    })
}

fn plain((instruction, addresses): &(Instruction, Vec<u64>)) -> SpelledInstance {
    let registers = |list: &[Location]| -> BTreeSet<Cell> {
        list.iter().map(|l| Cell::Register(l.index())).collect()
    };
    let mut plain = SpelledInstance {
        reads: registers(&instruction.reads),
        writes: registers(&instruction.writes),
    };
    for (slot, address) in instruction.slots.iter().zip(addresses) {
        let bytes = (*address..*address + u64::from(slot.size)).map(Cell::Byte);
        if slot.read {
            plain.reads.extend(bytes.clone());
        }
        if slot.write {
            plain.writes.extend(bytes);
        }
    }
    plain
}

/// The last of the instances before `of` that wrote to a cell.
fn writer(all: &[SpelledInstance], of: usize, cell: &Cell) -> Option<usize> {
    (0..of)
        .rev()
        .find(|other| all[*other].writes.contains(cell))
}

/// Who produced what an instance reads.
fn producers(all: &[SpelledInstance], of: usize) -> BTreeSet<usize> {
    let reads = all[of].reads.iter();
    reads.filter_map(|cell| writer(all, of, cell)).collect()
}

/// What an instance must not overtake: the writers of the values it overwrites, and all that read these.
fn users(all: &[SpelledInstance], of: usize, renamed: impl Fn(Cell) -> bool) -> BTreeSet<usize> {
    let mut users = BTreeSet::new();
    for cell in all[of].writes.iter().filter(|cell| !renamed(**cell)) {
        let writer = writer(all, of, cell);
        users.extend(writer);
        // The writer itself read the value before, not this one, and is no later than this one in any case.
        let since = writer.unwrap_or(0);
        users.extend((since..of).filter(|other| all[*other].reads.contains(cell)));
    }
    users
}

/// Chains by definition: again and again the longest way back that ends where it meets an earlier chain.
fn obvious_chains(recording: &Recording, most: usize) -> Vec<(u32, usize)> {
    let instances = &recording.instances;
    let mut taken = vec![false; instances.len()];
    let mut chains = Vec::new();
    while chains.len() < most {
        let way_back = |end: usize| {
            let mut way = vec![end];
            loop {
                match instances[way[way.len() - 1]].before() {
                    None => return (instances[end].level, way),
                    Some(before) if taken[before] => {
                        return (instances[end].level - instances[before].level, way);
                    }
                    Some(before) => way.push(before),
                }
            }
        };
        let longest = (0..instances.len())
            .filter(|end| !taken[*end])
            .map(way_back)
            // Of equally long ones the one that begins first, then the one that ends first.
            .min_by_key(|(steps, way)| (Reverse(*steps), way[way.len() - 1], way[0]));
        let Some((steps, way)) = longest else { break };
        way.iter().for_each(|i| taken[*i] = true);
        chains.push((steps, way.len()));
    }
    chains
}

proptest! {
    #[test]
    fn levels_edges_and_chains_are_those_of_the_definition(
        body in proptest::collection::vec(any_instruction(), 1..60),
        (registers, stack, memory) in any::<(bool, bool, bool)>(),
        window in proptest::option::of(1u64..12),
    ) {
        let mut model = MachineModel::perpi();
        model.rename.registers = registers;
        model.rename.stack = stack;
        model.rename.memory = memory;
        model.window = window;
        let bounds = MemorySpan { address: 0x1000, size: 0x1000 };
        let renamed = |cell| match cell {
            Cell::Register(_) => registers,
            Cell::Byte(address) if address < 0x2000 => stack,
            Cell::Byte(_) => memory,
        };
        let all: Vec<SpelledInstance> = body.iter().map(plain).collect();
        let mut stream = Stream::new();
        stream.event(T, OwnedEvent::Stack { bounds });
        for (instruction, addresses) in body {
            let id = stream.block(RoutineId(0), false, [instruction]);
            stream.run(T, id, &addresses);
        }
        let recording = record(&stream, &model, ALL, Some(GRAPH));
        let mut expected: Vec<u32> = Vec::new();
        for i in 0..all.len() {
            let mut before = producers(&all, i);
            before.extend(users(&all, i, renamed));
            if let Some(window) = window {
                before.extend(0..(i + 1).saturating_sub(window as usize));
            }
            let start = before.iter().map(|j| expected[*j]).max().unwrap_or(0);
            match recording.instances[i].before() {
                None => prop_assert!(before.is_empty()),
                Some(critical) => {
                    prop_assert!(before.contains(&critical));
                    prop_assert_eq!(expected[critical], start);
                }
            }
            expected.push(start + 1);
        }
        prop_assert_eq!(levels(&recording), expected);
        let graph = recording.graph.as_ref().unwrap();
        let data: BTreeSet<(usize, usize)> = graph
            .edges
            .iter()
            .filter(|edge| edge.via.is_data())
            .map(|edge| (edge.from, edge.to))
            .collect();
        let by_definition: BTreeSet<(usize, usize)> = (0..all.len())
            .flat_map(|to| producers(&all, to).into_iter().map(move |from| (from, to)))
            .collect();
        prop_assert_eq!(data, by_definition);
        let chains: Vec<_> = recording
            .chains(8)
            .iter()
            .map(|chain| (chain.steps, chain.instances as usize))
            .collect();
        prop_assert_eq!(chains, obvious_chains(&recording, 8));
        for (position, chain) in recording.chains(8).iter().enumerate() {
            if let Some(from) = chain.leaves {
                prop_assert!(from.chain < position);
                prop_assert_eq!(chain.level - chain.steps, from.level);
            }
        }
    }
}

/// Records with the iterations of a loop beginning at an address.
fn record_opened(
    stream: &Stream,
    model: &MachineModel,
    head: u64,
    open: IterationRequest,
    nodes: usize,
) -> Recording {
    let wanted = GraphSettings {
        nodes,
        collapse: true,
        open: Some(open),
        ..GRAPH
    };
    let settings = StretchSettings {
        part: ALL,
        limit: 1_000_000,
        graph: Some(wanted),
    };
    let mut recorder = Recorder::new(model, &settings);
    recorder.opens_at(head);
    stream
        .replay(|program, thread, event| recorder.event(program, thread, event))
        .unwrap();
    recorder.finish()
}

/// A loop of three instructions that sums up what lies in memory, entered twice: five iterations, then two, with an
/// instruction before each entry that sets the pointer, and one behind. The address of its first instruction.
fn loops() -> (Stream, u64) {
    let [value, pointer, sum, other] = [0, 1, 2, 3].map(general);
    let add = |to: &Vec<Location>, from: &Vec<Location>| {
        instruction(InstructionClass::Integer, [to, from], [to])
    };
    let mut stream = Stream::new();
    let before = stream.block(
        RoutineId(0),
        true,
        [instruction(InstructionClass::Integer, [], [&pointer])],
    );
    let head = stream.next_address();
    let counted = instruction(InstructionClass::Integer, [&pointer], [&pointer, &flags()]);
    let back = instruction(InstructionClass::Jump, [&flags()], []);
    let body = [
        load(&value, std::slice::from_ref(&pointer)),
        add(&sum, &value),
        counted,
        leaving(Control::Branch { target: head }, back),
    ];
    let body = stream.block(RoutineId(0), false, body);
    let behind = stream.block(RoutineId(0), false, [add(&other, &sum)]);
    for iterations in [5, 2] {
        stream.run(T, before, &[]);
        for iteration in 0..iterations {
            stream.run(T, body, &[0x1000 + 8 * iteration]);
        }
        stream.run(T, behind, &[]);
    }
    (stream, head)
}

/// With more instructions than nodes, a loop is a node, and so is what is outside of it.
#[test]
fn loops_are_nodes_where_instructions_are_too_many() {
    let (stream, head) = loops();
    let wanted = GraphSettings { nodes: 5, ..GRAPH };
    let recording = record(&stream, &MachineModel::perpi(), ALL, Some(wanted));
    let graph = recording.graph.unwrap();
    assert!(graph.is_by_loop() && graph.collapsed);
    let nodes = graph.nodes.iter().map(|node| {
        let group = node.group.unwrap();
        let of_group = (group.is_loop, group.instructions, group.steps);
        (node.statics.0, node.instances, node.critical, of_group)
    });
    // The longest chain: to the pointer, a load, seven additions, one behind the loop.
    let expected = [(0, 4, true, (false, 2, 2)), (1, 28, true, (true, 4, 8))];
    assert_eq!(nodes.collect::<Vec<_>>(), expected);
    assert_eq!(recording.statics[1].address, head);
    let extent = graph.nodes[1].group.unwrap().extent;
    assert_eq!(recording.statics[4].address - head, extent);
    let edges = graph.edges.iter();
    let edges = edges.map(|it| (it.from, it.to, it.via, it.count, it.critical));
    let expected = [
        (1, 0, register(2), 2, true),
        (0, 1, register(1), 4, true),
        // Of these 44 ways, 21 are the three flags that branches read.
        (1, 1, register(2), 44, true),
    ];
    assert_eq!(edges.collect::<Vec<_>>(), expected);
    // Of more loops than nodes, those with most steps of the longest chain are kept.
    let wanted = GraphSettings { nodes: 1, ..GRAPH };
    let recording = record(&stream, &MachineModel::perpi(), ALL, Some(wanted));
    let graph = recording.graph.unwrap();
    assert_eq!((graph.nodes.len(), graph.left_out), (1, 1));
    assert_eq!(graph.nodes[0].statics.0, 1);
    // Where instructions are to be put together, no more than these are.
    let wanted = GraphSettings {
        collapse: true,
        ..wanted
    };
    let recording = record(&stream, &MachineModel::perpi(), ALL, Some(wanted));
    assert!(!recording.graph.unwrap().is_by_loop());
}

/// A node as its instruction's number, and whether it is opened.
type NodeNumber = (u32, bool);

/// Edges as (from, to, through, how often).
fn edges(graph: &DataFlowGraph) -> BTreeSet<(NodeNumber, NodeNumber, DependenceVia, u64)> {
    let node = |at: usize| (graph.nodes[at].statics.0, graph.nodes[at].opened);
    let edges = graph.edges.iter();
    edges
        .map(|edge| (node(edge.from), node(edge.to), edge.via, edge.count))
        .collect()
}

#[test]
fn an_iteration_is_opened_and_the_rest_is_not() {
    let (stream, head) = loops();
    let open = IterationRequest {
        entry: 1,
        iteration: 3,
    };
    let recording = record_opened(&stream, &MachineModel::perpi(), head, open, 100);
    assert_eq!(
        recording.found,
        Some(LoopCounts {
            entries: 2,
            iterations: 5
        })
    );
    let graph = recording.opened.as_ref().unwrap();
    assert_eq!((graph.instances, graph.nodes.len()), (32, 10));
    // Instructions: 0 sets the pointer, 1 to 4 are the loop, 5 is behind it.
    let (pointer, value, sum, other) = (register(1), register(0), register(2), register(3));
    let flag = DependenceVia::Register(flags()[0]);
    let (rest, one) = (|n| (n, false), |n| (n, true));
    let flag_edges = |set: &BTreeSet<(NodeNumber, NodeNumber, DependenceVia, u64)>| {
        set.iter()
            .filter(|(_, to, ..)| to.0 == 4)
            .map(|&(from, to, _, count)| (from, to, count))
            .collect::<BTreeSet<_>>()
    };
    let all = edges(graph);
    assert_eq!(
        flag_edges(&all),
        BTreeSet::from([(rest(3), rest(4), 6), (one(3), one(4), 1)]),
        "{flag:?}"
    );
    let data: BTreeSet<_> = all.into_iter().filter(|(_, to, ..)| to.0 != 4).collect();
    let expected = [
        // The iteration itself.
        (one(1), one(2), value, 1),
        // Into it, from the second one.
        (rest(2), one(2), sum, 1),
        (rest(3), one(1), pointer, 1),
        (rest(3), one(3), pointer, 1),
        // Out of it, to the fourth one.
        (one(2), rest(2), sum, 1),
        (one(3), rest(1), pointer, 1),
        (one(3), rest(3), pointer, 1),
        // The rest: sums 1 to 2, 4 to 5, 5 to 6, 6 to 7; pointers 1 to 2, 4 to 5, 6 to 7; two entries.
        (rest(1), rest(2), value, 6),
        (rest(2), rest(2), sum, 4),
        (rest(3), rest(1), pointer, 3),
        (rest(3), rest(3), pointer, 3),
        (rest(0), rest(1), pointer, 2),
        (rest(0), rest(3), pointer, 2),
        (rest(2), rest(5), sum, 2),
        (rest(5), rest(5), other, 1),
    ];
    assert_eq!(data, BTreeSet::from(expected));
    assert_eq!(
        graph.nodes.iter().filter(|node| node.opened).count(),
        4,
        "{graph:?}"
    );
    // As if nothing were opened.
    let collapsed = GraphSettings {
        collapse: true,
        ..GRAPH
    };
    let plain = record(&stream, &MachineModel::perpi(), ALL, Some(collapsed));
    assert_eq!(recording.graph, plain.graph);
    assert_eq!((plain.opened, plain.found), (None, None));
}

#[test]
fn entries_and_iterations_are_counted_from_one() {
    let (stream, head) = loops();
    let levels = |entry, iteration| {
        let open = IterationRequest { entry, iteration };
        let recording = record_opened(&stream, &MachineModel::perpi(), head, open, 100);
        let found = recording.found.unwrap();
        let graph = recording.opened.unwrap_or_default();
        let opened = graph.nodes.iter().filter(|node| node.opened);
        (
            found.iterations,
            opened.map(|node| node.first_level).collect::<Vec<_>>(),
        )
    };
    // Pointers are set in step 1, and counted on from there; the sum waits for the one before.
    assert_eq!(levels(1, 1), (5, vec![2, 3, 2, 3]));
    assert_eq!(levels(1, 5), (5, vec![6, 7, 6, 7]));
    // The last one ends with its branch: what is behind the loop is not of it.
    assert_eq!(levels(2, 1), (2, vec![2, 8, 2, 3]));
    assert_eq!(levels(2, 2), (2, vec![3, 9, 3, 4]));
    assert_eq!(levels(2, 3), (2, vec![]));
    assert_eq!(levels(3, 1), (0, vec![]));
}

#[test]
fn more_instances_than_nodes_are_put_to_the_rest() {
    let (stream, head) = loops();
    let open = IterationRequest {
        entry: 1,
        iteration: 3,
    };
    let recording = record_opened(&stream, &MachineModel::perpi(), head, open, 3);
    let graph = recording.opened.unwrap();
    // Three instances are shown; the rest, which there is no room for, is counted.
    assert!(graph.nodes.iter().all(|node| node.opened));
    assert_eq!((graph.nodes.len(), graph.left_out), (3, 6));
}

/// Room for all that is offered.
const OFFER: IterationOffer = IterationOffer {
    graphs: 64,
    nodes: usize::MAX,
    bytes: 1 << 20,
};

/// Records with the loops among the nodes, of which there are so many.
fn record_offered(
    stream: &Stream,
    model: &MachineModel,
    nodes: usize,
    offer: IterationOffer,
) -> Recording {
    let wanted = GraphSettings {
        nodes,
        collapse: true,
        offer: Some(offer),
        ..GRAPH
    };
    record(stream, model, ALL, Some(wanted))
}

#[test]
fn loops_offer_first_and_last_iterations_and_powers_of_two() {
    let (stream, head) = loops();
    let recording = record_offered(&stream, &MachineModel::perpi(), 100, OFFER);
    let [found] = &recording.loops[..] else {
        panic!("{:?}", recording.loops);
    };
    assert_eq!(recording.statics[found.head.index()].address, head);
    let branch = &recording.statics[found.head.index() + 3];
    assert_eq!(found.end, branch.address);
    assert_eq!((found.entries, found.first, found.longest), (2, 5, (1, 5)));
    // Of the second entry the longest chain, that of the sum, goes through both iterations.
    let opened: Vec<_> = found.opened.iter().collect();
    let numbers: Vec<_> = opened.iter().map(|it| (it.entry, it.iteration)).collect();
    assert_eq!(numbers, [(1, 1), (1, 5), (2, 2), (1, 2), (1, 4), (1, 3)]);
    for it in opened {
        let open = IterationRequest {
            entry: it.entry,
            iteration: it.iteration,
        };
        let asked = record_opened(&stream, &MachineModel::perpi(), head, open, 100);
        assert_eq!(Some(&it.graph), asked.opened.as_ref(), "{open:?}");
    }
    assert!(!recording.no_room);
    let collapsed = GraphSettings {
        collapse: true,
        ..GRAPH
    };
    // A loop is there where any of its instructions is drawn, as is the sum alone in the last steps.
    let last = GraphSettings {
        levels: Some((9, 9)),
        offer: Some(OFFER),
        ..collapsed
    };
    let last = record(&stream, &MachineModel::perpi(), ALL, Some(last));
    let drawn = last.graph.unwrap().nodes;
    let drawn: Vec<_> = drawn.iter().map(|it| (it.statics, it.instances)).collect();
    assert_eq!(drawn, [(StaticId(2), 1)]);
    let opened = last.loops[0].opened.iter();
    let opened: Vec<_> = opened.map(|it| (it.entry, it.iteration)).collect();
    assert_eq!((last.loops.len(), opened), (1, vec![(2, 2)]));
    // Nothing else changes.
    let plain = record(&stream, &MachineModel::perpi(), ALL, Some(collapsed));
    assert_eq!((recording.graph, vec![]), (plain.graph, plain.loops));
}

#[test]
fn what_is_offered_has_bounds() {
    let (stream, _) = loops();
    let numbers = |offer| {
        let recording = record_offered(&stream, &MachineModel::perpi(), 100, offer);
        let opened = recording.loops.iter().flat_map(|it| &it.opened);
        let numbers: Vec<_> = opened.map(|it| (it.entry, it.iteration)).collect();
        (recording.no_room, numbers)
    };
    let two = IterationOffer { graphs: 2, ..OFFER };
    assert_eq!(numbers(two), (false, vec![(1, 1), (1, 5)]));
    let few = IterationOffer { nodes: 3, ..OFFER };
    let recording = record_offered(&stream, &MachineModel::perpi(), 100, few);
    let graph = &recording.loops[0].opened[0].graph;
    assert_eq!((graph.nodes.len(), graph.left_out), (3, 6));
    let small = IterationOffer { bytes: 10, ..OFFER };
    assert_eq!(numbers(small), (true, vec![]));
}

const RANDOM: Shape = Shape {
    threads: 3,
    steps: 25,
};

/// So many that some blocks are executed again and again.
const LOOPING: Shape = Shape {
    threads: 3,
    steps: 120,
};

proptest! {
    /// The opened iteration is a run of instances that begins with the loop's first instruction, and all edges are
    /// those of the graph of single instances, put together.
    #[test]
    fn opened_graphs_are_the_graph_of_instances_put_together(
        stream in stream(RANDOM),
        models in models(1),
        choice in 0..100_usize,
        iteration in 1..4_u64,
    ) {
        let stream = stream.of_thread(T);
        let single = GraphSettings { nodes: 100_000, ..GRAPH };
        let single = record(&stream, &models[0], ALL, Some(single));
        prop_assume!(!single.instances.is_empty());
        let chosen = single.instances[choice % single.instances.len()].statics();
        let head = single.statics[chosen.index()].address;
        let open = IterationRequest { entry: 1, iteration };
        let recording = record_opened(&stream, &models[0], head, open, 100_000);
        let Some(opened) = recording.opened else {
            prop_assert!(recording.found.unwrap().iterations < iteration);
            return Ok(());
        };
        let nodes: Vec<_> = opened.nodes.iter().filter(|node| node.opened).collect();
        prop_assert_eq!(single.statics[nodes[0].statics.index()].address, head);
        let graph = single.graph.as_ref().unwrap();
        let instances = &single.instances;
        let fits = |start: &usize| {
            let run = instances.get(*start..start + nodes.len());
            let same = run.is_some_and(|run| {
                let mut pairs = run.iter().zip(&nodes);
                pairs.all(|(a, b)| a.statics() == b.statics && a.level == b.first_level)
            });
            let key = |at: usize| {
                let own = (*start..start + nodes.len()).contains(&at);
                (instances[at].statics().0, own.then(|| at - start))
            };
            let mut edges = std::collections::BTreeMap::new();
            for edge in &graph.edges {
                *edges.entry((key(edge.from), key(edge.to), edge.via)).or_insert(0) += 1;
            }
            let mut place = 0;
            let keys: Vec<_> = opened.nodes.iter().map(|node| {
                let own = node.opened.then(|| { place += 1; place - 1 });
                (node.statics.0, own)
            }).collect();
            let of_opened = opened.edges.iter()
                .map(|edge| ((keys[edge.from], keys[edge.to], edge.via), edge.count))
                .collect::<std::collections::BTreeMap<_, _>>();
            same && edges == of_opened
        };
        prop_assert!((0..instances.len()).any(|start| fits(&start)), "{:?}", opened);
    }

    /// The graphs that are offered are those that one gets by asking for them, whatever the threads and calls.
    #[test]
    fn offered_graphs_are_those_that_are_asked_for(
        stream in looping(LOOPING),
        models in models(1),
        nodes in prop_oneof![Just(3_usize), Just(20), Just(100_000)],
        levels in prop_oneof![3 => Just(None), 1 => (1..4_u32, 0..9_u32).prop_map(|(a, n)| Some((a, a + n)))],
    ) {
        let wanted = GraphSettings { nodes, levels, collapse: true, offer: Some(OFFER), ..GRAPH };
        let recording = record(&stream, &models[0], ALL, Some(wanted));
        for found in &recording.loops {
            let head = recording.statics[found.head.index()].address;
            for it in &found.opened {
                let open = IterationRequest { entry: it.entry, iteration: it.iteration };
                let wanted = GraphSettings { open: Some(open), offer: None, ..wanted };
                let settings = StretchSettings { part: ALL, limit: 1_000_000, graph: Some(wanted) };
                let mut recorder = Recorder::new(&models[0], &settings);
                recorder.opens_at(head);
                stream.replay(|program, thread, event| recorder.event(program, thread, event)).unwrap();
                let asked = recorder.finish();
                prop_assert_eq!(Some(&it.graph), asked.opened.as_ref());
                prop_assert_eq!(&recording.graph, &asked.graph);
                let counts = asked.found.unwrap();
                prop_assert_eq!(counts.entries, found.entries);
                if it.entry == 1 {
                    prop_assert_eq!(counts.iterations, found.first);
                }
                if it.entry == found.longest.0 {
                    prop_assert_eq!(counts.iterations, found.longest.1);
                }
            }
        }
    }

    #[test]
    fn figures_of_all_instances_are_those_of_the_reference(stream in stream(RANDOM), models in models(1)) {
        let recording = record(&stream, &models[0], ALL, Some(GRAPH));
        let expected = by_reference(&stream, &models, &EngineOptions::default()).remove(0);
        prop_assert_eq!(recording.instances.len() as u64, expected.instructions);
        prop_assert_eq!(recording.operations(), expected.operations);
        prop_assert_eq!(u64::from(recording.critical_path()), expected.critical_path);
        prop_assert_eq!(recording.histogram(None, LevelHistogram::MOST_BINS), expected.profile);
    }

    #[test]
    fn calls_recorded_one_by_one_add_up_to_the_routines_of_the_reference(stream in stream(RANDOM), models in models(1)) {
        let options = EngineOptions {
            routines: Some(Routines { lanes: 100, ..Routines::default() }),
            values: false,
            ..EngineOptions::default()
        };
        let expected = by_reference(&stream, &models, &options).remove(0);
        for routine in expected.routines {
            let (mut calls, mut operations, mut steps) = (0, 0, 0);
            loop {
                let part = StreamPart::Call {
                    first: routine.routine,
                    last: routine.routine,
                    number: calls + 1,
                };
                let recording = record(&stream, &models[0], part, None);
                if matches!(recording.ended, RecordingEnd::NotReached { .. }) {
                    break;
                }
                calls += 1;
                operations += recording.operations();
                steps += u64::from(recording.critical_path());
            }
            prop_assert_eq!(
                (calls, operations, steps),
                (routine.calls, routine.operations, routine.steps),
                "{:?}",
                routine.routine
            );
        }
    }
}

#[test]
fn what_does_not_fit_the_program_is_refused() {
    let refused = |event| {
        let mut stream = table_3();
        stream.event(T, event);
        let settings = StretchSettings {
            part: ALL,
            limit: 100,
            graph: None,
        };
        let mut recorder = Recorder::new(&MachineModel::perpi(), &settings);
        let result = stream.replay(|program, thread, event| recorder.event(program, thread, event));
        result.unwrap_err().to_string()
    };
    let block = |id, executed, addresses| OwnedEvent::Block {
        id: BlockId(id),
        executed,
        addresses,
    };
    assert!(refused(block(7, 1, vec![])).contains("block 7"));
    assert!(refused(block(0, 7, vec![0; 4])).contains("7 instructions"));
    assert!(refused(block(0, 6, vec![0; 3])).contains("3 addresses"));
}
