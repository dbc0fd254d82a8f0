import type { Request } from "./http";
import fs = require("fs");

export type Handler<T = unknown> = (request: Request) => Promise<T>;

/** Who may do what. */
export enum Role {
  Reader = "reader",
  Writer = "writer",
}

export interface Repository<T> extends Readable, Closable {
  find(id: string): Promise<T | undefined>;
  /**
   * Stores the value and
   * returns its id.
   */
  save(value: T): Promise<string>;
}

declare module "legacy" {
  export function connect(url: string): void;
}

export namespace Units {
  export const KILO = 1000;
  export function toKilo(value: number): number {
    return value / KILO;
  }
}

export function parse(text: string): Role;
export function parse(text: string, strict: boolean): Role;
export function parse(text: string, strict = false): Role {
  if (strict && !(text in Role)) throw new TypeError(text);
  return text as Role;
}

@Injectable({ scope: "request" })
export abstract class UserService implements Repository<User> {
  private readonly cache = new Map<string, User>();
  handle: Handler = async (request) => {
    return this.find(request.id);
  };

  constructor(private readonly http: Http, @Inject(TOKEN) private token: string) {}

  abstract save(value: User): Promise<string>;

  @Memo()
  async find(id: string): Promise<User | undefined> {
    const hit = this.cache.get(id);
    return hit ?? (await this.http.get<User>(`/users/${id}`));
  }

  static isUser(value: unknown): value is User { return value instanceof User; }
}

export const createService = <T extends object>(http: Http): Repository<T> => {
  return new UserService(http) as never;
};

const schema = z.object({
  name: z.string(),
  age: z.number().min(0),
});
