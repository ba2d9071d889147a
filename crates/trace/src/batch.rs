//! A piece of a program's stream on its way to the engines: blocks defined, and events of all threads in one order.

use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parascan_ddg::event::{Event, Executed, MemorySpan, ThreadId};
use parascan_ddg::program::{Block, BlockId};

/// The process and thread whose events follow in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventSource {
    /// Number of the process in the trace.
    pub process: u32,
    /// Thread of the process.
    pub thread: ThreadId,
}

/// An [`Event`] whose lists lie in the batch, one behind the other.
#[derive(Clone, Copy, Debug)]
pub enum BatchItem {
    /// The following are of this thread.
    Source(EventSource),
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
    Stack(MemorySpan),
    /// [`Event::Interrupted`].
    Interrupted,
    /// [`Event::End`].
    End,
}

/// What follows in a thread's stream.
#[derive(Debug)]
pub enum NextInStream<'a> {
    /// Blocks, and the addresses of all of them.
    Blocks(&'a [Executed], &'a [u64]),
    /// Another event.
    Event(Event<'a>),
}

/// A list whose memory is filled before it is needed, so that it can be written to in any way that is fast.
#[derive(Debug)]
struct Buffer<T> {
    /// What is used, then what is not.
    all: Vec<T>,
    used: usize,
}

impl<T: Copy> Buffer<T> {
    fn new(nothing: T, room: usize) -> Self {
        Self {
            all: vec![nothing; room],
            used: 0,
        }
    }

    fn used(&self) -> &[T] {
        &self.all[..self.used]
    }

    fn room(&mut self) -> &mut [T] {
        &mut self.all[self.used..]
    }

    fn put(&mut self, values: &[T]) {
        let end = self.used + values.len();
        match self.all.get_mut(self.used..end) {
            Some(place) => place.copy_from_slice(values),
            None => {
                self.all.truncate(self.used);
                self.all.extend_from_slice(values);
            }
        }
        self.used = end;
    }
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            used: 0,
        }
    }
}

/// The large lists of batches that are done with, to be used again.
#[derive(Clone, Debug, Default)]
pub struct Pool(Arc<Mutex<Vec<Lists>>>);

type Lists = (Buffer<Executed>, Buffer<u64>);

impl Pool {
    /// An empty batch.
    pub fn batch(&self) -> Batch {
        let lists = self.lists().pop();
        let (executed, addresses) = lists.unwrap_or_else(|| {
            let (blocks, addresses) = ROOM;
            (Buffer::new(NOTHING, blocks), Buffer::new(0, addresses))
        });
        Batch {
            blocks: Vec::new(),
            heads: Vec::new(),
            items: Vec::new(),
            spans: Vec::new(),
            executed,
            addresses,
            pool: self.clone(),
        }
    }

    fn lists(&self) -> MutexGuard<'_, Vec<Lists>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A piece of the stream.
#[derive(Debug)]
pub struct Batch {
    /// Blocks that its events are the first to need.
    pub blocks: Vec<(BlockId, Arc<Block>)>,
    /// Processes and, in their memory, first instructions of the loop to be opened, where one of these blocks has it.
    pub heads: Vec<(u32, u64)>,
    /// Its events.
    items: Vec<BatchItem>,
    /// Their spans; of each event those read, then those written.
    spans: Vec<MemorySpan>,
    /// Blocks executed.
    executed: Buffer<Executed>,
    /// Their addresses.
    addresses: Buffer<u64>,
    /// Where the lists go in the end.
    pool: Pool,
}

/// Items in a batch that is sent.
const ITEMS: usize = 1 << 15;
/// Blocks and addresses that a batch has room for.
const ROOM: (usize, usize) = (ITEMS, 1 << 17);
/// Addresses for which there is room in a batch that is not full.
pub const MARGIN: usize = 1 << 10;
/// No block.
const NOTHING: Executed = Executed {
    id: BlockId(0),
    executed: 0,
    addresses: 0,
};

impl Drop for Batch {
    fn drop(&mut self) {
        let mut lists = (take(&mut self.executed), take(&mut self.addresses));
        lists.0.used = 0;
        lists.1.used = 0;
        self.pool.lists().push(lists);
    }
}

impl Batch {
    /// Whether it is to be sent.
    pub fn is_full(&self) -> bool {
        self.items.len() >= ITEMS
            || self.executed.used >= ROOM.0
            || self.addresses.used + MARGIN > ROOM.1
    }

    /// Adds an item other than blocks.
    pub fn item(&mut self, item: BatchItem) {
        self.items.push(item);
    }

    /// Where the next blocks go, and the next addresses.
    pub fn room(&mut self) -> (&mut [Executed], &mut [u64]) {
        (self.executed.room(), self.addresses.room())
    }

    /// So many blocks and addresses were put there.
    pub fn filled(&mut self, blocks: usize, addresses: usize) {
        self.executed.used += blocks;
        self.addresses.used += addresses;
        self.count(blocks, addresses);
    }

    fn count(&mut self, blocks: usize, addresses: usize) {
        match self.items.last_mut() {
            Some(BatchItem::Blocks {
                count,
                addresses: all,
            }) => {
                *count += blocks as u32;
                *all += addresses as u32;
            }
            _ => self.items.push(BatchItem::Blocks {
                count: blocks as u32,
                addresses: addresses as u32,
            }),
        }
    }

    /// Adds a block.
    pub fn block(&mut self, id: BlockId, executed: u32, addresses: &[u64]) {
        self.executed.put(&[Executed {
            id,
            executed,
            addresses: addresses.len() as u32,
        }]);
        self.addresses.put(addresses);
        self.count(1, addresses.len());
    }

    /// Adds addresses of an item.
    pub fn addresses(&mut self, addresses: &[u64]) {
        self.addresses.put(addresses);
    }

    /// Adds spans, first those read.
    pub fn spans(&mut self, reads: &[MemorySpan], writes: &[MemorySpan]) -> (u32, u32) {
        self.spans.extend_from_slice(reads);
        self.spans.extend_from_slice(writes);
        (reads.len() as u32, writes.len() as u32)
    }

    /// Gives all events to a consumer until it fails.
    pub fn replay<E>(
        &self,
        mut consumer: impl FnMut(EventSource, NextInStream<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut addresses = self.addresses.used();
        let mut spans = &self.spans[..];
        let mut executed = self.executed.used();
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
        let mut source = EventSource {
            process: 0,
            thread: ThreadId(0),
        };
        for item in &self.items {
            let event = match *item {
                BatchItem::Source(now) => {
                    source = now;
                    continue;
                }
                BatchItem::Blocks { count, addresses } => {
                    let (now, later) = executed.split_at(count as usize);
                    executed = later;
                    consumer(source, NextInStream::Blocks(now, next_addresses(addresses)))?;
                    continue;
                }
                BatchItem::Repeat {
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
                BatchItem::Operands {
                    instruction,
                    reads,
                    writes,
                } => Event::Operands {
                    instruction,
                    reads: next_spans(reads),
                    writes: next_spans(writes),
                },
                BatchItem::Kernel { reads, writes } => Event::Kernel {
                    reads: next_spans(reads),
                    writes: next_spans(writes),
                },
                BatchItem::Stack(bounds) => Event::Stack { bounds },
                BatchItem::Interrupted => Event::Interrupted,
                BatchItem::End => Event::End,
            };
            consumer(source, NextInStream::Event(event))?;
        }
        Ok(())
    }
}
