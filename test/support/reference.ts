import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import ts from 'typescript';
import type { Db } from '#database/index.ts';
import type { Command } from '../../src/cli/command.ts';
import { COMMANDS, REMOTE_HALVES } from '../../src/cli/commands.ts';
import { remoteHelp } from '../../src/cli/remote/remote-command.ts';
import type { AnyConfigDefinition } from '../../src/config/config-definition.ts';
import { shippedDefinitions } from '../../src/config/definitions/shipped-definitions.ts';
import type { JsonSchema } from '../../src/config/json-schema.ts';
import { HOOK_NAMES, hookOf } from '../../src/managed/hook.ts';
import type { Api } from './api.ts';
import { knownErrors } from './known-errors.ts';
import { cell, memberOf, textOf, visitSources } from './source-texts.ts';

/** Tables of what a node may say and show, read off the product itself; `docs/write-reference.ts` writes them down. */

export function errorTable(): string[] {
  return [
    '| id | status | what is said | what to do |',
    '| --- | --- | --- | --- |',
    ...knownErrors().map(({ id, codes, messages, hints }) => {
      const columns = [codes, messages, hints].map((texts) =>
        texts.map((text) => cell(String(text))).join('<br>'),
      );
      return `| \`${id}\` | ${columns.join(' | ')} |`;
    }),
  ];
}

/** The same for a node, an error a line, with the pages that name it: what `/info/error` answers. */
export async function errorLines(): Promise<string[]> {
  const docs = new URL('../../docs/', import.meta.url);
  const names = (await readdir(docs)).filter((name) => name.endsWith('.md')).sort();
  const pages = await Promise.all(
    names.map(async (name) => [`docs/${name}`, await readFile(new URL(name, docs), 'utf8')] as const),
  );
  return knownErrors().map(({ id, ...error }) =>
    JSON.stringify({
      _id: id,
      ...error,
      pages: pages.filter(([, text]) => new RegExp(`\\b${id}\\b`).test(text)).map(([page]) => page),
    }),
  );
}

/** Every hook of a managed type. */
export function hookTable(): string[] {
  return [
    '| hook | runs on | when | sees | changes that go on |',
    '| --- | --- | --- | --- | --- |',
    ...HOOK_NAMES.map((name) => {
      const { on, moment, sees, keeps } = hookOf(name);
      const seen = Object.entries(sees).map(([variable, { says }]) => `\`${variable}\`: ${says}`);
      const kept = keeps.map((variable) => `\`${variable}\``).join(', ');
      return `| \`${name}\` | ${on.join(', ')} | ${moment} | ${seen.join('<br>')} | ${kept} |`;
    }),
  ];
}

interface ToldGlobal {
  readonly name: string;
  readonly from: string;
  readonly says: string;
  readonly signature?: string;
  readonly functions?: readonly { readonly signature: string; readonly says: string }[];
}

/** Every function of the server that scripts call, and every variable of each of their uses, as a node tells them. */
export async function scriptTables(api: Api): Promise<string[]> {
  const { uses } = (await api('GET', 'script/binding')).body as { uses: { use: string; title: string }[] };
  const variables: string[] = [];
  let functions: string[] = [];
  for (const { use, title } of uses) {
    const { globals } = (await api('GET', `script/binding?use=${use}`)).body as { globals: ToldGlobal[] };
    const given = globals.filter(({ from, name }) => from === 'use' && name !== 'context');
    given.forEach(({ name, says }, index) => {
      variables.push(`| ${index === 0 ? `\`${use}\`: ${cell(title)}` : ''} | \`${name}\` | ${cell(says)} |`);
    });
    functions = globals.flatMap((each) => {
      if (each.signature !== undefined)
        return [`| \`${each.signature}\` (JavaScript) | ${cell(each.says)} |`];
      const own = each.functions ?? [];
      return own.map(({ signature, says }) => `| \`${each.name}.${signature}\` | ${cell(says)} |`);
    });
  }
  return [
    '| function | |',
    '| --- | --- |',
    ...functions,
    '',
    '## By use',
    '',
    '| use | variable | |',
    '| --- | --- | --- |',
    ...variables,
  ];
}

