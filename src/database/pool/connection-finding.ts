import type { Finding } from '#errors/index.ts';
import { wordsOf } from '#errors/index.ts';
import { isConnectionLost, isUnable, sqlStateOf } from './sql-state.ts';

/** What to do when a first connection fails, by what Postgres or the network says. */
const HINTS: Readonly<Record<string, string>> = {
  '28P01': 'check user and password in DATABASE_URL; what is special in a URL is written %40, %2F, …',
  '28000': 'check user and password in DATABASE_URL, and pg_hba.conf on the server',
  '3D000': 'check the name in DATABASE_URL, or make the database: create database … owner …',
  '42501': 'the role needs the schema: grant usage, create on schema public to …',
  '53300': 'raise max_connections, or lower SVC_DATABASE_POOL: see Connections in docs/operations.md',
  '57P03': 'Postgres is starting or stopping; start again in a moment',
};
const NO_TLS = /does not support SSL|SSL\/TLS required|no encryption/i;

/**
 * A database that cannot be used, told to whoever starts something; undefined for errors of another kind. Shows no
 * password.
 *
 * @param role as whom it was asked, where that is known
 */
export function connectionFinding(error: unknown, role?: string): Finding | undefined {
  const state = sqlStateOf(error) ?? '';
  const said = wordsOf(error);
  const finding = (message: string, hint: string): Finding => ({
    id: 'DB_CANNOT_CONNECT',
    where: '',
    message,
    hint,
  });
  const hint =
    role === undefined ? HINTS[state] : HINTS[state]?.replace('public to …', `public to ${identifier(role)}`);
  if (hint !== undefined) return finding(`Postgres refuses: ${said}`, hint);
  if (isUnable(error)) return finding(`Postgres takes no changes: ${said}`, 'start again when it does');
  if (NO_TLS.test(said)) return finding(`Postgres refuses: ${said}`, 'see ?sslmode=… in DATABASE_URL');
  if (!isConnectionLost(error)) return undefined;
  return finding(
    `Postgres cannot be reached: ${said}`,
    'check that it runs, and host and port in DATABASE_URL',
  );
}

/** As SQL takes it. */
function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
