namespace Shop.Store;

public record Order(string Id, decimal Total)
{
    public Order WithTax(decimal rate)
    {
        return new Order(Id, Taxes.AddTax(Total, rate));
    }

    public string Label() => Id.Trim();
}
