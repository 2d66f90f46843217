import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { instantColumn, type QueryTable, queryTable, type TablePage, textColumn } from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';
import type { Mapping } from './mapping.ts';

/** A pair of objects that belong together. */
export interface LinkRow {
  readonly id: string;
  readonly rev: number;
  readonly link_type: string;
  readonly qualifier: string;
  readonly first_id: string;
  readonly second_id: string;
}

export interface NewLink {
  readonly id: string;
  readonly linkType: string;
  readonly qualifier: string;
  readonly first: LinkEnd;
  readonly second: LinkEnd;
}

/** One of the two ends of a link. */
export interface LinkEnd {
  readonly id: string;
  /** Whether letters count by their case. */
  readonly isCaseSensitive: boolean;
}

export type LinkSide = 'first' | 'second';

const COLUMNS = sql.raw('id, rev, link_type, qualifier, first_id, second_id');

const TABLE: QueryTable = {
  columns: new Map([
    ['_id', textColumn('id')],
    ['_rev', { expression: sql`rev::text`, type: 'text' as const, notNull: true }],
    ['linkType', textColumn('link_type')],
    ['linkQualifier', textColumn('qualifier')],
    ['firstId', textColumn('first_id')],
    ['secondId', textColumn('second_id')],
    ['createdAt', instantColumn('created_at', true)],
  ]),
};

export interface LinkQuestion {
  readonly linkType: string;
  readonly qualifier: string;
  readonly side: LinkSide;
  readonly end: LinkEnd;
}

/** Where several differ by case alone, which did count once, the one that is written so. */
export async function findLink(
  db: Db,
  { linkType, qualifier, side, end }: LinkQuestion,
): Promise<LinkRow | undefined> {
  const ofQualifier = sql<boolean>`link_type = ${linkType} and qualifier = ${qualifier}`;
  const { rows } = await sql<LinkRow>`
    select ${COLUMNS} from (${linksAt(side, end, ofQualifier)}) link
    order by ${sql.ref(`${side}_id`)} = ${end.id} desc limit 1`.execute(db);
  return rows[0];
}

/** Each condition by itself, so that each has its index: of several in one, Postgres would rather read a table that it takes for small. */
function linksAt(side: LinkSide, end: LinkEnd, which: RawBuilder<boolean>): RawBuilder<LinkRow> {
  const alike = waysToBeAt(side, end).map(
    (isAt) => sql`select ${COLUMNS} from sync_link where ${which} and ${isAt}`,
  );
  return sql`${sql.join(alike, sql` union `)}`;
}

/** Compares with how it was stored, and with its letters: the mapping may have learned since then whether case counts. */
function waysToBeAt(side: LinkSide, { id, isCaseSensitive }: LinkEnd): readonly RawBuilder<boolean>[] {
  const [column, key] = [sql.ref(`${side}_id`), sql.ref(`${side}_key`)];
  return isCaseSensitive
    ? [sql`${key} in (${id}, ${id.toLowerCase()}) and ${column} = ${id}`]
    : [
        sql`${key} = ${id.toLowerCase()}`,
        sql`lower(${column}) = lower(${id.toLowerCase()}::text collate "C")`,
      ];
}

function keyOf({ id, isCaseSensitive }: LinkEnd): string {
  return isCaseSensitive ? id : id.toLowerCase();
}

export async function findLinkById(db: Db, id: string): Promise<LinkRow | undefined> {
  const { rows } = await sql<LinkRow>`select ${COLUMNS} from sync_link where id = ${id}`.execute(db);
  return rows[0];
}

export function queryLinks(db: Db, request: QueryRequest): Promise<TablePage<LinkRow>> {
  return queryTable<LinkRow>(
    db,
    request,
    { table: TABLE, select: COLUMNS, from: sql`sync_link` },
    plainQuery(request),
  );
}

/** Links of an object at one of the ends, of all qualifiers. */
export async function listLinksOf(
  db: Db,
  { linkType, side, end }: Omit<LinkQuestion, 'qualifier'>,
): Promise<LinkRow[]> {
  const { rows } = await sql<LinkRow>`
    ${linksAt(side, end, sql`link_type = ${linkType}`)} order by qualifier`.execute(db);
  return rows;
}

/** @returns undefined when one of the two is linked already, or there is a link of that id */
export async function insertLink(db: Db, link: NewLink): Promise<LinkRow | undefined> {
  const { id, linkType, qualifier, first, second } = link;
  const isFree = [...waysToBeAt('first', first), ...waysToBeAt('second', second)].map(
    (isAt) => sql`not exists (
      select from sync_link where link_type = ${linkType} and qualifier = ${qualifier} and ${isAt})`,
  );
  const { rows } = await sql<LinkRow>`
    insert into sync_link (id, link_type, qualifier, first_id, second_id, first_key, second_key)
    select ${id}, ${linkType}, ${qualifier}, ${first.id}, ${second.id}, ${keyOf(first)}, ${keyOf(second)}
    where ${sql.join(isFree, sql` and `)}
    on conflict do nothing returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** @returns undefined when it has another revision. @throws where one of the two is linked already (`isTaken`) */
export async function updateLink(db: Db, link: NewLink, rev: number): Promise<LinkRow | undefined> {
  const { id, linkType, qualifier, first, second } = link;
  const { rows } = await sql<LinkRow>`
    update sync_link set link_type = ${linkType}, qualifier = ${qualifier}, first_id = ${first.id},
      second_id = ${second.id}, first_key = ${keyOf(first)}, second_key = ${keyOf(second)}, rev = rev + 1, updated_at = now()
    where id = ${id} and rev = ${rev} returning ${COLUMNS}`.execute(db);
  return rows[0];
}

export async function deleteLink(db: Db, id: string, rev: number): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from sync_link where id = ${id} and rev = ${rev}`.execute(db);
  return numAffectedRows === 1n;
}

/** @returns how many there were */
export async function deleteLinksOfType(db: Db, linkType: string): Promise<number> {
  const { numAffectedRows } = await sql`delete from sync_link where link_type = ${linkType}`.execute(db);
  return Number(numAffectedRows);
}

/** The ids of links by their names at the ends of a mapping, `source_id` and `target_id`, as a relation of a statement. */
export function linkedIds(
  { name, linkType, enableLinking }: Pick<Mapping, 'name' | 'linkType' | 'enableLinking'>,
  qualifier: string,
): RawBuilder<unknown> {
  if (!enableLinking) {
    return sql`(select source_id, target_id from sync_state
      where mapping = ${name} and qualifier = ${qualifier} and target_id is not null)`;
  }
  const [source, target] = linkType.isReversed ? ['second_id', 'first_id'] : ['first_id', 'second_id'];
  return sql`(select ${sql.ref(source)} as source_id, ${sql.ref(target)} as target_id from sync_link
    where link_type = ${linkType.name} and qualifier = ${qualifier})`;
}
