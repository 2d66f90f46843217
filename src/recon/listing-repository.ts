import { type RawBuilder, sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';
import { linkedIds, type Mapping } from '#sync/index.ts';

/** All objects of one side: a relation with the column `id`, of this database or staged in it. */
export type Listing = RawBuilder<unknown>;

export function managedListing(type: string): Listing {
  return sql`(select id from managed_object where type = ${type})`;
}

export function stagedListing(run: string, side: 'source' | 'target'): Listing {
  return sql`(select id from recon_object where run_id = ${run} and side = ${side})`;
}

/** One that comes twice is there once. */
export async function stageIds(
  db: Db,
  run: string,
  side: 'source' | 'target',
  ids: readonly string[],
): Promise<void> {
  await sql`
    insert into recon_object (run_id, side, id)
    select ${run}::uuid, ${side}, id from unnest(${sql.val(ids)}::text[]) id
    on conflict do nothing`.execute(db);
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

/** An entry for each source. @returns how many */
export async function insertSourceEntries(
  db: Db,
  { run, after, qualifier, sources }: Omit<Sides, 'targets' | 'mapping'>,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into recon_entry (run_id, number, phase, qualifier, source_id)
    select ${run}::uuid, ${after}::bigint + row_number() over (order by s.id), 'source', ${qualifier}, s.id
    from ${sources} s`.execute(db);
  return Number(numAffectedRows);
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
