using Shop.Orders;
using Repo = Shop.Store.OrderRepository;

namespace Shop;

public static class Program
{
    public static void Main()
    {
        var service = new OrderService(new Repo());
        service.Place("1", 10).Label();
    }

    static void Guess(dynamic thing)
    {
        thing.Persist("1", null);
    }
}
