//! Simulated memory: separate objects of bytes, each byte with the times at which it was written and who used it.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use crate::clock::ProductionTimes;
use crate::dependence::History;

/// One object: a global variable, a stack slot, a heap block.
#[derive(Clone, Debug)]
struct Object {
    bytes: Vec<u8>,
    times: Vec<ProductionTimes>,
    histories: Vec<History>,
}

/// All objects by their first address.
#[derive(Debug)]
pub struct Memory {
    objects: BTreeMap<u64, Object>,
    next: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            objects: BTreeMap::new(),
            next: 0x10_0000,
        }
    }
}

impl Memory {
    /// A new object of zeros that were written before everything. Addresses are never used again.
    pub fn allocate(&mut self, size: u64) -> u64 {
        let address = self.next;
        // A gap behind every object: a step beyond its end leads nowhere.
        self.next += size.next_multiple_of(64) + 64;
        self.objects.insert(
            address,
            Object {
                bytes: vec![0; size as usize],
                times: vec![ProductionTimes::default(); size as usize],
                histories: vec![History::default(); size as usize],
            },
        );
        address
    }

    /// Ends an object's life.
    ///
    /// # Errors
    /// No object starts there.
    pub fn free(&mut self, address: u64) -> Result<()> {
        self.objects
            .remove(&address)
            .map(drop)
            .with_context(|| format!("{address:#x} is not the start of an object"))
    }

    /// Size of the object that starts at an address.
    pub fn size(&self, address: u64) -> Option<u64> {
        self.objects.get(&address).map(|o| o.bytes.len() as u64)
    }

    fn place(&self, address: u64, size: u64) -> Result<(u64, std::ops::Range<usize>)> {
        let found = self.objects.range(..=address).next_back();
        let (&start, object) =
            found.with_context(|| format!("nothing lies at address {address:#x}"))?;
        let offset = address - start;
        let end = offset.saturating_add(size);
        ensure!(
            end <= object.bytes.len() as u64,
            "{size} bytes at {address:#x} do not lie within an object"
        );
        Ok((start, offset as usize..end as usize))
    }

    /// Bytes and their times.
    ///
    /// # Errors
    /// They do not lie within one object.
    pub fn read(&self, address: u64, size: u64) -> Result<(&[u8], &[ProductionTimes])> {
        if size == 0 {
            return Ok((&[], &[]));
        }
        let (start, range) = self.place(address, size)?;
        let object = &self.objects[&start];
        Ok((&object.bytes[range.clone()], &object.times[range]))
    }

    /// Bytes and their times, to change.
    ///
    /// # Errors
    /// They do not lie within one object.
    pub fn write(
        &mut self,
        address: u64,
        size: u64,
    ) -> Result<(&mut [u8], &mut [ProductionTimes])> {
        if size == 0 {
            return Ok((&mut [], &mut []));
        }
        let (start, range) = self.place(address, size)?;
        let object = self.objects.get_mut(&start).context("just found")?;
        Ok((&mut object.bytes[range.clone()], &mut object.times[range]))
    }

    /// Who wrote and read bytes.
    ///
    /// # Errors
    /// They do not lie within one object.
    pub fn histories(&mut self, address: u64, size: u64) -> Result<&mut [History]> {
        if size == 0 {
            return Ok(&mut []);
        }
        let (start, range) = self.place(address, size)?;
        let object = self.objects.get_mut(&start).context("just found")?;
        Ok(&mut object.histories[range])
    }

    /// Bytes of a string up to its NUL, without it.
    ///
    /// # Errors
    /// It does not end within its object.
    pub fn string(&self, address: u64) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            match self.read(address + text.len() as u64, 1)?.0[0] {
                0 => return Ok(text),
                byte => text.push(byte),
            }
        }
    }
}
