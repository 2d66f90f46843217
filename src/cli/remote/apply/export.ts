import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { asFilter, type Client, type JsonObject } from '#client/index.ts';
import { UsageError } from '../../usage-error.ts';
import { textOf } from '../connection.ts';
import { say } from '../output.ts';
import { commandOf } from '../verb.ts';
import { yamlText } from '../yaml-text.ts';
import { exportedFields, withoutDerived } from './exported-fields.ts';

interface Configurations {
  readonly configurations: readonly { readonly _id: string }[];
}

interface Schemas {
  readonly types: readonly { readonly type: string }[];
}

/** `svc export <type …>`: what `svc apply` takes. */
export const exportObjects = commandOf('export', 'write objects as svc apply takes them', {
  does: 'managed types, config, or all: all managed types; without secrets and what is derived',
  takes: ['<type>', '[<type> …]'],
  flags: {
    directory: {
      value: '<folder>',
      short: 'd',
      does: 'a file for each type in it, of YAML with -o yaml, else one object a line; default: the output',
    },
    filter: { value: '<filter>', does: 'those that it finds' },
  },
  example: 'svc export role assignment -d roles/',
  async run({ client, flags, form }, ...given: string[]) {
    const folder = textOf(flags, 'directory');
    const filter = textOf(flags, 'filter');
    const wrong = given.find((type) => type.includes('/'));
    if (wrong !== undefined)
      throw new UsageError(`'${wrong}' is no managed type such as role, nor config, nor all`);
    const isYaml = form === 'yaml';
    for (const type of given.includes('all') ? await typesOf(client) : given) {
      const documents = type === 'config' ? configurations(client) : objectsOf(client, type, filter);
      if (folder === undefined) {
        for await (const document of documents) say(written(document, isYaml));
        continue;
      }
      mkdirSync(folder, { recursive: true });
      const file = join(folder, `${type}.${isYaml ? 'yaml' : 'jsonl'}`);
      const opened = openSync(file, 'w');
      let count = 0;
      try {
        for await (const document of documents) {
          writeSync(opened, `${written(document, isYaml)}\n`);
          count += 1;
        }
      } finally {
        closeSync(opened);
      }
      say(`${file}  ${count}`);
    }
  },
});

function written(document: JsonObject, isYaml: boolean): string {
  return isYaml ? `---\n${yamlText(document)}` : JSON.stringify(document);
}

async function* objectsOf(client: Client, type: string, filter: string | undefined) {
  const fields = await exportedFields(client, type);
  const query = { fields, ...(filter === undefined ? {} : { filter: asFilter(filter) }) };
  for await (const { _id, _rev, ...content } of client.managed(type).query(query)) {
    yield documentOf(`managed/${type}`, _id, content);
  }
}

/** What is secret in them is shown as a seal, or as the `&{…}` that it came from, and is taken back so. */
async function* configurations(client: Client) {
  const { configurations: all } = await client.send<Configurations>({ method: 'GET', path: ['config'] });
  for (const { _id: path } of all) {
    const [id = '', ...kind] = path.split('/').reverse();
    const type = ['config', ...kind.reverse()].join('/');
    const { _id, _rev, ...content } = await client.resource(type).read(id);
    yield documentOf(type, id, content);
  }
}

async function typesOf(client: Client): Promise<readonly string[]> {
  const { types } = await client.send<Schemas>({ method: 'GET', path: ['schema'] });
  return types.map(({ type }) => type);
}

function documentOf(type: string, id: string, content: JsonObject): JsonObject {
  return { _type: type, _id: id, ...withoutDerived(content) };
}
