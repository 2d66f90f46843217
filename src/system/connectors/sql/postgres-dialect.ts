import { isIP, type Socket } from 'node:net';
import pg from 'pg';
import { readSoundMessages } from './postgres-messages.ts';
import { asConnectorError, SQL_STATES } from './sql-error-table.ts';
import type { Column, ColumnKind, Dialect, SqlLogin, SqlRow, SqlSession } from './sql-session.ts';

const KINDS: Readonly<Record<string, ColumnKind>> = {
  text: 'text',
  'character varying': 'text',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  numeric: 'decimal',
  real: 'real',
  'double precision': 'real',
  boolean: 'boolean',
  uuid: 'uuid',
  bytea: 'binary',
};
const CASTS: Readonly<Partial<Record<ColumnKind, string>>> = {
  text: '::text',
  integer: '::bigint',
  decimal: '::numeric',
  boolean: '::boolean',
  uuid: '::uuid',
};

/** Values as they are written there, but for those that JSON has as well. */
const READERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  20: integer,
  21: Number,
  23: Number,
  700: Number,
  701: Number,
};

export const postgresDialect: Dialect = {
  async open(login, socket) {
    const client = clientOf(login, socket);
    readSoundMessages(client);
    // An error that comes when nobody asks anything is told to whoever asks next.
    client.on('error', () => {});
    await client.connect();
    // A statement that nobody waits for any more ends soon; what is older than version 14 does not know it.
    await client.query("set client_connection_check_interval = '2s'").catch(() => {});
    return sessionOf(client);
  },
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  parameter: (number, kind) => `$${number}${CASTS[kind] ?? ''}`,
  columns: `select column_name, data_type, is_nullable = 'YES', column_default is not null or is_identity = 'YES',
      is_generated = 'ALWAYS' or identity_generation = 'ALWAYS'
    from information_schema.columns
    where table_schema = coalesce($1, current_schema()) and table_name = $2 order by ordinal_position`,
  column: ([name, type, isNullable, hasDefault, isGenerated]): Column => ({
    name: String(name),
    kind: KINDS[String(type)] ?? 'other',
    isNullable: isNullable === true,
    hasDefault: hasDefault === true || isGenerated === true,
    isGenerated: isGenerated === true,
  }),
  sameKey: (column, id) => [`${column} = `, id],
  boolean: (column, value) => `${column} = ${value}`,
  insertReturning: true,
  lastKey: '',
  emptyRow: 'default values',
  error(error) {
    const { code, column, detail } = error instanceof pg.DatabaseError ? error : {};
    // No object is known by all columns of a key that has several.
    const [, missing] = (code === '23503' && /^[^(]*\([^(),]+\)=\((.+)\)/.exec(detail ?? '')) || [];
    return asConnectorError(error, {
      kind: code === undefined ? undefined : (SQL_STATES[code] ?? SQL_STATES[code.slice(0, 2)]),
      code,
      attribute: column,
      missing,
    });
  },
};

function clientOf({ host, port, database, user, password, tls }: SqlLogin, socket: Socket): pg.Client {
  // It is on its way already, to where the operator lets it go.
  const stream = Object.assign(socket, { connect: () => socket });
  return new pg.Client({
    host,
    port,
    database,
    user: user ?? '',
    password: password?.reveal() ?? '',
    stream: () => stream,
    // A certificate is for the name, or the address, that was written.
    ssl:
      tls === undefined
        ? false
        : { ...tls, host, ...(isIP(host) === 0 ? { servername: host } : {}), rejectUnauthorized: true },
    application_name: 'svc',
    types: { getTypeParser: (oid: number) => READERS[oid] ?? String },
  });
}

function sessionOf(client: pg.Client): SqlSession {
  return {
    async query(text, values = []) {
      const { rows } = await client.query<unknown[]>({
        text,
        values: values.map((value) =>
          value instanceof Uint8Array
            ? Buffer.from(value)
            : typeof value === 'bigint'
              ? String(value)
              : value,
        ),
        rowMode: 'array',
      });
      return rows satisfies SqlRow[];
    },
    end() {
      void client.end().catch(() => {});
    },
  };
}

function integer(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
