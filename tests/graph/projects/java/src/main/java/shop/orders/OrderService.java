package shop.orders;

import static shop.store.Taxes.addTax;

import shop.store.Order;
import shop.store.OrderRepository;

public class OrderService {
    private final OrderRepository repository;
    private final Announcer announcer = new Announcer();

    public OrderService(OrderRepository repository) {
        this.repository = repository;
    }

    public Order place(String id, long total) {
        var order = new Order(id, total).withTax(19);
        Order kept = repository.persist(id, order);
        announcer.announce(kept);
        addTax(total, 7);
        check(kept);
        return kept;
    }

    private void check(Order order) {
        Runnable task = () -> order.label();
        task.run();
    }
}
