import { createHash } from 'node:crypto';
import {
  type Change,
  type ChangeBatch,
  type ChangesRequest,
  ConnectorError,
  type Entry,
  LATEST,
  type Token,
} from '../../contract.ts';
import { columnOf, type Layout, readTable, type Table } from './sql-catalogue.ts';
import { keyText } from './sql-rows.ts';
import { type Dialect, type Part, rendered, type SqlSession, type SqlValue } from './sql-session.ts';

export interface SqlPlace {
  readonly session: SqlSession;
  readonly layout: Layout;
  readonly dialect: Dialect;
  /** Rows by a condition. */
  readonly select: (
    attributes: readonly string[] | undefined,
    rest: readonly Part[],
  ) => Promise<readonly Entry[]>;
}

/** One batch: a call of its own, so that no transaction stays open between two. */
export type Step = (place: SqlPlace, request: ChangesRequest) => Promise<ChangeBatch>;

/** Numbers that are missing before the last one, as of a transaction that has not ended yet: they are looked for again. */
const MOST_MISSING = 1_000;
/** Rows before the last one that are looked at again, and how many of those that were told are known. */
const LOOKED_AGAIN = 200;
const MOST_KNOWN = 600;

/** Reads changes from a table that triggers fill. @param token undefined for now @throws ConnectorError `tokenExpired` */
export function changesOfTable(changeTable: string, token: Token): Step {
  return async (place, request) => {
    const { session, layout, dialect } = place;
    const log = await readTable(session, dialect, changeTable);
    const number = `t.${dialect.quote(columnOf(log, 'number').name)}`;
    const rowsOf = (rest: readonly Part[]) =>
      query(place, [`select ${number}, t.source, t.id, t.previous_id from ${log.quoted} t`, ...rest]);
    if (token === LATEST) {
      const newest = await rowsOf([` order by ${number} desc limit ${MOST_MISSING}`]);
      const numbers = newest.map((row) => Number(row[0])).reverse();
      const last = numbers.at(-1) ?? 0;
      return {
        changes: [],
        token: JSON.stringify({ last, missing: missingIn(numbers, numbers[0] ?? last) }),
        isLast: true,
      };
    }
    const { last, missing } = numbersIn(token);
    if (last > 0) await requireKept(place, log, number, last);
    const late =
      missing.length === 0
        ? []
        : await rowsOf([` where ${number} in (${missing.join(', ')}) order by ${number}`]);
    const size = Math.max(1, request.mostAtOnce - late.length);
    const found = await rowsOf([` where ${number} > `, bound(last), ` order by ${number} limit ${size + 1}`]);
    // Late ones are told first, and may be as many as there is room for.
    const told = [...late.slice(0, request.mostAtOnce), ...found.slice(0, size)].slice(0, request.mostAtOnce);
    const numbers = told.map((row) => Number(row[0]));
    const now = Math.max(last, ...numbers);
    const left = missing.filter((one) => !numbers.includes(one));
    const next = [
      ...left,
      ...missingIn(
        numbers.filter((one) => one > last),
        last + 1,
      ),
    ].slice(-MOST_MISSING);
    const own = told.filter((row) => row[1] === layout.table.name);
    return {
      changes: await changesOfRows(
        place,
        own.map((row) => [String(row[2]), textOr(row[3])] as const),
        request,
      ),
      token: JSON.stringify({ last: now, missing: next }),
      isLast: told.length === late.length + found.length,
    };
  };
}

/** Each who has changed once, by the id of now. */
async function changesOfRows(
  place: SqlPlace,
  rows: readonly (readonly [id: string, previous: string | undefined])[],
  { attributes }: ChangesRequest,
): Promise<readonly Change[]> {
  const origins = new Map<string, string>();
  for (const [id, previous] of rows) {
    const origin = previous === undefined ? (origins.get(id) ?? id) : (origins.get(previous) ?? previous);
    if (previous !== undefined) origins.delete(previous);
    origins.delete(id);
    origins.set(id, origin);
  }
  const found = await entriesWith(place, [...origins.keys()], attributes);
  return [...origins].map(([id, origin]): Change => {
    const entry = found.get(id);
    if (entry === undefined) return { kind: 'delete', id: origin };
    return { kind: 'upsert', entry, ...(origin === id ? {} : { previousId: origin }) };
  });
}

async function entriesWith(
  { layout, dialect, select }: SqlPlace,
  ids: readonly string[],
  attributes: readonly string[] | undefined,
): Promise<ReadonlyMap<string, Entry>> {
  if (ids.length === 0) return new Map();
  const values = ids.flatMap((value, at): readonly Part[] => [
    at === 0 ? '' : ', ',
    { value, kind: layout.key.kind },
  ]);
  const entries = await select(attributes, [
    ` where t.${dialect.quote(layout.key.name)} in (`,
    ...values,
    ')',
  ]);
  return new Map(entries.map((entry) => [entry.id, entry]));
}

