import { randomUUID } from 'node:crypto';
import {
  ACCOUNT,
  type AttributeDelta,
  type Attributes,
  type Change,
  type ChangeBatch,
  type ChangesRequest,
  type Connector,
  ConnectorError,
  type ConnectorKind,
  type Entry,
  type Filter,
  LATEST,
  NAME,
  PASSWORD,
  type Scalar,
  type SearchQuery,
  Secret,
  type Token,
  UID,
} from '#system/contract.ts';

type Stored = Map<string, readonly Scalar[]>;

/** What the connector reaches: it outlives it. */
export interface MemorySystem {
  readonly accounts: Map<string, Stored>;
  weather: 'calm' | 'refused' | 'silent';
  /** What has happened to accounts, the oldest first. */
  readonly log: { readonly number: number; readonly id: string; readonly last?: Entry }[];
  /** How much has happened: the number of what comes next. */
  next: number;
}

export function emptyMemory(): MemorySystem {
  return { accounts: new Map(), weather: 'calm', log: [], next: 0 };
}

/** Notes what has become of an account. @param last what it was, where it goes */
export function note(memory: MemorySystem, id: string, last?: Entry): void {
  memory.log.push({ number: memory.next, id, ...(last === undefined ? {} : { last }) });
  memory.next += 1;
}

const PROPERTIES = {
  place: { type: 'text', default: 'here', does: 'Where it is' },
} as const;

/** The least that a connector can be: objects in this process, found by id, with a filter that compares by characters. */
export function memoryKind(memory: MemorySystem): ConnectorKind<typeof PROPERTIES> {
  return {
    id: 'memory',
    displayName: 'Memory',
    names: ['test.MemoryConnector'],
    properties: PROPERTIES,
    open: () => new MemoryConnector(memory),
  };
}

class MemoryConnector implements Connector {
  readonly capabilities = {
    create: true,
    update: true,
    delete: true,
    filter: ['eq', 'pr'],
    stableListing: true,
    changes: 'full',
    maxConcurrency: 10,
  } as const;
  readonly #memory: MemorySystem;

  constructor(memory: MemorySystem) {
    this.#memory = memory;
  }

  async test(): Promise<void> {
    await this.#reach();
  }

  async schema() {
    await this.#reach();
    return [
      {
        name: ACCOUNT,
        attributes: [
          { name: NAME, type: 'string', isRequired: true },
          { name: 'title', type: 'string' },
          { name: 'age', type: 'integer' },
          { name: 'mails', type: 'string', isMultiValued: true },
          { name: PASSWORD, type: 'secret' },
        ] as const,
      },
    ];
  }

  async get(_type: string, id: string): Promise<Entry | undefined> {
    await this.#reach();
    const stored = this.#memory.accounts.get(id);
    return stored && entryOf(id, stored);
  }

