import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { instantColumn, type QueryColumn, queryTable, type TablePage, textColumn } from '#repo/index.ts';
import { plainQuery, type QueryRequest, type SecurityContext } from '#resource/index.ts';
import type { RunDefinition } from '../scan-definition.ts';
import type { ScanRun, ScanView } from '../scan-run.ts';
import type { Act, StoredOperation } from './operation.ts';

/** An operation as it is shown, and what it does. */
export interface OperationView
  extends Pick<
    ScanView,
    | 'total'
    | 'processed'
    | 'successes'
    | 'failures'
    | 'skipped'
    | 'started_at'
    | 'ended_at'
    | 'nodes'
    | 'error'
  > {
  readonly operation: string;
  readonly act: Act;
  readonly resource: string;
  readonly owner: string;
  readonly state: Exclude<ScanRun['state'], 'INITIALIZED'> | 'PREPARED';
  readonly percent: string | null;
  readonly created_at: Date;
  readonly estimate: Date | null;
  readonly transaction_id: string;
  readonly stored: StoredOperation;
}

export interface NewOperation {
  readonly id: string;
  readonly owner: string;
  readonly stored: RunDefinition;
  readonly operation: StoredOperation;
  readonly security: SecurityContext;
  readonly transaction: string;
  readonly total: number;
  readonly lastSlice: number;
  /** The operation whose failed objects it does again. */
  readonly retryOf?: string;
}

/** Stores an operation with its objects frozen, and nobody at work on them. */
export async function insertOperation(db: Db, run: NewOperation): Promise<void> {
  await sql`
    insert into scan_run (id, owner, state, definition, operation, security, transaction_id, total, last_slice, paged,
                          retry_of)
    values (${run.id}, ${run.owner}, 'INITIALIZED', ${JSON.stringify(run.stored)}::jsonb,
            ${JSON.stringify(run.operation)}::jsonb, ${JSON.stringify(run.security)}::jsonb, ${run.transaction},
            ${run.total}, ${run.lastSlice}, true, ${run.retryOf ?? null})`.execute(db);
}

/** How many of somebody's have not ended. */
export async function countOpen(db: Db, owner: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from scan_run
    where owner = ${owner} and not is_disowned and operation is not null and ended_at is null`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Removes the operations of the owner that have ended, but for so many of the newest. */
export async function pruneOwn(db: Db, owner: string, keep: number): Promise<void> {
  await sql`
    delete from scan_run where id in (
      select id from scan_run
      where owner = ${owner} and not is_disowned and operation is not null and ended_at is not null
      order by created_at desc offset ${keep})`.execute(db);
}

/** Removes the operations that ended so many days ago, and those that nobody has started for a day. */
export async function pruneOperations(db: Db, keepDays: number): Promise<void> {
  await sql`
    delete from scan_run where operation is not null and (
      ended_at < now() - ${keepDays} * interval '1 day'
      or state = 'INITIALIZED' and created_at < now() - interval '1 day')`.execute(db);
}

const SELECT = sql`v.*, v.percent::text as percent, r.operation as stored`;
const FROM = sql`svc_operation v join scan_run r on r.id = v.operation`;

/** @param owner whose it must be; null: anybody's */
export async function findOperation(
  db: Db,
  id: string,
  owner: string | null,
): Promise<OperationView | undefined> {
  const { rows } = await sql<OperationView>`
    select ${SELECT} from ${FROM} where v.operation = ${id} and ${isOf(owner)}`.execute(db);
  return rows[0];
}

const COLUMNS: ReadonlyMap<string, QueryColumn> = new Map([
  ['_id', { expression: sql`v.operation::text`, type: 'text', notNull: true }],
  ['act', textColumn('v.act')],
  ['resource', textColumn('v.resource')],
  ['owner', textColumn('v.owner')],
  ['state', textColumn('v.state')],
  ['created', { ...instantColumn('v.created_at'), notNull: true }],
  ['ended', instantColumn('v.ended_at')],
]);
const LAST_FIRST = [{ pointer: ['created'], descending: true }];

export async function queryOperations(
  db: Db,
  owner: string | null,
  request: QueryRequest,
): Promise<TablePage<OperationView>> {
  return queryTable<OperationView>(
    db,
    request.sortKeys.length > 0 ? request : { ...request, sortKeys: LAST_FIRST },
    { table: { columns: COLUMNS }, select: SELECT, from: FROM, where: [isOf(owner)] },
    plainQuery(request),
  );
}

/** Whoever is called as the former owner of one is marked is not that. */
function isOf(owner: string | null) {
  return owner === null ? sql<boolean>`true` : sql<boolean>`v.owner = ${owner} and not r.is_disowned`;
}

/** Failures that are alike: how many there are, the words of one, and the first objects. */
export interface FailureGroup {
  readonly code: number | null;
  readonly id: string | null;
  readonly count: number;
  readonly message: string;
  readonly objects: readonly string[];
}

const MOST_GROUPS = 50;

export async function groupFailures(db: Db, id: string): Promise<readonly FailureGroup[]> {
  const { rows } = await sql<FailureGroup>`
    select (error->>'code')::int as code, error#>>'{detail,id}' as id, count(*)::int as count,
           (array_agg(error->>'message' order by failed_at, object))[1] as message,
           (array_agg(object order by failed_at, object))[1:5] as objects
    from scan_error where run_id = ${id}
    group by 1, 2 order by count(*) desc, 1, 2 limit ${sql.lit(MOST_GROUPS)}`.execute(db);
  return rows;
}
