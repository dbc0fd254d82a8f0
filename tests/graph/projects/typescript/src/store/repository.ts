import { Clock } from "../clock";

export interface Entity {
  id: string;
}

export abstract class Repository<T extends Entity> {
  protected items: Map<string, T> = new Map();

  constructor(protected readonly clock: Clock) {}

  persist(item: T): T {
    this.touch(item);
    this.items.set(item.id, item);
    return item;
  }

  lookup(id: string): T | undefined {
    return this.items.get(id);
  }

  protected touch(item: T): void {
    this.clock.instant();
  }
}
