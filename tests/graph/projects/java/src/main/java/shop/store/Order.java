package shop.store;

public class Order {
    private final String id;
    private final long total;

    public Order(String id, long total) {
        this.id = id;
        this.total = total;
    }

    public Order withTax(int rate) {
        return new Order(id, Taxes.addTax(total, rate));
    }

    public String label() {
        return id.toString();
    }
}
