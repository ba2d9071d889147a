//! The window of one lane: what the deepest level was, so many instances ago.

use super::feed::BATCH;
use super::lanes::Level;

/// Deepest levels after each of the last instances. They lie in one piece: when the buffer is full they are moved to its front.
#[derive(Clone, Debug)]
pub struct Window<L> {
    length: usize,
    /// Position of the next instance.
    next: usize,
    deepest: Vec<L>,
}

impl<L: Level> Window<L> {
    /// A window of so many instances, before the first one.
    pub fn new(length: usize) -> Self {
        Self {
            length,
            next: length,
            deepest: vec![L::default(); length + length.max(256) + 2 * BATCH],
        }
    }

    /// For the next instance: the deepest level of all that left the window before it. Behind it, for as many as the window has, those of the instances after it.
    #[inline(always)]
    pub fn left(&self) -> &[L] {
        &self.deepest[self.next - self.length..]
    }

    /// Appends the deepest level after an instance.
    #[inline(always)]
    pub fn push(&mut self, level: L) {
        self.deepest[self.next] = level;
        self.next += 1;
        self.make_room();
    }

    /// The same for as many instances as a batch has; right for the first ones, as many as the window has.
    #[inline(always)]
    pub fn next_left(&self) -> [L; BATCH] {
        *self
            .left()
            .first_chunk()
            .expect("there is room for a batch")
    }

    /// Appends the deepest levels after each of the first `count` instances of a batch.
    #[inline(always)]
    pub fn extend(&mut self, levels: &[L; BATCH], count: usize) {
        // Those behind will be overwritten.
        let room = self.deepest[self.next..].first_chunk_mut();
        *room.expect("there is room for a batch") = *levels;
        self.next += count;
        self.make_room();
    }

    #[inline(always)]
    fn make_room(&mut self) {
        if self.next + BATCH > self.deepest.len() {
            self.move_to_front();
        }
    }

    #[cold]
    #[inline(never)]
    fn move_to_front(&mut self) {
        self.deepest
            .copy_within(self.next - self.length..self.next, 0);
        self.next = self.length;
    }

    /// The same in another type.
    pub fn convert<M: Level>(&self) -> Window<M> {
        Window {
            length: self.length,
            next: self.next,
            deepest: self
                .deepest
                .iter()
                .map(|level| M::new(level.number()))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_left_the_window_stays_right_when_it_moves() {
        for length in [1, 3, 16, 300] {
            let mut window = Window::<u32>::new(length);
            for instance in 0..2000u32 {
                let left = (instance + 1).saturating_sub(length as u32);
                assert_eq!(window.left()[0], left, "{length} {instance}");
                window.push(instance + 1);
            }
        }
    }
}
