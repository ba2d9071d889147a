//! What stands in front of an instruction's opcode.

/// Whether an instruction has an EVEX prefix: in 64-bit mode that is what 0x62 is, behind a segment or an address size.
pub fn is_evex(code: &[u8]) -> bool {
    let legacy = |byte: &&u8| matches!(**byte, 0x26 | 0x2e | 0x36 | 0x3e | 0x64 | 0x65 | 0x67);
    code.iter().find(|byte| !legacy(byte)) == Some(&0x62)
}

#[cfg(test)]
mod tests {
    use super::is_evex;

    #[test]
    fn evex_is_told_from_others() {
        // vpbroadcastb ymm17, esi; the same bytes behind fs and a 32-bit address.
        assert!(is_evex(&[0x62, 0xe2, 0x7d, 0x28, 0x7a, 0xce]));
        assert!(is_evex(&[0x64, 0x67, 0x62, 0xe1, 0xfe, 0x28, 0x6f, 0x1f]));
        // vpbroadcastd ymm1, xmm1 (VEX); mov eax, 0x62; nothing.
        assert!(!is_evex(&[0xc4, 0xe2, 0x7d, 0x58, 0xc9]));
        assert!(!is_evex(&[0xb8, 0x62, 0, 0, 0]));
        assert!(!is_evex(&[]));
    }
}
