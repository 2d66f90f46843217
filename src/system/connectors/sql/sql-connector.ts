import { timingSafeEqual } from 'node:crypto';
import {
  ACCOUNT,
  type AttributeDelta,
  type AttributeInfo,
  type Attributes,
  type Capabilities,
  type ChangeBatch,
  type ChangesRequest,
  type Connector,
  ConnectorError,
  type ConnectorHost,
  type ConnectorKind,
  type Entry,
  type LATEST,
  type ObjectClass,
  PASSWORD,
  type Page,
  type ReadRequest,
  type SearchQuery,
  type Secret,
  type Token,
  type WriteRequest,
  type WriteResult,
} from '../../contract.ts';
import { changeTriggers } from './change-triggers.ts';
import { mysqlDialect } from './mysql-dialect.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { columnOf, type Layout, notUnique, readLayout } from './sql-catalogue.ts';
import { changesOfColumn, changesOfTable } from './sql-changes.ts';
import {
  ignoredProperties,
  loginOf,
  otherTypes,
  type SqlConfiguration,
  sqlProblems,
  sqlProperties,
  tableOf,
} from './sql-configuration.ts';
import { keyCondition, sqlCondition } from './sql-filter.ts';
import { SqlPool } from './sql-pool.ts';
import { entriesOf, readsOf } from './sql-rows.ts';
import {
  type ColumnKind,
  type Dialect,
  type Part,
  rendered,
  type SqlRow,
  type SqlSession,
} from './sql-session.ts';
import { changeRow, hasNoKey, makeRow, removeRow } from './sql-writes.ts';

/** Rows of tables. */
export const sqlKind: ConnectorKind<typeof sqlProperties> = {
  id: 'sql',
  displayName: 'Database table',
  names: [
    'org.identityconnectors.databasetable.DatabaseTableConnector',
    'net.tirasa.connid.bundles.db.table.DatabaseTableConnector',
  ],
  findsByIds: true,
  properties: sqlProperties,
  ignored: ignoredProperties,
  check: sqlProblems,
  preparation: changeTriggers,
  open: (configuration, host) => new SqlConnector(configuration, host),
};

const MOST_A_PAGE = 1_000;
const DIALECTS = { postgresql: postgresDialect, mysql: mysqlDialect } as const;
const TYPES: Readonly<Record<ColumnKind, AttributeInfo['type']>> = {
  text: 'string',
  uuid: 'string',
  other: 'string',
  integer: 'integer',
  decimal: 'number',
  real: 'number',
  boolean: 'boolean',
  binary: 'binary',
};

class SqlConnector implements Connector {
  readonly capabilities: Capabilities;
  readonly #configuration: SqlConfiguration;
  readonly #dialect: Dialect;
  readonly #pool: SqlPool;
  readonly #layouts = new Map<string, Layout>();

  constructor(configuration: SqlConfiguration, host: ConnectorHost) {
    this.#configuration = configuration;
    const { caFile, changeTable, changeLogColumn } = configuration;
    this.capabilities = {
      create: true,
      update: true,
      delete: true,
      filter: ['eq', 'co', 'sw', 'ew', 'lt', 'le', 'gt', 'ge', 'pr', 'in'],
      stableListing: true,
      changes: changeTable !== undefined ? 'full' : changeLogColumn !== undefined ? 'upserts' : 'none',
      maxConcurrency: 50,
    };
    const login = loginOf(configuration, caFile === undefined ? undefined : host.resolveFile(caFile));
    this.#dialect = DIALECTS[login.dialect];
    this.#pool = new SqlPool(this.#dialect, login, host.connect);
  }

