//! The explicit graph: a node for each instance, an edge for each reason why it cannot start earlier.

use std::collections::{HashMap, HashSet};

use parascan_isa::{InstructionClass, Location, RegisterKind};

use super::stream::{Instance, StorageCell};
use crate::event::ThreadId;
use crate::model::{
    Disambiguation, Induction, MachineModel, PhysicalRegisters, StackPointer, SystemCalls, Units,
};

/// Why an instance waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitReason {
    /// It reads what the other wrote.
    Data,
    /// It overwrites what the other wrote or read.
    Storage,
    /// Its addresses could be the same.
    Memory,
    /// The other left the window before it came in.
    Window,
    /// No physical register was free before the other retired.
    PhysicalRegisters,
    /// A system call is, or was, between the two.
    SystemCall,
    /// The other is a mispredicted transfer of control.
    Control,
}

/// An edge: who waits starts no earlier than the level of `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Position of the node that is waited for.
    pub from: usize,
    /// Why.
    pub reason: WaitReason,
}

/// An instance in a graph.
#[derive(Clone, Debug)]
pub struct InstanceNode {
    /// Position among the stream's instances.
    pub instance: usize,
    /// Whether it is an operation; if not, it takes no steps.
    pub operation: bool,
    /// Steps it takes.
    pub steps: u64,
    /// The class whose units it needs, if it needs any.
    pub unit: Option<InstructionClass>,
    /// What it waits for.
    pub edges: Vec<Edge>,
}

/// A graph of chosen instances.
#[derive(Clone, Debug)]
pub struct InstanceGraph {
    /// In the order of the stream.
    pub nodes: Vec<InstanceNode>,
    /// The functional units.
    pub units: Units,
}

/// Who wrote a location last, and who read it since.
#[derive(Default)]
struct Uses {
    writer: Option<usize>,
    readers: Vec<usize>,
}

impl InstanceGraph {
    /// The graph of the instances at the positions `chosen`. `missed` says of each instance of the stream whether it
    /// was mispredicted, `operation` whether it counts.
    pub(super) fn new(
        instances: &[Instance],
        chosen: &[usize],
        missed: &[bool],
        model: &MachineModel,
        operation: impl Fn(usize) -> bool,
    ) -> Self {
        let mut nodes: Vec<InstanceNode> = Vec::new();
        let mut uses: HashMap<StorageCell, Uses> = HashMap::new();
        let mut bases: HashMap<StorageCell, Option<usize>> = HashMap::new();
        for &at in chosen {
            let instance = &instances[at];
            let node = nodes.len();
            let mut edges = Vec::new();
            let mut wait = |from: usize, reason| edges.push(Edge { from, reason });
            let ignores_writes =
                instance.is_system_call() && model.system_calls == SystemCalls::Optimistic;

            let written: Vec<StorageCell> = written(instance, model).copied().collect();
            let variable = induction_variable(instance, model);
            for place in &instance.reads {
                let writer = uses.get(place).and_then(|uses| uses.writer);
                let source = match general(place) {
                    Some(register) if Some(register) == variable => {
                        *bases.entry(*place).or_insert(writer)
                    }
                    _ => writer,
                };
                if let Some(source) = source {
                    wait(source, WaitReason::Data);
                }
            }
            for register in written.iter().filter_map(general) {
                if Some(register) != variable {
                    bases.retain(|place, _| {
                        !(of(place, instance.thread) && general(place) == Some(register))
                    });
                }
            }
            if !ignores_writes {
                for place in &written {
                    if renamed(*place, instance, model) {
                        continue;
                    }
                    if let Some(uses) = uses.get(place) {
                        for &user in uses.writer.iter().chain(&uses.readers) {
                            wait(user, WaitReason::Storage);
                        }
                    }
                }
            }
            if model.memory == Disambiguation::None {
                let (loads, stores) = accesses(instance, model);
                for (from, earlier) in nodes.iter().enumerate() {
                    let (earlier_loads, earlier_stores) =
                        accesses(&instances[earlier.instance], model);
                    if (loads && earlier_stores) || (stores && (earlier_loads || earlier_stores)) {
                        wait(from, WaitReason::Memory);
                    }
                }
            }
            for edge in thread_edges(&nodes, instances, instance.thread, missed, model) {
                wait(edge.from, edge.reason);
            }
            for from in not_yet_retired(&nodes, instances, instance, model) {
                wait(from, WaitReason::PhysicalRegisters);
            }

            for place in &instance.reads {
                uses.entry(*place).or_default().readers.push(node);
            }
            for place in &written {
                if ignores_writes {
                    uses.remove(place);
                } else {
                    let written = Uses {
                        writer: Some(node),
                        readers: Vec::new(),
                    };
                    uses.insert(*place, written);
                }
            }
            let operation = operation(at);
            let steps = if operation {
                latency(instance, model)
            } else {
                0
            };
            nodes.push(InstanceNode {
                instance: at,
                operation,
                steps,
                unit: (steps > 0).then_some(instance.class),
                edges,
            });
        }
        Self {
            nodes,
            units: model.units.clone(),
        }
    }

