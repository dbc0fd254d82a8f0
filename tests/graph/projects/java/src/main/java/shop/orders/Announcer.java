package shop.orders;

import shop.store.*;

class Announcer {
    void announce(Order order) {
        order.label();
        for (String part : order.label().split(",")) {
            part.trim();
        }
    }
}
