//! What registers of the processor, and the stack frame, hold while a block's code runs.

use iced_x86::Register;

/// What the threads of the program share: the code's first argument, as all of the following.
pub const SHARED: Register = Register::RDI;
/// The state of the thread.
pub const STATE: Register = Register::RSI;
/// Its register cells.
pub const CELLS: Register = Register::RDX;
/// The addresses of the block's slots.
pub const ADDRESSES: Register = Register::RCX;
/// At the beginning the tables, then the cache of the live well.
pub const CACHE: Register = Register::R8;
/// Where levels of instances go in the profile.
pub const PENDING: Register = Register::R9;
/// For anything in between.
pub const SCRATCH: [Register; 3] = [Register::RAX, Register::R10, Register::R11];

/// Vector registers that hold levels for as long as they are needed.
pub const HOLDERS: usize = 12;
/// Vector registers with a purpose, by number.
pub mod vector {
    /// For a second part of a vector.
    pub const PART: u32 = 12;
    /// The thread's deepest level.
    pub const DEEPEST: u32 = 13;
    /// Levels that an instruction cannot take from memory itself.
    pub const OPERAND: u32 = 14;
    /// What an instance waits for, while that is found out.
    pub const START: u32 = 15;
}

/// Places in the frame, in bytes: the first arguments while a function is called, and the tables.
pub const SAVED: [(Register, i64); 4] = [(SHARED, 0), (STATE, 8), (CELLS, 16), (ADDRESSES, 24)];
pub const TABLES: i64 = 32;
/// Where windows begin and end.
pub const WINDOWS: i64 = 40;
/// Pointers for which there is room at [`WINDOWS`].
pub const WINDOW_POINTERS: usize = 11;
/// Levels that no register has room for.
pub const SPILLS: i64 = WINDOWS + 8 * WINDOW_POINTERS as i64;
/// Bytes of such levels.
pub const SPILL: i64 = 32;
