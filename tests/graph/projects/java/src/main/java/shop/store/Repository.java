package shop.store;

import java.util.HashMap;
import java.util.Map;

public abstract class Repository<T> {
    protected final Map<String, T> items = new HashMap<>();

    public T persist(String id, T item) {
        touch(id);
        items.put(id, item);
        return item;
    }

    protected void touch(String id) {
        System.out.println(id);
    }
}
