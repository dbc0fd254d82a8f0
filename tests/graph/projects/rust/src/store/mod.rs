pub mod order;

pub use self::order::Order;
use crate::clock::{self, Clock};

pub trait Keeper {
    fn persist(&self, order: &Order) -> bool;
}

pub struct Memory {
    clock: Clock,
}

impl Memory {
    pub fn new() -> Self {
        Memory { clock: clock::system() }
    }

    fn touch(&self) {
        self.clock.instant();
    }
}

impl Keeper for Memory {
    fn persist(&self, order: &Order) -> bool {
        self.touch();
        order.is_payable()
    }
}
