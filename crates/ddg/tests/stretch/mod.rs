//! Stretches: hand-solved graphs and chains, the scope of a stretch, and an obvious implementation on random streams.

mod chains;
mod obvious;
mod opened;

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

fn recorded_all(stream: &Stream) -> Recording {
    record(stream, &MachineModel::perpi(), ALL, None)
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

/// Room for all that is offered.
const OFFER: IterationOffer = IterationOffer {
    graphs: 64,
    nodes: usize::MAX,
    bytes: 1 << 20,
};

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
