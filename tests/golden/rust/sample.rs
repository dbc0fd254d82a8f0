//! Counting bees.
use std::{collections::HashMap, fmt};
use crate::hive::*;

pub const MAX_BEES: usize = 40_000;
static GREETING: &str = "bzz";

/// A bee with a job.
#[derive(Debug, Clone)]
pub struct Bee<'a> {
    pub name: &'a str,
    age: u32,
}

struct Tag(u8);

#[non_exhaustive]
pub enum Job {
    Nurse,
    Guard { gate: u8 },
}

pub trait Worker: fmt::Debug {
    type Output;
    fn work(&mut self) -> Self::Output;
    /// What it does when nothing is to be done.
    /// Mostly nothing.
    fn rest(&self);
    fn name(&self) -> String {
        String::from("worker")
    }
}

impl<'a> Bee<'a> {
    /// A new bee.
    #[inline]
    pub fn new(name: &'a str) -> Self { Bee { name, age: 0 } }

    pub async fn fly<T>(&self, to: T) -> Result<(), Box<dyn std::error::Error>>
    where
        T: Into<String>,
    {
        let place = to.into();
        println!("{} flies to {}", self.name, place);
        Ok(())
    }
}

impl<'a> Worker for Bee<'a> {
    type Output = u32;
    fn work(&mut self) -> u32 {
        self.age += 1;
        self.age
    }
    fn rest(&self) {}
}

macro_rules! hive {
    ($($bee:expr),*) => {
        vec![$($bee),*]
    };
}

mod inner {
    pub(crate) unsafe fn raw(pointer: *const u8) -> u8 {
        *pointer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flies() {
        assert!(hive![Bee::new("maja")].len() == 1);
    }
}
