import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asFilter, type Client, type JsonObject } from '#client/index.ts';
import { textOf } from './connection.ts';
import { isReference } from './documents.ts';
import { say } from './output.ts';
import { isRecord } from './profiles.ts';
import { UsageError } from './usage-error.ts';
import { commandOf } from './verb.ts';

interface Property {
  readonly isVirtual?: boolean;
  readonly private?: boolean;
  readonly stored?: string;
  readonly relationship?: object;
}

interface Schemas {
  readonly types: readonly { readonly type: string }[];
}

/** `svc export <type …>`: what `svc apply` takes. */
export const exportObjects = commandOf('export', 'write objects as svc apply takes them', {
  does: 'managed types, or all; without secrets and what is derived',
  takes: ['<type>', '[<type> …]'],
  flags: {
    directory: { value: '<folder>', short: 'd', does: 'a file <type>.jsonl in it; default: the output' },
    filter: { value: '<filter>', does: 'those that it finds' },
  },
  example: 'svc export role assignment -d roles/',
  async run({ client, flags }, ...given: string[]) {
    const folder = textOf(flags, 'directory');
    const filter = textOf(flags, 'filter');
    if (given.some((type) => type.includes('/')))
      throw new UsageError('expected managed types, such as role');
    for (const type of given.includes('all') ? await typesOf(client) : given) {
      const lines: string[] = [];
      const fields = await exportedFields(client, type);
      const query = { fields, ...(filter === undefined ? {} : { filter: asFilter(filter) }) };
      for await (const object of client.managed(type).query(query)) {
        const line = JSON.stringify(documentOf(type, object));
        if (folder === undefined) say(line);
        else lines.push(line);
      }
      if (folder === undefined) continue;
      mkdirSync(folder, { recursive: true });
      const file = join(folder, `${type}.jsonl`);
      writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
      say(`${file}  ${lines.length}`);
    }
  },
});

async function typesOf(client: Client): Promise<readonly string[]> {
  const { types } = await client.send<Schemas>({ method: 'GET', path: ['schema'] });
  return types.map(({ type }) => type);
}

/** What somebody has put in: no secret, and nothing that the node works out itself. */
async function exportedFields(client: Client, type: string): Promise<readonly string[]> {
  const { properties } = await client
    .resource<{ readonly properties: Readonly<Record<string, Property>> }>('schema/managed')
    .read(type);
  const kept = Object.entries(properties).filter(
    ([, { isVirtual, private: isPrivate, stored }]) =>
      isVirtual !== true && isPrivate !== true && stored === undefined,
  );
  return ['_id', ...kept.map(([name]) => name).filter((name) => name !== '_id')];
}

function documentOf(type: string, { _id, _rev, ...content }: JsonObject): JsonObject {
  const members = Object.entries(content).map(([name, value]) => [name, written(value)]);
  return { _type: `managed/${type}`, _id, ...Object.fromEntries(members) };
}

/** A reference without what the node knows of it. */
function written(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(written);
  if (!isReference(value)) return value;
  const { _id, _rev, _grantType, ...properties } = isRecord(value['_refProperties'])
    ? value['_refProperties']
    : {};
  return {
    _ref: value._ref,
    ...(Object.keys(properties).length === 0 ? {} : { _refProperties: properties }),
  };
}
