//! Accesses of every size to memory of every granule, at every place that matters: machine code finds what the slow
//! reference finds.

use crate::common::{by_engine, by_reference, comparable};
use parascan_ddg::engine::Tuning;
use parascan_ddg::event::ThreadId;
use parascan_ddg::model::{MachineModel, SystemCalls};
use parascan_ddg::options::{EngineOptions, Routines};
use parascan_ddg::program::{BlockId, RoutineId};
use parascan_ddg::synthetic::{Stream, flags, general, instruction, leaving, reading, writing};
use parascan_isa::{Control, Instruction, InstructionClass};

const SIZES: [u16; 8] = [1, 2, 4, 6, 8, 16, 32, 64];
const GRANULES: [u16; 4] = [1, 2, 4, 8];
/// Bytes of a page of the live well.
const PAGE: u64 = 512;
/// The bytes before and behind an access that are written before and read afterwards, too.
const AROUND: u64 = 8;
/// The register that holds the level that the access leaves.
const DATA: u8 = 1;
/// Registers of different levels, for what is in memory before.
const BEFORE: std::ops::Range<u8> = 2..13;
const LOADED: u8 = 13;

/// What is done to the place looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Access {
    Load,
    Store,
    Modify,
}

fn add(to: u8, times: usize) -> Vec<Instruction> {
    let one = instruction(
        InstructionClass::Integer,
        [&general(to)],
        [&general(to), &flags()],
    );
    vec![one; times]
}

fn store(from: u8, size: u16) -> Instruction {
    writing(
        size,
        instruction(InstructionClass::Store, [&general(from)], []),
    )
}

fn load(size: u16) -> Instruction {
    reading(
        size,
        instruction(InstructionClass::Load, [], [&general(LOADED)]),
    )
}

/// The access, and instructions that wait for it, so that the path shows it too.
fn access(what: Access, size: u16) -> Vec<Instruction> {
    let mut body = match what {
        Access::Load => vec![load(size)],
        Access::Store => vec![store(DATA, size)],
        Access::Modify => {
            let class = InstructionClass::Integer;
            let both = reading(size, instruction(class, [&general(DATA)], [&flags()]));
            let slot = parascan_isa::MemoryOperand {
                size,
                read: true,
                write: true,
            };
            vec![Instruction {
                slots: vec![slot],
                ..both
            }]
        }
    };
    body.extend(add(LOADED, 3));
    body
}

/// Offsets in a page: near cells' bounds, and near the end.
fn offsets(size: u16) -> impl Iterator<Item = u64> {
    let size = u64::from(size);
    let ends = [1, 2, 4].map(move |behind| PAGE - size + behind);
    [64, 65, 66, 68, 71].into_iter().chain(ends)
}

/// Memory with cells of a granule, all of different levels, and one kind of access to it, of all sizes at all offsets,
/// each in a call and in pages of its own.
fn accesses(what: Access, granule: u16) -> Stream {
    let mut stream = Stream::new();
    let thread = ThreadId(0);
    let main = RoutineId(0);
    let mut levels = add(DATA, 40);
    for register in BEFORE {
        levels.extend(add(register, usize::from(register) * 3));
    }
    let start = stream.block(main, true, levels);
    let before: Vec<BlockId> = BEFORE
        .map(|register| stream.block(main, false, vec![store(register, granule)]))
        .collect();
    let call = leaving(
        Control::Call { target: 0 },
        instruction(InstructionClass::Call, [], []),
    );
    let call = stream.block(main, false, vec![call]);
    let tested = SIZES.map(|size| {
        let mut body = access(what, size);
        let back = instruction(InstructionClass::Call, [], []);
        body.push(leaving(Control::Return, back));
        (size, stream.block(RoutineId(size.into()), true, body))
    });
    let byte = stream.block(main, false, vec![load(1)]);

    stream.run(thread, start, &[]);
    let places = tested
        .iter()
        .flat_map(|&(size, tested)| offsets(size).map(move |offset| (size, tested, offset)));
    for (place, (size, tested, offset)) in places.enumerate() {
        // Distances at which entries of a table of regions are shared, too.
        let page = (place as u64 + 1) * (256 << 20) + (place as u64 % 3) * 4 * PAGE;
        let from = (page + offset - AROUND) & !7;
        let to = (page + offset + u64::from(size)).next_multiple_of(8) + AROUND;
        let cells = (from..to).step_by(usize::from(granule));
        for (cell, address) in cells.enumerate() {
            // 7 and the number of registers have no common factor.
            stream.run(thread, before[cell * 7 % before.len()], &[address]);
        }
        stream.run(thread, call, &[]);
        stream.run(thread, tested, &[page + offset]);
        for address in from..to {
            stream.run(thread, byte, &[address]);
        }
    }
    stream
}

fn models(count: usize) -> Vec<MachineModel> {
    (0..count)
        .map(|number| {
            let mut model = MachineModel::perpi();
            model.name = number.to_string();
            model.latency.steps[InstructionClass::Load as usize] += number as u16;
            model.system_calls = SystemCalls::Conservative;
            model
        })
        .collect()
}

#[test]
fn machine_code_reaches_every_cell() {
    for what in [Access::Load, Access::Store, Access::Modify] {
        for granule in GRANULES {
            let stream = accesses(what, granule);
            let by = |models: &[MachineModel], options: &EngineOptions, hot| {
                let limit = u64::MAX;
                comparable(by_engine(&stream, models, options, Tuning { limit, hot }))
            };
            // One lane, and several.
            for models in [models(1), models(2)] {
                let options = EngineOptions::default();
                let expected = comparable(by_reference(&stream, &models, &options));
                let found = by(&models, &options, 0);
                let lanes = models.len();
                assert_eq!(
                    found, expected,
                    "{what:?} in cells of {granule}, {lanes} models"
                );
            }
            let calls = EngineOptions {
                routines: Some(Routines::default()),
                values: false,
                ..EngineOptions::default()
            };
            let [found, expected] = [0, u64::MAX].map(|hot| by(&models(1), &calls, hot));
            assert_eq!(found, expected, "{what:?} in cells of {granule}, calls");
        }
    }
}
