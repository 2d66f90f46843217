import type { Answer, DryRun, JsonObject, PatchOperation, Stored } from '#client/index.ts';
import { wordsOf } from '#errors/index.ts';
import type { Command } from '../command.ts';
import { type Form, say, showObject } from './output.ts';
import {
  atNode,
  type Flags,
  pathOf,
  readInput,
  readText,
  remoteHelp,
  remoteOptions,
  textOf,
} from './remote-command.ts';
import { UsageError } from './usage-error.ts';

const changeOptions: Command['options'] = { ...remoteOptions, 'dry-run': { type: 'boolean' } };
const contentOptions: Command['options'] = { ...changeOptions, file: { type: 'string', short: 'f' } };
const revisionOptions: Command['options'] = { 'if-match': { type: 'string' } };

const CONTENT_HELP = `  name=text           a property that is text; name:=json is a number, true, a list, …
  -f, --file <file>   JSON; - is the input. What is secret goes there: others can read a command line`;
const DRY_RUN_HELP = '  --dry-run           shows what would change, and changes nothing';
const REVISION_HELP = '  --if-match <rev>    only if this is still its revision; else it ends with 5';

/** `svc create <type> [<id>] …` */
export const create: Command = {
  name: 'create',
  summary: 'create an object',
  help: `
${CONTENT_HELP}
${DRY_RUN_HELP}
${remoteHelp}

Example: svc create role auditor name=auditor 'description=May read everything'
`,
  options: contentOptions,
  arguments: ['<type>', '[<id>]', '[name=text …]'],

  run: (flags, [type, ...rest]) =>
    atNode('create', flags, async (client, form) => {
      const path = pathOf(type);
      const [first = ''] = rest;
      const id = first === '' || isAssignment(first) ? undefined : first;
      const content = contentOf(flags, id === undefined ? rest : rest.slice(1));
      if (typeof content !== 'object' || content === null || Array.isArray(content)) {
        throw new UsageError('what is created is an object of JSON');
      }
      const options = { dryRun: flags['dry-run'] === true, ...(id === undefined ? {} : { id }) };
      showChange(await client.resource(path).create({ ...content }, options), form);
    }),
};

/** `svc patch <type> <id> …` */
export const patch: Command = {
  name: 'patch',
  summary: 'change parts of an object',
  help: `
${CONTENT_HELP};
                      either an object of what is set, or a list of {operation, field, value}
${REVISION_HELP}
${DRY_RUN_HELP}
${remoteHelp}

Example: svc patch user avo accountStatus=inactive --dry-run
`,
  options: { ...contentOptions, ...revisionOptions },
  arguments: ['<type>', '<id>', '[name=text …]'],

  run: (flags, [type, id, ...rest]) =>
    atNode('patch', flags, async (client, form) => {
      const objects = client.resource(pathOf(type));
      const operations = operationsOf(contentOf(flags, rest));
      showChange(await objects.patch(idOf(id), operations, changeOf(flags)), form);
    }),
};

/** `svc delete <type> <id>` */
export const remove: Command = {
  name: 'delete',
  summary: 'delete an object',
  help: `
${REVISION_HELP}
${DRY_RUN_HELP}
${remoteHelp}

Example: svc delete role auditor --dry-run
`,
  options: { ...changeOptions, ...revisionOptions },
  arguments: ['<type>', '<id>'],

  run: (flags, [type, id, unexpected]) =>
    atNode('delete', flags, async (client, form) => {
      if (unexpected !== undefined) throw new UsageError(`'${unexpected}' is one argument too many`);
      showChange(await client.resource(pathOf(type)).delete(idOf(id), changeOf(flags)), form);
    }),
};

function idOf(id: string | undefined): string {
  if (id !== undefined && !isAssignment(id)) return id;
  throw new UsageError('the id of the object is missing');
}

function changeOf(flags: Flags) {
  const revision = textOf(flags, 'if-match');
  return { dryRun: flags['dry-run'] === true, ...(revision === undefined ? {} : { revision }) };
}

function isAssignment(text: string): boolean {
  return text.includes('=');
}

/** What is to be sent: from the command line, a file or the input. */
function contentOf(flags: Flags, assignments: readonly string[]): unknown {
  const file = textOf(flags, 'file');
  if (file === undefined) {
    if (assignments.length === 0) throw new UsageError('there is nothing to send: name=text, or -f <file>');
    return Object.fromEntries(assignments.map(assigned));
  }
  if (assignments.length > 0)
    throw new UsageError('the content comes from -f or from name=text, not from both');
  if (file === '-' && flags['password-stdin'] === true) {
    throw new UsageError('the input holds the password or the content, not both');
  }
  return jsonOf(file === '-' ? readInput() : readText(file, '-f'), file === '-' ? 'the input' : `'${file}'`);
}

function assigned(text: string): [string, unknown] {
  const [, name, isJson, value = ''] = /^([^=]+?)(:?)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`'${text}' is no name=text`);
  return [name, isJson === ':' ? jsonOf(value, `'${text}'`) : value];
}

function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} is no JSON: ${wordsOf(error)}`);
  }
}

function operationsOf(content: unknown): readonly PatchOperation[] {
  // What stands in a list is judged by the node, which says what is wrong with which.
  if (Array.isArray(content)) return content;
  if (typeof content !== 'object' || content === null) {
    throw new UsageError('a patch is an object of JSON, or a list of operations');
  }
  return Object.entries(content).map(([name, value]) => ({
    operation: 'replace',
    field: name.startsWith('/') ? name : `/${name.replace(/[%~/]/g, encodeSign)}`,
    value,
  }));
}

/** In a pointer these stand for something else. */
function encodeSign(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

function showChange(answer: Answer<Stored<JsonObject>, { readonly dryRun: boolean }>, form: Form): void {
  if (form === 'table' && isReport(answer)) showReport(answer);
  else showObject(form === 'name' && isReport(answer) ? answer.result : answer, form);
}

function isReport(answer: object): answer is DryRun<JsonObject> {
  return 'dryRun' in answer && answer.dryRun === true && 'changes' in answer;
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['create', '+'],
  ['delete', '-'],
]);

function showReport({ changes, withheld, truncated }: DryRun<JsonObject>): void {
  if (changes.length === 0) say('nothing would change');
  for (const { resource, operation, before, after } of changes) {
    say(`${SIGNS.get(operation) ?? '~'} ${resource}`);
    for (const [name, from, to] of differences(before, after)) say(`    /${name}  ${from} → ${to}`);
  }
  if (withheld === true) say('(what you may not read is left out)');
  if (truncated === true) say('(there is more)');
}

function differences(before: unknown, after: unknown): [string, string, string][] {
  const old = new Map(Object.entries(before ?? {}));
  const now = new Map(Object.entries(after ?? {}));
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => !/^_(?:id|rev)$/.test(name));
  return names
    .map((name): [string, string, string] => [name, shown(old.get(name)), shown(now.get(name))])
    .filter(([, from, to]) => from !== to);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
