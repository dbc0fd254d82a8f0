mod clock;
mod orders;
mod store;

use orders::Service;

fn main() {
    let service = Service::new();
    let order = service.place("1", 10);
    order.with_tax(7);
    store::order::percent(1, 2);
    announce(|text| text.len());
}

fn announce(percent: impl Fn(&str) -> usize) {
    percent("x");
}
