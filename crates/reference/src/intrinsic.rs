//! LLVM's intrinsics that compute: their latency class and their result.

use anyhow::{Result, bail};
use parascan_formats::latency::LatencyTable;

use crate::ir::{Type, TypeKind};
use crate::value::{Value, signed, truncate};

/// What an intrinsic is to the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntrinsicClass {
    /// Computes, with this latency.
    Computes(u32),
    /// Passes a value on.
    Passes,
    /// `memcpy`, `memmove`.
    Copies,
    /// `memset`.
    Fills,
    /// Nothing at run time.
    Nothing,
}

/// Name without `llvm.` and the types at its end.
fn base(name: &str) -> &str {
    let name = name.strip_prefix("llvm.").unwrap_or(name);
    name.split('.').next().unwrap_or(name)
}

/// Class of an intrinsic.
///
/// # Errors
/// It is not known.
pub fn class(name: &str, table: &LatencyTable) -> Result<IntrinsicClass> {
    Ok(match base(name) {
        "smax" | "smin" | "umax" | "umin" | "abs" | "sadd" | "uadd" | "ssub" | "usub" => {
            IntrinsicClass::Computes(table.int_add)
        }
        "smul" | "umul" => IntrinsicClass::Computes(table.int_mul),
        "ctpop" | "ctlz" | "cttz" | "bswap" | "bitreverse" | "fshl" | "fshr" => {
            IntrinsicClass::Computes(table.int_logic)
        }
        "fma" | "fmuladd" => IntrinsicClass::Computes(table.fp_fma),
        "sqrt" => IntrinsicClass::Computes(table.fp_sqrt),
        "fabs" | "minnum" | "maxnum" | "minimum" | "maximum" | "copysign" | "floor" | "ceil"
        | "trunc" | "rint" | "nearbyint" | "round" | "roundeven" => {
            IntrinsicClass::Computes(table.fp_add)
        }
        "sin" | "cos" | "exp" | "log" | "pow" => IntrinsicClass::Computes(table.math),
        "expect" => IntrinsicClass::Passes,
        "memcpy" | "memmove" => IntrinsicClass::Copies,
        "memset" => IntrinsicClass::Fills,
        "dbg" | "lifetime" | "stacksave" | "stackrestore" | "assume" | "invariant"
        | "donothing" | "experimental"
            if !name.starts_with("llvm.experimental.")
                || name.starts_with("llvm.experimental.noalias.scope.decl") =>
        {
            IntrinsicClass::Nothing
        }
        _ => bail!("intrinsic {name}"),
    })
}

/// Result of an intrinsic that computes or passes a value on.
///
/// # Errors
/// It is not known for these types.
pub fn compute(name: &str, ty: &Type, arguments: &[Value]) -> Result<Value> {
    let full = name.strip_prefix("llvm.").unwrap_or(name);
    match &ty.kind {
        TypeKind::Int(bits) => integer(full, *bits, arguments).map(Value::Int),
        TypeKind::Float => Ok(Value::Float(real(full, arguments, true)? as f32)),
        TypeKind::Double => Ok(Value::Double(real(full, arguments, false)?)),
        TypeKind::Structure(fields) if full.contains(".with.overflow.") => {
            let TypeKind::Int(bits) = fields[0].1.kind else {
                bail!("intrinsic {name}");
            };
            let (value, overflow) = with_overflow(base(full), bits, arguments)?;
            Ok(Value::Parts(vec![
                Value::Int(value),
                Value::Int(overflow.into()),
            ]))
        }
        _ => bail!("intrinsic {name} of {:?}", ty.kind),
    }
}

fn with_overflow(operation: &str, bits: u32, arguments: &[Value]) -> Result<(u128, bool)> {
    let (a, b) = (arguments[0].int()?, arguments[1].int()?);
    let (x, y) = (signed(a, bits), signed(b, bits));
    if bits > 64 {
        bail!("overflow check of {bits} bits");
    }
    let unsigned = |v: u128| (truncate(v, bits), truncate(v, bits) != v);
    let two = |v: i128| {
        let low = truncate(v.cast_unsigned(), bits);
        (low, signed(low, bits) != v)
    };
    Ok(match operation {
        "uadd" => unsigned(a + b),
        "usub" => unsigned(a.wrapping_sub(b)),
        "umul" => unsigned(a * b),
        "sadd" => two(x + y),
        "ssub" => two(x - y),
        "smul" => two(x * y),
        _ => bail!("overflow check of {operation}"),
    })
}

fn integer(name: &str, bits: u32, arguments: &[Value]) -> Result<u128> {
    let a = arguments[0].int()?;
    let b = || arguments[1].int();
    let x = signed(a, bits);
    let y = || Ok::<_, anyhow::Error>(signed(b()?, bits));
    let unused = 128 - bits;
    let result = match base(name) {
        "smax" => x.max(y()?).cast_unsigned(),
        "smin" => x.min(y()?).cast_unsigned(),
        "umax" => a.max(b()?),
        "umin" => a.min(b()?),
        "abs" => x.unsigned_abs(),
        "expect" => a,
        "ctpop" => a.count_ones().into(),
        "ctlz" => (a.leading_zeros() - unused).into(),
        "cttz" => a.trailing_zeros().min(bits).into(),
        "bswap" => a.swap_bytes() >> unused,
        "bitreverse" => a.reverse_bits() >> unused,
        "fshl" | "fshr" if bits <= 64 => {
            let wide = a << bits | b()?;
            let by = arguments[2].int()? % u128::from(bits);
            if base(name) == "fshl" {
                wide << by >> bits
            } else {
                wide >> by
            }
        }
        _ => bail!("intrinsic llvm.{name}"),
    };
    Ok(truncate(result, bits))
}

fn real(name: &str, arguments: &[Value], single: bool) -> Result<f64> {
    let a = arguments[0].real()?;
    let b = || arguments[1].real();
    // Double arithmetic on floats and one rounding give the float result where one operation is exact or correctly
    // rounded; a product and a sum need two roundings.
    Ok(match base(name) {
        "expect" => a,
        "fabs" => a.abs(),
        "sqrt" => a.sqrt(),
        "floor" => a.floor(),
        "ceil" => a.ceil(),
        "trunc" => a.trunc(),
        "rint" | "nearbyint" | "roundeven" => a.round_ties_even(),
        "round" => a.round(),
        "copysign" => a.copysign(b()?),
        "minnum" => a.min(b()?),
        "maxnum" => a.max(b()?),
        "fmuladd" if single => {
            let product = (a * b()?) as f32;
            (product + arguments[2].real()? as f32).into()
        }
        "fmuladd" => a * b()? + arguments[2].real()?,
        "fma" if !single => a.mul_add(b()?, arguments[2].real()?),
        "sin" if !single => a.sin(),
        "cos" if !single => a.cos(),
        "exp" if !single => a.exp(),
        "log" if !single => a.ln(),
        "pow" if !single => a.powf(b()?),
        _ => bail!("intrinsic llvm.{name}"),
    })
}
