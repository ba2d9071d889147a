//! Bytes that are no instruction, and the ends of bytes.

use parascan_isa::{DecodeError, decode, format};
use proptest::prelude::*;

#[test]
fn too_few_bytes_are_told_from_wrong_ones() {
    assert_eq!(decode(&[], 0), Err(DecodeError::Truncated));
    assert_eq!(decode(&[0x48, 0x01], 0), Err(DecodeError::Truncated));
    // push es, of the 32-bit mode
    assert_eq!(decode(&[0x06, 0, 0], 0), Err(DecodeError::Invalid));
    assert_eq!(format(&[0x06, 0, 0], 0), "(bad)");
}

proptest! {
    #[test]
    fn what_follows_an_instruction_does_not_matter(bytes in prop::collection::vec(any::<u8>(), 0..24), address: u64) {
        if let Ok((facts, length)) = decode(&bytes, address) {
            prop_assert!((1..=15).contains(&length));
            prop_assert_eq!(decode(&bytes[..length], address), Ok((facts, length)));
            prop_assert_eq!(decode(&bytes[..length - 1], address), Err(DecodeError::Truncated));
            prop_assert!(format(&bytes, address) != "(bad)");
        }
    }
}
