//! Where the elements lie that a descriptor of flang's describes (`CFI_cdesc_t` of `ISO_Fortran_binding.h`), as one
//! stretch of memory: of a section it holds elements between those of the section, too.

/// A descriptor without its dimensions.
#[repr(C)]
#[derive(Clone, Copy)]
struct Descriptor {
    base: u64,
    element: u64,
    version: i32,
    rank: u8,
    kind: i8,
    attribute: u8,
    extra: u8,
}

/// One of the dimensions that follow.
#[repr(C)]
#[derive(Clone, Copy)]
struct Dimension {
    lower: i64,
    extent: i64,
    stride: i64,
}

/// Versions with this layout.
const VERSIONS: [i32; 2] = [20_180_515, 20_240_719];
/// Most dimensions that an array can have (Fortran 2018, 5.4.6).
const MOST: u8 = 15;

/// First address and number of bytes; none of what is no descriptor, has no memory or no elements.
///
/// # Safety
/// `descriptor` is null or leads to a descriptor.
unsafe fn stretch(descriptor: *const u8) -> Option<(u64, u64)> {
    if descriptor.is_null() {
        return None;
    }
    // SAFETY: the caller's.
    let head = unsafe { descriptor.cast::<Descriptor>().read_unaligned() };
    if head.base == 0 || head.rank > MOST || !VERSIONS.contains(&head.version) {
        return None;
    }
    // SAFETY: the dimensions follow.
    let dimensions = unsafe { descriptor.add(size_of::<Descriptor>()).cast::<Dimension>() };
    let (mut first, mut bytes) = (head.base, head.element);
    for number in 0..usize::from(head.rank) {
        // SAFETY: there are as many as the descriptor says.
        let dimension = unsafe { dimensions.add(number).read_unaligned() };
        if dimension.extent <= 0 {
            return None;
        }
        let reach = (dimension.extent - 1).checked_mul(dimension.stride)?;
        first = first.wrapping_add_signed(reach.min(0));
        bytes = bytes.checked_add(reach.unsigned_abs())?;
    }
    Some((first, bytes))
}

/// Where the elements of a descriptor begin; null where there are none.
///
/// # Safety
/// `descriptor` is null or leads to a descriptor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_described(descriptor: *const u8) -> u64 {
    // SAFETY: the caller's.
    unsafe { stretch(descriptor) }.map_or(0, |(first, _)| first)
}

/// Bytes from there to their end.
///
/// # Safety
/// `descriptor` is null or leads to a descriptor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_described_bytes(descriptor: *const u8) -> u64 {
    // SAFETY: the caller's.
    unsafe { stretch(descriptor) }.map_or(0, |(_, bytes)| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(version: i32, base: u64, dimensions: &[(i64, i64)]) -> (u64, u64) {
        let mut words = vec![base, 8];
        words.push(version as u64 | (dimensions.len() as u64) << 32);
        for &(extent, stride) in dimensions {
            words.extend([1, extent as u64, stride as u64]);
        }
        let descriptor = words.as_ptr().cast();
        // SAFETY: it is one.
        unsafe { (__ps_described(descriptor), __ps_described_bytes(descriptor)) }
    }

    #[test]
    fn stretches_hold_all_elements() {
        let version = VERSIONS[1];
        // A number, 10 numbers, every other one of them, the same backwards, and 3 by 2 of rows of 80 bytes.
        assert_eq!(found(version, 4096, &[]), (4096, 8));
        assert_eq!(found(version, 4096, &[(10, 8)]), (4096, 80));
        assert_eq!(found(version, 4096, &[(5, 16)]), (4096, 72));
        assert_eq!(found(version, 4096, &[(5, -16)]), (4032, 72));
        assert_eq!(found(version, 4096, &[(3, 8), (2, 80)]), (4096, 104));
        for nothing in [
            found(version, 0, &[(10, 8)]),
            found(version, 4096, &[(0, 8)]),
            found(version, 4096, &[(10, 8), (-1, 80)]),
            found(version, 4096, &[(i64::MAX, i64::MAX)]),
            found(1, 4096, &[(10, 8)]),
        ] {
            assert_eq!(nothing, (0, 0));
        }
        // SAFETY: null.
        assert_eq!(unsafe { __ps_described_bytes(core::ptr::null()) }, 0);
    }
}
