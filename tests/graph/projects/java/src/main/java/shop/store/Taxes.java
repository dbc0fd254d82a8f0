package shop.store;

public final class Taxes {
    public static long addTax(long amount, int rate) {
        return round(amount * rate);
    }

    static long round(long amount) {
        return amount / 100;
    }
}
