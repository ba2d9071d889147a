//! What plain instructions compute: arithmetic, compares, conversions.

use anyhow::{Result, bail, ensure};

use crate::ir::{AtomicOperation, IntPredicate, Opcode, RealPredicate, Type, TypeKind};
use crate::value::{Value, signed, truncate};

/// Applies an operation to values of a type, element by element where it is a vector.
fn each(
    ty: &Type,
    operands: &[&Value],
    apply: &dyn Fn(&Type, &[&Value]) -> Result<Value>,
) -> Result<Value> {
    let TypeKind::Sequence(element, n) = &ty.kind else {
        return apply(ty, operands);
    };
    let parts = (0..*n as usize)
        .map(|i| {
            let lane = operands
                .iter()
                .map(|v| Ok(&v.parts()?[i]))
                .collect::<Result<Vec<_>>>()?;
            apply(element, &lane)
        })
        .collect::<Result<_>>()?;
    Ok(Value::Parts(parts))
}

/// Arithmetic of two operands of type `ty`.
///
/// # Errors
/// Division by zero, or operands of another type.
pub fn binary(opcode: Opcode, ty: &Type, a: &Value, b: &Value) -> Result<Value> {
    each(ty, &[a, b], &|ty, v| match ty.kind {
        TypeKind::Int(bits) => integer(opcode, bits, v[0].int()?, v[1].int()?).map(Value::Int),
        TypeKind::Float => {
            let [Value::Float(a), Value::Float(b)] = [v[0], v[1]] else {
                bail!("{v:?} are not floats");
            };
            Ok(Value::Float(match opcode {
                Opcode::LLVMFAdd => a + b,
                Opcode::LLVMFSub => a - b,
                Opcode::LLVMFMul => a * b,
                Opcode::LLVMFDiv => a / b,
                Opcode::LLVMFRem => a % b,
                _ => bail!("{opcode:?} of floats"),
            }))
        }
        _ => {
            let (a, b) = (v[0].real()?, v[1].real()?);
            Ok(Value::Double(match opcode {
                Opcode::LLVMFAdd => a + b,
                Opcode::LLVMFSub => a - b,
                Opcode::LLVMFMul => a * b,
                Opcode::LLVMFDiv => a / b,
                Opcode::LLVMFRem => a % b,
                _ => bail!("{opcode:?} of doubles"),
            }))
        }
    })
}

fn integer(opcode: Opcode, bits: u32, a: u128, b: u128) -> Result<u128> {
    let (x, y) = (signed(a, bits), signed(b, bits));
    let divides = matches!(
        opcode,
        Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem
    );
    ensure!(!divides || b != 0, "division by zero");
    let shifts = matches!(
        opcode,
        Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr
    );
    if shifts && b >= bits.into() {
        return Ok(0); // poison
    }
    let result = match opcode {
        Opcode::LLVMAdd => a.wrapping_add(b),
        Opcode::LLVMSub => a.wrapping_sub(b),
        Opcode::LLVMMul => a.wrapping_mul(b),
        Opcode::LLVMUDiv => a / b,
        Opcode::LLVMURem => a % b,
        Opcode::LLVMSDiv => x.wrapping_div(y).cast_unsigned(),
        Opcode::LLVMSRem => x.wrapping_rem(y).cast_unsigned(),
        Opcode::LLVMShl => a << b,
        Opcode::LLVMLShr => a >> b,
        Opcode::LLVMAShr => (x >> b).cast_unsigned(),
        Opcode::LLVMAnd => a & b,
        Opcode::LLVMOr => a | b,
        Opcode::LLVMXor => a ^ b,
        _ => bail!("{opcode:?} of integers"),
    };
    Ok(truncate(result, bits))
}

/// Floating-point negation.
///
/// # Errors
/// The operand is of another type.
pub fn negate(ty: &Type, a: &Value) -> Result<Value> {
    each(ty, &[a], &|_, v| match v[0] {
        Value::Float(a) => Ok(Value::Float(-a)),
        Value::Double(a) => Ok(Value::Double(-a)),
        other => bail!("negation of {other:?}"),
    })
}

/// Bits of an integer or pointer type.
fn width(ty: &Type) -> Result<u32> {
    match ty.kind {
        TypeKind::Int(bits) => Ok(bits),
        TypeKind::Pointer => Ok(64),
        _ => bail!("{:?} has no width", ty.kind),
    }
}

/// Integer or pointer compare of operands of type `ty`.
///
/// # Errors
/// The operands are of another type.
pub fn compare_int(predicate: IntPredicate, ty: &Type, a: &Value, b: &Value) -> Result<Value> {
    use IntPredicate::*;
    each(ty, &[a, b], &|ty, v| {
        let bits = width(ty)?;
        let (a, b) = (v[0].int()?, v[1].int()?);
        let (x, y) = (signed(a, bits), signed(b, bits));
        let holds = match predicate {
            LLVMIntEQ => a == b,
            LLVMIntNE => a != b,
            LLVMIntUGT => a > b,
            LLVMIntUGE => a >= b,
            LLVMIntULT => a < b,
            LLVMIntULE => a <= b,
            LLVMIntSGT => x > y,
            LLVMIntSGE => x >= y,
            LLVMIntSLT => x < y,
            LLVMIntSLE => x <= y,
        };
        Ok(Value::Int(holds.into()))
    })
}

