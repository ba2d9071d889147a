//! Places and nodes, numbered once for all threads.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use parascan_abi::omp::{CallNode, Place, kind};

use crate::log::Appender;

/// Most nodes; what lies deeper or comes later is charged to the node above.
const MAX_NODES: u32 = 1 << 16;

parascan_abi::omp_constructs! {
    /// Kinds of nodes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
}

impl Construct {
    /// Whether a construct has an implicit barrier at its end, which is charged to it.
    pub fn shares_work(self) -> bool {
        matches!(
            self,
            Self::Loop | Self::Sections | Self::Single | Self::Workshare | Self::Scope
        )
    }

    /// Whether the initial thread's entries are boundaries of snapshots: where iterations may begin.
    pub fn is_boundary(self) -> bool {
        !matches!(
            self,
            Self::Program
                | Self::ImplicitBarrier
                | Self::Lock
                | Self::Ordered
                | Self::Atomic
                | Self::Task
        )
    }
}

/// What the log keeps of a place beside its key.
#[derive(Clone, Copy, Debug)]
pub enum Detail<'a> {
    /// Nothing.
    None,
    /// The program's name for it.
    Name(&'a [u8]),
    /// First address of the function that it was outlined to.
    Outlined(u64),
}

/// What tells a child from its siblings: the construct and its address, or the hash of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChildKey {
    /// What kind it is; several kinds may share an address.
    pub construct: Construct,
    /// Return address, first address of a function, or hash of a name.
    pub address: u64,
}

struct Tables {
    places: HashMap<ChildKey, u32>,
    nodes: HashMap<(u32, u32), u32>,
    count: u32,
    place_log: Appender,
    node_log: Appender,
    names: Appender,
}

static TABLES: Mutex<Option<Tables>> = Mutex::new(None);

/// The child of `parent`; None when the tables or the log are full. `detail` is for places that are new.
pub fn child(parent: u32, key: ChildKey, detail: Detail) -> Option<u32> {
    let mut guard = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    if guard.is_none() {
        let mut tables = Tables {
            places: HashMap::new(),
            nodes: HashMap::new(),
            count: 0,
            place_log: Appender::new(kind::PLACES, 0),
            node_log: Appender::new(kind::NODES, 0),
            names: Appender::new(kind::NAMES, 0),
        };
        let program = ChildKey {
            construct: Construct::Program,
            address: 0,
        };
        tables.place(program, Detail::None)?;
        tables.node(0, 0)?;
        *guard = Some(tables);
    }
    let tables = guard.as_mut()?;
    if key.construct == Construct::Program {
        return Some(0);
    }
    let place = tables.place(key, detail)?;
    tables.node(parent, place)
}

impl Tables {
    fn place(&mut self, key: ChildKey, detail: Detail) -> Option<u32> {
        if let Some(&place) = self.places.get(&key) {
            return Some(place);
        }
        let (name_length, offset, address) = match detail {
            Detail::None | Detail::Outlined(_) => (0, 0, key.address),
            Detail::Name(name) => {
                let name = &name[..name.len().min(1024)];
                (name.len() as u32, self.names.bytes(name)?, 0)
            }
        };
        self.place_log.value(Place {
            construct: key.construct as u32,
            name_length,
            name: offset,
            address,
            outlined: match detail {
                Detail::Outlined(function) => function,
                _ => 0,
            },
        })?;
        let number = self.places.len() as u32;
        self.places.insert(key, number);
        Some(number)
    }

    fn node(&mut self, parent: u32, place: u32) -> Option<u32> {
        if let Some(&node) = self.nodes.get(&(parent, place)) {
            return Some(node);
        }
        if self.count == MAX_NODES {
            return None;
        }
        self.node_log.value(CallNode { parent, place })?;
        let number = self.count;
        self.count += 1;
        self.nodes.insert((parent, place), number);
        Some(number)
    }
}