    /// The level of each node: its steps after the latest level it waits for, and after the first step in which a unit
    /// is free, in the order of the stream.
    pub fn levels(&self) -> Vec<u64> {
        let mut busy: HashMap<(Option<InstructionClass>, u64), u32> = HashMap::new();
        let mut levels: Vec<u64> = Vec::new();
        for node in &self.nodes {
            let earliest = node.edges.iter().map(|edge| levels[edge.from]).max();
            let mut start = earliest.unwrap_or(0);
            if let Some(class) = node.unit {
                let (pool, count) = match &self.units {
                    Units::Unlimited => (None, None),
                    Units::Generic(count) => (None, Some(*count)),
                    Units::ByClass(counts) => (Some(class), counts[class as usize]),
                };
                if let Some(count) = count {
                    while busy.get(&(pool, start + 1)).is_some_and(|&n| n >= count) {
                        start += 1;
                    }
                    *busy.entry((pool, start + 1)).or_default() += 1;
                }
            }
            levels.push(start + node.steps);
        }
        levels
    }

    /// The largest level of an operation.
    pub fn critical_path(&self, levels: &[u64]) -> u64 {
        let nodes = self.nodes.iter().zip(levels);
        nodes
            .filter(|(node, _)| node.operation)
            .map(|(_, level)| *level)
            .max()
            .unwrap_or(0)
    }

    /// Number of operations.
    pub fn operations(&self) -> u64 {
        self.nodes.iter().filter(|node| node.operation).count() as u64
    }
}

impl Instance {
    fn is_system_call(&self) -> bool {
        self.control == parascan_isa::Control::System
    }
}

/// What an instance writes: where there is a stack engine, that keeps the stack pointer, and what moves it by a
/// constant does not write it.
fn written<'a>(
    instance: &'a Instance,
    model: &MachineModel,
) -> impl Iterator<Item = &'a StorageCell> {
    let keeps = model.stack_pointer == StackPointer::Engine && instance.moves_stack;
    instance
        .written()
        .filter(move |place| !(keeps && general(place) == Some(Location::STACK_POINTER)))
}

/// The register to which an instance adds a constant, if it is not to wait for the additions before.
fn induction_variable(instance: &Instance, model: &MachineModel) -> Option<u8> {
    let breaks = model.induction == Induction::Break && !instance.only_moves_stack();
    instance.only_adds_to.filter(|_| breaks)
}

/// The general register that a place is part of.
fn general(place: &StorageCell) -> Option<u8> {
    match place {
        StorageCell::Register(_, index) => Location::from_index(*index)?.general_number(),
        StorageCell::Byte(_) => None,
    }
}

/// Whether a place is a thread's register.
fn of(place: &StorageCell, thread: ThreadId) -> bool {
    matches!(place, StorageCell::Register(owner, _) if *owner == thread)
}

/// Whether storage dependences on a place are removed when an instance overwrites it.
fn renamed(place: StorageCell, by: &Instance, model: &MachineModel) -> bool {
    match place {
        StorageCell::Register(..) => model.rename.registers,
        StorageCell::Byte(address) => {
            let on_stack = by
                .stack
                .is_some_and(|stack| address.wrapping_sub(stack.address) < stack.size);
            if on_stack {
                model.rename.stack
            } else {
                model.rename.memory
            }
        }
    }
}

/// Whether an instance loads, and whether it stores, where memory is one location.
fn accesses(instance: &Instance, model: &MachineModel) -> (bool, bool) {
    let kernel_stores = instance.is_system_call()
        && model.system_calls == SystemCalls::Conservative
        && instance.operands.iter().any(|bytes| !bytes.is_empty());
    (instance.reads_memory(), instance.stores || kernel_stores)
}

/// What the next instance of a thread waits for whatever it does: what left the window, what was before a system call,
/// mispredicted transfers.
fn thread_edges(
    nodes: &[InstanceNode],
    instances: &[Instance],
    thread: ThreadId,
    missed: &[bool],
    model: &MachineModel,
) -> Vec<Edge> {
    let mine: Vec<usize> = (0..nodes.len())
        .filter(|&node| instances[nodes[node].instance].thread == thread)
        .collect();
    let within = |reason, end: usize| mine[..end].iter().map(move |&from| Edge { from, reason });
    let mut edges = Vec::new();
    if let Some(window) = model.window {
        // The next instance is the one at position `mine.len()`.
        let left = (mine.len() as u64 + 1).saturating_sub(window) as usize;
        edges.extend(within(WaitReason::Window, left));
    }
    if model.system_calls == SystemCalls::Conservative {
        let last_call = mine
            .iter()
            .rposition(|&node| instances[nodes[node].instance].is_system_call());
        if let Some(last_call) = last_call {
            edges.extend(within(WaitReason::SystemCall, last_call + 1));
        }
    }
    let mispredicted = mine.iter().filter(|&&node| missed[nodes[node].instance]);
    edges.extend(mispredicted.map(|&from| Edge {
        from,
        reason: WaitReason::Control,
    }));
    edges
}