  async test(signal: AbortSignal): Promise<void> {
    this.#layouts.clear();
    await this.#pool.read(signal, async (session) => {
      for (const type of this.#types) {
        const { table, key, children } = await this.#layout(session, type);
        if (type === ACCOUNT) columnOf(table, this.#configuration.passwordColumn ?? key.name);
        for (const { quoted } of [table, ...children.map((child) => child.table)]) {
          await session.query(`select 1 from ${quoted} limit 1`);
        }
      }
    });
  }

  schema(signal: AbortSignal): Promise<readonly ObjectClass[]> {
    this.#layouts.clear();
    return this.#pool.read(signal, async (session) => {
      const classes: ObjectClass[] = [];
      for (const type of this.#types) {
        const layout = await this.#layout(session, type);
        classes.push({ name: type, attributes: this.#attributesOf(type, layout) });
      }
      return classes;
    });
  }

  get(type: string, id: string, { signal, attributes }: ReadRequest): Promise<Entry | undefined> {
    return this.#read(signal, type, async (session, layout) => {
      const condition = keyCondition(this.#key(layout), layout.key, id, this.#dialect);
      if (condition === undefined) return undefined;
      const [entry, other] = await this.#select(session, layout, attributes, [
        ' where ',
        ...condition,
        ' limit 2',
      ]);
      if (other !== undefined) throw notUnique(layout, id);
      return entry;
    });
  }

  async *search(
    type: string,
    { filter, comparison, pageSize }: SearchQuery,
    { signal, attributes }: ReadRequest,
  ): AsyncGenerator<Page> {
    const size = Math.min(pageSize, MOST_A_PAGE);
    let last: string | undefined;
    do {
      const { entries, next, isExact } = await this.#read(signal, type, async (session, layout) => {
        const scope = { dialect: this.#dialect, layout };
        const { parts = [], isExact: exact } =
          filter === undefined ? { isExact: true } : sqlCondition(filter, scope);
        const key = this.#key(layout);
        // An index of the key serves each page, and what is written meanwhile moves no other row.
        const rest: readonly Part[] = [
          ` where ${key} ${last === undefined ? 'is not null' : '> '}`,
          ...(last === undefined ? [] : [{ value: last, kind: layout.key.kind }]),
          ...(parts.length === 0 ? [] : [' and ', ...parts]),
          ` order by ${key} limit ${size + 1}`,
        ];
        const found = await this.#select(session, layout, attributes, rest);
        const page = found.slice(0, size);
        const twin = found.find(({ id }, place) => id === found[place - 1]?.id);
        if (twin !== undefined) throw notUnique(layout, twin.id);
        return { entries: page, next: found.length > size ? page.at(-1)?.id : undefined, isExact: exact };
      });
      last = next;
      const isSuperset = filter !== undefined && (comparison === 'exact' || !isExact);
      if (entries.length > 0) yield { entries, isSuperset };
    } while (last !== undefined);
  }

  async *changes(
    type: string,
    token: Token | typeof LATEST,
    request: ChangesRequest,
  ): AsyncGenerator<ChangeBatch> {
    const { changeTable, changeLogColumn } = this.#configuration;
    let since: Token = token;
    for (;;) {
      const batch = await this.#read(request.signal, type, (session, layout) => {
        const select = this.#select.bind(this, session, layout);
        const place = { session, layout, dialect: this.#dialect, select };
        if (changeTable !== undefined) return changesOfTable(changeTable, since)(place, request);
        if (changeLogColumn !== undefined) return changesOfColumn(changeLogColumn, since)(place, request);
        throw new ConnectorError(
          'notSupported',
          "Without 'changeTable' or 'changeLogColumn' nobody can tell",
        );
      });
      yield batch;
      if (batch.isLast) return;
      since = batch.token;
    }
  }

  create(type: string, attributes: Attributes, { signal }: WriteRequest): Promise<WriteResult> {
    return this.#write(signal, type, async (session, layout) => ({
      id: await makeRow(this.#place(session, layout), attributes),
    }));
  }

  createIsBlind(type: string, attributes: Attributes, signal: AbortSignal): Promise<boolean> {
    return this.#read(signal, type, async (session, layout) =>
      hasNoKey(this.#place(session, layout), attributes),
    );
  }

  update(
    type: string,
    id: string,
    deltas: readonly AttributeDelta[],
    { signal }: WriteRequest,
  ): Promise<WriteResult> {
    return this.#write(signal, type, async (session, layout) => ({
      id: await changeRow(this.#place(session, layout), id, deltas),
    }));
  }

  delete(type: string, id: string, { signal }: WriteRequest): Promise<void> {
    return this.#write(signal, type, (session, layout) => removeRow(this.#place(session, layout), id));
  }

  authenticate(type: string, name: string, password: Secret, signal: AbortSignal): Promise<string> {
    const { passwordColumn } = this.#configuration;
    return this.#read(signal, type, async (session, layout) => {
      if (passwordColumn === undefined || type !== ACCOUNT) {
        throw new ConnectorError('notSupported', 'No column holds passwords');
      }
      const column = columnOf(layout.table, passwordColumn);
      const condition = keyCondition(this.#key(layout), layout.key, name, this.#dialect);
      const [row] =
        condition === undefined
          ? []
          : await this.#query(session, [
              `select ${this.#dialect.quote(column.name)} from ${layout.table.quoted} t where `,
              ...condition,
            ]);
      const stored = row?.[0];
      if (typeof stored === 'string' && isSame(stored, password.reveal())) return name;
      throw new ConnectorError('invalidCredentials', 'The name or the password is wrong');
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pool.close();
  }

  get #types(): readonly string[] {
    return [ACCOUNT, ...otherTypes(this.#configuration)];
  }

  #key({ key }: Layout): string {
    return `t.${this.#dialect.quote(key.name)}`;
  }

  #place(session: SqlSession, layout: Layout) {
    const { passwordColumn } = this.#configuration;
    return { session, layout, dialect: this.#dialect, passwordColumn };
  }

  #query(session: SqlSession, parts: readonly Part[]): Promise<readonly SqlRow[]> {
    const { text, values } = rendered(this.#dialect, parts);
    return session.query(text, values);
  }

  async #select(
    session: SqlSession,
    layout: Layout,
    attributes: readonly string[] | undefined,
    rest: readonly Part[],
  ): Promise<readonly Entry[]> {
    const { passwordColumn } = this.#configuration;
    const reads = readsOf(layout, attributes, passwordColumn);
    const names = [this.#key(layout), ...reads.own.map(({ name }) => `t.${this.#dialect.quote(name)}`)];
    const rows = await this.#query(session, [
      `select ${names.join(', ')} from ${layout.table.quoted} t`,
      ...rest,
    ]);
    return entriesOf({ session, dialect: this.#dialect, layout }, reads, rows);
  }

  async #layout(session: SqlSession, type: string): Promise<Layout> {
    const known = this.#layouts.get(type);
    if (known !== undefined) return known;
    const layout = await readLayout(session, this.#dialect, tableOf(this.#configuration, type));
    this.#layouts.set(type, layout);
    return layout;
  }

  #read<T>(
    signal: AbortSignal,
    type: string,
    work: (session: SqlSession, layout: Layout) => Promise<T>,
  ): Promise<T> {
    return this.#forgetting(() =>
      this.#pool.read(signal, async (session) => work(session, await this.#layout(session, type))),
    );
  }

  #write<T>(
    signal: AbortSignal,
    type: string,
    work: (session: SqlSession, layout: Layout) => Promise<T>,
  ): Promise<T> {
    return this.#forgetting(() =>
      this.#pool.write(signal, async (session) => work(session, await this.#layout(session, type))),
    );
  }

  /** A table that is no more what it was is looked at again by whoever comes next. */
  async #forgetting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConnectorError && error.kind === 'misconfigured') this.#layouts.clear();
      throw error;
    }
  }

  #attributesOf(type: string, { table, key, children }: Layout): readonly AttributeInfo[] {
    const { passwordColumn } = this.#configuration;
    const own = [...table.columns.values()].map(({ name, kind, isNullable, hasDefault, isGenerated }) =>
      type === ACCOUNT && name === passwordColumn
        ? { name: PASSWORD, type: 'secret' as const }
        : {
            name,
            type: TYPES[kind],
            ...(isNullable || hasDefault ? {} : { isRequired: true }),
            ...(isGenerated && name !== key.name ? { isReadOnly: true } : {}),
          },
    );
    const others = children.flatMap(({ table: child, column }) =>
      [...child.columns.values()]
        .filter((one) => one !== column && !one.hasDefault)
        .map((one) => ({ name: `${child.name}.${one.name}`, type: TYPES[one.kind], isMultiValued: true })),
    );
    return [...own, ...others];
  }
}

function isSame(stored: string, given: string): boolean {
  const [one, other] = [Buffer.from(stored), Buffer.from(given)];
  return one.length > 0 && one.length === other.length && timingSafeEqual(one, other);
}
