using Shop.Store;

namespace Shop.Orders;

public partial class OrderService
{
    private readonly OrderRepository _repository;

    public Announcer Announcer { get; } = new Announcer();

    public OrderService(OrderRepository repository)
    {
        _repository = repository;
    }

    public Order Place(string id, decimal total)
    {
        var order = new Order(id, total).WithTax(19);
        Order kept = _repository.Persist(id, order);
        Announcer.Announce(kept);
        this.Report(kept);
        return kept;
    }
}
