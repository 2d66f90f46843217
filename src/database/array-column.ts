import { type RawBuilder, sql } from 'kysely';

/** A column of these rows as an array, written as text: the driver would quote and escape each of its elements. */
export function numbers<Row>(
  rows: readonly Row[],
  type: 'bigint' | 'int' | 'float8' | 'boolean',
  read: (row: Row) => number | boolean | null,
): RawBuilder<unknown> {
  return array(rows.map((row) => read(row) ?? 'null').join(','), type);
}

/** The same for texts, of which most have nothing to escape. */
export function texts<Row>(
  rows: readonly Row[],
  type: 'text' | 'jsonb',
  read: (row: Row) => string | null,
): RawBuilder<unknown> {
  const written = rows.map((row) => {
    const text = read(row);
    return text === null ? 'null' : `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`;
  });
  return array(written.join(','), type);
}

function array(elements: string, type: string): RawBuilder<unknown> {
  return sql`${`{${elements}}`}::${sql.raw(type)}[]`;
}
