import { isObject as isJsonObject, type JsonValue } from '#json/index.ts';

/** What is there at once, or later; only method calls make anything wait. */
export type MaybePromise<T> = T | Promise<T>;

/** What an expression works with: JSON, or a thing of the engine behind a list of what it allows. */
export type Value = JsonValue | HostObject;

type Method = (...args: Value[]) => MaybePromise<Value>;

/**
 * A thing that is not data (`execution`, `task`, `svc`, a delegate). Expressions see its listed members and
 * nothing else: names are looked up in maps, so no name leads to a prototype.
 */
export class HostObject {
  /** How it is called in messages. */
  readonly label: string;
  readonly #properties: ReadonlyMap<string, () => Value>;
  readonly #methods: ReadonlyMap<string, Method>;

  constructor(
    label: string,
    members: {
      readonly properties?: Iterable<readonly [string, () => Value]>;
      readonly methods?: Iterable<readonly [string, Method]>;
    },
  ) {
    this.label = label;
    this.#properties = new Map(members.properties);
    this.#methods = new Map(members.methods);
  }

  property(name: string): Value | undefined {
    return this.#properties.get(name)?.();
  }

  method(name: string): Method | undefined {
    return this.#methods.get(name);
  }

  methodNames(): Iterable<string> {
    return this.#methods.keys();
  }
}

export function isObject(value: Value | undefined): value is { [key: string]: JsonValue } {
  return !(value instanceof HostObject) && isJsonObject(value);
}

/** JSON again, where only JSON may go (variables, results); a thing of the engine becomes null. */
export function toJson(value: Value | undefined): JsonValue {
  return value === undefined || value instanceof HostObject ? null : value;
}

/** Goes on with a value at once when it is there, so that expressions without calls never wait. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
