//! Where the two decoders say different things on purpose, and why.

use super::facts::DifferenceKind;

/// Instructions, in what they may differ, and the reason.
pub struct Exception {
    names: &'static str,
    kind: DifferenceKind,
    reason: &'static str,
}

/// Whether a difference has a reason; its number then.
pub fn covers(name: &str, kind: DifferenceKind) -> Option<usize> {
    ALL.iter().position(|exception| {
        exception.kind == kind && exception.names.split(' ').any(|known| known == name)
    })
}

/// Why one differs, and for which instructions.
pub fn described(number: usize) -> String {
    let Exception { names, reason, .. } = &ALL[number];
    format!("{reason} ({names})")
}

/// How many there are.
pub const fn count() -> usize {
    ALL.len()
}

const fn exception(kind: DifferenceKind, names: &'static str, reason: &'static str) -> Exception {
    Exception {
        names,
        kind,
        reason,
    }
}

const ALL: &[Exception] = &[
    exception(
        DifferenceKind::ReadsLess,
        "bextr bzhi sarx shlx shrx pinsrb pinsrw vpinsrb vpinsrw vpbroadcastb vpbroadcastw lea cdq cqo cwd",
        "only some bits of the register matter; the model reads the parts that have them",
    ),
    exception(
        DifferenceKind::ReadsLess,
        "cvtsi2sd movhlps movhpd movhps movlhps movlpd movlps pinsrq roundsd sqrtsd",
        "the half that stays is a location of its own and is not read",
    ),
    exception(
        DifferenceKind::ReadsMore,
        "cvtsd2ss movss",
        "a 32-bit scalar write keeps half of a location, and so reads it",
    ),
    exception(
        DifferenceKind::WritesLess,
        "cbw",
        "the low byte is written as it was",
    ),
    exception(
        DifferenceKind::ReadsMore,
        "bsf bsr",
        "the destination stays when the source is zero",
    ),
    exception(
        DifferenceKind::ReadsMore,
        "rcl rcr rol ror sal sar shl shr shld shrd",
        "the flags stay when the count in CL is zero",
    ),
    exception(
        DifferenceKind::WritesLess,
        "rcl rcr sar",
        "a constant count that moves nothing leaves the flags alone",
    ),
    exception(
        DifferenceKind::ReadsLess,
        "rcl rcr",
        "a constant count that moves nothing does not use the carry",
    ),
    exception(
        DifferenceKind::ReadsMore,
        "vpcmpgtw vpcmpeqw",
        "a compare under a mask is not taken for an idiom",
    ),
    exception(
        DifferenceKind::ReadsMore,
        "extrq insertq",
        "the second decoder takes the destination to be written only, though its bits are moved (AMD, volume 4)",
    ),
    exception(
        DifferenceKind::ReadsMore,
        "xlatb",
        "the second decoder leaves out AL, which is added to the address",
    ),
    exception(
        DifferenceKind::ReadsLess,
        "leave",
        "RSP gets the value of RBP; its own is not used",
    ),
    exception(
        DifferenceKind::WritesMore,
        "leave enter",
        "with a 16-bit operand RSP and RBP are still moved whole (Intel, volume 2: by the size of the stack)",
    ),
    exception(
        DifferenceKind::ReadsMore,
        "enter",
        "with a 16-bit operand and nesting the frames are still addressed by all of RBP",
    ),
    exception(
        DifferenceKind::ReadsLess,
        "nop reservednop",
        "its operand is not used",
    ),
    exception(
        DifferenceKind::Memory,
        "nop reservednop clflush clflushopt clwb prefetch prefetchnta prefetcht0 prefetcht1 prefetcht2 prefetchw",
        "hints and cache control transfer no value",
    ),
    exception(
        DifferenceKind::Memory,
        "bt btc btr bts clzero enter",
        "address or size depend on what a register or a nesting level says: known when it is executed",
    ),
    exception(
        DifferenceKind::Memory,
        "maskmovdqu maskmovq vmaskmovdqu vmaskmovpd vmaskmovps vpmaskmovd vpmaskmovq",
        "a store under a mask in a vector register merges, and so reads",
    ),
    exception(
        DifferenceKind::Memory,
        "movsxd",
        "with a 16-bit destination it reads 16 bits (Intel, volume 2)",
    ),
    exception(
        DifferenceKind::Memory,
        "movsb movsw movsd movsq stosb stosw stosd stosq",
        "an iteration of `rep` does store; only the second decoder counts in that there may be none",
    ),
    exception(
        DifferenceKind::ReadsLess,
        "lodsb lodsw lodsd lodsq",
        "an iteration of `rep` does load; only the second decoder counts in that there may be none",
    ),
    exception(
        DifferenceKind::ReadsLess,
        "cmpsb cmpsw cmpsd cmpsq scasb scasw scasd scasq",
        "whether `repe` goes on depends on the flags of the iteration before, which decides what is executed, not what is computed",
    ),
    exception(
        DifferenceKind::WritesMore,
        "cmpsb cmpsw cmpsd cmpsq scasb scasw scasd scasq",
        "the second decoder leaves out that RSI and RDI are moved",
    ),
    exception(
        DifferenceKind::WritesMore,
        "vptest vtestpd vtestps",
        "the second decoder leaves out the flags that are cleared (Intel, volume 2); it has them for `ptest`",
    ),
    exception(
        DifferenceKind::ReadsLess,
        "vptest vtestpd vtestps",
        "flags that the second decoder takes to stay are cleared",
    ),
    exception(
        DifferenceKind::ReadsLess,
        "vcmpph vcmpsh vfpclassph vfpclasssh",
        "a mask that is written under a mask is zeroed outside of it (Intel, volume 2), as the second decoder has it for `vcmpps`",
    ),
    exception(
        DifferenceKind::ReadsMore,
        "v4fmaddps v4fmaddss v4fnmaddps v4fnmaddss vp4dpwssd vp4dpwssds",
        "four registers are read, of which the second decoder names one",
    ),
    exception(
        DifferenceKind::WritesMore,
        "vp2intersectd vp2intersectq",
        "two masks are written, of which the second decoder names one",
    ),
    exception(
        DifferenceKind::WritesMore,
        "vzeroall vzeroupper frstor fxrstor fxrstor64 wrfsbase wrgsbase",
        "the second decoder leaves out what is not an operand",
    ),
    exception(
        DifferenceKind::ReadsMore,
        "fnsave fxsave fxsave64 rdfsbase rdgsbase",
        "the second decoder leaves out what is not an operand",
    ),
];
