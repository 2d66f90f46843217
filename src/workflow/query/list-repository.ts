import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import { BadRequestError, didYouMean } from '#errors/index.ts';
import type { QueryRequest } from '#resource/index.ts';
import { isId } from '../instance/instance-id.ts';
import { refuseUnknownParameters } from './parameter.ts';
import type { QueryKind } from './query-kind.ts';

export type Condition = RawBuilder<unknown>;

/** What a collection can be asked for. */
export interface Listing {
  readonly select: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
  /** Holds for all of its rows. */
  readonly base: readonly Condition[];
  /** The condition, by parameter; undefined when that value asks for nothing. */
  readonly filters: Readonly<Record<string, (value: string) => Condition | undefined>>;
  /** Further parameters, from which `more` comes. */
  readonly others?: readonly string[];
  /** What rows are ordered by, by sort key. */
  readonly sorts: Readonly<Record<string, RawBuilder<unknown>>>;
  /** What makes any order total. */
  readonly id: RawBuilder<unknown>;
}

/** The order of a page, and how many rows from the beginning reach to its end; undefined for all. */
export interface PageOrder {
  /** The sort keys; `id` for the id. */
  readonly keys: readonly { readonly name: string; readonly isDescending: boolean }[];
  readonly limit: number | undefined;
}

/** A condition that there is a shorter way to than looking at all of the collection. */
export interface Shortcut {
  readonly condition: Condition;
  /** A table in place of the listing's, with the first rows for which all conditions hold; undefined where it does not help. */
  readonly from: (
    conditions: readonly Condition[],
    order: PageOrder,
  ) => Promise<RawBuilder<unknown> | undefined>;
}

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly cookie: string | null;
  /** -1 when it was not counted. */
  readonly total: number;
  readonly warnings?: readonly string[];
}

/**
 * One page of a collection. Cookies are offsets; a cookie that comes back moves the window like an offset.
 *
 * @param more conditions that no single parameter makes
 * @throws BadRequestError `WORKFLOW_UNKNOWN_PARAMETER`, `WORKFLOW_BAD_SORT_KEY`, `PAGING_BAD_COOKIE` and what a filter says of its value
 */
export async function listPage<Row>(
  db: Db,
  request: QueryRequest,
  kind: QueryKind,
  listing: Listing,
  more: readonly Condition[] = [],
  shortcut?: Shortcut,
): Promise<ListPage<Row>> {
  const { select, from, base, filters, others = [] } = listing;
  refuseUnknownParameters(request.parameters, [...Object.keys(filters), ...others]);
  const isFiltered = kind === 'filtered';
  const [unheeded] = isFiltered ? [] : Object.keys(request.parameters);
  const conditions = [...base, ...(isFiltered ? [...conditionsOf(request, listing), ...more] : [])];
  const where = allOf(shortcut === undefined ? conditions : [...conditions, shortcut.condition]);
  const { pageSize, totalPolicy } = request.paging;
  const offset = offsetOf(request);
  const order = orderOf(request, listing, isFiltered);
  const window = pageSize === 0 ? sql`` : sql` limit ${pageSize + 1} offset ${offset}`;
  const short = await shortcut?.from(conditions, {
    keys: pageKeys(request, listing, isFiltered),
    limit: pageSize === 0 ? undefined : offset + pageSize + 1,
  });
  const rest = short === undefined ? sql`${from} where ${where}` : short;
  const { rows } = await sql<Row>`select ${select} from ${rest} order by ${order}${window}`.execute(db);
  const hasMore = pageSize > 0 && rows.length > pageSize;
  return {
    rows: hasMore ? rows.slice(0, pageSize) : rows,
    cookie: hasMore ? String(offset + pageSize) : null,
    total: totalPolicy === 'NONE' || pageSize === 0 ? -1 : await countRows(db, from, where),
    ...(unheeded === undefined
      ? {}
      : { warnings: [`'${request.queryId}' answers all; '${unheeded}' filters _queryId=filtered-query`] }),
  };
}

function allOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

