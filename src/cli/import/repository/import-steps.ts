import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Crypto } from '#crypto/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { ManagedTypes } from '#managed/index.ts';
import type { TimeZone } from '#time/index.ts';
import { hasProcesses } from '../processes/act-tables-repository.ts';
import { convertEdge } from './convert-edge.ts';
import { convertManaged, convertRaw } from './convert-object.ts';
import {
  type ColumnMapping,
  convertInternalUser,
  convertLink,
  KNOWN_TABLES,
  objectOf,
  readColumns,
} from './convert-table.ts';
import type { ForeignDatabase } from './foreign-database-repository.ts';
import { countRows, type ForeignTable, listObjectTypes, pagesOf } from './foreign-rows-repository.ts';
import type { ImportSource, ImportStep } from './import-source.ts';
import type { ForeignRow, Remark } from './item.ts';

/** A step before it is known how the rows of its table are read. */
type TableStep = Omit<ImportStep, 'pages'> & { readonly table: ForeignTable };

const JOBS = { name: 'schedulerobjects', objectType: 'scheduler/jobs', columns: [] };

interface StepOptions {
  readonly source: ForeignDatabase;
  readonly types: ManagedTypes;
  readonly crypto: Pick<Crypto, 'decrypt'>;
  readonly projectLocation: string;
  readonly zone: TimeZone;
  /** The time from which on its audit comes; '' for all, undefined for none. */
  readonly since: string | undefined;
}

/** Tables with columns of their own, by the path of what is in them. */
type Explicit = ReadonlyMap<string, { readonly table: string; readonly columns: ColumnMapping }>;

