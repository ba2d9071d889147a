//! A finite supply of choices; when it runs out, every choice is the first alternative, which is always a simple one.

/// Choices still to be made.
#[derive(Debug)]
pub(super) struct Choices<'c> {
    rest: std::slice::Iter<'c, u32>,
}

impl<'c> Choices<'c> {
    pub(super) fn new(list: &'c [u32]) -> Self {
        Self { rest: list.iter() }
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.rest.next().map_or(0, |&c| u64::from(c) % bound)
    }

    /// Whether nothing is left.
    pub(super) fn exhausted(&self) -> bool {
        self.rest.len() == 0
    }
}
