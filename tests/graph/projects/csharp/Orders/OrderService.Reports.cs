using Shop.Store;

namespace Shop.Orders;

public partial class OrderService
{
    private void Report(Order order)
    {
        order?.Label();
        Taxes.AddTax(order.Total, 7);
    }
}

public class Announcer
{
    public void Announce(Order order)
    {
        System.Console.WriteLine(order.Label());
    }
}
