/**
 * Postgres: the pool, the unit of work, migrations, wake-ups, the embedded server.
 *
 * Words: a *unit of work* is one transaction with what must happen after its commit, a *change* is what it
 * stored, a *wake-up* is a NOTIFY that only saves time. Invariants: an error rolls everything back; nobody
 * notifies inside a business transaction; statements of a request go through its unit of work.
 */
export { numbers, texts } from './array-column.ts';
export { findEmbeddedUrl } from './embedded/embedded-access.ts';
export { startEmbeddedServer } from './embedded/embedded-server.ts';
export { superviseEmbeddedServer } from './embedded/embedded-supervisor.ts';
export { LOCK_CLASS, LockSession } from './lock/lock-session.ts';
export { LOCK, lockingNamed, lockNamed, tryLockNamed } from './lock/named-lock.ts';
export { tryTransactionLock } from './lock/transaction-lock.ts';
export {
  inspectSchema,
  migrate,
  readMigrations,
  refuseNewerBreakingSchema,
  refuseOldPostgres,
} from './migration/migrator.ts';
export { prepareSchema } from './migration/prepare-schema.ts';
export { oneRow } from './one-row.ts';
export { clockService } from './pool/clock-service.ts';
export { connectionFinding } from './pool/connection-finding.ts';
export type { Asker } from './pool/connection-turns.ts';
export { askPlace, isUntold, type Place } from './pool/current-server.ts';
export { type Database, type DatabaseOptions, type Db, openDatabase } from './pool/database.ts';
export { DatabaseClock } from './pool/database-clock.ts';
export { type Trouble, troubled, troubleOf } from './pool/database-error.ts';
export { counted, databaseWait, inTime, slowForScript, withDatabaseWait } from './pool/database-wait.ts';
export { findReadOnly } from './pool/find-read-only.ts';
export { bytesAt, type LogPosition, timelineOf } from './pool/log-position.ts';
export { PLANNED_ANEW } from './pool/prepared-statements.ts';
export { ReplicaReads } from './pool/replica-reads.ts';
export { givesOwnSession } from './pool/session-check.ts';
export {
  constraintOf,
  isConnectionLost,
  isPassing,
  isTaken,
  isUnavailable,
  LostRace,
  sqlStateOf,
  translateDatabaseError,
} from './pool/sql-state.ts';
export { Listener } from './signal/listener.ts';
export { Notifier } from './signal/notifier.ts';
export { Batcher } from './unit-of-work/batcher.ts';
export type { Actor, Change } from './unit-of-work/change.ts';
export type { Wake } from './unit-of-work/effect.ts';
export {
  type GroupStep,
  type GroupWrite,
  insertAll,
  LostRows,
  mostRowsTogether,
} from './unit-of-work/group-commit.ts';
export { type PreparedUnit, prepareUnit, storeTogether } from './unit-of-work/prepared-unit.ts';
export { RefusedWrites } from './unit-of-work/refused-writes.ts';
export { beforeCommit, runUnitOfWork, type UnitOfWorkOptions } from './unit-of-work/run-unit-of-work.ts';
export type { Trace, Traced, TraceEntry } from './unit-of-work/trace.ts';
export type { HeldStatement } from './unit-of-work/transaction-statements.ts';
export { UnitOfWork } from './unit-of-work/unit-of-work.ts';
