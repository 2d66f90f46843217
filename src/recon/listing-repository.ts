import { type RawBuilder, sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';
import { lastOf } from '#json/index.ts';
import { parsePath } from '#resource/index.ts';
import { linkedIds, type Mapping } from '#sync/index.ts';

/** All objects of one side: a relation with the column `id`, of this database or staged in it. */
export type Listing = RawBuilder<unknown>;

export function managedListing(type: string): Listing {
  return sql`(select id from managed_object where type = ${type})`;
}

export function stagedListing(run: string, side: 'source' | 'target'): Listing {
  return sql`(select id from recon_object where run_id = ${run} and side = ${side})`;
}

/** What is staged of an object: its id, and a print of what it shows, where that is needed. */
export interface Staged {
  readonly id: string;
  readonly print: string | null;
}

/** An object that comes twice is there once. */
export async function stageObjects(
  db: Db,
  run: string,
  side: 'source' | 'target',
  objects: readonly Staged[],
): Promise<void> {
  const [ids, prints] = [objects.map(({ id }) => id), objects.map(({ print }) => print)];
  await sql`
    insert into recon_object (run_id, side, id, print)
    select ${run}::uuid, ${side}, id, print
    from unnest(${sql.val(ids)}::text[], ${sql.val(prints)}::text[]) o (id, print)
    on conflict do nothing`.execute(db);
}

/**
 * In which state each object of one side is: `print` is another one as soon as it is another object or shows anything else, `rev` is what
 * whoever reads it is shown, and `at` when it was made, where that is known.
 */
function statesOf(run: string, side: 'source' | 'target', mapping: Mapping): RawBuilder<unknown> {
  const path = parsePath(mapping[side]);
  if (path[0] !== 'managed') {
    return sql`(select id, print, print as rev, null::timestamptz as at from recon_object
      where run_id = ${run} and side = ${side} and print is not null)`;
  }
  return sql`(select id, rev || ' ' || extract(epoch from created_at) as print, rev::text as rev, created_at as at
    from managed_object where type = ${lastOf(path)})`;
}

export async function forgetStaged(db: Db, run: string): Promise<void> {
  await sql`delete from recon_object where run_id = ${run}`.execute(db);
}

export async function countListing(db: Db, listing: Listing): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::float8 as n from ${listing} l`.execute(db);
  return oneRow(rows).n;
}

export async function countLinks(db: Db, mapping: Mapping, qualifiers: readonly string[]): Promise<number> {
  let count = 0;
  for (const qualifier of qualifiers) count += await countListing(db, linkedIds(mapping, qualifier));
  return count;
}

interface Sides {
  readonly run: string;
  /** The number of the last entry so far. */
  readonly after: number;
  readonly mapping: Mapping;
  readonly qualifier: string;
  readonly sources: Listing;
  readonly targets: Listing;
}

/**
 * An entry for each source, but for those of which it is known that they and their targets are as they were when all was well: these are
 * counted.
 *
 * @param print of what decides besides both objects; null: each is looked at
 * @returns how many entries
 */
export async function insertSourceEntries(
  db: Db,
  {
    run,
    after,
    mapping,
    qualifier,
    sources,
    print,
  }: Omit<Sides, 'targets'> & { readonly print: string | null },
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with settled as materialized (
      select p.source_id, p.action
      from recon_print p
      join ${linkedIds(mapping, qualifier)} l on l.source_id = p.source_id and l.target_id = p.target_id
      join ${statesOf(run, 'source', mapping)} s on s.id = p.source_id and s.print = p.source_print
      join ${statesOf(run, 'target', mapping)} t on t.id = p.target_id and t.print = p.target_print
      where p.mapping = ${mapping.name} and p.qualifier = ${qualifier} and p.print = ${print}
    ), counted as (
      insert into recon_count as c (run_id, phase, situation, action, entries)
      select ${run}::uuid, 'source', 'CONFIRMED', d.action, count(*)
      from ${sources} s join settled d on d.source_id = s.id group by d.action
      on conflict (run_id, phase, situation, action) do update set entries = c.entries + excluded.entries
    ), inserted as (
      insert into recon_entry (run_id, number, phase, qualifier, source_id)
      select ${run}::uuid, ${after}::bigint + row_number() over (order by s.id), 'source', ${qualifier}, s.id
      from ${sources} s left join settled d on d.source_id = s.id where d.source_id is null
      returning 1
    ) select count(*)::float8 as n from inserted`.execute(db);
  return oneRow(rows).n;
}

