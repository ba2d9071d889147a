//! What a machine must know of a block, or a path, to run its code, in one line of the cache.

use super::code::BlockCode;
use super::compile::Compiled;
use super::exit::Exit;
use super::links::Links;
use crate::event::Executed;

/// A block in the state of the registers in which it is mostly entered.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct QuickBlock {
    /// Its code.
    code: Option<BlockCode>,
    before: Links,
    after: Links,
    touched: u64,
    /// See [`Compiled::number`].
    pub number: u32,
    /// See [`Compiled::rise`].
    pub rise: u32,
    executed: u8,
    slots: u8,
    /// See [`Compiled::operations`].
    pub operations: u8,
    /// Whether it is the entry of a routine.
    pub entry: bool,
    /// How control leaves it.
    pub exit: Exit,
}

const _: () = assert!(size_of::<QuickBlock>() == 64);

impl QuickBlock {
    /// Fits nothing.
    pub const NONE: Self = Self {
        code: None,
        before: Links::ALL,
        after: Links::ALL,
        touched: 0,
        number: u32::MAX,
        rise: 0,
        executed: 0,
        slots: 0,
        operations: 0,
        entry: false,
        exit: Exit::Next,
    };

    /// The quick form of a block; none where it has no code, its numbers are too large, or operands were announced
    /// before it.
    pub fn new(block: &Compiled, entry: bool) -> Option<Self> {
        if block.separate {
            return None;
        }
        Some(Self {
            code: Some(block.code?),
            before: block.links_before,
            after: block.links_after,
            touched: block.touched,
            number: block.number,
            rise: u32::try_from(block.rise).ok()?,
            executed: u8::try_from(block.executed).ok()?,
            slots: u8::try_from(block.slots).ok()?,
            operations: u8::try_from(block.operations).ok()?,
            entry,
            exit: block.last.exit,
        })
    }

    /// The code, if it is right for what was executed in this state.
    #[inline(always)]
    pub fn code(&self, links: Links, what: &Executed) -> Option<BlockCode> {
        let fits =
            u32::from(self.executed) == what.executed && u32::from(self.slots) == what.addresses;
        self.code_in(links).filter(|_| fits)
    }

    /// The code, if it is right in this state.
    #[inline(always)]
    pub fn code_in(&self, links: Links) -> Option<BlockCode> {
        let fits = self.before.agree(links, self.touched);
        self.code.filter(|_| fits)
    }

    /// Whether there is no quick form of the block.
    pub fn is_none(&self) -> bool {
        self.code.is_none()
    }

    /// How many addresses of memory the block takes from the stream.
    #[inline(always)]
    pub fn slots(&self) -> usize {
        self.slots.into()
    }

    /// Which parts of registers are linked after the block, if these were before.
    #[inline(always)]
    pub fn after(&self, links: Links) -> Links {
        links.with(self.after, self.touched)
    }
}
