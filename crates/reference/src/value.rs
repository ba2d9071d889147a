//! Values at run time and their bytes in memory.

use anyhow::{Result, bail};

use crate::ir::{Type, TypeKind};

/// A value. What is undefined in the program is zero.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Integer, zero-extended.
    Int(u128),
    /// 32-bit floating point.
    Float(f32),
    /// 64-bit floating point.
    Double(f64),
    /// Address.
    Pointer(u64),
    /// Elements or fields.
    Parts(Vec<Value>),
}

/// The low bits of an integer.
pub fn truncate(value: u128, bits: u32) -> u128 {
    value & (u128::MAX >> (128 - bits))
}

/// An integer's signed value.
pub fn signed(value: u128, bits: u32) -> i128 {
    (value << (128 - bits)).cast_signed() >> (128 - bits)
}

impl Value {
    /// Zero of a type.
    ///
    /// # Errors
    /// The interpreter has no values of this type.
    pub fn zero(ty: &Type) -> Result<Self> {
        Ok(match &ty.kind {
            TypeKind::Void | TypeKind::Int(_) => Self::Int(0),
            TypeKind::Float => Self::Float(0.0),
            TypeKind::Double => Self::Double(0.0),
            TypeKind::Pointer => Self::Pointer(0),
            TypeKind::Sequence(element, n) => Self::Parts(vec![Self::zero(element)?; *n as usize]),
            TypeKind::Structure(fields) => Self::Parts(
                fields
                    .iter()
                    .map(|f| Self::zero(&f.1))
                    .collect::<Result<_>>()?,
            ),
            TypeKind::Other(text) => bail!("no values of type {text}"),
        })
    }

    /// The integer.
    ///
    /// # Errors
    /// It is something else.
    pub fn int(&self) -> Result<u128> {
        match self {
            Self::Int(v) => Ok(*v),
            Self::Pointer(v) => Ok((*v).into()),
            _ => bail!("{self:?} is not an integer"),
        }
    }

    /// The address.
    ///
    /// # Errors
    /// It is something else.
    pub fn address(&self) -> Result<u64> {
        match self {
            Self::Pointer(v) => Ok(*v),
            _ => bail!("{self:?} is not an address"),
        }
    }

    /// Floating-point value of either width.
    ///
    /// # Errors
    /// It is something else.
    pub fn real(&self) -> Result<f64> {
        match self {
            Self::Float(v) => Ok((*v).into()),
            Self::Double(v) => Ok(*v),
            _ => bail!("{self:?} is not a floating-point number"),
        }
    }

    /// Parts of an aggregate.
    ///
    /// # Errors
    /// It is something else.
    pub fn parts(&self) -> Result<&[Self]> {
        match self {
            Self::Parts(v) => Ok(v),
            _ => bail!("{self:?} is not an aggregate"),
        }
    }

    /// Writes the value's bytes over `bytes`, which has the type's size; padding stays as it is.
    ///
    /// # Errors
    /// The value is not of this type.
    pub fn write(&self, ty: &Type, bytes: &mut [u8]) -> Result<()> {
        match (self, &ty.kind) {
            (Self::Int(v), TypeKind::Int(_)) => {
                let n = ty.stored as usize;
                bytes[..n].copy_from_slice(&v.to_le_bytes()[..n]);
            }
            (Self::Float(v), TypeKind::Float) => bytes[..4].copy_from_slice(&v.to_le_bytes()),
            (Self::Double(v), TypeKind::Double) => bytes[..8].copy_from_slice(&v.to_le_bytes()),
            (Self::Pointer(v), TypeKind::Pointer) => bytes[..8].copy_from_slice(&v.to_le_bytes()),
            (Self::Parts(parts), TypeKind::Sequence(..) | TypeKind::Structure(_)) => {
                for (i, value) in (0..).zip(parts) {
                    let Some((offset, part)) = ty.part(i) else {
                        bail!("{self:?} has too many parts");
                    };
                    value.write(part, &mut bytes[offset as usize..])?;
                }
            }
            _ => bail!("{self:?} is not of type {:?}", ty.kind),
        }
        Ok(())
    }

    /// The value of a type that some bytes make.
    ///
    /// # Errors
    /// The interpreter has no values of this type.
    pub fn read(ty: &Type, bytes: &[u8]) -> Result<Self> {
        let number = |n: usize| {
            let mut wide = [0; 16];
            wide[..n].copy_from_slice(&bytes[..n]);
            u128::from_le_bytes(wide)
        };
        Ok(match &ty.kind {
            TypeKind::Int(bits) => Self::Int(truncate(number(ty.stored as usize), *bits)),
            TypeKind::Float => Self::Float(f32::from_bits(number(4) as u32)),
            TypeKind::Double => Self::Double(f64::from_bits(number(8) as u64)),
            TypeKind::Pointer => Self::Pointer(number(8) as u64),
            TypeKind::Sequence(..) | TypeKind::Structure(_) => Self::Parts(
                (0..ty.parts() as u64)
                    .filter_map(|i| ty.part(i))
                    .map(|(offset, part)| Self::read(part, &bytes[offset as usize..]))
                    .collect::<Result<_>>()?,
            ),
            TypeKind::Void | TypeKind::Other(_) => bail!("no values of type {:?}", ty.kind),
        })
    }
}