  async *search(_type: string, { filter, pageSize }: SearchQuery) {
    await this.#reach();
    const entries = [...this.#memory.accounts].map(([id, stored]) => entryOf(id, stored));
    const found = entries.filter((entry) => filter === undefined || holds(filter, entry));
    for (let at = 0; at < found.length; at += pageSize) {
      await this.#reach();
      yield { entries: found.slice(at, at + pageSize), isSuperset: false };
    }
  }

  async create(_type: string, attributes: Attributes) {
    await this.#reach();
    const [name] = attributes.get(NAME) ?? [];
    for (const [existingId, stored] of this.#memory.accounts) {
      if (stored.get(NAME)?.[0] === name)
        throw new ConnectorError('alreadyExists', `There is '${name}' already`, { existingId });
    }
    const id = randomUUID();
    this.#memory.accounts.set(id, new Map(attributes));
    note(this.#memory, id);
    return { id };
  }

  async update(_type: string, id: string, deltas: readonly AttributeDelta[]) {
    await this.#reach();
    const stored = this.#memory.accounts.get(id);
    if (stored === undefined) throw new ConnectorError('notFound', `There is no '${id}'`);
    for (const delta of deltas) {
      const values = 'replace' in delta ? delta.replace : merged(stored.get(delta.name) ?? [], delta);
      if (values.length === 0) stored.delete(delta.name);
      else stored.set(delta.name, values);
    }
    note(this.#memory, id);
    return { id };
  }

  async delete(_type: string, id: string): Promise<void> {
    await this.#reach();
    const stored = this.#memory.accounts.get(id);
    if (stored === undefined) return;
    this.#memory.accounts.delete(id);
    note(this.#memory, id, entryOf(id, stored));
  }

  async *changes(
    _type: string,
    token: Token | typeof LATEST,
    { mostAtOnce }: ChangesRequest,
  ): AsyncGenerator<ChangeBatch> {
    await this.#reach();
    const { log, next, accounts } = this.#memory;
    if (token === LATEST) {
      yield { changes: [], token: String(next), isLast: true };
      return;
    }
    const since = /^\d{1,9}$/.test(token) ? Number(token) : Number.NaN;
    const first = log[0]?.number ?? next;
    // What was forgotten after the token may have been anything.
    if (!(since >= first && since <= next)) {
      throw new ConnectorError('tokenExpired', `Nothing is known of the time since '${token}'`);
    }
    const later = log.filter(({ number }) => number >= since);
    for (let at = 0; at === 0 || at < later.length; at += mostAtOnce) {
      await this.#reach();
      const some = later.slice(at, at + mostAtOnce);
      const changes = some.flatMap(({ id, last }): Change[] => {
        if (last !== undefined) return [{ kind: 'delete', id, last }];
        const stored = accounts.get(id);
        // Its end is told further down.
        return stored === undefined ? [] : [{ kind: 'upsert', entry: entryOf(id, stored) }];
      });
      const now = (some.at(-1)?.number ?? since - 1) + 1;
      yield { changes, token: String(now), isLast: at + mostAtOnce >= later.length };
    }
  }

  async authenticate(_type: string, name: string, password: Secret): Promise<string> {
    await this.#reach();
    for (const [id, stored] of this.#memory.accounts) {
      const [kept] = stored.get(PASSWORD) ?? [];
      const isRight = kept instanceof Secret && kept.reveal() === password.reveal();
      if (stored.get(NAME)?.[0] === name && isRight) return id;
    }
    throw new ConnectorError('invalidCredentials', 'The name or the password is wrong');
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #reach(): Promise<void> {
    const { weather } = this.#memory;
    if (weather === 'silent') return new Promise(() => {});
    return weather === 'calm'
      ? Promise.resolve()
      : Promise.reject(new ConnectorError('unavailable', 'Refused'));
  }
}

function entryOf(id: string, stored: Stored): Entry {
  const attributes = new Map(stored);
  attributes.delete(PASSWORD);
  attributes.delete(NAME);
  return { id, name: String(stored.get(NAME)?.[0]), attributes };
}

function merged(
  values: readonly Scalar[],
  { add, remove }: { add: readonly Scalar[]; remove: readonly Scalar[] },
) {
  return [...new Set([...values.filter((value) => !remove.includes(value)), ...add])];
}

function valuesOf(entry: Entry, attribute: string): readonly Scalar[] {
  if (attribute === UID) return [entry.id];
  return attribute === NAME ? [String(entry.name)] : (entry.attributes.get(attribute) ?? []);
}

function holds(filter: Filter, entry: Entry): boolean {
  switch (filter.kind) {
    case 'literal':
      return filter.value;
    case 'and':
      return filter.filters.every((one) => holds(one, entry));
    case 'or':
      return filter.filters.some((one) => holds(one, entry));
    case 'not':
      return !holds(filter.filter, entry);
    case 'present':
      return valuesOf(entry, filter.attribute).length > 0;
    case 'in':
      return valuesOf(entry, filter.attribute).some((value) => filter.values.includes(value));
    case 'compare':
      return valuesOf(entry, filter.attribute).some((value) =>
        compares(filter.operator, value, filter.value),
      );
  }
}

type Operator = Extract<Filter, { kind: 'compare' }>['operator'];

function compares(operator: Operator, value: Scalar, other: Scalar): boolean {
  if (typeof value !== typeof other) return false;
  const order =
    typeof value === 'number'
      ? value - Number(other)
      : Buffer.compare(Buffer.from(String(value)), Buffer.from(String(other)));
  const [text, part] = [String(value), String(other)];
  const isText = typeof value === 'string';
  switch (operator) {
    case 'eq':
      return value === other;
    case 'co':
      return isText ? text.includes(part) : value === other;
    case 'sw':
      return isText ? text.startsWith(part) : value === other;
    case 'ew':
      return isText ? text.endsWith(part) : value === other;
    case 'lt':
      return order < 0;
    case 'le':
      return order <= 0;
    case 'gt':
      return order > 0;
    case 'ge':
      return order >= 0;
  }
}
