//! A piece of a program's stream on its way to the engines: blocks defined, and events of all threads in one order.

use parascan_ddg::event::{Event, Executed, Span, ThreadId};
use parascan_ddg::program::{Block, BlockId};

/// Whose events follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    /// Number of the process in the trace.
    pub process: u32,
    /// Thread of the process.
    pub thread: ThreadId,
}

/// An [`Event`] whose lists lie in the batch, one behind the other.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// The following are of this thread.
    Source(Source),
    /// So many blocks executed one after the other, with so many addresses together.
    Blocks { count: u32, addresses: u32 },
    /// [`Event::Repeat`] with so many addresses.
    Repeat {
        instruction: u32,
        iterations: u64,
        addresses: u32,
        step: i64,
    },
    /// [`Event::Operands`] with so many spans.
    Operands {
        instruction: u32,
        reads: u32,
        writes: u32,
    },
    /// [`Event::Kernel`] with so many spans.
    Kernel { reads: u32, writes: u32 },
    /// [`Event::Stack`].
    Stack(Span),
    /// [`Event::Interrupted`].
    Interrupted,
    /// [`Event::End`].
    End,
}

/// What follows in a thread's stream.
#[derive(Debug)]
pub enum Next<'a> {
    /// Blocks, and the addresses of all of them.
    Blocks(&'a [Executed], &'a [u64]),
    /// Another event.
    Event(Event<'a>),
}

/// A piece of the stream.
#[derive(Debug, Default)]
pub struct Batch {
    /// Blocks that its events are the first to need.
    pub blocks: Vec<(BlockId, Block)>,
    /// Its events.
    pub items: Vec<Item>,
    /// Blocks executed.
    pub executed: Vec<Executed>,
    /// Their addresses.
    pub addresses: Vec<u64>,
    /// Their spans; of each event those read, then those written.
    pub spans: Vec<Span>,
}

/// Blocks executed, or items, in a batch that is sent.
const ITEMS: usize = 1 << 15;

impl Batch {
    /// An empty one with room.
    pub fn new() -> Self {
        Self {
            executed: Vec::with_capacity(ITEMS + 64),
            addresses: Vec::with_capacity(ITEMS),
            ..Self::default()
        }
    }

    /// Whether it is to be sent.
    pub fn is_full(&self) -> bool {
        self.items.len() >= ITEMS || self.executed.len() >= ITEMS
    }

    /// Adds a block whose addresses are those from the `first` on.
    pub fn block(&mut self, id: BlockId, executed: u32, first: usize) {
        let addresses = (self.addresses.len() - first) as u32;
        self.executed.push(Executed {
            id,
            executed,
            addresses,
        });
        match self.items.last_mut() {
            Some(Item::Blocks {
                count,
                addresses: all,
            }) => {
                *count += 1;
                *all += addresses;
            }
            _ => self.items.push(Item::Blocks {
                count: 1,
                addresses,
            }),
        }
    }

    /// Adds spans, first those read.
    pub fn spans(&mut self, reads: &[Span], writes: &[Span]) -> (u32, u32) {
        self.spans.extend_from_slice(reads);
        self.spans.extend_from_slice(writes);
        (reads.len() as u32, writes.len() as u32)
    }

    /// Gives all events to a consumer until it fails.
    pub fn replay<E>(
        &self,
        mut consumer: impl FnMut(Source, Next<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut addresses = &self.addresses[..];
        let mut spans = &self.spans[..];
        let mut executed = &self.executed[..];
        let mut next_addresses = |count: u32| {
            let (now, later) = addresses.split_at(count as usize);
            addresses = later;
            now
        };
        let mut next_spans = |count: u32| {
            let (now, later) = spans.split_at(count as usize);
            spans = later;
            now
        };
        let mut source = Source {
            process: 0,
            thread: ThreadId(0),
        };
        for item in &self.items {
            let event = match *item {
                Item::Source(now) => {
                    source = now;
                    continue;
                }
                Item::Blocks { count, addresses } => {
                    let (now, later) = executed.split_at(count as usize);
                    executed = later;
                    consumer(source, Next::Blocks(now, next_addresses(addresses)))?;
                    continue;
                }
                Item::Repeat {
                    instruction,
                    iterations,
                    addresses,
                    step,
                } => Event::Repeat {
                    instruction,
                    iterations,
                    addresses: next_addresses(addresses),
                    step,
                },
                Item::Operands {
                    instruction,
                    reads,
                    writes,
                } => Event::Operands {
                    instruction,
                    reads: next_spans(reads),
                    writes: next_spans(writes),
                },
                Item::Kernel { reads, writes } => Event::Kernel {
                    reads: next_spans(reads),
                    writes: next_spans(writes),
                },
                Item::Stack(bounds) => Event::Stack { bounds },
                Item::Interrupted => Event::Interrupted,
                Item::End => Event::End,
            };
            consumer(source, Next::Event(event))?;
        }
        Ok(())
    }
}
