import type pg from 'pg';

/** How a client of `pg` speaks to its server: each method sends one message, each message heard is emitted. */
export interface Wire {
  /** Texts by the name under which the server has them prepared. */
  readonly parsedStatements: Record<string, string>;
  readonly stream: { readonly bytesRead: number; cork(): void; uncork(): void; destroy(error?: Error): void };
  query(text: string): void;
  parse(message: { readonly name?: string; readonly text: string; readonly types?: readonly number[] }): void;
  bind(message: { readonly statement?: string }): void;
  execute(message: object): void;
  emit(event: string, message?: unknown): boolean;
  /** A listener that hears of rows before the client does. */
  prependListener(event: 'dataRow', listener: (row: { readonly length: number }) => void): void;
}

/** All that this room uses of `pg` and its types do not show: what to look at when `pg` is upgraded. */
type Inner = pg.ClientBase & {
  /** The process id by which the server introduced itself, or a pooler that stands before it. */
  readonly processID: number | null;
  readonly readyForQuery: boolean;
  readonly connection: Wire;
  _getActiveQuery(): Statement | null;
};

/** A statement under way, and what is done with its outcome. */
interface Statement {
  callback?: (error: unknown, result?: unknown) => void;
  _result: { rows: unknown[] };
  /** It fails by that, and keeps no more rows. */
  _canceledDueToError: unknown;
}

/** The name of a prepared statement that stands for its text; `svc_begin` is none. */
const OWN_NAME = /^svc_\d+$/;

const sessions = new WeakMap<pg.ClientBase, number>();

/** @param backend what `pg_backend_pid()` answers there; another number than that of the connection is a pooler's */
export function noteSession(client: pg.ClientBase, backend: number | undefined): void {
  if (backend !== undefined && (client as Inner).processID === backend) sessions.set(client, backend);
}

/** What Postgres knows the connection by; null while that is not noted, and when a pooler stands between. */
export function sessionOf(client: pg.ClientBase): number | null {
  return sessions.get(client) ?? null;
}

/** Where a client goes that has not connected yet. */
export function aim(
  client: pg.Client,
  { host, port }: { readonly host: string; readonly port: number },
): void {
  Object.assign(client, { host, port });
}

export function wireOf(client: pg.ClientBase): Wire {
  return (client as Inner).connection;
}

/** Bytes that have come from the server so far. */
export function bytesRead(client: pg.ClientBase): number {
  return wireOf(client).stream.bytesRead;
}

/** Whether something was sent that the server has not answered to its end. */
export function awaitsAnswer(client: pg.ClientBase): boolean {
  return !(client as Inner).readyForQuery;
}

/** What tells the statement under way from others; null when there is none. */
export function statementOf(client: pg.ClientBase): object | null {
  return (client as Inner)._getActiveQuery() ?? null;
}

/** Has the statement under way fail, whatever comes of it, and lets nobody know before `told`. Its rows are dropped. */
export function failStatement(client: pg.ClientBase, error: Error, told: Promise<void>): void {
  const statement = (client as Inner)._getActiveQuery();
  if (statement == null) return;
  const { callback } = statement;
  statement._canceledDueToError = error;
  statement._result.rows = [];
  statement.callback = (...outcome) => void told.then(() => callback?.(...outcome));
}

/** The client takes statements of ours for unknown that are to go. @returns their names, which the server still knows */
export function forgetStatements(
  client: pg.ClientBase,
  isGone: (name: string) => boolean,
): readonly string[] {
  const { parsedStatements } = wireOf(client);
  const gone = Object.keys(parsedStatements).filter((name) => OWN_NAME.test(name) && isGone(name));
  for (const name of gone) delete parsedStatements[name];
  return gone;
}

/** Closes the socket without a word to the server; `client.end()` would wait for the statement under way. */
export function dropConnection(client: pg.ClientBase, reason?: Error): void {
  wireOf(client).stream.destroy(reason);
}
