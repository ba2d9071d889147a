//! An obvious implementation of chains and graphs, and the engine beside it on random streams.

use super::*;

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
