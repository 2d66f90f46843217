import { lastOf } from '#json/index.ts';
import type { ForeignDatabase } from '../repository/foreign-database-repository.ts';

/** A row of the other engine, by its columns in lower case without the line at their end; all are texts. */
export type ActRow = Readonly<Record<string, string | null>>;

/** How many root instances are read at once, with all that belongs to them. */
const PAGE = 50;
const COLUMNS = {
  act_re_procdef: ['id', 'key', 'version', 'deployment_id', 'resource_name', 'suspension_state', 'tenant_id'],
  act_re_deployment: ['id', 'name', 'deploy_time'],
  act_ru_execution: [
    ...[
      'id',
      'proc_inst_id',
      'business_key',
      'parent_id',
      'proc_def_id',
      'super_exec',
      'act_id',
      'is_active',
    ],
    ...[
      'is_scope',
      'is_event_scope',
      'is_mi_root',
      'suspension_state',
      'name',
      'start_time',
      'start_user_id',
    ],
  ],
  act_ru_task: [
    ...[
      'id',
      'execution_id',
      'proc_inst_id',
      'name',
      'description',
      'task_def_key',
      'owner',
      'assignee',
      'delegation',
    ],
    ...['priority', 'create_time', 'claim_time', 'due_date', 'category', 'form_key'],
  ],
  act_ru_variable: [
    ...[
      'id',
      'execution_id',
      'proc_inst_id',
      'task_id',
      'name',
      'type',
      'long',
      'double',
      'text',
      'bytearray_id',
    ],
  ],
  act_ru_event_subscr: ['id', 'event_type', 'event_name', 'execution_id', 'proc_inst_id', 'activity_id'],
  act_ru_identitylink: ['id', 'type', 'user_id', 'group_id', 'task_id', 'proc_inst_id'],
  act_hi_procinst: ['id', 'proc_inst_id', 'start_time', 'start_user_id', 'name'],
  act_hi_actinst: [
    ...[
      'id',
      'proc_inst_id',
      'act_id',
      'execution_id',
      'task_id',
      'start_time',
      'end_time',
      'delete_reason',
      'act_type',
    ],
  ],
  act_hi_taskinst: [
    ...[
      'id',
      'proc_inst_id',
      'name',
      'description',
      'owner',
      'assignee',
      'claim_time',
      'priority',
      'due_date',
    ],
    ...['category', 'form_key', 'delete_reason', 'start_time', 'end_time'],
  ],
} as const;
const JOB_COLUMNS = [
  ...['id', 'type', 'execution_id', 'process_instance_id', 'retries', 'exception_msg', 'duedate', 'repeat'],
  ...['handler_type', 'handler_cfg', 'element_id'],
];
const JOB_TABLES = [
  'act_ru_job',
  'act_ru_timer_job',
  'act_ru_suspended_job',
  'act_ru_deadletter_job',
] as const;

type Table = keyof typeof COLUMNS;

/** Whether there is an engine whose tables are known. */
export function hasProcesses(db: ForeignDatabase): boolean {
  return db.tables.has('act_ru_execution') && db.tables.has('act_re_procdef');
}

/** Whether it is an engine of before Activiti 6: its executions stand for scopes and tokens at once. */
export function isOldEngine(db: ForeignDatabase): boolean {
  return db.tables.get('act_ru_execution')?.has('is_mi_root_') !== true;
}

/** All versions of processes. */
export function listProcessDefinitions(db: ForeignDatabase): Promise<ActRow[]> {
  return rowsOf(db, 'act_re_procdef', COLUMNS.act_re_procdef, '');
}

export async function findDeployment(db: ForeignDatabase, id: string): Promise<ActRow | undefined> {
  const [found] = await rowsOf(db, 'act_re_deployment', COLUMNS.act_re_deployment, 'where id_ = ?', [id]);
  return found;
}

