import systemClock, { Clock } from "@/clock";
import { Order, OrderRepository } from "../store";
import * as tax from "../store/orders";

export class OrderService {
  private repository: OrderRepository;

  constructor(clock: Clock) {
    this.repository = new OrderRepository(clock);
  }

  async place(id: string, total: number): Promise<Order> {
    const order = new Order(id, total).withTax(0.19);
    const kept = await this.repository.persist(order);
    this.announce(kept);
    return kept;
  }

  private announce(order: Order): void {
    tax.addTax(order.total, 0);
    console.log(order.id);
  }
}

export function makeService(): OrderService {
  return new OrderService(systemClock());
}
