package shop.store;

public class OrderRepository extends Repository<Order> {
    @Override
    public Order persist(String id, Order order) {
        validate(order);
        super.persist(id, order);
        return order;
    }

    private void validate(Order order) {
        order.label();
    }
}
