//! The class of a vector instruction, by its name.

use crate::InstructionClass;

/// Whether a name begins with one of the given words.
fn starts(name: &str, words: &[&str]) -> bool {
    words.iter().any(|word| name.starts_with(word))
}

/// Vector instructions, by name: with a memory operand, or with memory as the destination.
pub(super) fn by_name(name: &str, memory: bool, to_memory: bool) -> Option<InstructionClass> {
    let plain = name.strip_prefix('v').unwrap_or(name);
    // A load that repeats what it loads, takes apart or merges by a mask is a load; scatters and compressing stores
    // store.
    if starts(
        plain,
        &["broadcast", "pbroadcast", "expand", "pexpand", "bcst"],
    ) {
        return Some(if memory {
            InstructionClass::Load
        } else {
            InstructionClass::Shuffle
        });
    }
    if starts(plain, &["compress", "pcompress"]) {
        return Some(if memory {
            InstructionClass::Store
        } else {
            InstructionClass::Shuffle
        });
    }
    // Conversions to narrower integers, of which the name says from what and to what.
    if to_memory && plain.starts_with("pmov") {
        return Some(InstructionClass::Store);
    }
    if starts(plain, &["gather", "pgather"]) {
        return Some(InstructionClass::Load);
    }
    if starts(plain, &["scatter", "pscatter"]) {
        return Some(InstructionClass::Store);
    }
    if starts(plain, &["cvtneebf16", "cvtneobf16", "cvtneeph", "cvtneoph"]) {
        return Some(InstructionClass::FloatOther);
    }
    if let Some(class) = three_d_now(name) {
        return Some(class);
    }
    if starts(plain, &["k"]) {
        return Some(if starts(plain, &["kunpck"]) {
            InstructionClass::Shuffle
        } else {
            InstructionClass::Vector
        });
    }
    floating(plain).or_else(|| integer_vector(plain))
}

/// 3DNow!, whose names follow rules of their own.
fn three_d_now(name: &str) -> Option<InstructionClass> {
    Some(match name {
        "pfadd" | "pfsub" | "pfsubr" | "pfmax" | "pfmin" | "pfacc" | "pfnacc" | "pfpnacc" => {
            InstructionClass::FloatAdd
        }
        "pfmul" => InstructionClass::FloatMultiply,
        "pf2id" | "pf2iw" | "pi2fd" | "pi2fw" | "pfcmpeq" | "pfcmpge" | "pfcmpgt" | "pfrcp"
        | "pfrcpit1" | "pfrcpit2" | "pfrcpv" | "pfrsqit1" | "pfrsqrt" | "pfrsqrtv" => {
            InstructionClass::FloatOther
        }
        "pavgusb" => InstructionClass::Vector,
        "pswapd" => InstructionClass::Shuffle,
        _ => return None,
    })
}

/// Operations on floating-point elements.
fn floating(plain: &str) -> Option<InstructionClass> {
    if plain.starts_with('p') {
        return None;
    }
    let elements = ["ss", "sd", "sh", "ps", "pd", "ph"];
    let ends = elements.iter().any(|end| plain.ends_with(end));
    Some(
        if starts(
            plain,
            &[
                "cvt", "comis", "ucomis", "cmp", "round", "rndscale", "reduce", "rcp",
            ],
        ) || starts(
            plain,
            &["rsqrt", "getexp", "getmant", "fpclass", "fixupimm", "range"],
        ) || starts(plain, &["scalef", "exp2", "frcz"])
        {
            InstructionClass::FloatOther
        } else if starts(
            plain,
            &[
                "fmadd", "fmsub", "fnmadd", "fnmsub", "fcmadd", "4f", "dpbf16", "dpp",
            ],
        ) {
            InstructionClass::FloatFused
        } else if starts(plain, &["fmul", "fcmul"]) {
            InstructionClass::FloatMultiply
        } else if starts(plain, &["and", "or", "xor", "test"]) && ends {
            InstructionClass::Vector
        } else if starts(plain, &["unpck", "shuf", "blend", "perm", "insert", "mov"]) {
            InstructionClass::Shuffle
        } else if !ends {
            return None;
        } else if starts(plain, &["add", "sub", "min", "max", "hadd", "hsub"]) {
            InstructionClass::FloatAdd
        } else if starts(plain, &["mul"]) {
            InstructionClass::FloatMultiply
        } else if starts(plain, &["div"]) {
            InstructionClass::FloatDivide
        } else if starts(plain, &["sqrt"]) {
            InstructionClass::FloatRoot
        } else {
            return None;
        },
    )
}

/// Operations on integer elements.
fn integer_vector(plain: &str) -> Option<InstructionClass> {
    if starts(plain, &["mpsadbw", "dbpsadbw", "p2intersect"]) {
        return Some(InstructionClass::Vector);
    }
    if starts(
        plain,
        &["shuf", "insert", "extr", "alignd", "alignq", "mov", "unpck"],
    ) {
        return Some(InstructionClass::Shuffle);
    }
    if plain == "p4dpwssd" || plain == "p4dpwssds" {
        return Some(InstructionClass::VectorMultiply);
    }
    if !plain.starts_with('p') {
        return None;
    }
    Some(
        if starts(
            plain,
            &["pmul", "pmadd", "pmadc", "pmacs", "pmacss", "pmadcs", "pdp"],
        ) && !plain.starts_with("pmultishift")
        {
            InstructionClass::VectorMultiply
        } else if starts(plain, &["pshufbit", "pshl", "psha"]) {
            InstructionClass::Vector
        } else if starts(
            plain,
            &[
                "pshuf", "punpck", "pack", "palign", "pblend", "perm", "pperm",
            ],
        ) || starts(plain, &["pins", "pmov", "pmultishift", "pext"])
        {
            InstructionClass::Shuffle
        } else if starts(
            plain,
            &[
                "padd", "psub", "pand", "por", "pxor", "pcmp", "pcom", "pabs", "pavg",
            ],
        ) || starts(
            plain,
            &[
                "pmax", "pmin", "psad", "psign", "psll", "psra", "psrl", "pshr",
            ],
        ) || starts(
            plain,
            &[
                "ptest", "pternlog", "prol", "pror", "prot", "phadd", "phsub", "phmin",
            ],
        ) || starts(plain, &["popcnt", "plzcnt", "pconflict", "pcmov"])
        {
            InstructionClass::Vector
        } else {
            return None;
        },
    )
}
