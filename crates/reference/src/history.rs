//! Who wrote and who read a place last, and in which iteration: the parts that `dependence.rs` finds dependences from.

/// When something happened: how many region instances had begun.
pub type Moment = u64;

/// Writes and reads of a byte of memory, or of some hidden state of the library.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The last write; None: never written.
    pub(crate) written: Option<Moment>,
    /// Reads since then, without repetitions, in order.
    pub(crate) read: Vec<Moment>,
}

/// Kinds of dependence of an iteration on an earlier one of the same loop instance; or in how many instances there were
/// some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CarriedKinds<T> {
    /// It read what the earlier one wrote.
    pub flow: T,
    /// It wrote what the earlier one wrote as well.
    pub output: T,
    /// It wrote what the earlier one had read, and nothing had written in between.
    pub anti: T,
}

impl CarriedKinds<u64> {
    /// Counts an instance.
    pub(crate) fn add(&mut self, instance: CarriedKinds<bool>) {
        self.flow += u64::from(instance.flow);
        self.output += u64::from(instance.output);
        self.anti += u64::from(instance.anti);
    }
}

/// A read by a reduction in memory.
#[derive(Clone, Copy, Debug)]
pub struct ReductionRead {
    /// Depth of the outermost loop for which it is one: what that loop or one inside it wrote is no dependence.
    pub depth: usize,
    /// Whether other reads of the same object are watched.
    pub watching: bool,
}

/// What an instance of a loop did with objects that it reduces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reduced {
    /// An update was of what an earlier iteration had written.
    pub(crate) met: bool,
    /// A watched read was of what the instance had written.
    pub(crate) watched: bool,
}

impl Reduced {
    /// Whether iterations updated the same place, and something else read such places as they became.
    pub(crate) fn is_read(self) -> bool {
        self.met && self.watched
    }
}

impl History {
    /// That of a copy that nobody made: written when this was, not read.
    pub(crate) fn handed_over(&self) -> Self {
        Self {
            written: self.written,
            read: Vec::new(),
        }
    }
}
