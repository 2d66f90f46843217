import { ConnectorError } from '../../contract.ts';
import type { TableRule } from './sql-configuration.ts';
import type { Column, Dialect, SqlSession } from './sql-session.ts';

/** A table as the database describes it: names that go into a statement come from here alone. */
export interface Table {
  readonly name: string;
  /** The name as it stands in a statement. */
  readonly quoted: string;
  readonly columns: ReadonlyMap<string, Column>;
}

/** Where the values of attributes stand. */
export interface Layout {
  readonly table: Table;
  readonly key: Column;
  readonly children: readonly { readonly table: Table; readonly column: Column }[];
}

export interface ChildColumn {
  readonly table: Table;
  /** What refers to the key. */
  readonly reference: Column;
  readonly column: Column;
}

export async function readLayout(session: SqlSession, dialect: Dialect, rule: TableRule): Promise<Layout> {
  const table = await readTable(session, dialect, rule.table);
  const children = [];
  for (const child of rule.children) {
    const found = await readTable(session, dialect, child.table);
    children.push({ table: found, column: columnOf(found, child.column) });
  }
  return { table, key: columnOf(table, rule.key), children };
}

/** @throws ConnectorError `misconfigured` */
export function columnOf({ name, columns }: Table, wanted: string): Column {
  const found = columns.get(wanted);
  if (found !== undefined) return found;
  throw new ConnectorError(
    'misconfigured',
    `'${name}' has no column '${wanted}'; there are ${[...columns.keys()].join(', ')}`,
  );
}

/** The column of another table that an attribute is, such as `person_mail.address`. */
export function childColumnOf({ children }: Layout, attribute: string): ChildColumn | undefined {
  for (const { table, column: reference } of children) {
    if (!attribute.startsWith(`${table.name}.`)) continue;
    return { table, reference, column: columnOf(table, attribute.slice(table.name.length + 1)) };
  }
  return undefined;
}

/** @throws ConnectorError `misconfigured` */
export async function readTable(session: SqlSession, dialect: Dialect, name: string): Promise<Table> {
  const [, schema, own = name] = /^([^.]+)\.(.+)$/.exec(name) ?? [];
  const rows = await session.query(dialect.columns, [schema ?? null, own]);
  if (rows.length === 0) {
    throw new ConnectorError('misconfigured', `There is no table '${name}' that this login may see`);
  }
  const columns = rows.map((row) => dialect.column(row));
  return {
    name,
    quoted: [...(schema === undefined ? [] : [schema]), own].map(dialect.quote).join('.'),
    columns: new Map(columns.map((column) => [column.name, column])),
  };
}

export function notUnique({ table, key }: Layout, id: string): ConnectorError {
  return new ConnectorError('misconfigured', `'${key.name}' of '${table.name}' is not unique: '${id}'`);
}
