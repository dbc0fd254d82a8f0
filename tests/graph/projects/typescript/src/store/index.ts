export { OrderRepository, Order } from "./orders";
export * from "./repository";
