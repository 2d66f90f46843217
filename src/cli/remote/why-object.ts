import { asFilter, type Client, type JsonObject } from '#client/index.ts';
import { textOf } from './connection.ts';
import { isTable, say, showObject } from './output.ts';
import type { Asked } from './remote-command.ts';

/** What `/sync/why` tells of one mapping. */
interface Told {
  readonly mapping: string;
  readonly role: 'source' | 'target';
  readonly linkQualifier?: string;
  readonly why: string;
  readonly source?: string | null;
  readonly target?: string | null;
  readonly queue?: {
    readonly state: string;
    readonly attempt: number;
    readonly dueAt: string;
    readonly error?: { readonly message: string };
  };
  readonly attributes?: readonly Attribute[];
}

interface Attribute {
  readonly attribute: string;
  readonly rule: string;
  readonly source?: string;
  readonly sourceRev?: string | null;
  readonly at?: string;
  readonly userId?: string | null;
  readonly transactionId?: string | null;
  readonly reconId?: string | null;
}

interface Answer {
  readonly resource: string;
  readonly mappings: readonly Told[];
}

/** `svc why object <path>`: why its targets are as they are, or why it is as a mapping has made it. */
export async function whyObject({ client, form, flags }: Asked, path: string): Promise<void> {
  const answer = await ask(client, path, flags['mapping']);
  if (!isTable(form)) return showObject(answer, form);
  say(answer.resource);
  for (const told of answer.mappings) sayOf(told);
}

/** `svc why account <path>`: what gave an object of another system each of its values. */
export async function whyAccount(asked: Asked, place: string): Promise<void> {
  const path = place.startsWith('system/') ? place : `system/${place}`;
  for (const each of await pathsOf(asked, path)) await sayAccount(asked, each);
}

async function pathsOf({ client, flags }: Asked, path: string): Promise<readonly string[]> {
  const filter = textOf(flags, 'filter');
  if (filter === undefined) return [path];
  const paths: string[] = [];
  for await (const { _id } of client.resource(path).query({ filter: asFilter(filter), fields: ['_id'] })) {
    paths.push(`${path}/${encodeURIComponent(_id)}`);
  }
  if (paths.length === 0) say(`${path} has none that fits`);
  return paths;
}

async function sayAccount({ client, form, flags }: Asked, path: string): Promise<void> {
  const [answer, object] = await Promise.all([ask(client, path, flags['mapping']), read(client, path)]);
  const only = textOf(flags, 'attribute');
  const { _id, _rev, ...values } = object;
  const names = Object.keys(values).filter((name) => only === undefined || name === only);
  const mappings = answer.mappings.map((told) => ({ ...told, ...narrowed(told, only) }));
  const shown = Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  if (!isTable(form)) return showObject({ ...answer, mappings, object: shown }, form);
  say(answer.resource);
  const told = new Set<string>();
  for (const one of mappings) {
    sayOf({ ...one, attributes: [] });
    for (const attribute of one.attributes ?? []) {
      const [, name = ''] = attribute.attribute.split('/');
      told.add(name);
      say(`  ${attribute.attribute.slice(1).padEnd(16)} ${shownValue(values[name])}  ${byWhom(attribute)}`);
    }
  }
  for (const name of names) {
    if (!told.has(name)) say(`  ${name.padEnd(16)} ${shownValue(values[name])}  by no mapping`);
  }
}

function narrowed({ attributes = [] }: Told, only: string | undefined) {
  return {
    attributes: attributes.filter(({ attribute }) => only === undefined || attribute.split('/')[1] === only),
  };
}

/** Null where it is gone, or cannot be read now. */
async function read(client: Client, path: string): Promise<JsonObject> {
  const [id = '', ...collection] = path.split('/').reverse();
  return client.resource(collection.reverse().join('/')).read(decodeURIComponent(id));
}

function ask(client: Client, path: string, mapping: unknown): Promise<Answer> {
  const parameters = { resource: path, ...(typeof mapping === 'string' ? { mapping } : {}) };
  return client.resource<Answer>('sync').read('why', { parameters });
}

function sayOf({ mapping, role, linkQualifier, why, source, target, queue, attributes = [] }: Told): void {
  const other = role === 'source' ? target : source;
  const qualifier = linkQualifier === undefined || linkQualifier === 'default' ? '' : ` (${linkQualifier})`;
  const link = other === undefined || other === null ? '' : `  ${role === 'source' ? 'to' : 'from'} ${other}`;
  say(`${mapping}${qualifier}${link}`);
  say(`  ${why}`);
  if (queue !== undefined) {
    const because = queue.error === undefined ? '' : `: ${queue.error.message}`;
    say(`  ${queue.state} since ${queue.attempt} failures, due ${queue.dueAt}${because}`);
  }
  for (const attribute of attributes) say(`  ${attribute.attribute.padEnd(24)} ${byWhom(attribute)}`);
}

function byWhom({ rule, source, sourceRev, at, userId, transactionId, reconId }: Attribute): string {
  const from = source === undefined ? '' : ` of ${source === '/' ? 'the whole object' : source}`;
  if (at === undefined) return `${rule}${from}`;
  const rev = typeof sourceRev === 'string' ? `, revision ${sourceRev}` : '';
  const run = typeof reconId === 'string' ? `, recon ${reconId}` : '';
  return `${rule}${from}${rev}, by ${userId ?? 'nobody'} at ${at} (${transactionId ?? ''}${run})`;
}

function shownValue(value: unknown): string {
  return value === undefined ? '(not shown)' : JSON.stringify(value);
}
