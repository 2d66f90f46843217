import { sql } from 'kysely';
import type { Db, GroupWrite } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { instantColumn, type QueryColumn, queryTable, type TablePage } from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';

/** Failures of a run that are kept; what fails beside the last of them is kept as well. */
const MOST = 100_000;

interface ScanError {
  readonly run: string;
  readonly object: string;
  readonly error: JsonObject;
}

/** An object that failed, as it is shown. */
export interface ScanFailure {
  /** The path of the object. */
  readonly _id: string;
  readonly message: string | null;
  readonly error: JsonObject;
  readonly failedAt: string;
}

/** As `recordError`, with what else is stored of the object. */
export const scanErrors: GroupWrite<ScanError> = {
  steps: (errors) => [{ statement: insertErrors(errors) }],
  async run(db, errors) {
    await insertErrors(errors).execute(db);
    return errors.map(() => true);
  },
};

export async function recordError(db: Db, run: string, object: string, error: JsonObject): Promise<void> {
  await insertErrors([{ run, object, error }]).execute(db);
}

/** The count of the run says how many there are without counting them. */
function insertErrors(errors: readonly ScanError[]) {
  return sql`
    insert into scan_error (run_id, object, error)
    select run, object, error
    from jsonb_to_recordset(${JSON.stringify(errors)}::jsonb) as a (run uuid, object text, error jsonb)
    where exists (select from scan_run r where r.id = a.run and r.failures < ${sql.lit(MOST)})`;
}

type Columns = readonly (readonly [string, QueryColumn])[];

const IN_WORDS: Columns = [
  ['_id', { expression: sql.ref('object'), type: 'text', notNull: true }],
  ['message', { expression: sql`(error->>'message')`, type: 'text' }],
  ['error', { expression: sql.ref('error'), type: 'json' }],
  ['failedAt', instantColumn('failed_at', true)],
];

/** The kind of the error alone: its words can be neither read nor asked for. */
const WITHOUT_WORDS: Columns = IN_WORDS.map(([name, column]) => {
  if (name === 'message') return [name, { expression: sql`null::text`, type: 'text' }];
  if (name !== 'error') return [name, column];
  const id = sql`case when error#>'{detail,id}' is not null then jsonb_build_object('id', error#>'{detail,id}') end`;
  const kind = sql`jsonb_strip_nulls(jsonb_build_object('code', error->'code', 'reason', error->'reason', 'detail', ${id}))`;
  return [name, { expression: kind, type: 'json' }];
});

const selectionOf = (columns: Columns) =>
  sql.join(columns.map(([name, { expression }]) => sql`${expression} as ${sql.ref(name)}`));
/** The order in which failures are written: a page in the order of the objects would have to sort everything. */
const FIRST_FIRST = [{ pointer: ['failedAt'], descending: false }];

/** A page of the failures of a run, the first of them first, with the words of errors or without them. */
export async function queryFailures(
  db: Db,
  run: string,
  request: QueryRequest,
  seesWords: boolean,
): Promise<TablePage<ScanFailure>> {
  const columns = seesWords ? IN_WORDS : WITHOUT_WORDS;
  return queryTable<ScanFailure>(
    db,
    request.sortKeys.length > 0 ? request : { ...request, sortKeys: FIRST_FIRST },
    {
      table: { columns: new Map(columns) },
      select: selectionOf(columns),
      from: sql`scan_error`,
      where: [sql<boolean>`run_id = ${run}`],
    },
    plainQuery(request),
  );
}

/** All that failed and is known of: the path of the object, and when it failed, an ISO time. */
export async function listFailed(
  db: Db,
  run: string,
): Promise<readonly Pick<ScanFailure, '_id' | 'failedAt'>[]> {
  const { rows } = await sql<Pick<ScanFailure, '_id' | 'failedAt'>>`
    select object as _id, to_char(max(failed_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "failedAt"
    from scan_error where run_id = ${run} group by object order by max(failed_at), object`.execute(db);
  return rows;
}
