//! Iterations of loops that are opened, or offered to be.

use super::*;

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
