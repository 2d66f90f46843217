import { sql } from 'kysely';
import type { Db, GroupWrite } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { type QueryColumn, queryTable, type TablePage } from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';

export interface ExportLine {
  readonly object: string;
  readonly number: number;
  readonly content: JsonObject;
}

interface NewLine extends ExportLine {
  readonly run: string;
}

/** Writes lines as they are read, with the step of the slice that they belong to. */
export const exportLines: GroupWrite<NewLine> = {
  steps: (lines) => [{ statement: insertLines(lines) }],
  async run(db, lines) {
    await insertLines(lines).execute(db);
    return lines.map(() => true);
  },
};

function insertLines(lines: readonly NewLine[]) {
  return sql`
    insert into scan_line (run_id, number, object, content)
    select run, number, object, content
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as a (run uuid, number int, object text, content jsonb)`;
}

/** Counts what the slices of a lane, which are about to go, have written. */
export async function countBytes(db: Db, run: string, lane: number): Promise<void> {
  await sql`
    update scan_run r set bytes = r.bytes + (
      select coalesce(sum(octet_length(l.content::text)), 0)
      from scan_slice s
      join scan_line l on l.run_id = s.run_id
        and l.number between (s.objects #>> '{0,4,n}')::int and (s.objects #>> '{-1,4,n}')::int
      where s.run_id = r.id and s.lane = ${lane})
    where r.id = ${run}`.execute(db);
}

const COLUMNS: ReadonlyMap<string, QueryColumn> = new Map([
  ['_id', { expression: sql.ref('object'), type: 'text', notNull: true }],
  ['_number', { expression: sql.ref('number'), type: 'number', notNull: true }],
]);
const AS_FOUND = [{ pointer: ['_number'], descending: false }];

/** A page of what an export has read, in the order in which it was found. */
export async function queryLines(db: Db, run: string, request: QueryRequest): Promise<TablePage<ExportLine>> {
  return queryTable<ExportLine>(
    db,
    request.sortKeys.length > 0 ? request : { ...request, sortKeys: AS_FOUND },
    {
      table: { columns: COLUMNS, document: sql.ref('content') },
      select: sql`object, number, content`,
      from: sql`scan_line`,
      where: [sql<boolean>`run_id = ${run}`],
    },
    plainQuery(request),
  );
}

export async function listLines(db: Db, run: string): Promise<readonly JsonObject[]> {
  const { rows } = await sql<ExportLine>`
    select content from scan_line where run_id = ${run} order by number`.execute(db);
  return rows.map(({ content }) => content);
}
