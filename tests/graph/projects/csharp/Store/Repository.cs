using System.Collections.Generic;

namespace Shop.Store;

public abstract class Repository<T>
{
    protected readonly Dictionary<string, T> Items = new();

    public virtual T Persist(string id, T item)
    {
        Touch(id);
        Items.Add(id, item);
        return item;
    }

    protected void Touch(string id)
    {
        System.Console.WriteLine(id);
    }
}

public class OrderRepository : Repository<Order>
{
    public override Order Persist(string id, Order order)
    {
        Validate(order);
        base.Persist(id, order);
        return order;
    }

    private static void Validate(Order order)
    {
        order.Label();
    }
}
