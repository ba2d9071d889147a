//! Translates a compiled block to machine code: levels are kept in registers of the processor as long as they are
//! needed, as far as there are any; latencies are constants.

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use super::super::compile::{Compiled, GeneralInstruction, Op, OpKind};
use super::super::profile::COLUMNS_AT_ONCE;
use super::access::MemoryAccess;
use super::assembler::{Assembler, Label, Operand, at};
use super::frame::{
    CACHE, CELLS, HOLDERS, PENDING, SAVED, SCRATCH, SHARED, SPILL, SPILLS, STATE, TABLES, vector,
};
use super::group::{LevelsId, LevelsOrigin, OpGroup, OpPlan};
use super::stubs::CallStubs;
use super::writer::LevelWriter;
use super::{DataLayout, ProfileLayout, WindowsLayout};

/// Makes code of a block.
struct Emitter<'a> {
    levels: LevelWriter<'a>,
    layout: &'a DataLayout,
    cold: Vec<ColdCode>,
    /// What is being translated.
    group: OpGroup,
    /// By value: where it is in memory.
    homes: Vec<Option<LevelsHome>>,
    /// By value: the vector register that holds it.
    held: Vec<Option<u32>>,
    /// By vector register: the value in it.
    holders: [Option<LevelsId>; HOLDERS],
    /// By cell: the value in it, as far as values of the group are at home there.
    cells: Vec<Option<LevelsId>>,
    /// Whether the thread's deepest level is in its register.
    deepest: bool,
    /// Places for levels that no register has room for.
    spills: usize,
}

/// Where levels are in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LevelsHome {
    /// Where they were before the group.
    Origin(LevelsOrigin),
    /// In the frame, in this place for spilled levels.
    Spill(usize),
}

/// Code that lies behind that of the block, because it is rare.
enum ColdCode {
    Read {
        access: MemoryAccess,
        start: u32,
    },
    Write {
        access: MemoryAccess,
        level: u32,
    },
    /// The profile is full.
    Settle {
        from: Label,
        back: Label,
    },
    /// What is twice in the windows is to be the same.
    Close {
        from: Label,
        back: Label,
        count: usize,
    },
}

/// Translates a block, to code that is executed often and code that is not. `steps` are the latencies of a lane by
/// index; `place` is that of [`Assembler::finish`]. The block must not move its [`GeneralInstruction`]s.
pub fn block(
    block: &Compiled,
    layout: &DataLayout,
    stubs: CallStubs,
    steps: &dyn Fn(u8, usize) -> u32,
    place: impl FnOnce(usize, usize) -> Option<i64>,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let emitter = Emitter {
        levels: LevelWriter {
            code: Assembler::new(),
            layout,
            stubs,
        },
        layout,
        cold: Vec::new(),
        group: OpGroup::default(),
        homes: Vec::new(),
        held: Vec::new(),
        holders: [None; HOLDERS],
        cells: Vec::new(),
        deepest: false,
        spills: 0,
    };
    emitter.block(block, steps, place)
}

