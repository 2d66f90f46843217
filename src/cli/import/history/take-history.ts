import type { Database } from '#database/index.ts';
import {
  getAt,
  isObject,
  type JsonObject,
  type JsonValue,
  parsePointer,
  placesOfSecrets,
  setAt,
  withoutPasswords,
} from '#json/index.ts';
import {
  AUDIT_TOPICS,
  type AuditTopic,
  type HistoryEntry,
  historyKeptFrom,
  insertHistory,
  knownHistory,
} from '#security/index.ts';
import { parseInstant, stableTimeOrderedId } from '#time/index.ts';
import type { ForeignDatabase } from '../repository/foreign-database-repository.ts';
import { parseObject } from '../repository/foreign-object.ts';
import type { Tally } from '../repository/tally.ts';
import { MEMBERS, SECRET } from './audit-columns.ts';

const PAGE = 2_000;
const LONGEST = 4_000;
const HIDDEN = '***';

export interface HistoryOptions {
  readonly foreign: ForeignDatabase;
  readonly place: string;
  readonly database: Database;
  /** The time from which on entries are taken, in ISO 8601; '' for all. */
  readonly since: string;
  /** `keepDays` of `audit.json`. */
  readonly keepDays: number;
  readonly isApplied: boolean;
  readonly tally: Tally;
  readonly signal?: AbortSignal;
}

/**
 * What the other server has recorded comes as what it says, beside the trail, and never anew. Each page is one statement;
 * broken off, it goes over what is there and goes on.
 */
export async function takeHistory(options: HistoryOptions): Promise<void> {
  const { foreign, tally, signal, database, isApplied, place, keepDays } = options;
  const from = (await historyKeptFrom(database.db, keepDays)).getTime();
  const reason = `It is older than the audit is kept here ("keepDays": ${keepDays} in audit.json)`;
  for (const topic of topicsOf(foreign)) {
    const about = `audit/${topic}`;
    const counts = tally.of(about);
    for await (const rows of pagesOf(options, topic)) {
      if (signal?.aborted === true) return;
      counts.read += rows.length;
      const read = rows.flatMap((row) => entryOf(topic, row, options));
      const entries = read.filter(({ at }) => at >= from);
      if (entries.length < read.length)
        tally.remark({ about, id: null, reason, isLeft: true }, read.length - entries.length);
      const isNew = isApplied
        ? await insertHistory(database.db, place, entries)
        : entries.length - (await knownHistory(database.db, entries));
      counts.created += isNew;
      counts.unchanged += entries.length - isNew;
    }
  }
}

type Row = Readonly<Record<string, string | null>>;

/** What the other server has recorded in tables of the form that is known. */
export function topicsOf(foreign: ForeignDatabase): readonly AuditTopic[] {
  return AUDIT_TOPICS.filter((topic) => foreign.tables.get(tableOf(topic))?.has('eventname') === true);
}

const tableOf = (topic: AuditTopic) => `audit${topic}`;

/** The rows page by page, in the order of their ids, which the table has an index for. */
export async function* pagesOf(
  { foreign, since }: Pick<HistoryOptions, 'foreign' | 'since'>,
  topic: AuditTopic,
): AsyncGenerator<readonly Row[]> {
  const table = tableOf(topic);
  const columns = [...(foreign.tables.get(table) ?? [])];
  const selected = columns.map((column) => foreign.asText(`o.${foreign.column(column)}`));
  let after = '';
  for (;;) {
    const rows = await foreign.rows(
      `select ${selected.join()} from ${foreign.table(table)} o
       where o.objectid > ?${since === '' ? '' : ' and o.activitydate >= ?'} order by o.objectid limit ${PAGE}`,
      since === '' ? [after] : [after, since],
    );
    const page = rows.map((row) =>
      Object.fromEntries(columns.map((column, at) => [column, row[at] ?? null])),
    );
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.['objectid'] ?? '';
  }
}

/** The entry that a row becomes; none where its time cannot be read, which is told. */
export function entryOf(
  topic: AuditTopic,
  row: Row,
  { place, tally }: Pick<HistoryOptions, 'place' | 'tally'>,
): readonly HistoryEntry[] {
  const about = `audit/${topic}`;
  const foreignId = row['objectid'] ?? '';
  const at = parseInstant(row['activitydate'] ?? '');
  if (Number.isNaN(at)) {
    tally.remark({ about, id: foreignId, reason: 'Its time cannot be read', isLeft: true });
    return [];
  }
  const event: JsonObject = {};
  for (const [column, text] of Object.entries(row)) {
    if (column === 'objectid' || text === null) continue;
    setAt(event, parsePointer(`/${MEMBERS[column] ?? column}`), memberOf(column, text));
  }
  const { timestamp: _, ...said } = event;
  const shown = withoutSecrets(said);
  const cut = (value: JsonValue | undefined) => (typeof value === 'string' ? value.slice(0, LONGEST) : null);
  return [
    {
      id: stableTimeOrderedId([place, topic, foreignId], at),
      topic,
      at,
      transactionId: cut(event['transactionId']) ?? '',
      userId: cut(event['userId']),
      objectId: cut(event['objectId']),
      event: { ...shown, timestamp: new Date(at).toISOString(), importedFrom: place, foreignId },
    },
  ];
}

function memberOf(column: string, text: string): JsonValue {
  const read = /^\s*[{[]/.test(text) ? parseObject(`{"value":${text}}`) : undefined;
  if (read !== undefined && 'object' in read) return read.object['value'] ?? null;
  if (column === 'passwordchanged' || column === 'http_request_secure') return /^(?:1|t|true)$/i.test(text);
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

/** The event without credentials, what is encrypted or hashed, and what is a secret by its name or by itself. */
function withoutSecrets(event: JsonObject): JsonObject {
  const shown = withoutCredentials(event);
  for (const at of placesOfSecrets(shown, isProtected)) {
    const secret = getAt(shown, at);
    setAt(shown, at, (typeof secret === 'string' ? withoutPasswords(secret) : undefined) ?? HIDDEN);
  }
  return shown;
}

function withoutCredentials(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [name, SECRET.test(name) ? HIDDEN : inside(member)]),
  );
}

function inside(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inside);
  return isObject(value) ? withoutCredentials(value) : value;
}

function isProtected(value: JsonValue): boolean {
  return isObject(value) && '$crypto' in value;
}