async function countRows(db: Db, from: RawBuilder<unknown>, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${from} where ${where}`.execute(
    db,
  );
  return oneRow(rows).count;
}

function conditionsOf(request: QueryRequest, { filters }: Listing): Condition[] {
  return Object.entries(request.parameters).flatMap(([name, value]) => {
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
    return filter?.(value) ?? [];
  });
}

function offsetOf({ paging }: QueryRequest): number {
  const { cookie, offset } = paging;
  if (cookie === undefined) return offset;
  if (/^\d{1,9}$/.test(cookie)) return Number(cookie);
  throw new BadRequestError(`The paged results cookie '${cookie}' is not one of this query`, {
    id: 'PAGING_BAD_COOKIE',
    field: '_pagedResultsCookie',
  });
}

function pageKeys(request: QueryRequest, { sorts, id }: Listing, isFiltered: boolean): PageOrder['keys'] {
  if (!isFiltered) return [];
  return request.sortKeys.map(({ pointer, descending }) => {
    const name = pointer.join('/');
    return { name: sorts[name] === id ? 'id' : name, isDescending: descending };
  });
}

function orderOf(request: QueryRequest, { sorts, id }: Listing, isFiltered: boolean): RawBuilder<unknown> {
  const keys = isFiltered ? request.sortKeys : [];
  const order = keys.map(({ pointer, descending }) => {
    const name = pointer.join('/');
    const column = Object.hasOwn(sorts, name) ? sorts[name] : undefined;
    if (column === undefined) throw badSortKey(name, Object.keys(sorts));
    // Without a place of their own for nulls, so that one index serves both directions.
    return descending ? sql`${column} desc` : column;
  });
  // In the direction of the last key, as an index over both has it.
  const last = keys.at(-1);
  if (last !== undefined && sorts[last.pointer.join('/')] === id) return sql.join(order);
  return sql.join([...order, last?.descending === true ? sql`${id} desc` : id]);
}

function badSortKey(name: string, known: readonly string[]): BadRequestError {
  return new BadRequestError(`'${name}' is not a sort key here`, {
    id: 'WORKFLOW_BAD_SORT_KEY',
    field: '_sortKeys',
    hint: didYouMean(name, known) ?? `Sort keys are ${known.join(', ')}`,
  });
}

/** Equality with an id; a text that cannot be one is the id of nothing. */
export function idIs(column: RawBuilder<unknown>): (value: string) => Condition {
  return (value) => (isId(value) ? sql`${column} = ${value}::uuid` : sql`false`);
}

export function textIs(column: RawBuilder<unknown>): (value: string) => Condition {
  return (value) => sql`${column} = ${value}`;
}

/** Equality with the id of a definition, which begins with its key, by which tasks and instances are found. */
export function definitionIs(
  id: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
): (value: string) => Condition {
  return (value) => {
    const [, ofKey] = /^(.+):\d+:\d+$/.exec(value) ?? [];
    return ofKey === undefined ? sql`${id} = ${value}` : sql`(${key} = ${ofKey} and ${id} = ${value})`;
  };
}

/** A pattern of SQL as the caller writes it, of which a backslash takes the next character as it is. */
export function textLike(column: RawBuilder<unknown>): (value: string) => Condition {
  return (value) => {
    if (/^(?:[^\\]|\\.)*$/su.test(value)) return sql`${column} like ${value}`;
    throw new BadRequestError(`The pattern '${value}' ends in the middle of an escape`, {
      id: 'WORKFLOW_BAD_PARAMETER',
      hint: 'Write two backslashes for one',
    });
  };
}

/** A variable of the instance itself, whatever its scalar type, whose text is the value. */
export function variableIs(instanceId: RawBuilder<unknown>, name: string, value: string): Condition {
  return sql`exists (select from workflow_variable v
    where v.instance_id = ${instanceId} and v.scope = 0 and v.name = ${name}
      and left(v.text_value, 200) = left(${value}::text, 200) and v.text_value = ${value}
      and v.name <> 'svccontext')`;
}
