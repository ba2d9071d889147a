//! Rows as columns: what many regions have in common is written once, so that a page of a hundred thousand regions is a
//! quarter as long and opens as much faster. `shared/html/base.js` makes rows of them again.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Number, Value};

/// Digits of numbers with a fraction: more than any figure is shown with.
const DIGITS: usize = 6;

/// A field of all rows.
#[derive(Debug, Serialize)]
pub(super) struct FieldColumn {
    name: String,
    /// Rows that have the field, ascending; none where all do.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<u32>>,
    #[serde(flatten)]
    values: Values,
}

/// The values of those rows, in whatever form is shorter.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Values {
    /// One by one.
    Each(Vec<Value>),
    /// Different ones, and for each row which.
    Some { of: Vec<Value>, at: Vec<u32> },
}

/// All rows, which are objects.
#[derive(Debug, Serialize)]
pub(super) struct Columns {
    count: usize,
    columns: Vec<FieldColumn>,
}

impl Columns {
    pub(super) fn new<T: Serialize>(rows: impl Iterator<Item = T>) -> Self {
        let mut columns: Vec<(String, Vec<u32>, Vec<Value>)> = Vec::new();
        let mut of_name: HashMap<String, usize> = HashMap::new();
        let mut count = 0;
        for row in rows {
            let fields = match serde_json::to_value(row) {
                Ok(Value::Object(fields)) => fields,
                _ => Map::new(),
            };
            for (name, value) in fields {
                let place = *of_name.entry(name).or_insert_with_key(|name| {
                    columns.push((name.clone(), Vec::new(), Vec::new()));
                    columns.len() - 1
                });
                columns[place].1.push(count);
                columns[place].2.push(rounded(value));
            }
            count += 1;
        }
        let columns = columns.into_iter().map(|(name, rows, values)| FieldColumn {
            name,
            rows: (rows.len() < count as usize).then_some(rows),
            values: Values::new(values),
        });
        Self {
            count: count as usize,
            columns: columns.collect(),
        }
    }
}

impl Values {
    fn new(values: Vec<Value>) -> Self {
        let mut of: Vec<Value> = Vec::new();
        let mut place: HashMap<String, u32> = HashMap::new();
        let mut at = Vec::with_capacity(values.len());
        for value in &values {
            at.push(*place.entry(value.to_string()).or_insert_with(|| {
                of.push(value.clone());
                of.len() as u32 - 1
            }));
        }
        // Numbers of values are about as long as short values.
        if of.len() * 4 <= values.len() {
            Self::Some { of, at }
        } else {
            Self::Each(values)
        }
    }
}

/// A value with its numbers rounded.
fn rounded(value: Value) -> Value {
    match value {
        Value::Array(values) => Value::Array(values.into_iter().map(rounded).collect()),
        Value::Number(number) if number.is_f64() => {
            let exact = number.as_f64().unwrap_or(0.0);
            let near = format!("{exact:.*e}", DIGITS - 1).parse();
            near.ok()
                .and_then(Number::from_f64)
                .map_or(Value::Number(number), Value::Number)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn common_values_stand_once_and_absent_ones_nowhere() {
        let rows = [
            json!({"id": "a", "kind": "loop", "sp": 1.234_567_89}),
            json!({"id": "b", "kind": "loop", "sp": null}),
            json!({"id": "c", "kind": "loop", "sp": 0.1, "rank": 1}),
            json!({"id": "d", "kind": "loop", "sp": 1e-300}),
        ];
        let columns = serde_json::to_value(Columns::new(rows.iter())).unwrap();
        let expected = json!({"count": 4, "columns": [
            {"name": "id", "each": ["a", "b", "c", "d"]},
            {"name": "kind", "some": {"of": ["loop"], "at": [0, 0, 0, 0]}},
            {"name": "sp", "each": [1.23457, null, 0.1, 1e-300]},
            {"name": "rank", "rows": [2], "each": [1]},
        ]});
        assert_eq!(columns, expected);
    }
}
