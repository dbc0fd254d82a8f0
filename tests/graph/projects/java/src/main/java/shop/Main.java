package shop;

import shop.orders.OrderService;
import shop.store.OrderRepository;

public class Main {
    public static void main(String[] args) {
        OrderService service = new OrderService(new OrderRepository());
        service.place("1", 10).label();
    }

    static void guess(Object thing) {
        thing.persist("1", null);
    }
}