async function requireKept(place: SqlPlace, log: Table, number: string, last: number): Promise<void> {
  const [row] = await query(place, [`select min(${number}), max(${number}) from ${log.quoted} t`]);
  const [first, newest] = [row?.[0], row?.[1]];
  const isThere = first !== null && first !== undefined;
  if (isThere && Number(first) <= last + 1 && Number(newest) >= last) return;
  throw new ConnectorError('tokenExpired', `'${log.name}' does not know any more what came after ${last}`);
}

/** What is not among rising numbers from one on. */
function missingIn(numbers: readonly number[], from: number): number[] {
  const missing: number[] = [];
  let expected = from;
  for (const number of numbers) {
    for (let at = Math.max(expected, number - MOST_MISSING); at < number; at++) missing.push(at);
    expected = number + 1;
  }
  return missing.slice(-MOST_MISSING);
}

function numbersIn(token: Token): { readonly last: number; readonly missing: readonly number[] } {
  const { last, missing } = parsed(token);
  if (Number.isSafeInteger(last) && Array.isArray(missing) && missing.every(Number.isSafeInteger)) {
    return { last: Number(last), missing: missing.map(Number) };
  }
  throw noToken(token);
}

/** Reads changes by a column that every write makes larger. */
export function changesOfColumn(column: string, token: Token): Step {
  return async (place, request) => {
    const { layout, dialect, session } = place;
    const { table, key } = layout;
    const of = columnOf(table, column);
    const [value, id] = [`t.${dialect.quote(of.name)}`, `t.${dialect.quote(key.name)}`];
    const rowsOf = (rest: readonly Part[]) =>
      query(place, [`select ${value}, ${id} from ${table.quoted} t where ${value} is not null`, ...rest]);
    const order = (way: string) => ` order by ${value} ${way}, ${id} ${way}`;
    const printOf = (row: readonly unknown[]) => print(valueText(row[0]), keyText(row[1]));
    if (token === LATEST) {
      const newest = await rowsOf([order('desc'), ` limit ${MOST_KNOWN}`]);
      const [top] = newest;
      const last = top === undefined ? null : [valueText(top[0]), keyText(top[1])];
      return {
        changes: [],
        token: JSON.stringify({ last, known: newest.map(printOf).reverse() }),
        isLast: true,
      };
    }
    const { last, known } = columnPlace(token);
    const after = (sign: '>' | '<='): readonly Part[] => {
      if (last === undefined) return [];
      const at = { value: last[0], kind: of.kind };
      const strict = sign === '>' ? '>' : '<';
      return [
        ` and (${value} ${strict} `,
        at,
        ` or (${value} = `,
        at,
        ` and ${id} ${sign} `,
        { value: last[1], kind: key.kind },
        '))',
      ];
    };
    // What has come in behind the place: a transaction that took its value early and ended late.
    const again =
      last === undefined ? [] : await rowsOf([...after('<='), order('desc'), ` limit ${LOOKED_AGAIN}`]);
    const late = again
      .filter((row) => !known.includes(printOf(row)))
      .reverse()
      .slice(0, request.mostAtOnce);
    const size = request.mostAtOnce - late.length;
    const found = await rowsOf([...after('>'), order('asc'), ` limit ${size + 1}`]);
    const told = [...late, ...found.slice(0, size)];
    const end = found.slice(0, size).at(-1);
    const entries = await entriesWith(
      { ...place, session },
      told.map((row) => keyText(row[1])),
      request.attributes,
    );
    const now = end === undefined ? last : [valueText(end[0]), keyText(end[1])];
    return {
      // Whoever is gone by now is told by nobody.
      changes: told.flatMap((row): Change[] => {
        const entry = entries.get(keyText(row[1]));
        return entry === undefined ? [] : [{ kind: 'upsert', entry }];
      }),
      token: JSON.stringify({
        last: now ?? null,
        known: [...known, ...told.map(printOf)].slice(-MOST_KNOWN),
      }),
      isLast: found.length <= size,
    };
  };
}

function columnPlace(token: Token): {
  readonly last: readonly [string, string] | undefined;
  readonly known: readonly string[];
} {
  const { last, known } = parsed(token);
  if (!Array.isArray(known) || last === undefined) throw noToken(token);
  const prints = known.map(String);
  if (last === null) return { last: undefined, known: prints };
  const [value, key]: unknown[] = Array.isArray(last) ? last : [];
  if (typeof value !== 'string' || typeof key !== 'string') throw noToken(token);
  return { last: [value, key], known: prints };
}

function print(value: string, key: string): string {
  return createHash('sha256').update(`${value}\0${key}`).digest('base64url').slice(0, 12);
}

function valueText(value: unknown): string {
  return String(value);
}

function query({ session, dialect }: SqlPlace, parts: readonly Part[]) {
  const { text, values } = rendered(dialect, parts);
  return session.query(text, values);
}

function bound(value: SqlValue): Part {
  return { value, kind: 'integer' };
}

function textOr(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

function noToken(token: Token): ConnectorError {
  return new ConnectorError('tokenExpired', `'${token.slice(0, 100)}' is no token of this table`);
}

function parsed(token: Token): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(token);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? { ...read } : {};
  } catch {
    return {};
  }
}
