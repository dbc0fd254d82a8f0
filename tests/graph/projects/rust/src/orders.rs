use crate::store::{order::percent as share, Keeper, Memory, Order};

pub struct Service {
    memory: Memory,
}

impl Service {
    pub fn new() -> Self {
        Self { memory: Memory::new() }
    }

    pub fn place(&self, id: &str, total: u64) -> Order {
        let order = Order::create(id, total).with_tax(19);
        self.memory.persist(&order);
        self.report(&order);
        order
    }

    fn report(&self, order: &Order) {
        share(order.total, 7);
        super::announce(|text| text.len());
    }
}
