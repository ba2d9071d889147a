//! Who wrote, and who last read, each byte of memory within a stretch.

use std::collections::HashMap;

use crate::event::MemorySpan;

/// No instance.
pub(super) const NOBODY: u32 = u32::MAX;

const PAGE: u64 = 4096;
const CACHED: usize = 1024;
/// The kernel moves no more in one call (`MAX_RW_COUNT`); what claims to be longer is cut.
const LONGEST: u64 = 0x7fff_f000;

/// Writers and readers by byte: 4 bytes for each, those of readers only where storage dependences are kept.
#[derive(Debug)]
pub(super) struct ByteAccesses {
    pages: Vec<Page>,
    numbers: HashMap<u64, u32>,
    recent: Box<[(u64, u32)]>,
    readers: bool,
}

#[derive(Debug)]
struct Page {
    writer: Box<[u32]>,
    /// Of the current value, the reader of the largest level.
    reader: Box<[u32]>,
}

impl ByteAccesses {
    pub fn new(readers: bool) -> Self {
        Self {
            pages: Vec::new(),
            numbers: HashMap::new(),
            recent: vec![(u64::MAX, 0); CACHED].into(),
            readers,
        }
    }

    /// Whether readers are kept.
    pub fn keeps_readers(&self) -> bool {
        self.readers
    }

    /// The page of a number, if anything in it was accessed.
    fn page(&mut self, number: u64) -> Option<usize> {
        let recent = &mut self.recent[number as usize % CACHED];
        if recent.0 != number {
            *recent = (number, *self.numbers.get(&number)?);
        }
        Some(recent.1 as usize)
    }

    fn page_or_new(&mut self, number: u64) -> usize {
        if let Some(page) = self.page(number) {
            return page;
        }
        let page = self.pages.len();
        self.pages.push(Page {
            writer: vec![NOBODY; PAGE as usize].into(),
            reader: vec![NOBODY; if self.readers { PAGE as usize } else { 0 }].into(),
        });
        self.numbers.insert(number, page as u32);
        page
    }

    /// Calls back with each writer of the span's bytes; neighbours of one writer once.
    pub fn writers(&mut self, span: MemorySpan, found: impl FnMut(u32)) {
        self.each(span, |page| &page.writer, found);
    }

    /// Calls `found` with each instance that read a byte of the span last.
    pub fn readers(&mut self, span: MemorySpan, found: impl FnMut(u32)) {
        self.each(span, |page| &page.reader, found);
    }

    fn each(&mut self, span: MemorySpan, cells: fn(&Page) -> &[u32], mut found: impl FnMut(u32)) {
        let mut last = NOBODY;
        for (number, start, end) in pieces(span) {
            let Some(page) = self.page(number) else {
                continue;
            };
            for cell in &cells(&self.pages[page])[start..end] {
                if *cell != last {
                    last = *cell;
                    if last != NOBODY {
                        found(last);
                    }
                }
            }
        }
    }

    /// The span's bytes were written by an instance, or by somebody outside the stretch.
    pub fn write(&mut self, span: MemorySpan, writer: u32) {
        for (number, start, end) in pieces(span) {
            let page = if writer == NOBODY {
                let Some(page) = self.page(number) else {
                    continue;
                };
                page
            } else {
                self.page_or_new(number)
            };
            let page = &mut self.pages[page];
            page.writer[start..end].fill(writer);
            if self.readers {
                page.reader[start..end].fill(NOBODY);
            }
        }
    }

    /// The span's bytes were read; `deeper` chooses between the reader so far and this one.
    pub fn read(&mut self, span: MemorySpan, reader: u32, deeper: impl Fn(u32, u32) -> u32) {
        for (number, start, end) in pieces(span) {
            let page = self.page_or_new(number);
            for cell in &mut self.pages[page].reader[start..end] {
                *cell = deeper(*cell, reader);
            }
        }
    }
}

/// What there is of a span: memory ends before the last byte of the address space.
pub(super) fn real(span: MemorySpan) -> MemorySpan {
    MemorySpan {
        address: span.address,
        size: span.size.min(u64::MAX - span.address),
    }
}

/// Page number, first and last byte within the page (exclusive) of each page that the span touches.
fn pieces(span: MemorySpan) -> impl Iterator<Item = (u64, usize, usize)> {
    let mut address = span.address;
    let mut left = span.size.min(LONGEST);
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let start = address % PAGE;
        let here = left.min(PAGE - start);
        let piece = (address / PAGE, start as usize, (start + here) as usize);
        address = address.wrapping_add(here);
        left -= here;
        Some(piece)
    })
}
