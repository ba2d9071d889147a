//! A list whose length is limited while it is read, so that a few bytes cannot ask for gigabytes.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::validate::MAX_ENTRIES;

/// At most `MAX` of something; written as a plain list.
#[derive(Clone, Debug)]
pub(in crate::codec) struct CappedList<T, const MAX: usize = MAX_ENTRIES>(
    pub(in crate::codec) Vec<T>,
);

impl<T, const MAX: usize> FromIterator<T> for CappedList<T, MAX> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<T, const MAX: usize> IntoIterator for CappedList<T, MAX> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T: Serialize, const MAX: usize> Serialize for CappedList<T, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for CappedList<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List<T, const MAX: usize>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for List<T, MAX> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "at most {MAX} entries")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let length = items.size_hint().unwrap_or(0);
                if length > MAX {
                    return Err(A::Error::invalid_length(length, &self));
                }
                // Postcard checks the hint against the bytes that are left.
                let mut list = Vec::with_capacity(length.min(1 << 16));
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(list)
            }
        }

        deserializer
            .deserialize_seq(List::<T, MAX>(PhantomData))
            .map(Self)
    }
}
