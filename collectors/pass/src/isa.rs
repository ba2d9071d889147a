//! Instructions that tracked code may use beyond those that the program was compiled for: x86-64-v3's 256-bit integer
//! vectors, in which a time vector is one register, or those of x86-64-v2. Said by `PARASCAN_ISA`, never by the machine
//! that compiles.
//!
//! The program still runs on processors without AVX2. Native versions of functions, and what chooses between versions,
//! keep the features that the user asked for; functions that have no native version are compiled for x86-64-v2; and the
//! runtime refuses to record where AVX2 is missing (`__ps_needs_avx`).

use crate::ir::{Module, TypeKind, Value};

/// Processors that tracked code is compiled for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// Any x86-64-v2 processor.
    V2,
    /// Those with AVX2.
    V3,
}

impl Isa {
    /// What `PARASCAN_ISA` says, V3 if nothing. V2 where vectors are passed between functions, as AVX would change how.
    ///
    /// # Errors
    /// The variable says something else; the message is for the user.
    pub fn chosen(functions: &[Value]) -> Result<Self, String> {
        let passes_vectors = |f: &Value| {
            let ty = f.value_type();
            ty.params()
                .into_iter()
                .chain([ty.result()])
                .any(|t| t.kind() == TypeKind::LLVMVectorTypeKind)
        };
        match std::env::var("PARASCAN_ISA").as_deref() {
            Ok("v2") => Ok(Self::V2),
            Ok("v3" | "") | Err(_) if functions.iter().any(passes_vectors) => Ok(Self::V2),
            Ok("v3" | "") | Err(_) => Ok(Self::V3),
            Ok(other) => Err(format!("PARASCAN_ISA={other}: it is v2 or v3")),
        }
    }

    /// Lets a function use these instructions. No fused multiply-add: the program's results must not change.
    pub fn allow(self, module: Module, function: Value) {
        let mut features = function
            .string_attribute("target-features")
            .unwrap_or_default();
        if !features.is_empty() {
            features.push(',');
        }
        features.push_str("+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+crc32");
        if self == Self::V3 {
            features.push_str(",+xsave,+avx,+avx2");
        }
        function.set_string_attribute(module, "target-features", &features);
    }
}
