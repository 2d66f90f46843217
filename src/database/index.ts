/**
 * Postgres: the pool, the unit of work, migrations, wake-ups, the embedded server.
 *
 * Words: a *unit of work* is one transaction with what must happen after its commit, a *change* is what it
 * stored, a *wake-up* is a NOTIFY that only saves time. Invariants: an error rolls everything back; nobody
 * notifies inside a business transaction; statements of a request go through its unit of work.
 */
export { numbers, texts } from './array-column.ts';
export { Batcher } from './batcher.ts';
export type { Actor, Change } from './change.ts';
export { clockService } from './clock-service.ts';
export { connectionFinding, wordsOf } from './connection-finding.ts';
export { type Database, type DatabaseOptions, type Db, openDatabase, type Transaction } from './database.ts';
export { DatabaseClock } from './database-clock.ts';
export { type Trouble, troubled, troubleOf } from './database-error.ts';
export type { Effect, TraceEntry } from './effect.ts';
export { findEmbeddedUrl } from './embedded-access.ts';
export {
  type EmbeddedServer,
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from './embedded-server.ts';
export { type SupervisedServer, superviseEmbeddedServer } from './embedded-supervisor.ts';
export { findReadOnly } from './find-read-only.ts';
export { type GroupStep, type GroupWrite, insertAll, LostRows } from './group-commit.ts';
export { Listener } from './listener.ts';
export { LOCK_CLASS, LockSession } from './lock-session.ts';
export {
  inspectSchema,
  migrate,
  readMigrations,
  refuseNewerBreakingSchema,
  refuseOldPostgres,
  type SchemaState,
  type SqlMigration,
} from './migrator.ts';
export { LOCK, lockNamed, tryLockNamed } from './named-lock.ts';
export { Notifier } from './notifier.ts';
export { prepareSchema } from './prepare-schema.ts';
export { PLANNED_ANEW } from './prepared-statements.ts';
export { type PreparedUnit, prepareUnit, storeTogether } from './prepared-unit.ts';
export { RefusedWrites } from './refused-writes.ts';
export { beforeCommit, runUnitOfWork, type UnitOfWorkOptions } from './run-unit-of-work.ts';
export { givesOwnSession } from './session-check.ts';
export {
  constraintOf,
  isConnectionLost,
  isPassing,
  isTaken,
  isUnable,
  isUnavailable,
  LostRace,
  sqlStateOf,
  translateDatabaseError,
} from './sql-state.ts';
export type { Tables } from './tables.ts';
export { tryTransactionLock } from './transaction-lock.ts';
export { UnitOfWork } from './unit-of-work.ts';
