//! `printf` as far as test programs need it.

use anyhow::{Context, Result, bail};

use crate::memory::Memory;
use crate::value::{Value, signed, truncate};

/// The text that `printf` makes of a layout and arguments.
///
/// # Errors
/// A conversion is not known, or an argument is missing.
pub fn format(layout: &[u8], arguments: &[Value], memory: &Memory) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut arguments = arguments.iter();
    let mut rest = layout.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut precision = None;
        if rest.next_if_eq(&b'.').is_some() {
            let mut digits = 0;
            while let Some(d) = rest.next_if(u8::is_ascii_digit) {
                digits = digits * 10 + usize::from(d - b'0');
            }
            precision = Some(digits);
        }
        let mut bits = 32;
        while rest.next_if(|b| matches!(b, b'l' | b'z')).is_some() {
            bits = 64;
        }
        let conversion = rest.next().context("a conversion that does not end")?;
        if conversion == b'%' {
            out.push(b'%');
            continue;
        }
        let argument = arguments.next().context("too few arguments")?;
        let text = match conversion {
            b'd' | b'i' => signed(argument.int()?, bits).to_string(),
            b'u' => truncate(argument.int()?, bits).to_string(),
            b'x' => format!("{:x}", truncate(argument.int()?, bits)),
            b'c' => {
                out.push(argument.int()? as u8);
                continue;
            }
            b's' => {
                out.extend(memory.string(argument.address()?)?);
                continue;
            }
            b'f' => format!("{:.*}", precision.unwrap_or(6), argument.real()?),
            other => bail!("conversion %{}", char::from(other)),
        };
        out.extend(text.bytes());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions() {
        let arguments = [
            Value::Int(0xffff_ffff),
            Value::Int(u128::from(u64::MAX)),
            Value::Double(0.125),
            Value::Int(255),
        ];
        let text = format(b"%d %lu %.2f %x%%\n", &arguments, &Memory::default());
        assert_eq!(
            text.ok().as_deref(),
            Some(&b"-1 18446744073709551615 0.12 ff%\n"[..])
        );
    }
}