impl Emitter<'_> {
    fn block(
        mut self,
        block: &Compiled,
        steps: &dyn Fn(u8, usize) -> u32,
        place: impl FnOnce(usize, usize) -> Option<i64>,
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        self.levels
            .code
            .number(Code::Sub_rm64_imm32, Register::RSP, 0);
        let entered = self.levels.code.length();
        self.levels
            .code
            .to(Code::Mov_rm64_r64, at(Register::RSP, TABLES), CACHE);
        self.levels.code.set(CACHE, self.layout.cache);
        let is_general = |op: &Op| op.shape == OpKind::General;
        let last = block.ops.iter().rposition(|op| op.shape != OpKind::Copy);
        let mut first = 0;
        for ops in block.ops.chunk_by(|a, b| is_general(a) == is_general(b)) {
            if is_general(&ops[0]) {
                for op in ops {
                    self.general(&block.generals[op.general as usize]);
                }
            } else {
                let last = last.and_then(|last| last.checked_sub(first));
                self.group(ops, last, steps);
            }
            first += ops.len();
        }
        // At the beginning the stack was 8 bytes behind a multiple of 16.
        let frame = (SPILLS as usize + SPILL as usize * self.spills).next_multiple_of(16) + 8;
        let frame = i32::try_from(frame).ok()?;
        self.levels
            .code
            .add(Ok(Instruction::with(Code::VEX_Vzeroupper)));
        self.levels
            .code
            .number(Code::Add_rm64_imm32, Register::RSP, frame);
        self.levels.code.add(Ok(Instruction::with(Code::Retnq)));
        let split = self.levels.code.length();
        for cold in std::mem::take(&mut self.cold) {
            self.cold(&cold);
        }
        self.levels.code.finish(split, &[(entered, frame)], place)
    }

    fn cold(&mut self, cold: &ColdCode) {
        match *cold {
            ColdCode::Read { ref access, start } => self.levels.cold_read(access, start),
            ColdCode::Write { ref access, level } => self.levels.cold_write(access, level),
            ColdCode::Settle { from, back } => {
                let [count, _, function] = SCRATCH;
                self.levels.code.place(from);
                self.levels.code.set(function, self.levels.stubs.settle);
                self.levels.code.one(Code::Call_rm64, function);
                self.levels.code.set(count, 0);
                self.levels.code.jump(Code::Jmp_rel32_64, back);
            }
            ColdCode::Close { from, back, count } => {
                let [_, number, function] = SCRATCH;
                self.levels.code.place(from);
                self.levels.code.set(number, count as i64);
                self.levels.code.set(function, self.levels.stubs.close);
                self.levels.code.one(Code::Call_rm64, function);
                self.levels.code.jump(Code::Jmp_rel32_64, back);
            }
        }
    }

    /// Steps of an instance, added.
    fn plus(&mut self, to: u32, start: u32, steps: &dyn Fn(usize) -> u32) {
        let lanes = self.layout.lanes;
        if (0..lanes).all(|lane| steps(lane) == 0) {
            self.levels.copy(to, start);
            return;
        }
        let bytes: Vec<u8> = (0..lanes.max(4))
            .flat_map(|lane| match lane < lanes {
                true => steps(lane).to_le_bytes(),
                false => [0; 4],
            })
            .collect();
        let add = self.levels.by_width(
            Code::VEX_Vpaddd_xmm_xmm_xmmm128,
            Code::VEX_Vpaddd_ymm_ymm_ymmm256,
        );
        let (to, from) = (self.levels.register(to), self.levels.register(start));
        if !self.layout.masked || lanes == 1 {
            self.levels.code.with_constant(add, to, from, &bytes);
            return;
        }
        let active = Operand::Memory(at(STATE, self.layout.active.into()));
        if (0..lanes).all(|lane| steps(lane) == 1) {
            // All bits set are -1.
            let subtract = self.levels.by_width(
                Code::VEX_Vpsubd_xmm_xmm_xmmm128,
                Code::VEX_Vpsubd_ymm_ymm_ymmm256,
            );
            self.levels.code.three(subtract, to, from, active);
            return;
        }
        let and = self.levels.by_width(
            Code::VEX_Vpand_xmm_xmm_xmmm128,
            Code::VEX_Vpand_ymm_ymm_ymmm256,
        );
        self.levels
            .load(vector::OPERAND, at(STATE, self.layout.active.into()));
        let some = self.levels.register(vector::OPERAND);
        self.levels.code.with_constant(and, some, some, &bytes);
        self.levels
            .code
            .three(add, to, from, Operand::Register(some));
    }

    /// Instances of an instruction of any kind; the thread is up to date.
    fn general(&mut self, general: &GeneralInstruction) {
        for (register, place) in SAVED {
            let place = at(Register::RSP, place);
            self.levels.code.to(Code::Mov_rm64_r64, place, register);
        }
        let load = Code::Mov_r64_rm64;
        let tables = Operand::Memory(at(Register::RSP, TABLES));
        self.levels.code.two(load, Register::R8, tables);
        let general = (&raw const *general).expose_provenance() as i64;
        self.levels.code.set(Register::R9, general);
        self.levels.code.set(Register::RAX, self.layout.general);
        self.levels
            .code
            .add(Ok(Instruction::with(Code::VEX_Vzeroupper)));
        self.levels.code.one(Code::Call_rm64, Register::RAX);
        for (register, place) in SAVED {
            let place = Operand::Memory(at(Register::RSP, place));
            self.levels.code.two(load, register, place);
        }
        self.levels.code.set(CACHE, self.layout.cache);
    }

    /// Instances one after the other, none of them [`OpKind::General`]; `last` is the last instance of the block.
    fn group(&mut self, ops: &[Op], last: Option<usize>, steps: &dyn Fn(u8, usize) -> u32) {
        let layout = self.layout;
        let free = |latency| (0..layout.lanes).all(|lane| steps(latency, lane) == 0);
        self.group = OpGroup::new(ops, free, layout.windows.is_some());
        let values = &self.group.values;
        self.homes = values
            .iter()
            .map(|value| value.origin.map(LevelsHome::Origin))
            .collect();
        self.held = vec![None; values.len()];
        self.holders = [None; HOLDERS];
        self.cells = vec![None; super::super::links::CELLS];
        for (number, value) in values.iter().enumerate() {
            if let Some(LevelsOrigin::Cell(cell)) = value.origin {
                self.cells[usize::from(cell)] = Some(number);
            }
        }
        let all = std::mem::take(&mut self.group.steps);
        let mut from = 0;
        for piece in self.levels.at_once(ops) {
            let columns: Vec<u8> = piece
                .iter()
                .filter(|op| op.shape != OpKind::Copy)
                .map(|op| op.column)
                .collect();
            let count = columns.len();
            let pending = layout.profile.as_ref().filter(|_| count > 0);
            if let Some(profile) = pending {
                self.pending(profile, &columns);
            }
            let windows = layout.windows.as_ref().filter(|_| count > 0);
            if let Some(windows) = windows {
                self.levels.view(windows);
            }
            let mut instance = 0;
            for (op, position) in piece.iter().zip(from..) {
                let step = &all[position];
                if op.shape == OpKind::Copy {
                    if let [from] = step.waits[..] {
                        let from = self.in_register(from, position, vector::START);
                        self.put_into_cells(step.waits[0], from, &step.stores, position);
                    }
                    continue;
                }
                let steps = |lane| steps(op.latency, lane);
                let level = self.instance(op, step, position, windows.zip(Some(instance)), &steps);
                if last == Some(position) && layout.predicts {
                    self.levels
                        .store(at(STATE, layout.last_level.into()), level);
                }
                if pending.is_some() {
                    let behind = (instance as i64) << self.levels.size_shift();
                    self.levels.store(at(PENDING, behind), level);
                }
                if windows.is_some() || step.deepens {
                    self.deepen(level);
                }
                if let Some(windows) = windows {
                    self.levels.put(windows, instance);
                }
                instance += 1;
            }
            if let Some(windows) = windows
                && let Some((from, back)) = self.levels.close(windows, count)
            {
                self.cold.push(ColdCode::Close { from, back, count });
            }
            from += piece.len();
        }
        if std::mem::take(&mut self.deepest) {
            self.levels
                .store(at(STATE, layout.deepest.into()), vector::DEEPEST);
        }
    }

    /// An instance. Returns the register that its level is in.
    fn instance(
        &mut self,
        op: &Op,
        step: &OpPlan,
        position: usize,
        windows: Option<(&WindowsLayout, usize)>,
        steps: &dyn Fn(usize) -> u32,
    ) -> u32 {
        // Those in memory come last, and can be compared where they are.
        let mut waits: Vec<Operand> = step
            .waits
            .iter()
            .map(|&wait| self.operand(wait, position))
            .collect();
        waits.sort_by_key(|wait| matches!(wait, Operand::Memory(_)));
        let mut start = match waits[0] {
            Operand::Register(register) => register.number() as u32,
            Operand::Memory(memory) => {
                self.levels.load(vector::START, memory);
                vector::START
            }
        };
        for &wait in &waits[1..] {
            self.levels.max(vector::START, start, wait);
            start = vector::START;
        }
        let size = u64::from(op.size);
        if matches!(op.shape, OpKind::Load | OpKind::Modify) {
            let access = self.levels.read(op.general, size, start);
            self.cold.push(ColdCode::Read { access, start });
            start = vector::START;
        }
        if let Some((windows, instance)) = windows {
            self.levels.left(windows, instance);
            let left = Operand::Register(self.levels.register(vector::OPERAND));
            self.levels.max(vector::START, start, left);
            start = vector::START;
        }
        let level = step.level.unwrap_or_default();
        let result = match self.held[level] {
            // It takes no steps, and waits for this alone.
            Some(register) => register,
            None => {
                let result = match self.group.next_use(level, position + 1) {
                    Some(_) => self.hold(level, position + 1),
                    None => vector::START,
                };
                self.plus(result, start, steps);
                result
            }
        };
        if matches!(op.shape, OpKind::Store | OpKind::Modify) {
            let access = self.levels.write(op.general, size, result);
            self.cold.push(ColdCode::Write {
                access,
                level: result,
            });
        }
        self.put_into_cells(level, result, &step.stores, position);
        result
    }

    /// Where a value is: in a register if it is needed again.
    fn operand(&mut self, value: LevelsId, position: usize) -> Operand {
        if let Some(register) = self.held[value] {
            return Operand::Register(self.levels.register(register));
        }
        let home = self.home(value);
        if self.group.next_use(value, position + 1).is_none() {
            return Operand::Memory(home);
        }
        let register = self.hold(value, position);
        self.levels.load(register, home);
        Operand::Register(self.levels.register(register))
    }

    /// The register that a value is in, if need be `spare`.
    fn in_register(&mut self, value: LevelsId, position: usize, spare: u32) -> u32 {
        match self.operand(value, position) {
            Operand::Register(register) => register.number() as u32,
            Operand::Memory(memory) => {
                self.levels.load(spare, memory);
                spare
            }
        }
    }

    /// Where a value that no register holds is in memory.
    fn home(&self, value: LevelsId) -> MemoryOperand {
        match self.homes[value] {
            Some(LevelsHome::Origin(LevelsOrigin::Cell(cell))) => self.place_of(cell),
            Some(LevelsHome::Origin(LevelsOrigin::Firewall)) => {
                at(STATE, self.layout.firewall.into())
            }
            Some(LevelsHome::Spill(number)) => at(Register::RSP, SPILLS + SPILL * number as i64),
            None => unreachable!("it is in a register until it is spilled"),
        }
    }

    fn place_of(&self, cell: u8) -> MemoryOperand {
        at(CELLS, i64::from(cell) << self.levels.size_shift())
    }

    /// Gives a value a register; what was in that is not needed from this position on, or for the longest time.
    fn hold(&mut self, value: LevelsId, position: usize) -> u32 {
        let needed = |held: &Option<LevelsId>| match held {
            None => usize::MAX,
            Some(other) => self.group.next_use(*other, position).unwrap_or(usize::MAX),
        };
        let farthest = (0..HOLDERS).max_by_key(|&number| needed(&self.holders[number]));
        let number = farthest.unwrap_or_default();
        let is_needed = needed(&self.holders[number]) != usize::MAX;
        if let Some(other) = self.holders[number] {
            if is_needed && self.homes[other].is_none() {
                self.homes[other] = Some(LevelsHome::Spill(self.spills));
                self.spills += 1;
                let home = self.home(other);
                self.levels.store(home, number as u32);
            }
            self.held[other] = None;
        }
        self.holders[number] = Some(value);
        self.held[value] = Some(number as u32);
        number as u32
    }

    /// Cells hold the value in a register from now on, and until the group ends.
    fn put_into_cells(&mut self, value: LevelsId, register: u32, cells: &[u8], position: usize) {
        for &cell in cells {
            if let Some(other) = self.cells[usize::from(cell)]
                && other != value
            {
                let home = LevelsHome::Origin(LevelsOrigin::Cell(cell));
                if self.homes[other] == Some(home) {
                    if self.held[other].is_none()
                        && self.group.next_use(other, position + 1).is_some()
                    {
                        let memory = self.home(other);
                        self.levels.load(vector::OPERAND, memory);
                        self.homes[other] = Some(LevelsHome::Spill(self.spills));
                        self.spills += 1;
                        let spill = self.home(other);
                        self.levels.store(spill, vector::OPERAND);
                    } else {
                        self.homes[other] = None;
                    }
                }
            }
            let place = self.place_of(cell);
            self.levels.store(place, register);
            self.cells[usize::from(cell)] = Some(value);
            let home = LevelsHome::Origin(LevelsOrigin::Cell(cell));
            self.homes[value].get_or_insert(home);
        }
    }

    /// The thread's deepest level gets to know one.
    fn deepen(&mut self, level: u32) {
        let place = at(STATE, self.layout.deepest.into());
        if self.deepest {
            let level = Operand::Register(self.levels.register(level));
            self.levels.max(vector::DEEPEST, vector::DEEPEST, level);
        } else {
            self.levels
                .max(vector::DEEPEST, level, Operand::Memory(place));
        }
        self.deepest = true;
    }

    /// Makes room for instances in the profile, and puts their columns there. Their levels go to [`PENDING`].
    fn pending(&mut self, profile: &ProfileLayout, columns: &[u8]) {
        let (from, back) = (self.levels.code.label(), self.levels.code.label());
        let [now, other, more] = SCRATCH;
        let count = at(SHARED, profile.count.into());
        let load = Code::Mov_r64_rm64;
        self.levels.code.two(load, now, Operand::Memory(count));
        let most = (profile.room - columns.len()) as i32;
        self.levels.code.number(Code::Cmp_rm64_imm32, now, most);
        self.levels.code.jump(Code::Ja_rel32_64, from);
        self.levels.code.place(back);
        let then = Operand::Memory(at(now, columns.len() as i64));
        self.levels.code.two(Code::Lea_r64_m, other, then);
        self.levels.code.to(Code::Mov_rm64_r64, count, other);
        self.levels.code.set(other, profile.columns);
        self.levels
            .code
            .two(Code::Add_r64_rm64, other, Operand::Register(now));
        for (columns, behind) in columns.chunks(COLUMNS_AT_ONCE).zip(0..) {
            let mut bytes = [0; COLUMNS_AT_ONCE];
            bytes[..columns.len()].copy_from_slice(columns);
            self.levels.code.set(more, i64::from_le_bytes(bytes));
            let place = at(other, behind * COLUMNS_AT_ONCE as i64);
            self.levels.code.to(Code::Mov_rm64_r64, place, more);
        }
        self.levels
            .shift(Code::Shl_rm64_imm8, now, self.levels.size_shift());
        self.levels.code.set(PENDING, profile.levels);
        self.levels
            .code
            .two(Code::Add_r64_rm64, PENDING, Operand::Register(now));
        self.cold.push(ColdCode::Settle { from, back });
    }
}
