//! Arithmetic in expectations: `64*109/(63*5+109)` keeps the derivation of a figure readable in the source.

/// Value of an arithmetic expression over decimal numbers with `+ - * /` and parentheses, without blanks.
///
/// # Errors
/// What is wrong with the text.
pub fn evaluate(text: &str) -> Result<f64, String> {
    let mut parser = Parser { rest: text };
    let value = parser.sum()?;
    match parser.rest {
        "" => Ok(value),
        rest => Err(format!("`{text}`: unexpected `{rest}`")),
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn take(&mut self, symbol: char) -> bool {
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value += self.product()?;
            } else if self.take('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.atom()?;
        loop {
            if self.take('*') {
                value *= self.atom()?;
            } else if self.take('/') {
                value /= self.atom()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn atom(&mut self) -> Result<f64, String> {
        if self.take('(') {
            let value = self.sum()?;
            return if self.take(')') {
                Ok(value)
            } else {
                Err(format!("`)` expected before `{}`", self.rest))
            };
        }
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        number
            .parse()
            .map_err(|_| format!("number expected before `{rest}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn precedence_and_parentheses() {
        assert_eq!(evaluate("2+3*4-6/2"), Ok(11.0));
        assert_eq!(evaluate("64*(1+1)/4"), Ok(32.0));
        assert_eq!(evaluate("10-3-2"), Ok(5.0));
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(evaluate("1+").is_err());
        assert!(evaluate("(1").is_err());
        assert!(evaluate("1 2").is_err());
        assert!(evaluate("").is_err());
    }
}
