import { randomUUID } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import { Batcher, type Db } from '#database/index.ts';
import { formatPointer } from '#json/index.ts';
import { isStorableText, type PlainQuery, type QueryRequest, totalOrder } from '#resource/index.ts';
import { filterSql } from './filter-sql.ts';
import { objectTable, type PropertyType } from './filter-sql-table.ts';
import { isWholeBeginning } from './filter-sql-text.ts';
import { pageSql, type SortedRow } from './keyset-page.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';

/** What a schema says of the properties of a store. */
export interface KnownProperties {
  /** The types by pointer, such as `/userName`. */
  readonly types: ReadonlyMap<string, PropertyType>;
  /** Names of those that have an index. */
  readonly indexed: ReadonlySet<string>;
}

type FoundRow = StoredObject & SortedRow;

/** A query without its value: the statement that asks for many values at once. */
interface LookUpForm {
  readonly text: string;
  readonly constants: readonly unknown[];
  /** A value that all objects were asked of has too many: others are not asked for with it any more. */
  hasMany?: boolean;
}

interface LookUp {
  readonly form: LookUpForm;
  readonly value: string;
}

type Request = Pick<QueryRequest, 'sortKeys' | 'paging'>;

/** More of them would let one wait for too many others. */
const MAX_BATCH = 50;
const MAX_FORMS = 200;
/** How many objects a look-up reads at first. Mostly there is one; where there are more, they are asked for alone. */
const FEW = 10;
/** Stands for the value while the statement is made. */
const PLACE = `look-up ${randomUUID()}`;
const PLAIN_NAME = /^[\w-]+$/;

const batchers = new WeakMap<Db, Batcher<LookUp, readonly FoundRow[]>>();
const forms = new WeakMap<KnownProperties['types'], Map<string, LookUpForm>>();

/**
 * The first page of the objects whose indexed property has one value, or all of them where they are few, which is what is asked
 * most often: those of one turn of the event loop are looked up together.
 *
 * @returns undefined when the query is none of this kind
 */
export async function lookUp(
  db: Db,
  store: ObjectStore,
  { sortKeys, paging }: Request,
  { filter }: PlainQuery,
  known: KnownProperties,
): Promise<readonly FoundRow[] | undefined> {
  const { cookie, offset, pageSize, totalPolicy } = paging;
  const isFirstPage = cookie === undefined && offset === 0 && totalPolicy === 'NONE';
  if (!isFirstPage || sortKeys.length > 0 || db.isTransaction) return undefined;
  if (
    filter.kind !== 'compare' ||
    filter.operator !== 'eq' ||
    filter.ignoresCase === true ||
    filter.pointer.length !== 1
  )
    return undefined;
  const [name] = filter.pointer;
  if (name === undefined) return undefined;
  const { value } = filter;
  if (typeof value !== 'string' || !isStorableText(value) || !known.indexed.has(name)) return undefined;
  if (!isWholeBeginning(value)) return undefined;
  if (known.types.get(formatPointer([name])) !== 'string') return undefined;
  // In the text of the statement, only its parameters may look like parameters.
  if (!PLAIN_NAME.test(name) || !/^[^$]+$/.test(store.type)) return undefined;
  const isPage = pageSize > 0;
  const form = formOf(db, store, name, isPage ? pageSize : FEW, known.types);
  if (!isPage && form.hasMany === true) return undefined;
  const found = await batcherOf(db).add({ form, value });
  if (isPage || found.length <= FEW) return found;
  form.hasMany = true;
  return undefined;
}

function batcherOf(db: Db): Batcher<LookUp, readonly FoundRow[]> {
  const made =
    batchers.get(db) ??
    new Batcher<LookUp, readonly FoundRow[]>({
      maxInFlight: 2,
      maxBatch: MAX_BATCH,
      run: (lookUps) => findAll(db, lookUps),
    });
  batchers.set(db, made);
  return made;
}

async function findAll(db: Db, lookUps: readonly LookUp[]): Promise<readonly (readonly FoundRow[])[]> {
  const found = new Map<LookUp, readonly FoundRow[]>();
  const byForm = Map.groupBy(lookUps, ({ form }) => form);
  await Promise.all(
    [...byForm].map(async ([{ text, constants }, alike]) => {
      const values = alike.map(({ value }) => value);
      const { rows } = await db.executeQuery<FoundRow & { asked: number }>(
        CompiledQuery.raw(text, [values, ...constants]),
      );
      const pages = Map.groupBy(rows, ({ asked }) => asked);
      for (const [index, each] of alike.entries()) {
        found.set(
          each,
          (pages.get(index + 1) ?? []).map(({ asked: _, ...row }) => row),
        );
      }
    }),
  );
  return lookUps.map((each) => found.get(each) ?? []);
}

function formOf(
  db: Db,
  store: ObjectStore,
  name: string,
  pageSize: number,
  types: KnownProperties['types'],
): LookUpForm {
  const key = JSON.stringify([store, name, pageSize]);
  const ofTypes = forms.get(types) ?? new Map<string, LookUpForm>();
  forms.set(types, ofTypes);
  const form = ofTypes.get(key) ?? compileForm(db, store, name, pageSize, types);
  if (ofTypes.size < MAX_FORMS) ofTypes.set(key, form);
  return form;
}

/** The statement for one value, below a list of values; its order within each of them stays as it is. */
function compileForm(
  db: Db,
  { table: name, type }: ObjectStore,
  property: string,
  pageSize: number,
  types: KnownProperties['types'],
): LookUpForm {
  const table = objectTable({ propertyTypes: types });
  const filter = { kind: 'compare', operator: 'eq', pointer: [property], value: PLACE } as const;
  const page = pageSql<StoredObject>({
    select: sql`id, rev, data`,
    from: sql`${sql.table(name)}`,
    where: [sql<boolean>`type = ${sql.lit(type)}`, filterSql(filter, table)],
    table,
    order: totalOrder([]),
    pageSize,
  }).compile(db);
  const constants: unknown[] = [];
  const inner = page.sql.replace(/\$(\d+)/g, (_parameter, number: string) => {
    const given = page.parameters[Number(number) - 1];
    if (given === PLACE) return 'asked.value';
    return `$${constants.push(given) + 1}`;
  });
  const text = `select asked.n as asked, page.id, page.rev, page.data, page.sort_tuple
    from unnest($1::text[]) with ordinality as asked (value, n) cross join lateral (${inner}) page`;
  return { text, constants };
}
