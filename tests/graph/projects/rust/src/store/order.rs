pub struct Order {
    pub id: String,
    pub total: u64,
}

impl Order {
    pub fn create(id: &str, total: u64) -> Order {
        Self { id: id.to_string(), total }
    }

    pub fn with_tax(&self, rate: u64) -> Order {
        Self::create(&self.id, percent(self.total, rate))
    }

    pub fn is_payable(&self) -> bool {
        self.total > 0
    }
}

pub fn percent(amount: u64, rate: u64) -> u64 {
    amount * rate / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taxes() {
        let order = Order::create("1", 1);
        order.with_tax(2);
        percent(1, 2);
    }
}
