import mysql from 'mysql2/promise';
import pg from 'pg';
import { ForeignSourceError } from './foreign-source-error.ts';

/** The database of the other server, which is only read. */
export interface ForeignDatabase extends AsyncDisposable {
  /** Host, port and name; no password. */
  readonly place: string;
  /** Names of the columns, by table; all in lower case. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** A table by its whole name. */
  table(name: string): string;
  column(name: string): string;
  /** An expression of any type as text. */
  asText(expression: string): string;
  /** An expression of bytes as Base64. */
  asBase64(expression: string): string;
  /** @param text with `?` for values. @returns rows of texts, as the columns stand */
  rows(text: string, values?: readonly (string | number)[]): Promise<readonly (readonly (string | null)[])[]>;
}

const SCHEMA = 'openidm';
const CONNECT_MS = 20_000;

/**
 * @param url `postgres://…` or `mysql://…`, also for MariaDB; as Java writes it, too (`jdbc:…`)
 * @param schema of Postgres; default `openidm`. Of MySQL the name in the URL is meant
 * @throws ForeignSourceError for a URL that is none of the two, or where nobody answers
 */
export async function openForeignDatabase(
  url: string,
  password: string | undefined,
  schema: string | undefined,
): Promise<ForeignDatabase> {
  const address = parse(url);
  if (password !== undefined) address.password = encodeURIComponent(password);
  try {
    return /^postgres(?:ql)?:$/.test(address.protocol)
      ? await openPostgres(address, schema ?? SCHEMA)
      : await openMysql(address);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new ForeignSourceError(`${placeOf(address)} cannot be read: ${said}`, { cause: error });
  }
}

function parse(given: string): URL {
  const url = URL.parse(given.replace(/^jdbc:/, ''));
  if (url !== null && /^(?:postgres(?:ql)?|mysql|mariadb):$/.test(url.protocol) && url.pathname.length > 1)
    return url;
  throw new ForeignSourceError(
    'the database is no postgres://host/name or mysql://host/name; others are read over REST: https://host/openidm',
  );
}

const placeOf = ({ host, pathname }: URL) => `${host}${pathname}`;

const COLUMNS = 'select table_name, lower(column_name) from information_schema.columns where table_schema = ';

async function openPostgres(url: URL, schema: string): Promise<ForeignDatabase> {
  const pool = new pg.Pool({
    connectionString: url.href,
    max: 1,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'svc import',
    options: '-c default_transaction_read_only=on',
  });
  pool.on('error', () => {});
  const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const rows: ForeignDatabase['rows'] = async (text, values = []) => {
    let number = 0;
    const numbered = text.replace(/\?/g, () => `$${++number}`);
    const answer = await pool.query<unknown[]>({ text: numbered, values: [...values], rowMode: 'array' });
    return answer.rows.map((row) => row.map(asText));
  };
  return closing(pool, {
    place: `${placeOf(url)}, schema ${schema}`,
    ...(await tablesOf(rows, `${COLUMNS}?`, [schema], (name) => `${quote(schema)}.${quote(name)}`)),
    column: quote,
    asText: (expression) => `${expression}::text`,
    asBase64: (expression) => `encode(${expression}, 'base64')`,
    rows,
  });
}

async function openMysql(url: URL): Promise<ForeignDatabase> {
  const pool = mysql.createPool({
    host: url.hostname,
    port: Number(url.port === '' ? 3306 : url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    charset: 'utf8mb4_bin',
    // Files of this machine are none of its business.
    flags: ['-LOCAL_FILES'],
    connectionLimit: 1,
    connectTimeout: CONNECT_MS,
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    jsonStrings: true,
    rowsAsArray: true,
    ...(url.searchParams.get('ssl') === 'true'
      ? { ssl: { minVersion: 'TLSv1.2', verifyIdentity: true } }
      : {}),
  });
  const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``;
  const rows: ForeignDatabase['rows'] = async (text, values = []) => {
    const [answer] = await pool.query(text, [...values]);
    return Array.isArray(answer) ? answer.map((row) => (Array.isArray(row) ? row.map(asText) : [])) : [];
  };
  return closing(pool, {
    place: placeOf(url),
    ...(await tablesOf(rows, `${COLUMNS}database()`, [], quote)),
    column: quote,
    asText: (expression) => expression,
    asBase64: (expression) => `to_base64(${expression})`,
    rows,
  });
}

function closing(
  pool: { end(): Promise<void> },
  opened: Omit<ForeignDatabase, typeof Symbol.asyncDispose>,
): ForeignDatabase {
  return { ...opened, [Symbol.asyncDispose]: () => pool.end() };
}

/** Some servers tell tables apart by their capitals. */
async function tablesOf(
  rows: ForeignDatabase['rows'],
  text: string,
  values: readonly string[],
  quote: (name: string) => string,
): Promise<Pick<ForeignDatabase, 'tables' | 'table'>> {
  const tables = new Map<string, Set<string>>();
  const names = new Map<string, string>();
  for (const [table, column] of await rows(text, values)) {
    if (typeof table !== 'string' || typeof column !== 'string') continue;
    const name = table.toLowerCase();
    names.set(name, table);
    tables.set(name, (tables.get(name) ?? new Set()).add(column));
  }
  return { tables, table: (name) => quote(names.get(name) ?? name) };
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