/// Whom an instance that comes next waits for because of physical registers: it, or one before it in its thread, takes
/// registers that are free only when these have retired.
fn not_yet_retired(
    nodes: &[InstanceNode],
    instances: &[Instance],
    next: &Instance,
    model: &MachineModel,
) -> Vec<usize> {
    let both: &[RegisterKind] = &[RegisterKind::General, RegisterKind::Vector];
    let files = match model.physical_registers {
        PhysicalRegisters::Unlimited => Vec::new(),
        PhysicalRegisters::Generic(count) => vec![(both, count)],
        PhysicalRegisters::ByKind { general, vector } => [general, vector]
            .into_iter()
            .enumerate()
            .filter_map(|(kind, count)| Some((&both[kind..=kind], count?)))
            .collect(),
    };
    if files.is_empty() {
        return Vec::new();
    }
    let mine: Vec<usize> = (0..nodes.len())
        .filter(|&node| instances[nodes[node].instance].thread == next.thread)
        .collect();
    let in_order = || {
        let before = mine.iter().map(|&node| &instances[nodes[node].instance]);
        before.chain([next])
    };
    let mut retired = 0;
    for (kinds, count) in files {
        // Who takes each register, in the order in which they are taken: positions in program order.
        let mut takers: Vec<usize> = Vec::new();
        for (position, instance) in in_order().enumerate() {
            let before = takers.len();
            takers.extend(registers(instance, kinds, model).iter().map(|_| position));
            if takers.len() > before {
                // The last of its own is free when the one so many before it has retired; none waits for itself.
                let freed = takers.len().saturating_sub(count as usize).min(before);
                let last = freed.checked_sub(1).map(|last| takers[last]);
                retired = retired.max(last.map_or(0, |last| last + 1));
            }
        }
    }
    mine[..retired].to_vec()
}

/// The registers of some kinds that an instance renames, each by its first part.
fn registers(instance: &Instance, kinds: &[RegisterKind], model: &MachineModel) -> HashSet<usize> {
    if instance.is_system_call() && model.system_calls == SystemCalls::Optimistic {
        return HashSet::new();
    }
    written(instance, model)
        .filter_map(|place| match place {
            StorageCell::Register(_, index) => Location::from_index(*index),
            StorageCell::Byte(_) => None,
        })
        .filter(|location| location.kind().is_some_and(|kind| kinds.contains(&kind)))
        .map(Location::register)
        .collect()
}

/// Steps an operation takes.
fn latency(instance: &Instance, model: &MachineModel) -> u64 {
    let steps = |class: InstructionClass| u64::from(model.latency.steps[class as usize]);
    let adds = model.latency.load_adds
        && instance.memory_source
        && instance.class != InstructionClass::Load;
    steps(instance.class)
        + if adds {
            steps(InstructionClass::Load)
        } else {
            0
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// A graph in which each node waits for some of the nodes before it.
    fn graph() -> impl Strategy<Value = InstanceGraph> {
        vec((0..4_u64, vec(any::<prop::sample::Index>(), 0..3)), 1..20).prop_map(|nodes| {
            InstanceGraph {
                nodes: nodes
                    .into_iter()
                    .enumerate()
                    .map(|(instance, (steps, sources))| InstanceNode {
                        instance,
                        operation: true,
                        steps,
                        unit: None,
                        edges: sources
                            .iter()
                            .filter(|_| instance > 0)
                            .map(|source| Edge {
                                from: source.index(instance),
                                reason: WaitReason::Data,
                            })
                            .collect(),
                    })
                    .collect(),
                units: Units::Unlimited,
            }
        })
    }

    /// The longest way to a node, tried out one by one.
    fn longest(graph: &InstanceGraph, node: usize) -> u64 {
        let before = graph.nodes[node].edges.iter();
        let sources = before.map(|edge| longest(graph, edge.from)).max();
        sources.unwrap_or(0) + graph.nodes[node].steps
    }

    proptest! {
        #[test]
        fn levels_are_longest_paths(graph in graph()) {
            for (node, level) in graph.levels().into_iter().enumerate() {
                prop_assert_eq!(level, longest(&graph, node));
            }
        }

        #[test]
        fn an_edge_more_makes_nothing_earlier(
            graph in graph(),
            from in any::<prop::sample::Index>(),
            to in any::<prop::sample::Index>(),
        ) {
            let mut ends = [from.index(graph.nodes.len()), to.index(graph.nodes.len())];
            ends.sort_unstable();
            prop_assume!(ends[0] < ends[1]);
            let mut more = graph.clone();
            more.nodes[ends[1]].edges.push(Edge { from: ends[0], reason: WaitReason::Data });
            for (before, after) in graph.levels().iter().zip(more.levels()) {
                prop_assert!(*before <= after);
            }
        }
    }
}
