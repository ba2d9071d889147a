//! Where a byte's time lives: the address map of shadow memory and its tags.
//!
//! The low [`ADDRESS_BITS`] bits `a` of a program address select its shadow; `record` switches address randomization
//! off, and the runtime checks at start that no two mappings of the process share these bits.
//!
//! There are three *planes* of [`Time`](crate::Time) records (32 bytes each) and one plane of tags:
//!
//! | plane | one record per | address |
//! |---|---|---|
//! | P8 | 8 bytes | `P8_BASE + (a & !7) * 4` |
//! | P4 | 4 bytes | `P4_BASE + (a & !3) * 8` |
//! | P1 | 1 byte  | `P1_BASE + a * 32` |
//! | tags | 4 bytes (a *half*), one byte each | `TAG_BASE + a / 4` |
//!
//! A tag is a set of bits: [`V8`], [`V4`], [`V1`] say which planes hold the valid times of this half, [`SPLIT`] that
//! the two halves of its granule may have different times. 0 means that the half was never written: every plane is zero
//! and valid. Where several planes are valid, they agree: a coarse record is the maximum of the finer ones under it.
//!
//! *Strict* accesses are those of 4 or 8 bytes, naturally aligned, whose TBAA type is not `char`: by the language's
//! aliasing rules they meet only data of their own type, or data written through `char`, `memcpy`, unions or without
//! TBAA. Everything else is *loose*. The rules, which every writer keeps:
//!
//! * strict 8-byte store: P8 record, both tags := V8. Strict 4-byte store: P4 record, its tag := V4 SPLIT. No look at
//!   old tags.
//! * strict loads read P8 or P4 without looking at tags.
//! * a loose store leaves P8 and P4 valid for every half it touches *and for the other half of the granule*, so that
//!   strict loads may follow. 8 bytes: P8 and both P4, both tags := WHOLE. 4 bytes: P4 and, with the other half's P4,
//!   P8; its tag := HALVES (where the other tag is V8 alone, `__ps_halve` first). Narrow ones make P1 valid too (tags
//!   FULL FULL, by `__ps_open` where they are not yet).
//! * loose loads look at the tags: 1 byte, or 2 aligned: V1 ? P1 : the half. 4 bytes: the half, V8 alone ? P8 : P4
//!   (also for tag 0). 8 bytes: P8, after `__ps_halve` where one of the tags has SPLIT. Other sizes and unaligned:
//!   `__ps_load`.
//! * copies move records and tags together, granule by granule, and byte by byte where source and destination are
//!   misaligned to each other (destination FULL).
//!
//! Where neither tag of a granule has SPLIT, both are the same, and P8 is valid and the time of every byte. A V8 bit of
//! one half is only trustworthy while the *other* half was not stored to by a strict 4-byte store; hence `__ps_open`
//! and `__ps_halve` compute P8 anew from the halves unless both tags have V8.

/// Bits of a program address that select its shadow.
pub const ADDRESS_BITS: u32 = 40;
/// Mask of those bits.
pub const ADDRESS_MASK: u64 = (1 << ADDRESS_BITS) - 1;

/// Plane of 1-byte records: 32 TiB.
pub const P1_BASE: u64 = 0x1000_0000_0000;
/// Plane of 4-byte records: 8 TiB. The odd page offset keeps planes from aliasing in the caches.
pub const P4_BASE: u64 = 0x3000_0000_0000 + 0x4_3000;
/// Plane of 8-byte records: 4 TiB.
pub const P8_BASE: u64 = 0x3900_0000_0000 + 0x9_5000;
/// Plane of tags: 256 GiB.
pub const TAG_BASE: u64 = 0x3e00_0000_0000 + 0xc_7000;

/// Bytes of program memory beyond both ends of a plane whose records are mapped, too: instrumented code adds the offset
/// of a structure's field to the record of the structure, and where this lies on both sides of a multiple of 2^40 that
/// leads out of the plane. Such fields are read and written there, a place of their own that nothing ever clears.
pub const MARGIN: u64 = 1 << 15;

/// The 8-byte record is valid for this half.
pub const V8: u8 = 1;
/// The 4-byte record is valid for this half.
pub const V4: u8 = 2;
/// The four 1-byte records are valid for this half.
pub const V1: u8 = 4;
/// The halves of this granule may have different times.
pub const SPLIT: u8 = 8;
/// Tag of both halves after a loose store of the granule: its time in P8 and P4.
pub const WHOLE: u8 = V8 | V4;
/// Tag of a half that has a time of its own, in P4; P8 is the maximum of both halves if the other tag has [`V8`], too.
pub const HALVES: u8 = WHOLE | SPLIT;
/// All planes are valid.
pub const FULL: u8 = HALVES | V1;
