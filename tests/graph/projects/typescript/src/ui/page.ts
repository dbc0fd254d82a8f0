import { makeService as build } from "../orders/service";

export async function submit(form: { id: string }, announce: (text: string) => void) {
  const service = build();
  const order = await service.place(form.id, 10);
  announce(order.id);
  order.withTax(0.07);
}

export function show(anything: any) {
  anything.persist({});
}