/** Every line of the log: its kind, at which level, and its text. */
export function logTable(): string[] {
  const rows: string[] = [];
  visitSources((node) => {
    if (!ts.isPropertyAssignment(node) || !ts.isStringLiteral(node.name)) return;
    const { initializer: said } = node;
    const row = ts.isCallExpression(said) ? said.arguments[0] : undefined;
    if (row === undefined || !ts.isObjectLiteralExpression(row)) return;
    const levels = branchesOf(memberOf(row, 'level')).map((level) => textOf(level) ?? 'any');
    const texts = branchesOf(memberOf(row, 'text')).map((text) => cell(textOf(text) ?? '…'));
    rows.push(`| \`${node.name.text}\` | ${levels.join(', ')} | ${texts.join('<br>')} |`);
  }, 'observability/catalogue/*.ts');
  return ['| kind | level | line |', '| --- | --- | --- |', ...rows.sort()];
}

/** What an expression, or what a function answers with, may be. */
function branchesOf(node: ts.Expression | undefined): readonly (ts.Expression | undefined)[] {
  if (node === undefined) return [];
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return branchesOf(node.body);
  if (ts.isParenthesizedExpression(node)) return branchesOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...branchesOf(node.whenTrue), ...branchesOf(node.whenFalse)];
  return [node];
}

/** @param exposition the text of `/metrics` */
export function metricTable(exposition: string): string[] {
  const types = new Map(
    [...exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]),
  );
  const rows = [...exposition.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name, help]) => {
    return `| \`${name}\` | ${types.get(name)} | ${cell(help!)} |`;
  });
  return ['| metric | type | what it counts |', '| --- | --- | --- |', ...rows.sort()];
}

/** Every view for operators: what it shows, and its columns. */
export async function viewTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{
    view: string;
    comment: string | null;
    columns: [string, string, string | null][];
  }>`
    select c.relname as view, obj_description(c.oid) as comment,
      jsonb_agg(jsonb_build_array(a.attname, format_type(a.atttypid, null), col_description(c.oid, a.attnum))
                order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'v' and c.relname like 'svc\_%' and c.relnamespace = current_schema()::regnamespace
    group by c.oid, c.relname order by c.relname`.execute(db);
  return rows.flatMap(({ view, comment, columns }) => [
    `## ${view}`,
    '',
    ...(comment === null ? [] : [comment, '']),
    '| column | type | |',
    '| --- | --- | --- |',
    ...columns.map(([name, type, meaning]) => `| \`${name}\` | ${type} | ${cell(meaning ?? '')} |`),
    '',
  ]);
}

/** What is used here of an API description. */
export interface ApiPaths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}

interface ApiOperation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly schema?: { readonly enum?: readonly string[] };
  }[];
}

/** Every path that a node of the shipped project answers, with what can be asked there. */
export function restTable({ paths }: ApiPaths): string[] {
  return [
    '| path | what it is | requests | actions |',
    '| --- | --- | --- | --- |',
    ...Object.entries(paths).map(([path, { parameters: _, ...operations }]) => {
      const asked = Object.entries(operations);
      const title = asked.flatMap(([, { tags = [] }]) => tags)[0] ?? '';
      const actions = asked.flatMap(([, { parameters = [] }]) =>
        parameters.flatMap(({ name, schema }) => (name === '_action' ? (schema?.enum ?? []) : [])),
      );
      const requests = asked.map(([verb, { summary = '' }]) => `${verb.toUpperCase()}: ${cell(summary)}`);
      return `| \`${path}\` | ${cell(title)} | ${requests.join('<br>')} | ${actions.map((name) => `\`${name}\``).join(', ')} |`;
    }),
  ];
}

/** The help of every command, with what all commands have that ask a node said once. */
export async function commandSections(): Promise<string[]> {
  const halves = Object.values(REMOTE_HALVES).map(({ load }) => load);
  const commands = await Promise.all([...Object.values(COMMANDS), ...halves].map((load) => load()));
  const asking = commands.filter(({ help }) => help.includes(remoteHelp));
  const section = ({ name, summary, help, arguments: takes = [] }: Command): string[] => [
    `## svc ${[name, ...takes].join(' ')}`,
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    '',
    '```text',
    help
      .replace(remoteHelp, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    '```',
    '',
  ];
  return [
    '## Options of commands that ask a node',
    '',
    `These are ${[...new Set(asking.map(({ name }) => `\`${name}\``))].join(', ')}.`,
    '',
    '```text',
    remoteHelp,
    '```',
    '',
    ...commands.flatMap(section),
  ];
}

