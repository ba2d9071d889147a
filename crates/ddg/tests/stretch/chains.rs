//! Chains and graphs that are solved by hand; what made an instance wait.

use super::*;

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
