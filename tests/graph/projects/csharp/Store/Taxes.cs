namespace Shop.Store
{
    public static class Taxes
    {
        public static decimal AddTax(decimal amount, decimal rate)
        {
            return Round(amount * rate);
        }

        private static decimal Round(decimal amount) => amount;
    }
}
