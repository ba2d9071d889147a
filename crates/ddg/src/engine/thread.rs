//! What a machine keeps for each thread.

use super::calls::{CallLevels, Calls};
use super::cell::ValueId;
use super::exit::BlockExit;
use super::lanes::{Lanes, Level};
use super::links::{CELLS, Links};
use super::register_files::LaneRegisterFiles;
use super::tables::{ModelTables, widen_mask};
use super::window::Windows;
use crate::announced::AnnouncedOperands;
use crate::event::{MemorySpan, ThreadId};
use crate::predict::Predictor;

/// Levels of all register cells.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Registers<L, const N: usize>(pub [Lanes<L, N>; CELLS]);

/// Memory read and written by the kernel for a system call.
pub type KernelSpans = (Vec<MemorySpan>, Vec<MemorySpan>);

/// What a machine knows of a thread of the program. Machine code is given its two parts one by one.
#[derive(Debug)]
pub struct Thread<L, const N: usize> {
    /// Levels of the registers.
    pub levels: Box<Registers<L, N>>,
    /// All else.
    pub state: ThreadState<L, N>,
}

/// What is kept of a thread besides the levels of its registers.
#[derive(Debug)]
pub struct ThreadState<L, const N: usize> {
    /// Its number.
    pub id: ThreadId,
    /// Deepest levels of what is in the registers and of those that read it.
    pub used: Box<Registers<L, N>>,
    /// Values in the registers.
    pub values: Box<[ValueId; CELLS]>,
    /// Which parts of registers share a cell.
    pub links: Links,
    /// Stack top of the x87 registers.
    pub x87_top: u8,
    /// Level before which no further instance starts, by lane; 0 for none.
    pub firewall: Lanes<L, N>,
    /// The deepest level.
    pub deepest: Lanes<L, N>,
    /// Lanes in which instances take steps.
    pub active: Lanes<L, N>,
    /// The deepest levels after the last instances, as far back as lanes have to look.
    pub windows: Windows<L>,
    /// Physical registers.
    pub physical: LaneRegisterFiles<L>,
    /// One for each of [`ModelTables::predictions`], in that order, as this thread has trained them.
    pub predictors: Vec<Predictor>,
    /// Bounds of the stack.
    pub stack: MemorySpan,
    /// Operands announced for the next block.
    pub announced: Vec<AnnouncedOperands>,
    /// Memory of the system call at the end of the next block.
    pub kernel: Option<KernelSpans>,
    /// How the last block ended.
    pub last: BlockExit,
    /// Level of its last instruction.
    pub last_level: Lanes<L, N>,
    /// Whether a signal came since.
    pub interrupted: bool,
    /// Whether there was an event other than a block since the last block.
    pub special: bool,
    /// Whether the thread ended.
    pub ended: bool,
    /// Those that are open; followed where their figures are wanted.
    pub calls: Calls,
    /// Operations so far, where calls are measured.
    pub operations: u64,
}

impl<L: Level, const N: usize> Thread<L, N> {
    /// A thread before its first instruction.
    pub fn new(tables: &ModelTables<L, N>, id: ThreadId) -> Self {
        Self {
            levels: Box::new(Registers([Lanes::zero(); CELLS])),
            state: ThreadState::new(tables, id),
        }
    }

    /// The same thread with levels of 64 bits.
    pub fn widen(self) -> Thread<u64, N> {
        Thread {
            levels: Box::new(Registers(self.levels.0.map(Lanes::convert))),
            state: self.state.widen(),
        }
    }
}

impl<L: Level, const N: usize> ThreadState<L, N> {
    /// Its calls, and the levels that calls change.
    #[inline]
    pub fn calls_and_levels(&mut self) -> (&mut Calls, CallLevels<'_, L, N>) {
        let levels = CallLevels {
            deepest: &self.deepest,
            firewall: &mut self.firewall,
            active: &mut self.active,
            operations: self.operations,
        };
        (&mut self.calls, levels)
    }

    fn new(tables: &ModelTables<L, N>, id: ThreadId) -> Self {
        Self {
            id,
            used: Box::new(Registers([Lanes::zero(); CELLS])),
            values: Box::new([0; CELLS]),
            links: Links::ALL,
            x87_top: 0,
            firewall: Lanes::zero(),
            deepest: Lanes::zero(),
            active: Lanes::splat(L::ALL),
            windows: Windows::new(&tables.windows),
            physical: LaneRegisterFiles::new(&tables.physical),
            predictors: tables
                .predictions
                .iter()
                .map(|prediction| prediction.fresh.clone())
                .collect(),
            stack: MemorySpan {
                address: 0,
                size: 0,
            },
            announced: Vec::new(),
            kernel: None,
            last: BlockExit::NONE,
            last_level: Lanes::zero(),
            interrupted: false,
            special: false,
            ended: false,
            calls: Calls::default(),
            operations: 0,
        }
    }

    fn widen(self) -> ThreadState<u64, N> {
        ThreadState {
            id: self.id,
            used: Box::new(Registers(self.used.0.map(Lanes::convert))),
            values: self.values,
            links: self.links,
            x87_top: self.x87_top,
            firewall: self.firewall.convert(),
            deepest: self.deepest.convert(),
            active: widen_mask(self.active),
            windows: self.windows.convert(),
            physical: self.physical.convert(),
            predictors: self.predictors,
            stack: self.stack,
            announced: self.announced,
            kernel: self.kernel,
            last: self.last,
            last_level: self.last_level.convert(),
            interrupted: self.interrupted,
            special: self.special,
            ended: self.ended,
            calls: self.calls,
            operations: self.operations,
        }
    }
}
