import {
  type AttributeDelta,
  type Attributes,
  ConnectorError,
  NAME,
  PASSWORD,
  type Scalar,
  UID,
} from '../../contract.ts';
import { type ChildColumn, childColumnOf, type Layout } from './sql-catalogue.ts';
import { keyCondition } from './sql-filter.ts';
import { keyText, sqlValue } from './sql-rows.ts';
import {
  type Column,
  type Dialect,
  type Part,
  rendered,
  type SqlRow,
  type SqlSession,
} from './sql-session.ts';

/** Rows that one statement makes. */
const ROWS_AT_ONCE = 500;

export interface WritePlace {
  readonly session: SqlSession;
  readonly dialect: Dialect;
  readonly layout: Layout;
  readonly passwordColumn: string | undefined;
}

/** Values of an attribute that are rows of another table. */
interface ChildChange {
  readonly place: ChildColumn;
  readonly delta: AttributeDelta;
}

/** Whether the database makes up the key of a row with these: there may be any number of such. */
export function hasNoKey(place: WritePlace, attributes: Attributes): boolean {
  const { own } = sorted(place, replacing(attributes));
  return own.get(place.layout.key)?.[0] === undefined;
}

/** @returns its key @throws ConnectorError `alreadyExists`, `invalid` */
export async function makeRow(place: WritePlace, attributes: Attributes): Promise<string> {
  const { dialect, layout, session } = place;
  const { own, children } = sorted(place, replacing(attributes));
  const set = [...own].filter(([, values]) => values.length > 0);
  const { quoted } = layout.table;
  const key = dialect.quote(layout.key.name);
  const given = own.get(layout.key)?.[0];
  if (given === undefined && !layout.key.hasDefault) {
    const attribute = layout.key.name;
    throw new ConnectorError('invalid', `A row needs '${attribute}'`, { attribute });
  }
  const names = set.map(([{ name }]) => dialect.quote(name)).join(', ');
  const returning = dialect.insertReturning ? ` returning ${key}` : '';
  const [made] = await run(
    place,
    set.length === 0
      ? [`insert into ${quoted} ${dialect.emptyRow}${returning}`]
      : [
          `insert into ${quoted} (${names}) values (`,
          ...set.flatMap(([column, values], at) => [at === 0 ? '' : ', ', ...bound(column, values)]),
          `)${returning}`,
        ],
  ).catch((error: unknown) => {
    const told = dialect.error(error);
    if (!(told instanceof ConnectorError) || told.kind !== 'alreadyExists' || given === undefined) throw told;
    throw new ConnectorError('alreadyExists', told.message, {
      existingId: keyText(sqlValue(given, layout.key.name)),
      nativeCode: told.nativeCode ?? '',
    });
  });
  const told = made ?? (given === undefined ? (await session.query(dialect.lastKey))[0] : undefined);
  const id = keyText(
    told === undefined && given !== undefined ? sqlValue(given, layout.key.name) : told?.[0],
  );
  for (const change of children) await changeChildren(place, id, change);
  return id;
}

/** @returns the key that it has afterwards @throws ConnectorError `notFound`, `alreadyExists`, `invalid` */
export async function changeRow(
  place: WritePlace,
  id: string,
  deltas: readonly AttributeDelta[],
): Promise<string> {
  const { dialect, layout } = place;
  const { own, children } = sorted(place, deltas);
  const { quoted } = layout.table;
  const condition = keyCondition(dialect.quote(layout.key.name), layout.key, id, dialect);
  const found =
    condition === undefined
      ? []
      : await run(place, [`select 1 from ${quoted} where `, ...condition, ' for update']);
  if (condition === undefined || found.length === 0)
    throw new ConnectorError('notFound', `There is no row '${id}'`);
  const renamed = own.get(layout.key);
  if (renamed?.length === 0) {
    const attribute = layout.key.name;
    throw new ConnectorError('invalid', `A row needs '${attribute}'`, { attribute });
  }
  for (const change of children) await changeChildren(place, id, change);
  if (own.size > 0) {
    const parts = [...own].flatMap(([column, values], at): readonly Part[] => [
      `${at === 0 ? '' : ', '}${dialect.quote(column.name)} = `,
      ...bound(column, values),
    ]);
    await run(place, [`update ${quoted} set `, ...parts, ' where ', ...condition]);
  }
  const [name] = renamed ?? [];
  const now = name === undefined ? id : keyText(sqlValue(name, layout.key.name));
  if (now !== id) {
    // Where no constraint takes them along.
    for (const { table, column } of layout.children) {
      await run(place, [
        `update ${table.quoted} set ${dialect.quote(column.name)} = `,
        { value: now, kind: layout.key.kind },
        ` where ${dialect.quote(column.name)} = `,
        { value: id, kind: layout.key.kind },
      ]);
    }
  }
  return now;
}