/** Remembers the pairs of a chunk that were as they should be. What is newer than the run is looked at again by the next one. */
export async function rememberPrints(
  db: Db,
  run: string,
  mapping: Mapping,
  { low, high, print }: { readonly low: number; readonly high: number; readonly print: string },
): Promise<void> {
  await sql`
    insert into recon_print (mapping, qualifier, source_id, target_id, action, source_print, target_print, print)
    select r.mapping, e.qualifier, e.source_id, e.target_id, e.action, s.print, t.print, ${print}
    from recon_entry e
    join recon_run r on r.id = e.run_id
    join ${statesOf(run, 'source', mapping)} s on s.id = e.source_id and s.rev = e.source_rev
    join ${statesOf(run, 'target', mapping)} t on t.id = e.target_id and t.rev = e.target_rev
    where e.run_id = ${run} and e.number between ${low} and ${high} and e.state = 'counted' and e.situation = 'CONFIRMED'
      and coalesce(s.at, '-infinity') < r.created_at and coalesce(t.at, '-infinity') < r.created_at
    order by e.qualifier, e.source_id
    on conflict (mapping, qualifier, source_id) do update
    set target_id = excluded.target_id, action = excluded.action, source_print = excluded.source_print,
        target_print = excluded.target_print, source_rev = null, target_rev = null, source_at = null, target_at = null,
        print = excluded.print`.execute(db);
}

/** Forgets what was known of pairs that are none any more. */
export async function prunePrints(db: Db, mapping: Mapping, qualifier: string): Promise<void> {
  await sql`
    delete from recon_print p
    where p.mapping = ${mapping.name} and p.qualifier = ${qualifier} and not exists (
      select from ${linkedIds(mapping, qualifier)} l
      where l.source_id = p.source_id and l.target_id = p.target_id)`.execute(db);
}

/**
 * An entry for each link whose source was not listed, and for each target that no link, and no entry of a source, has led to.
 *
 * @returns how many
 */
export async function insertTargetEntries(
  db: Db,
  { run, after, mapping, qualifier, sources, targets }: Sides,
): Promise<number> {
  const { sourceCaseSensitive, targetCaseSensitive } = casesOf(mapping);
  const source = (id: RawBuilder<unknown>) => letters(id, sourceCaseSensitive);
  const target = (id: RawBuilder<unknown>) => letters(id, targetCaseSensitive);
  const { numAffectedRows = 0n } = await sql`
    insert into recon_entry (run_id, number, phase, qualifier, source_id, target_id)
    select ${run}::uuid, ${after}::bigint + row_number() over (order by coalesce(t.id, l.target_id)), 'target', ${qualifier},
      l.source_id, coalesce(t.id, l.target_id)
    from ${targets} t
    full join ${linkedIds(mapping, qualifier)} l on ${target(sql`l.target_id`)} = ${target(sql`t.id`)}
    left join ${sources} s on ${source(sql`s.id`)} = ${source(sql`l.source_id`)}
    where s.id is null and not exists (
      select from recon_entry e
      where e.run_id = ${run} and e.phase = 'source' and e.qualifier = ${qualifier}
        and e.target_id = coalesce(t.id, l.target_id))`.execute(db);
  return Number(numAffectedRows);
}

function casesOf({ linkType }: Mapping) {
  const { isReversed, firstCaseSensitive, secondCaseSensitive } = linkType;
  return isReversed
    ? { sourceCaseSensitive: secondCaseSensitive, targetCaseSensitive: firstCaseSensitive }
    : { sourceCaseSensitive: firstCaseSensitive, targetCaseSensitive: secondCaseSensitive };
}

function letters(id: RawBuilder<unknown>, isCaseSensitive: boolean): RawBuilder<unknown> {
  return isCaseSensitive ? id : sql`lower(${id})`;
}
