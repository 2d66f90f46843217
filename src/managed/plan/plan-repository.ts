import { sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';

/** What is counted of a property: objects with a value, without one, or with one of another type. */
export interface CountedProperty {
  readonly kind: 'property.removed' | 'property.retyped' | 'property.required';
  readonly name: string;
  /** It is a relationship, and stands in a table of its own. */
  readonly isEdge: boolean;
  readonly type?: string;
}

export interface CountOfProperty {
  readonly asked: CountedProperty;
  readonly count: number;
  /** Ids of a few. */
  readonly sample: readonly string[];
}

const SAMPLE = 5;

export async function countObjects(db: Db, type: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from managed_object where type = ${type}`.execute(db);
  return oneRow(rows).count;
}

/** One look at all objects of the type, whatever is counted. */
export async function countProperties(
  db: Db,
  type: string,
  asked: readonly CountedProperty[],
): Promise<readonly CountOfProperty[]> {
  const plain = asked.filter(({ isEdge }) => !isEdge);
  const counted = plain.map((property, at) => {
    const test = testOf(property);
    return sql`count(*) filter (where ${test})::int as ${sql.id(`count${at}`)},
      (array_agg(id order by id) filter (where ${test}))[1:${sql.lit(SAMPLE)}] as ${sql.id(`sample${at}`)}`;
  });
  const counts = new Map<CountedProperty, Omit<CountOfProperty, 'asked'>>();
  if (plain.length > 0) {
    const { rows } = await sql<Record<string, number | string[] | null>>`
      select ${sql.join(counted)} from managed_object where type = ${type}`.execute(db);
    const row = oneRow(rows);
    for (const [at, property] of plain.entries()) {
      const sample = row[`sample${at}`];
      counts.set(property, { count: Number(row[`count${at}`]), sample: Array.isArray(sample) ? sample : [] });
    }
  }
  for (const property of asked.filter(({ isEdge }) => isEdge)) {
    counts.set(property, { count: await countEdges(db, type, property.name), sample: [] });
  }
  return asked.map((property) => ({
    asked: property,
    ...(counts.get(property) ?? { count: 0, sample: [] }),
  }));
}

function testOf({ kind, name, type }: CountedProperty) {
  const value = sql`data -> ${sql.lit(name)}`;
  if (kind === 'property.required') return sql`coalesce(${value}, 'null') = 'null'`;
  if (kind === 'property.retyped') {
    return sql`jsonb_typeof(${value}) not in ('null', ${sql.lit(type ?? 'null')})`;
  }
  return sql`data ? ${sql.lit(name)}`;
}

async function countEdges(db: Db, type: string, property: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from relationship
    where (first_collection = ${`managed/${type}`} and first_property = ${property})
       or (second_collection = ${`managed/${type}`} and second_property = ${property})`.execute(db);
  return oneRow(rows).count;
}

/** Objects whose condition names a property, as their paths. */
export async function listConditions(
  db: Db,
  { type, field, property, most }: { type: string; field: string; property: string; most: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from managed_object
    where type = ${type} and strpos(data ->> ${field}, ${property}) > 0 order by id limit ${most}`.execute(
    db,
  );
  return rows.map(({ id }) => `managed/${type}/${id}`);
}