export async function removeRow(place: WritePlace, id: string): Promise<void> {
  const { dialect, layout } = place;
  const condition = keyCondition(dialect.quote(layout.key.name), layout.key, id, dialect);
  if (condition === undefined) return;
  for (const { table, column } of layout.children) {
    const own = keyCondition(dialect.quote(column.name), layout.key, id, dialect);
    if (own !== undefined) await run(place, [`delete from ${table.quoted} where `, ...own]);
  }
  await run(place, [`delete from ${layout.table.quoted} where `, ...condition]);
}

async function changeChildren(
  place: WritePlace,
  id: string,
  { place: child, delta }: ChildChange,
): Promise<void> {
  const { dialect, layout } = place;
  const { table, reference, column } = child;
  const [referring, shown] = [dialect.quote(reference.name), dialect.quote(column.name)];
  const key: Part = { value: id, kind: layout.key.kind };
  const value = (one: Scalar): Part => ({ value: sqlValue(one, delta.name), kind: column.kind });
  const isIt = (one: Scalar): readonly Part[] =>
    column.kind === 'text'
      ? dialect.sameKey(shown, { value: sqlValue(one, delta.name), kind: 'text' })
      : [`${shown} = `, value(one)];
  if ('replace' in delta) await run(place, [`delete from ${table.quoted} where ${referring} = `, key]);
  for (const one of 'replace' in delta ? [] : delta.remove) {
    await run(place, [`delete from ${table.quoted} where ${referring} = `, key, ' and ', ...isIt(one)]);
  }
  const all = [...new Set('replace' in delta ? delta.replace : delta.add)];
  const added = 'replace' in delta ? all : [];
  for (const one of 'replace' in delta ? [] : all) {
    const found = await run(place, [
      `select 1 from ${table.quoted} where ${referring} = `,
      key,
      ' and ',
      ...isIt(one),
    ]);
    if (found.length === 0) added.push(one);
  }
  for (let at = 0; at < added.length; at += ROWS_AT_ONCE) {
    const rows = added
      .slice(at, at + ROWS_AT_ONCE)
      .flatMap((one, line): readonly Part[] => [
        line === 0 ? '(' : ', (',
        { value: id, kind: 'other' },
        ', ',
        { value: sqlValue(one, delta.name), kind: 'other' },
        ')',
      ]);
    await run(place, [`insert into ${table.quoted} (${referring}, ${shown}) values `, ...rows]);
  }
}

function replacing(attributes: Attributes): readonly AttributeDelta[] {
  return [...attributes].map(([name, replace]) => ({ name, replace }));
}

/** What is written into the row, and what into other tables. @throws ConnectorError `invalid` */
function sorted(
  { layout, passwordColumn }: WritePlace,
  deltas: readonly AttributeDelta[],
): { readonly own: ReadonlyMap<Column, readonly Scalar[]>; readonly children: readonly ChildChange[] } {
  const own = new Map<Column, readonly Scalar[]>();
  const children: ChildChange[] = [];
  for (const delta of deltas) {
    const attribute = delta.name;
    const child = childColumnOf(layout, attribute);
    if (child !== undefined) {
      children.push({ place: child, delta });
      continue;
    }
    const isKey = attribute === NAME || attribute === UID;
    const name = attribute === PASSWORD ? (passwordColumn ?? attribute) : attribute;
    const column = isKey ? layout.key : layout.table.columns.get(name);
    if (column === undefined) {
      throw new ConnectorError('invalid', `'${layout.table.name}' has no column '${name}'`, { attribute });
    }
    const values = 'replace' in delta ? delta.replace : delta.add;
    if (values.length > 1 || !('replace' in delta)) {
      throw new ConnectorError('invalid', `The column '${name}' takes one value`, { attribute });
    }
    own.set(column, values);
  }
  return { own, children };
}

/** A value that is written has the type of its column. */
function bound({ name }: Column, [value]: readonly Scalar[]): readonly Part[] {
  return [{ value: value === undefined ? null : sqlValue(value, name), kind: 'other' }];
}

function run({ session, dialect }: WritePlace, parts: readonly Part[]): Promise<readonly SqlRow[]> {
  const { text, values } = rendered(dialect, parts);
  return session.query(text, values);
}