/** The JSON schema of each configuration for editors, by the name of its file. */
export function configurationSchemas(): ReadonlyMap<string, JsonSchema> {
  return new Map(
    shippedDefinitions.map(({ id, jsonSchema }) => [`${id}.schema.json`, forEditors(jsonSchema)]),
  );
}

/** A file names its schema, which is no key of the configuration. */
function forEditors(schema: JsonSchema): JsonSchema {
  return { ...schema, properties: { $schema: { type: 'string' } as JsonSchema, ...schema.properties } };
}

/** Every key of every configuration. */
export function configurationTables(): string[] {
  return [...shippedDefinitions]
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .flatMap((definition) => [
      `## ${fileOf(definition)}`,
      '',
      '| key | value | default |',
      '| --- | --- | --- |',
      ...keysOf(definition.jsonSchema, definition.jsonSchema, ''),
      '',
    ]);
}

function fileOf({ id, kind }: AnyConfigDefinition): string {
  return kind === 'single' ? `${id}.json` : `${id}-<name>.json`;
}

interface SchemaValue extends JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly SchemaValue[];
  readonly default?: unknown;
  readonly allOf?: readonly SchemaCase[];
}

/** What holds of a value whose `name` is a certain one, such as the properties of a module. */
interface SchemaCase {
  readonly if?: { readonly properties?: { readonly name?: { readonly const?: unknown } } };
  readonly then?: JsonSchema;
}

function keysOf(root: JsonSchema, given: JsonSchema, prefix: string, seen: readonly string[] = []): string[] {
  const schema = resolved(root, given);
  const required = new Set(schema.required);
  const rows: string[] = [];
  for (const [key, value] of Object.entries(schema.properties ?? {})) {
    const at = prefix === '' ? key : `${prefix}.${key}`;
    const inner: SchemaValue = resolved(root, value);
    const fallback =
      inner.default === undefined ? (required.has(key) ? 'required' : '') : shown(inner.default);
    rows.push(`| \`${at}\` | ${cell(kindOf(root, value))} | ${fallback} |`);
    // A property of a type is described like the type: it may nest without end.
    if (value.$ref !== undefined && seen.includes(value.$ref)) continue;
    const within = value.$ref === undefined ? seen : [...seen, value.$ref];
    rows.push(...keysOf(root, inner, at, within));
    if (inner.items !== undefined) rows.push(...keysOf(root, inner.items, `${at}[]`, within));
    if (typeof inner.additionalProperties === 'object')
      rows.push(...keysOf(root, inner.additionalProperties, `${at}.<name>`, within));
  }
  for (const { if: when, then } of schema.allOf ?? []) {
    const name = when?.properties?.name?.const;
    if (then !== undefined && name !== undefined)
      rows.push(...keysOf(root, then, `${prefix}(${name})`, seen));
  }
  return rows;
}

function resolved(root: JsonSchema, schema: JsonSchema): SchemaValue {
  const name = schema.$ref?.replace('#/$defs/', '');
  return name === undefined ? schema : (root.$defs?.[name] ?? schema);
}

function kindOf(root: JsonSchema, given: SchemaValue): string {
  const schema = resolved(root, given);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  // What refers to itself is any JSON.
  if (schema.anyOf !== undefined && given.$ref !== undefined) return 'JSON';
  if (schema.anyOf !== undefined) {
    return [...new Set(schema.anyOf.map((one) => kindOf(root, one)))].join(' or ');
  }
  if (schema.type === 'array') return `list of ${kindOf(root, schema.items ?? {})}`;
  return typeof schema.type === 'object' ? schema.type.join(' or ') : (schema.type ?? 'anything');
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? 'see the schema' : `\`${text}\``;
}
