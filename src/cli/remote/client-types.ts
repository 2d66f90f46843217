import { writeFileSync } from 'node:fs';
import { type Client, NotFoundError } from '#client/index.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { textOf } from './connection.ts';
import { say } from './output.ts';
import { atNode, remoteHelp, remoteOptions } from './remote-command.ts';
import { membersText } from './type-text.ts';

interface Schemas {
  readonly types: readonly { readonly type: string }[];
}

/** `svc client types`: what `createClient` of `src/client` takes as its types. */
export const clientTypes: Command = {
  name: 'client',
  summary: 'write the managed types and processes of a node as types of TypeScript',
  help: `
svc client types            (or generate) an interface for each managed type, and for the start form of each process

  -o, --output <file> where it is written; default: the output
${remoteHelp.replace(/^.*\n/, '')}

Example: svc client types -o svc-types.ts
`,
  options: remoteOptions,
  arguments: ['types'],

  run: ({ output, ...flags }, [verb, unexpected]) =>
    atNode('client', flags, async ({ client }) => {
      // What people type as well.
      const isKnown = verb === 'types' || verb === 'generate';
      if (!isKnown || unexpected !== undefined) throw new UsageError("expected 'svc client types'");
      const text = await writtenTypes(client);
      const file = textOf({ output }, 'output');
      if (file === undefined) say(text.trimEnd());
      else {
        writeFileSync(file, text);
        say(file);
      }
    }),
};

async function writtenTypes(client: Client): Promise<string> {
  const { types } = await client.send<Schemas>({ method: 'GET', path: ['schema'] });
  const parts: string[] = ['// Written by svc client types: what a node has at that time.'];
  for (const { type } of types) {
    parts.push(`export interface ${nameOf(type)} ${membersText(await schemaAt(client, 'managed', type))}`);
  }
  const members = types.map(({ type }) => `  ${JSON.stringify(type)}: ${nameOf(type)};`);
  parts.push(`/** The managed types by their names. */\nexport interface Svc {\n${members.join('\n')}\n}`);
  const processes: string[] = [];
  for (const key of await processKeys(client)) {
    const form = await formOf(client, key);
    processes.push(`  ${JSON.stringify(key)}: ${form === undefined ? 'object' : membersText(form, '  ')};`);
  }
  parts.push(
    `/** What processes are started with, by their keys. */\nexport interface SvcProcesses {\n${processes.join('\n')}\n}`,
  );
  return `${parts.join('\n\n')}\n`;
}

function schemaAt(client: Client, ...path: readonly string[]): Promise<unknown> {
  return client.send({ method: 'GET', path: ['schema', ...path], parameters: { _format: 'jsonschema' } });
}

async function processKeys(client: Client): Promise<readonly string[]> {
  const keys = new Set<string>();
  const definitions = client.resource('workflow/processdefinition');
  for await (const { key } of definitions.query({ queryId: 'filtered-query' })) keys.add(String(key));
  return [...keys].sort();
}

/** Undefined for a process that has no form. */
async function formOf(client: Client, key: string): Promise<unknown> {
  try {
    return await schemaAt(client, 'process', key, 'start');
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** `org-unit` → `OrgUnit`. */
function nameOf(type: string): string {
  const name = type.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_text, first: string) =>
    first.toUpperCase(),
  );
  return /^(?:\d|Svc(?:Processes)?$)/.test(name) ? `Type${name}` : name;
}
