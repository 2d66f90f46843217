import { ConnectorError, type Entry, NAME, PASSWORD, type Scalar, Secret, UID } from '../../contract.ts';
import { type ChildColumn, childColumnOf, columnOf, type Layout } from './sql-catalogue.ts';
import {
  type Column,
  type Dialect,
  type Part,
  rendered,
  type SqlRow,
  type SqlSession,
  type SqlValue,
} from './sql-session.ts';

/** What is to be read for an entry. */
export interface Reads {
  readonly own: readonly Column[];
  /** Columns of other tables, by the attribute that their values fill. */
  readonly children: ReadonlyMap<string, ChildColumn>;
}

/** @param attributes undefined for all but the password @throws ConnectorError `misconfigured` for what is no column */
export function readsOf(
  layout: Layout,
  attributes: readonly string[] | undefined,
  passwordColumn: string | undefined,
): Reads {
  if (attributes === undefined) {
    const own = [...layout.table.columns.values()].filter(({ name }) => name !== passwordColumn);
    return { own, children: new Map() };
  }
  const children = new Map<string, ChildColumn>();
  const own = new Set<Column>();
  for (const attribute of attributes) {
    if (attribute === PASSWORD || attribute === UID || attribute === NAME) continue;
    const child = childColumnOf(layout, attribute);
    if (child !== undefined) children.set(attribute, child);
    else own.add(columnOf(layout.table, attribute));
  }
  return { own: [...own], children };
}

/** @param rows the key, and then the columns of `own` */
export async function entriesOf(
  {
    session,
    dialect,
    layout,
  }: { readonly session: SqlSession; readonly dialect: Dialect; readonly layout: Layout },
  { own, children }: Reads,
  rows: readonly SqlRow[],
): Promise<readonly Entry[]> {
  const all = rows.map((row) => {
    const attributes = new Map<string, Scalar[]>();
    for (const [place, { name }] of own.entries()) {
      const value = scalarOf(row[place + 1]);
      if (value !== undefined) attributes.set(name, [value]);
    }
    const id = keyText(row[0]);
    return { id, name: id, attributes };
  });
  if (all.length === 0 || children.size === 0) return all;
  const byId = new Map(all.map((entry) => [entry.id, entry.attributes]));
  for (const [attribute, { table, reference, column }] of children) {
    const [referring, shown] = [dialect.quote(reference.name), dialect.quote(column.name)];
    const keys = all.map(({ id }, place): readonly Part[] => [
      place === 0 ? '' : ', ',
      { value: id, kind: layout.key.kind },
    ]);
    const { text, values } = rendered(dialect, [
      `select ${referring}, ${shown} from ${table.quoted} where ${shown} is not null and ${referring} in (`,
      ...keys.flat(),
      `) order by ${referring}, ${shown}`,
    ]);
    for (const [id, value] of await session.query(text, values)) {
      const found = scalarOf(value);
      const attributes = byId.get(keyText(id));
      if (found === undefined || attributes === undefined) continue;
      const before = attributes.get(attribute);
      if (before === undefined) attributes.set(attribute, [found]);
      else before.push(found);
    }
  }
  return all;
}

/** @throws ConnectorError `invalid` for what no column takes */
export function sqlValue(value: Scalar, attribute: string): SqlValue {
  if (value instanceof Secret) return value.reveal();
  if (typeof value === 'string' && value.includes('\0')) {
    throw new ConnectorError('invalid', `'${attribute}' has a character that no database keeps`, {
      attribute,
    });
  }
  return value;
}

/** A key as an id. */
export function keyText(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value);
}

function scalarOf(value: unknown): Scalar | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  return typeof value === 'boolean' || value instanceof Uint8Array ? value : String(value);
}
