import { Entity, Repository } from "./repository";

export class Order implements Entity {
  constructor(public id: string, public total: number) {}

  withTax(rate: number): Order {
    return new Order(this.id, addTax(this.total, rate));
  }
}

export class OrderRepository extends Repository<Order> {
  persist(order: Order): Order {
    validate(order);
    return super.persist(order);
  }
}

function validate(order: Order): void {
  if (order.total < 0) {
    throw new Error("negative");
  }
}

export const addTax = (amount: number, rate: number): number => amount * (1 + rate);