/// Floating-point compare of operands of type `ty`.
///
/// # Errors
/// The operands are of another type.
pub fn compare_real(predicate: RealPredicate, ty: &Type, a: &Value, b: &Value) -> Result<Value> {
    use RealPredicate::*;
    each(ty, &[a, b], &|_, v| {
        let (a, b) = (v[0].real()?, v[1].real()?);
        let unordered = a.is_nan() || b.is_nan();
        let holds = match predicate {
            LLVMRealPredicateFalse => false,
            LLVMRealOEQ => a == b,
            LLVMRealOGT => a > b,
            LLVMRealOGE => a >= b,
            LLVMRealOLT => a < b,
            LLVMRealOLE => a <= b,
            LLVMRealONE => !unordered && a != b,
            LLVMRealORD => !unordered,
            LLVMRealUNO => unordered,
            LLVMRealUEQ => unordered || a == b,
            LLVMRealUGT => unordered || a > b,
            LLVMRealUGE => unordered || a >= b,
            LLVMRealULT => unordered || a < b,
            LLVMRealULE => unordered || a <= b,
            LLVMRealUNE => unordered || a != b,
            LLVMRealPredicateTrue => true,
        };
        Ok(Value::Int(holds.into()))
    })
}

/// Conversion of a value of type `from` to type `to`.
///
/// # Errors
/// The conversion is not known.
pub fn cast(opcode: Opcode, from: &Type, to: &Type, v: &Value) -> Result<Value> {
    use Opcode::*;
    if opcode == LLVMBitCast {
        let mut bytes = vec![0; from.stored as usize];
        v.write(from, &mut bytes)?;
        return Value::read(to, &bytes);
    }
    if let (TypeKind::Sequence(from, _), TypeKind::Sequence(to, _)) = (&from.kind, &to.kind) {
        let parts = v.parts()?.iter().map(|v| cast(opcode, from, to, v));
        return Ok(Value::Parts(parts.collect::<Result<_>>()?));
    }
    let real = |v: f64| {
        if to.kind == TypeKind::Float {
            Value::Float(v as f32)
        } else {
            Value::Double(v)
        }
    };
    Ok(match opcode {
        LLVMTrunc | LLVMZExt | LLVMPtrToInt => Value::Int(truncate(v.int()?, width(to)?)),
        LLVMSExt => {
            let wide = signed(v.int()?, width(from)?).cast_unsigned();
            Value::Int(truncate(wide, width(to)?))
        }
        LLVMIntToPtr => Value::Pointer(v.int()? as u64),
        LLVMUIToFP if to.kind == TypeKind::Float => Value::Float(v.int()? as f32),
        LLVMUIToFP => Value::Double(v.int()? as f64),
        LLVMSIToFP if to.kind == TypeKind::Float => {
            Value::Float(signed(v.int()?, width(from)?) as f32)
        }
        LLVMSIToFP => Value::Double(signed(v.int()?, width(from)?) as f64),
        LLVMFPToUI => Value::Int(truncate(v.real()? as u128, width(to)?)),
        LLVMFPToSI => Value::Int(truncate((v.real()? as i128).cast_unsigned(), width(to)?)),
        LLVMFPExt | LLVMFPTrunc => real(v.real()?),
        _ => bail!("conversion {opcode:?}"),
    })
}

/// New content of a location that an atomic operation updates.
///
/// # Errors
/// The operation is not known.
pub fn atomic(operation: AtomicOperation, ty: &Type, old: &Value, v: &Value) -> Result<Value> {
    use AtomicOperation::*;
    let bits = width(ty)?;
    let (a, b) = (old.int()?, v.int()?);
    let result = match operation {
        LLVMAtomicRMWBinOpXchg => return Ok(v.clone()),
        LLVMAtomicRMWBinOpAdd => a.wrapping_add(b),
        LLVMAtomicRMWBinOpSub => a.wrapping_sub(b),
        LLVMAtomicRMWBinOpAnd => a & b,
        LLVMAtomicRMWBinOpNand => !(a & b),
        LLVMAtomicRMWBinOpOr => a | b,
        LLVMAtomicRMWBinOpXor => a ^ b,
        LLVMAtomicRMWBinOpUMax => a.max(b),
        LLVMAtomicRMWBinOpUMin => a.min(b),
        LLVMAtomicRMWBinOpMax => signed(a, bits).max(signed(b, bits)).cast_unsigned(),
        LLVMAtomicRMWBinOpMin => signed(a, bits).min(signed(b, bits)).cast_unsigned(),
        _ => bail!("atomic operation {operation:?}"),
    };
    Ok(Value::Int(truncate(result, bits)))
}

/// Address that a number of indices leads to.
///
/// # Errors
/// The type has no such part.
pub fn address(
    element: &crate::ir::TypeRef,
    base: &Value,
    indices: &[(Value, u32)],
) -> Result<Value> {
    let mut address = base.address()?;
    let mut at = element.clone();
    for (n, (index, bits)) in indices.iter().enumerate() {
        let index = signed(index.int()?, *bits) as i64 as u64;
        if n == 0 {
            address = address.wrapping_add(index.wrapping_mul(at.size));
            continue;
        }
        let Some((offset, part)) = at.part(index) else {
            bail!("no part {index} of {:?}", at.kind);
        };
        let part = part.clone();
        address = address.wrapping_add(offset);
        at = part;
    }
    Ok(Value::Pointer(address))
}