/** What was deployed together, by its names; what the engine has drawn of it is left out. */
export async function findResources(db: ForeignDatabase, deploymentId: string): Promise<Map<string, Buffer>> {
  const isDrawn = db.tables.get('act_ge_bytearray')?.has('generated_') ? db.asText('generated_') : "'0'";
  const rows = await db.rows(
    `select name_, ${db.asBase64('bytes_')}, ${isDrawn} from ${db.table('act_ge_bytearray')} where deployment_id_ = ?`,
    [deploymentId],
  );
  return new Map(
    rows.flatMap(([name, bytes, drawn]) =>
      isTrue(drawn ?? null) ? [] : [[name ?? '', Buffer.from(bytes ?? '', 'base64')] as const],
    ),
  );
}

/** Bytes by their ids, as Base64. */
export async function findBytes(db: ForeignDatabase, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows(
    `select id_, ${db.asBase64('bytes_')} from ${db.table('act_ge_bytearray')} where id_ in (${marks(ids)})`,
    ids,
  );
  return new Map(rows.map(([id, bytes]) => [id ?? '', bytes ?? '']));
}

/** Ids of instances that nobody has called, in their order, page by page. */
export async function* pagesOfRoots(db: ForeignDatabase): AsyncGenerator<readonly string[]> {
  let after = '';
  for (;;) {
    const rows = await db.rows(
      `select id_ from ${db.table('act_ru_execution')}
       where parent_id_ is null and super_exec_ is null and id_ > ? order by id_ limit ${PAGE}`,
      [after],
    );
    const roots = rows.map(([id]) => id ?? '');
    if (roots.length > 0) yield roots;
    if (roots.length < PAGE) return;
    after = lastOf(roots);
  }
}

/** Executions of instances, and of those that they have called. */
export async function listExecutions(db: ForeignDatabase, roots: readonly string[]): Promise<ActRow[]> {
  const all: ActRow[] = [];
  let instances = roots;
  while (instances.length > 0) {
    const found = await listOf(db, 'act_ru_execution', 'proc_inst_id', instances);
    all.push(...found);
    const ids = found.map(({ id }) => id ?? '');
    const called = await listOf(db, 'act_ru_execution', 'super_exec', ids);
    instances = called.map(({ id }) => id ?? '');
  }
  return all;
}

/** Rows of a table, by a column that has one of these values. */
export async function listOf(
  db: ForeignDatabase,
  table: Table,
  column: string,
  values: readonly string[],
): Promise<ActRow[]> {
  if (values.length === 0) return [];
  const order = db.tables.get(table)?.has('start_time_') ? 'start_time_, id_' : 'id_';
  return rowsOf(
    db,
    table,
    COLUMNS[table],
    `where ${column}_ in (${marks(values)}) order by ${order}`,
    values,
  );
}

/** Jobs of instances in whichever table; `table` says in which. */
export async function listJobs(db: ForeignDatabase, instances: readonly string[]): Promise<ActRow[]> {
  const found: ActRow[] = [];
  for (const table of JOB_TABLES) {
    if (!db.tables.has(table)) continue;
    const where = `where process_instance_id_ in (${marks(instances)}) order by id_`;
    for (const row of await rowsOf(db, table, JOB_COLUMNS, where, instances)) found.push({ ...row, table });
  }
  return found;
}

/** Tasks that belong to no process. */
export async function countLooseTasks(db: ForeignDatabase): Promise<number> {
  const [row] = await db.rows(`select count(*) from ${db.table('act_ru_task')} where proc_inst_id_ is null`);
  return Number(row?.[0] ?? 0);
}

export function isTrue(text: string | null): boolean {
  return text === 'true' || text === 't' || text === '1';
}

async function rowsOf(
  db: ForeignDatabase,
  table: string,
  columns: readonly string[],
  where: string,
  values: readonly string[] = [],
): Promise<ActRow[]> {
  const there = db.tables.get(table);
  if (there === undefined) return [];
  const known = columns.filter((column) => there.has(`${column}_`));
  const selected = known.map((column) => db.asText(db.column(`${column}_`)));
  const rows = await db.rows(`select ${selected.join()} from ${db.table(table)} ${where}`, values);
  return rows.map((row) => Object.fromEntries(known.map((column, at) => [column, row[at] ?? null])));
}

const marks = (values: readonly string[]) => values.map(() => '?').join();
