//! The part of the library table for flang's runtime: input and output, ends of the program, numbers, random numbers
//! and clocks, and what works on descriptors of arrays.

use super::effects::{CLOCK, Effect, FunctionModel, RANDOM, STDIO};
use super::lengths::Len;

/// Functions of numbers, without the letters and digits of their types.
const NUMBERS: [&str; 11] = [
    "Mod",
    "Modulo",
    "FPow",
    "Exponent",
    "Fraction",
    "Nearest",
    "Scale",
    "SetExponent",
    "Spacing",
    "RRSpacing",
    "ErfcScaled",
];

/// Model of a function of the runtime.
pub(super) fn by_name(name: &str) -> Option<FunctionModel> {
    let name = name.strip_prefix("_FortranA")?;
    let external = |effects: &[Effect]| Some(FunctionModel::external(effects.to_vec()));
    if let Some(name) = name.strip_prefix("io") {
        return external(&of_input_and_output(name));
    }
    match name {
        "ProgramStart" => return external(&[]),
        "ProgramEndStatement"
        | "StopStatement"
        | "StopStatementText"
        | "FailImageStatement"
        | "ReportFatalUserError"
        | "Exit"
        | "Abort" => return external(&[Effect::Opens]),
        "RandomNumber" => return external(&[Effect::Hidden(RANDOM), to(0)]),
        "RandomInit" | "RandomSeedDefaultPut" => return external(&[Effect::Hidden(RANDOM)]),
        "CpuTime" | "SystemClockCount" | "SystemClockCountRate" | "SystemClockCountMax" => {
            return external(&[Effect::Hidden(CLOCK)]);
        }
        _ => {}
    }
    if let Some(effects) = of_arrays(name) {
        return external(&effects);
    }
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || "ki".contains(c));
    let base = ["Real", "Integer"]
        .iter()
        .find_map(|of| base.strip_suffix(of))
        .unwrap_or(base);
    NUMBERS.contains(&base).then(FunctionModel::of_numbers)
}

/// An argument is a descriptor of what is read.
fn from(argument: u32) -> Effect {
    Effect::Read(argument, Len::Described)
}

/// An argument is a descriptor of what is written.
fn to(argument: u32) -> Effect {
    Effect::Write(argument, Len::Described)
}

/// Names of functions of arrays go on with types.
const RESULT_OF_ONE: [&str; 12] = [
    "Assign",
    "CopyInAssign",
    "Transpose",
    "Reshape",
    "Spread",
    "Pack",
    "Unpack",
    "Cshift",
    "Eoshift",
    "Maxloc",
    "Minloc",
    "Findloc",
];
const OF_ONE: [&str; 8] = [
    "Sum", "Product", "Maxval", "Minval", "Count", "AllDim", "AnyDim", "Norm2",
];

/// Functions whose arguments are descriptors, masks, shapes and other small things apart.
fn of_arrays(name: &str) -> Option<Vec<Effect>> {
    let begins = |names: &[&str]| names.iter().any(|n| name.starts_with(n));
    if begins(&["Matmul"]) {
        Some(vec![from(1), from(2), to(0)])
    } else if begins(&["DotProduct"]) {
        Some(vec![from(0), from(1)])
    } else if begins(&RESULT_OF_ONE) || begins(&OF_ONE) && name.contains("Dim") {
        Some(vec![from(1), to(0)])
    } else if begins(&OF_ONE) || ["All", "Any"].contains(&name) {
        Some(vec![from(0)])
    } else {
        None
    }
}

/// Statements of input and output take turns, whatever their units are.
fn of_input_and_output(name: &str) -> Vec<Effect> {
    let mut effects = vec![Effect::Hidden(STDIO)];
    let value = match name {
        "OutputAscii" => Some(Effect::Read(1, Len::Arg(2))),
        "InputAscii" => Some(Effect::Write(1, Len::Arg(2))),
        "InputReal32" => Some(Effect::Write(1, Len::Const(4))),
        "InputReal64" | "InputComplex32" => Some(Effect::Write(1, Len::Const(8))),
        "InputComplex64" => Some(Effect::Write(1, Len::Const(16))),
        "InputLogical" => Some(Effect::Write(1, Len::Const(1))),
        // Its bytes.
        "InputInteger" => Some(Effect::Write(1, Len::Arg(2))),
        "OutputDescriptor" => Some(from(1)),
        "InputDescriptor" => Some(to(1)),
        // Characters in memory as a file, and what is asked of a file.
        _ if ["Internal", "Inquire", "Namelist", "GetSize", "GetIoMsg"]
            .iter()
            .any(|part| name.contains(part)) =>
        {
            Some(Effect::Unseen)
        }
        _ => None,
    };
    effects.extend(value);
    effects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_runtime() {
        for (name, known) in [
            ("_FortranAioOutputReal64", true),
            ("_FortranAModReal8", true),
            ("_FortranAFPow8i", true),
            ("_FortranAModuloInteger4", true),
            ("_FortranAStopStatement", true),
            ("_FortranAAssign", true),
            ("_FortranAMatmulReal8Real8", true),
            ("_FortranASumReal8", true),
            ("_FortranAAllocatableAllocate", false),
            ("_FortranACopyOutAssign", false),
            ("_FortranAModify", false),
            ("mod", false),
        ] {
            assert_eq!(by_name(name).is_some(), known, "{name}");
        }
    }
}
