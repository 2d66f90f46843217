import { asFilter, type Client, filter } from '#client/index.ts';
import { isRecord } from '../profiles.ts';
import { type Document, nameOf } from './documents.ts';
import { isReference } from './reference.ts';

/** An object is not there, or not the only one: what needs it is refused, and the others go on. */
export class NameError extends Error {}

/** `managed/role?name=auditor` */
interface NaturalKey {
  readonly type: string;
  readonly members: readonly (readonly [name: string, value: string])[];
}

/**
 * Finds objects by what people call them: a reference may say `managed/role?name=auditor` in place of an id, and an object of a
 * file may leave its id to the node. What is among the files counts before what the node has.
 */
export class KnownNames {
  readonly #client: Client;
  readonly #documents: readonly Document[];
  /** Ids by natural key, as it is written. */
  readonly #ids = new Map<string, string>();

  constructor(client: Client, documents: readonly Document[]) {
    this.#client = client;
    this.#documents = documents;
  }

  /** An object has been made, and this is its id. */
  learn(document: Document, id: string): void {
    this.#ids.set(document.name, id);
  }

  /** The document with its id, if there is one yet, and with the ids of what it refers to, as far as there are. @throws NameError */
  async known(document: Document): Promise<Document> {
    const id = document.id ?? (await this.#idOf(document.name));
    const content = await this.#resolved(document.content);
    return { ...document, id, content: isRecord(content) ? content : {} };
  }

  async #resolved(value: unknown): Promise<unknown> {
    if (Array.isArray(value)) {
      const parts: unknown[] = [];
      for (const each of value) parts.push(await this.#resolved(each));
      return parts;
    }
    if (!isRecord(value)) return value;
    if (isReference(value) && value._ref.includes('?'))
      return { ...value, _ref: await this.#pathOf(value._ref) };
    const members: [string, unknown][] = [];
    for (const [name, each] of Object.entries(value)) members.push([name, await this.#resolved(each)]);
    return Object.fromEntries(members);
  }

  /** The path of an object that is still to be made is the name by which its document goes. */
  async #pathOf(reference: string): Promise<string> {
    const key = keyOf(reference);
    const near = this.#documents.find(
      ({ type, content }) =>
        type === key.type && key.members.every(([name, value]) => content[name] === value),
    );
    if (near?.id !== undefined) return nameOf(near);
    const name = near === undefined ? reference : nameOf(near);
    const id = await this.#idOf(name);
    if (id !== undefined) return `${key.type}/${id}`;
    if (near !== undefined) return name;
    throw new NameError(`there is no ${inWords(key)}`);
  }

  async #idOf(name: string): Promise<string | undefined> {
    const learnt = this.#ids.get(name);
    if (learnt !== undefined) return learnt;
    const key = keyOf(name);
    const conditions = key.members.map(([member, value]) => `${member} eq ${filter`${value}`.text}`);
    const query = { filter: asFilter(conditions.join(' and ')), fields: ['_id'], pageSize: 2 };
    const found: string[] = [];
    for await (const { _id } of this.#client.resource(key.type).query(query)) {
      found.push(_id);
      if (found.length > 1) throw new NameError(`there are several ${inWords(key)}: ${found.join(', ')}, …`);
    }
    const [id] = found;
    if (id !== undefined) this.#ids.set(name, id);
    return id;
  }
}

/** @throws NameError for what is no `managed/role?name=auditor` */
function keyOf(text: string): NaturalKey {
  const at = text.indexOf('?');
  const members = text
    .slice(at + 1)
    .split('&')
    .map((part) => /^([\w$-]+)=(.+)$/s.exec(part));
  if (at < 1 || members.includes(null)) {
    throw new NameError(`'${text}' is no reference such as managed/role?name=auditor`);
  }
  return {
    type: text.slice(0, at),
    members: members.map((part) => [part?.[1] ?? '', decoded(part?.[2] ?? '')]),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new NameError(`'${text}' is no part of a reference; a % is written as %25`);
  }
}

function inWords({ type, members }: NaturalKey): string {
  return `${type} with ${members.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(' and ')}`;
}
