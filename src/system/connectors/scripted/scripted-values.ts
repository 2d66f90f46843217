import { randomUUID } from 'node:crypto';
import {
  type AttributeDelta,
  type Attributes,
  type Change,
  type ChangeBatch,
  ConnectorError,
  type Entry,
  type Filter,
  type Json,
  type Scalar,
  Secret,
} from '../../contract.ts';

export type JsonObject = { [name: string]: Json };

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Bytes as scripts have them. */
const BINARY = '$binary';

/**
 * Secrets of one call. The script is given a word for each, which stands for it in what the script sends, and nowhere else: it can
 * neither show it nor keep it.
 */
export class SecretWords {
  readonly #secrets = new Map<string, Secret>();

  wordFor(secret: Secret): string {
    const word = `secret-${randomUUID()}`;
    this.#secrets.set(word, secret);
    return word;
  }

  /** @param written how a secret is written where the word stands */
  reveal(text: string, written: (secret: string) => string): string {
    return [...this.#secrets].reduce(
      (all, [word, secret]) =>
        all.includes(word) ? all.replaceAll(word, () => written(secret.reveal())) : all,
      text,
    );
  }

  hasIn(text: string): boolean {
    return [...this.#secrets.keys()].some((word) => text.includes(word));
  }
}

export function jsonOf(value: Scalar, words: SecretWords): Json {
  if (value instanceof Secret) return words.wordFor(value);
  if (value instanceof Uint8Array) return { [BINARY]: Buffer.from(value).toString('base64') };
  return typeof value === 'bigint' ? String(value) : value;
}

export function attributesJson(attributes: Attributes, words: SecretWords): JsonObject {
  return Object.fromEntries(
    [...attributes].map(([name, values]) => [name, values.map((value) => jsonOf(value, words))]),
  );
}

export function deltasJson(deltas: readonly AttributeDelta[], words: SecretWords): Json {
  const all = (values: readonly Scalar[]) => values.map((value) => jsonOf(value, words));
  return deltas.map((delta) =>
    'replace' in delta
      ? { name: delta.name, replace: all(delta.replace) }
      : { name: delta.name, add: all(delta.add), remove: all(delta.remove) },
  );
}

/** The filter as the contract has it. */
export function filterJson(filter: Filter | undefined, words: SecretWords): Json {
  if (filter === undefined) return null;
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, filters: filter.filters.map((one) => filterJson(one, words)) };
    case 'not':
      return { kind: 'not', filter: filterJson(filter.filter, words) };
    case 'compare':
      return {
        kind: filter.kind,
        attribute: filter.attribute,
        operator: filter.operator,
        value: jsonOf(filter.value, words),
      };
    case 'in':
      return {
        kind: 'in',
        attribute: filter.attribute,
        values: filter.values.map((value) => jsonOf(value, words)),
      };
    default:
      return { ...filter };
  }
}

/** @throws ConnectorError `protocol` for what is no entry */
export function entryOf(value: Json, binary: readonly string[]): Entry {
  if (!isJsonObject(value))
    throw wrong(`an entry must be {id, name, attributes}, and not ${shownJson(value)}`);
  const { id, name, attributes = {} } = value;
  if (!isJsonObject(attributes))
    throw wrong(`attributes must be an object, and not ${shownJson(attributes)}`);
  const all = new Map<string, readonly Scalar[]>();
  for (const [attribute, given] of Object.entries(attributes)) {
    const values = (Array.isArray(given) ? given : [given])
      .filter((one: Json) => one !== null)
      .map((one: Json) => scalarOf(attribute, one, binary.includes(attribute)));
    if (values.length > 0) all.set(attribute, values);
  }
  return {
    id: idOf(id),
    ...(typeof name === 'string' || typeof name === 'number' ? { name: String(name) } : {}),
    attributes: all,
  };
}

/** @throws ConnectorError `protocol` for what is no id */
export function idOf(value: Json | undefined): string {
  const id = isJsonObject(value) ? value['id'] : value;
  if (typeof id === 'string' && id !== '') return id;
  if (typeof id === 'number') return String(id);
  throw wrong(`an id must be a text, and not ${shownJson(id ?? null)}`);
}

/** @throws ConnectorError `protocol` for what is no batch of changes */
export function batchOf(value: Json, binary: readonly string[]): ChangeBatch {
  const { changes = [], token, isLast = true }: JsonObject = isJsonObject(value) ? value : {};
  const isToken = (typeof token === 'string' && token !== '') || typeof token === 'number';
  if (!isToken || !Array.isArray(changes)) {
    throw wrong(`what has changed must be {changes, token, isLast}, and not ${shownJson(value)}`);
  }
  return {
    changes: changes.map((one) => changeOf(one, binary)),
    token: String(token),
    isLast: isLast === true,
  };
}

function changeOf(value: Json, binary: readonly string[]): Change {
  const { kind, entry = null, previousId, id, last = null }: JsonObject = isJsonObject(value) ? value : {};
  if (kind === 'delete') {
    return { kind, id: idOf(id), ...(last === null ? {} : { last: entryOf(last, binary) }) };
  }
  if (kind !== 'upsert') throw wrong(`a change is an upsert or a delete, and not ${shownJson(value)}`);
  return {
    kind,
    entry: entryOf(entry, binary),
    ...(typeof previousId === 'string' ? { previousId } : {}),
  };
}

function scalarOf(attribute: string, value: Json, isBinary: boolean): Scalar {
  if (typeof value === 'string') return isBinary ? Buffer.from(value, 'base64') : value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const bytes = isJsonObject(value) ? value[BINARY] : undefined;
  if (typeof bytes === 'string') return Buffer.from(bytes, 'base64');
  throw wrong(`'${attribute}' must be texts, numbers or flags, and not ${shownJson(value)}`);
}

export function wrong(why: string): ConnectorError {
  return new ConnectorError('protocol', `What the script returns cannot be taken: ${why}`);
}

export function shownJson(value: Json): string {
  return JSON.stringify(value).slice(0, 100);
}