/** Types of raw objects that are of no use here. */
const STAYS: readonly (readonly [RegExp, string])[] = [
  [/^(?:reconprogressstate|synchronisation\/|jsonstorage)/, 'What the other server keeps of its own work'],
  [/^scheduler\//, 'Schedules come from their jobs'],
];

/** Tables that do not come, and why. */
const LEFT: Readonly<Record<string, string>> = {
  configobjects: 'Configurations come as files: svc import project',
  updateobjects: 'What the other server keeps of its own updates',
  securitykeys: 'Keys come from the keystore: svc import keys',
  auditaccess: 'trail',
  auditactivity: 'trail',
  auditauthentication: 'trail',
  auditconfig: 'trail',
  auditrecon: 'trail',
  auditsync: 'trail',
};
const TRAIL =
  'What was recorded there stays, unless --audit <since> or --audit all brings it: keep the tables as an archive';
const OLD_TRAIL = 'What servers before 4.0 have recorded stays in its tables: keep them as an archive';

/** The tables of a server of the family. */
export function repositorySource(options: StepOptions): ImportSource {
  const { source } = options;
  const pages =
    (table: ForeignTable): ImportStep['pages'] =>
    (size, wanted) =>
      pagesOf(source, table, size, wanted);
  return {
    place: source.place,
    listSteps: async () =>
      (await listSteps(options)).map(({ table, ...step }) => ({ ...step, pages: pages(table) })),
    listLeft: () => listLeft(options),
    ...(source.tables.has(JOBS.name) ? { schedules: pages(JOBS) } : {}),
    ...(options.since === undefined ? {} : { history: { foreign: source, since: options.since } }),
    ...(hasProcesses(source) ? { processes: { foreign: source, zone: options.zone } } : {}),
  };
}

async function listSteps(options: StepOptions): Promise<readonly TableStep[]> {
  const { source, types, crypto, projectLocation } = options;
  const explicit = await explicitTables(projectLocation);
  const steps: TableStep[] = [];
  const has = (table: string) => source.tables.has(table);
  for (const type of ['internal/role', 'internal/user'] as const) {
    const { table, columns } = KNOWN_TABLES[type] ?? { table: '', columns: new Map() };
    if (!has(table)) continue;
    const convert =
      type === 'internal/user'
        ? (row: ForeignRow) => convertInternalUser(crypto, row)
        : (row: ForeignRow) => convertRaw(type, asText(columns, row));
    steps.push({
      group: 'internal',
      about: `repo/${type}`,
      kind: 'repo',
      type,
      table: tableOf(source, table, columns),
      convert,
    });
  }
  for (const path of await listObjectTypes(source, 'managedobjects')) {
    steps.push(managedStep(types, path, { name: 'managedobjects', objectType: path, columns: [] }));
  }
  for (const [path, { table, columns }] of explicit) {
    if (!has(table)) continue;
    const step = path.startsWith('managed/')
      ? managedStep(types, path, tableOf(source, table, columns))
      : rawStep(path, tableOf(source, table, columns));
    steps.push({ ...step, convert: (row) => step.convert(asText(columns, row)) });
  }
  for (const objectType of await listObjectTypes(source, 'relationships')) {
    const table = { name: 'relationships', objectType, columns: [] };
    const convert = (row: ForeignRow) => convertEdge(types, row);
    steps.push({
      group: 'relationship',
      about: 'relationship',
      kind: 'relationship',
      type: '',
      table,
      convert,
    });
  }
  for (const path of await listObjectTypes(source, 'genericobjects')) {
    if (STAYS.some(([pattern]) => pattern.test(path))) continue;
    steps.push(rawStep(path, { name: 'genericobjects', objectType: path, columns: [] }));
  }
  for (const [name, type] of [
    ['notificationobjects', 'internal/notification'],
    ['metaobjects', 'internal/usermeta'],
  ] as const) {
    for (const objectType of await listObjectTypes(source, name)) {
      steps.push(rawStep(type, { name, objectType, columns: [] }));
    }
  }
  const { table: notes = '', columns: noteColumns = new Map() } = KNOWN_TABLES['ui/notification'] ?? {};
  if (has(notes)) {
    const step = rawStep('ui/notification', tableOf(source, notes, noteColumns));
    steps.push({ ...step, convert: (row) => step.convert(asText(noteColumns, row)) });
  }
  const { columns: linkColumns = new Map() } = KNOWN_TABLES['link'] ?? {};
  if (has('links')) {
    const table = tableOf(source, 'links', linkColumns);
    steps.push({ group: 'link', about: 'repo/link', kind: 'link', type: '', table, convert: convertLink });
  }
  return steps;
}

function managedStep(types: ManagedTypes, path: string, table: ForeignTable): TableStep {
  const type = path.replace(/^managed\//, '');
  const convert = (row: ForeignRow) => convertManaged(types, type, row);
  return { group: 'managed', about: path, kind: 'managed', type, table, convert };
}

function rawStep(path: string, table: ForeignTable): TableStep {
  const convert = (row: ForeignRow) => convertRaw(path, row);
  return { group: 'repo', about: `repo/${path}`, kind: 'repo', type: path, table, convert };
}

/** A row of columns as that of a generic table would be. */
function asText(columns: ColumnMapping, row: ForeignRow): ForeignRow {
  return { ...row, text: JSON.stringify(objectOf(columns, row)) };
}

/** The table with those of the columns that this version has. */
function tableOf(source: ForeignDatabase, name: string, columns: ColumnMapping): ForeignTable {
  const there = source.tables.get(name) ?? new Set();
  const wanted = [...columns.values()].map(({ column }) => column);
  return { name, objectType: null, columns: [...new Set(wanted)].filter((column) => there.has(column)) };
}

/** Types that the project keeps in tables of their own, by `conf/repo.jdbc.json`. */
async function explicitTables(projectLocation: string): Promise<Explicit> {
  const text = await readFile(join(projectLocation, 'conf/repo.jdbc.json'), 'utf8').catch(() => '{}');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return new Map();
  }
  const mapping = memberOf(memberOf(parsed, 'resourceMapping'), 'explicitMapping');
  const entries = Object.entries(mapping).flatMap(([path, given]) => {
    const { table, objectToColumn } = isObject(given) ? given : {};
    const isKnown = path in KNOWN_TABLES || /^(?:audit|security|cluster)\b/.test(path);
    if (isKnown || typeof table !== 'string' || !isObject(objectToColumn)) return [];
    return [[path, { table: table.toLowerCase(), columns: readColumns(objectToColumn) }] as const];
  });
  return new Map(entries);
}

function memberOf(value: unknown, name: string): JsonObject {
  const member: JsonValue | undefined = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
}

/** What stays where it is, with how many there are of it. */
async function listLeft({
  source,
  types,
  since,
}: StepOptions): Promise<readonly (Remark & { readonly count: number })[]> {
  const found: (Remark & { readonly count: number })[] = [];
  const add = (about: string, count: number, reason: string) => {
    if (count > 0) found.push({ about, id: null, count, reason, isLeft: true });
  };
  for (const [table, reason] of Object.entries(LEFT)) {
    if (!source.tables.has(table)) continue;
    const isTrail = reason === 'trail';
    const isOld = isTrail && source.tables.get(table)?.has('eventname') !== true;
    if (isTrail && !isOld && since !== undefined) continue;
    const count = await countRows(source, { name: table, objectType: null, columns: [] });
    add(table, count, isTrail ? (isOld ? OLD_TRAIL : TRAIL) : reason);
  }
  for (const path of await listObjectTypes(source, 'genericobjects')) {
    const reason = STAYS.find(([pattern]) => pattern.test(path))?.[1];
    if (reason === undefined) continue;
    add(path, await countRows(source, { name: 'genericobjects', objectType: path, columns: [] }), reason);
  }
  for (const path of await listObjectTypes(source, 'managedobjects')) {
    if (types.at(path) !== undefined) continue;
    const count = await countRows(source, { name: 'managedobjects', objectType: path, columns: [] });
    const reason =
      'conf/managed.json of the project declares no such type: its objects come, and nobody is shown them';
    if (count > 0) found.push({ about: path, id: null, count, reason, isLeft: false });
  }
  return found;
}
