import { type RawBuilder, sql } from 'kysely';
import type { Db, GroupStep, GroupWrite, UnitOfWork } from '#database/index.ts';
import { firstOf, type JsonObject } from '#json/index.ts';
import type { Part, StepRow } from './step-row.ts';

/**
 * How steps of instances are written: each table with one statement, whatever the number of instances. A step is
 * written only if its tree is still at the revision at which it was read.
 */
export const stepWrites: GroupWrite<StepRow> = {
  isGuarded: true,
  keyOf: ({ root }) => treeKey(root),
  steps: statementsOf,
  async run(db, rows) {
    const held = rows.length === 1 ? undefined : await findHeld(db, rows);
    const writable = rows.filter(({ root, revision }) => revision === null || (held?.has(root) ?? true));
    if (writable.length === 0) return rows.map(() => false);
    const isWritten = await writeSteps(db, writable);
    return rows.map((row) => isWritten && writable.includes(row));
  },
};

/** The key by which units of work know that they are about the same tree of instances. */
export function treeKey(root: string): string {
  return `process tree ${root}`;
}

/**
 * Writes a step, now or with the commit.
 *
 * @returns false when its tree is no longer as it was read: a script of this very step has moved it
 */
export async function writeStep(unitOfWork: UnitOfWork, step: StepRow): Promise<boolean> {
  // One statement moves an instance once; what is new in a tree, and who has called it, may go together.
  if (isStepPending(unitOfWork, step.instance)) await unitOfWork.db();
  return unitOfWork.write(stepWrites, step);
}

/** Whether an instance is not as it would be read, because its step waits for the commit. */
export function isStepPending(unitOfWork: UnitOfWork, instance: string): boolean {
  return unitOfWork.pending(stepWrites).some((step) => step.instance === instance);
}

/** Keeps a tree as it was read until the transaction ends. @returns false when it is not as it was read */
export async function lockAsRead(db: Db, root: string, revision: number): Promise<boolean> {
  const { rows } = await sql`
    select from workflow_state where instance_id = ${root} and revision = ${revision} for update`.execute(db);
  return rows.length === 1;
}

/** @returns false, and nothing is written, when a tree is no longer as it was read */
async function writeSteps(db: Db, rows: readonly StepRow[]): Promise<boolean> {
  const steps = statementsOf(rows);
  const withs = steps.map(({ name, statement }) => sql`${sql.id(name)} as (${statement})`);
  const expected = moved(rows).length;
  const guard = expected === 0 ? sql`0` : sql`(select count(*) from held_states)`;
  const { rows: answer } = await sql<{ held: number }>`
    with ${sql.join(withs)} select ${guard}::int as held`.execute(db);
  return firstOf(answer).held === expected;
}

/** Trees that are as they were read and that nobody else has locked; they stay so. */
async function findHeld(db: Db, rows: readonly StepRow[]): Promise<ReadonlySet<string>> {
  const { rows: held } = await sql<{ instance_id: string }>`${heldStates(moved(rows))}`.execute(db);
  return new Set(held.map(({ instance_id }) => instance_id));
}

/** Trees as they were read; one of which two instances were read at different times is not held. */
function moved(rows: readonly StepRow[]) {
  const trees = rows.flatMap(({ root, revision }) => (revision === null ? [] : [{ root, revision }]));
  return [...new Map(trees.map((tree) => [`${tree.root} ${tree.revision}`, tree])).values()];
}

/** Locks states in one order everywhere; what somebody else has locked is not waited for. */
function heldStates(trees: readonly { readonly root: string; readonly revision: number }[]) {
  return sql`
    select s.instance_id from jsonb_to_recordset(${JSON.stringify(trees)}::jsonb) as h(root uuid, revision int)
    join workflow_state s on s.instance_id = h.root and s.revision = h.revision
    where s.instance_id = any(${trees.map(({ root }) => root)}::uuid[])
    order by s.instance_id for update of s skip locked`;
}

function statementsOf(rows: readonly StepRow[]): readonly (GroupStep & { readonly name: string })[] {
  const trees = moved(rows);
  // Before anything else is touched: who has the lock of a tree may be waiting for that of another.
  const isHeld =
    trees.length === 0 ? sql`true` : sql`(select count(*) = ${trees.length}::int from held_states)`;
  const steps: (GroupStep & { readonly name: string })[] = [];
  if (trees.length > 0)
    steps.push({ name: 'held_states', statement: heldStates(trees), returns: trees.length });
  const instances = [...new Set(rows.flatMap(({ instance, root }) => [instance, root]))];
  const texts = new Map<Part, string[]>();
  for (const { parts } of rows) {
    for (const [part, written] of parts) {
      const all = texts.get(part);
      if (all === undefined) texts.set(part, [...written]);
      else all.push(...written);
    }
  }
  const moves = texts.get('movedStates');
  if (moves !== undefined && moves.length > 1) texts.set('movedStates', movesByRow(moves));
  for (const [part, write] of Object.entries(WRITES) as [Part, Write][]) {
    const written = texts.get(part);
    if (written === undefined) continue;
    const statement = write(sql`jsonb_to_recordset(${`[${written.join()}]`}::jsonb)`, {
      isHeld,
      ofThem: sql`any(${instances}::uuid[])`,
      has: (other) => texts.has(other),
    });
    steps.push({ name: nameOf(part), statement });
  }
  return steps;
}

/** A root moves with each instance of its tree, and with itself: a statement changes a row once. */
function movesByRow(moves: readonly string[]): string[] {
  const rows = new Map<string, JsonObject>();
  for (const text of moves) {
    const move: JsonObject = JSON.parse(text);
    const key = String(move['instance_id']);
    const by = Number(rows.get(key)?.['by'] ?? 0) + Number(move['by']);
    rows.set(key, { ...rows.get(key), ...move, by });
  }
  return [...rows.values()].map((row) => JSON.stringify(row));
}

function nameOf(part: Part): string {
  return `step_${part.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}

interface Conditions {
  readonly isHeld: RawBuilder<unknown>;
  /** What an `instance_id` equals: without it, small tables would be read as a whole, and large ones with the plan of small ones. */
  readonly ofThem: RawBuilder<unknown>;
  readonly has: (part: Part) => boolean;
}

type Write = (records: RawBuilder<unknown>, conditions: Conditions) => RawBuilder<unknown>;

const at = (column: string) => sql`to_timestamp(${sql.ref(column)} / 1000)`;
/** Columns of which those change that are named in `change`. */
const changed = (
  table: string,
  columns: readonly string[],
  read: (text: RawBuilder<unknown>) => RawBuilder<unknown>,
) =>
  columns.map(
    (column) => sql`${sql.ref(column)} = case when c.change ? ${sql.lit(column)}
      then ${read(sql`(c.change->>${sql.lit(column)})`)} else ${sql.ref(`${table}.${column}`)} end`,
  );
const asText = (text: RawBuilder<unknown>) => text;
const asTime = (text: RawBuilder<unknown>) => sql`to_timestamp(${text}::float8 / 1000)`;
const asNumber = (text: RawBuilder<unknown>) => sql`${text}::bigint`;
const INSTANCE_TEXTS = [
  'business_key',
  'business_status',
  'delete_reason',
  'definition_id',
  'definition_name',
];
// biome-ignore format: one line is enough for names
const TASK_TEXTS = ['name', 'description', 'assignee', 'owner', 'delegation', 'category', 'form_key', 'definition_id', 'element', 'delete_reason'];
const ACTIVITY = sql`a(instance_id uuid, execution int, element text, started_at float8, ended_at float8, reason text)`;

/** Part by part, in the order of their tables. */
const WRITES: Readonly<Record<Part, Write>> = {
  newInstances: (records) => sql`
    insert into workflow_instance
      (id, definition_id, definition_key, definition_name, deployment_id, root_id, super_instance_id, super_execution,
       business_key, business_status, name, description, tenant_id, start_user_id, started_at, ended_at, delete_reason)
    select id, definition_id, definition_key, definition_name, deployment_id, root_id, super_instance_id, super_execution,
      business_key, business_status, name, description, tenant_id, start_user_id, ${at('started_at')}, ${at('ended_at')},
      delete_reason
    from ${records} as i(id uuid, definition_id text, definition_key text, definition_name text, deployment_id bigint,
      root_id uuid, super_instance_id uuid, super_execution int, business_key text, business_status text, name text,
      description text, tenant_id text, start_user_id text, started_at float8, ended_at float8, delete_reason text)`,
  changedInstances: (records, { isHeld, ofThem }) => sql`
    update workflow_instance i
    set ${sql.join([
      ...changed('i', INSTANCE_TEXTS, asText),
      ...changed('i', ['deployment_id'], asNumber),
      ...changed('i', ['ended_at'], asTime),
    ])}
    from ${records} as c(id uuid, change jsonb) where i.id = c.id and i.id = ${ofThem} and ${isHeld}`,
  newStates: (records) => sql`
    insert into workflow_state (instance_id, root_id, definition_id, scopes, state)
    select instance_id, root_id, definition_id, scopes, state
    from ${records} as s(instance_id uuid, root_id uuid, definition_id text, scopes int[], state jsonb)`,
  movedStates: (records, { isHeld, ofThem }) => sql`
    update workflow_state s
    set revision = s.revision + m.by, scopes = coalesce(m.scopes, s.scopes), state = coalesce(m.state, s.state),
        definition_id = coalesce(m.definition_id, s.definition_id)
    from ${records} as m(instance_id uuid, by int, scopes int[], state jsonb, definition_id text)
    where s.instance_id = m.instance_id and s.instance_id = ${ofThem} and ${isHeld}`,
  goneStates: (records, { isHeld, ofThem }) => sql`
    delete from workflow_state s using ${records} as g(instance_id uuid)
    where s.instance_id = g.instance_id and s.instance_id = ${ofThem} and ${isHeld}`,
  keptCandidates: (records, { isHeld, ofThem }) => sql`
    delete from workflow_identity_link l using ${records} as k(task_id uuid, kind text, names jsonb)
    where l.task_id = k.task_id and l.type = 'candidate' and l.instance_id = ${ofThem} and ${isHeld}
      and case k.kind when 'user_id' then l.user_id else l.group_id end is not null
      and not k.names ? case k.kind when 'user_id' then l.user_id else l.group_id end
    returning l.task_id, l.user_id, l.group_id`,
  newTasks: (records, { isHeld }) => sql`
    insert into workflow_task (id, instance_id, execution, element, definition_id, definition_key, tenant_id, name,
      description, assignee, owner, delegation, priority, due_at, category, form_key, created_at, claimed_at, ended_at,
      delete_reason, submitted)
    select id, instance_id, execution, element, definition_id, definition_key, tenant_id, name,
      description, assignee, owner, delegation, priority, ${at('due_at')}, category, form_key, ${at('created_at')},
      ${at('claimed_at')}, ${at('ended_at')}, delete_reason, submitted
    from ${records} as t(id uuid, instance_id uuid, execution int, element text, definition_id text, definition_key text,
      tenant_id text, name text, description text, assignee text, owner text, delegation text, priority int, due_at float8,
      category text, form_key text, created_at float8, claimed_at float8, ended_at float8, delete_reason text,
      submitted jsonb)
    where ${isHeld}`,
  changedTasks: (records, { isHeld, ofThem }) => sql`
    update workflow_task t
    set revision = t.revision + 1, priority = coalesce((c.change->>'priority')::int, t.priority),
        submitted = coalesce(c.change->'submitted', t.submitted),
        ${sql.join([...changed('t', TASK_TEXTS, asText), ...changed('t', ['due_at', 'claimed_at', 'ended_at'], asTime)])}
    from ${records} as c(instance_id uuid, execution int, change jsonb)
    where t.instance_id = c.instance_id and t.execution = c.execution and t.ended_at is null and t.instance_id = ${ofThem} and ${isHeld}`,
  movedLinks: (records, { isHeld, ofThem, has }) => sql`
    update workflow_identity_link l set is_open = m.is_open from ${records} as m(task_id uuid, is_open boolean)
    where l.task_id = m.task_id and l.type = 'candidate' and l.is_open <> m.is_open and l.instance_id = ${ofThem} and ${isHeld}
    ${
      // A row can be changed once in a statement.
      has('keptCandidates')
        ? sql`and not exists (select from ${sql.id(nameOf('keptCandidates'))} d
                              where d.task_id = l.task_id and d.user_id is not distinct from l.user_id
                                and d.group_id is not distinct from l.group_id)`
        : sql``
    }`,
  newLinks: (records, { isHeld }) => sql`
    insert into workflow_identity_link (instance_id, task_id, type, user_id, group_id, is_open, task_created_at)
    select distinct l.instance_id, l.task_id, l.type, l.user_id, l.group_id, coalesce(l.is_open, t.assignee is null),
      coalesce(t.created_at, ${at('l.at')})
    from ${records} as l(instance_id uuid, task_id uuid, type text, user_id text, group_id text, is_open boolean, at float8)
    left join lateral (select created_at, assignee from workflow_task where id = l.task_id offset 0) t on true
    where ${isHeld}
    on conflict do nothing`,
  // What a caller writes as it likes stays whose it was.
  setVariables: (records, { isHeld }) => sql`
    insert into workflow_variable as present (instance_id, scope, name, owner, type, value, text_value)
    select v.instance_id, v.scope, v.name, v.owner, v.type, coalesce(v.value, 'null'), v.text_value
    from ${records} as v(instance_id uuid, scope int, name text, owner text, type text, value jsonb, text_value text)
    where ${isHeld}
    on conflict (instance_id, scope, name) do update
    set type = excluded.type, value = excluded.value, text_value = excluded.text_value,
        owner = case excluded.owner when 'caller' then present.owner else excluded.owner end`,
  removedVariables: (records, { isHeld, ofThem }) => sql`
    delete from workflow_variable v using ${records} as r(instance_id uuid, scope int, name text)
    where v.instance_id = r.instance_id and v.scope = r.scope and v.name = r.name and v.instance_id = ${ofThem} and ${isHeld}`,
  begunActivities: (records, { isHeld }) => sql`
    insert into workflow_activity (instance_id, execution, element, started_at, ended_at, reason)
    select a.instance_id, a.execution, a.element, ${at('a.started_at')}, ${at('a.ended_at')}, a.reason
    from ${records} as ${ACTIVITY} where ${isHeld}
    on conflict do nothing`,
  endedActivities: (records, { isHeld, ofThem }) => sql`
    update workflow_activity w set ended_at = ${at('a.ended_at')}, reason = a.reason
    from ${records} as ${ACTIVITY}
    where w.instance_id = a.instance_id and w.execution = a.execution and w.element = a.element and w.instance_id = ${ofThem} and ${isHeld}`,
  newSubscriptions: (records, { isHeld }) => sql`
    insert into workflow_subscription (event, name, instance_id, execution, element)
    select w.event, w.name, w.instance_id, w.execution, w.element
    from ${records} as w(instance_id uuid, event text, name text, execution int, element text) where ${isHeld}
    on conflict (instance_id, execution, element, definition_id)
    do update set event = excluded.event, name = excluded.name`,
  goneSubscriptions: (records, { isHeld, ofThem }) => sql`
    delete from workflow_subscription s using ${records} as w(instance_id uuid, execution int, element text)
    where s.instance_id = w.instance_id and s.execution = w.execution and s.element = w.element and s.instance_id = ${ofThem} and ${isHeld}`,
  newJobs: (records, { isHeld }) => sql`
    insert into workflow_job
      (id, kind, instance_id, execution, element, definition_id, due_at, repeat, payload, retries, retry_cycle, created_at)
    select j.id, j.kind, j.instance_id, j.execution, j.element, j.definition_id, ${at('j.due_at')}, j.repeat, j.payload,
      j.retries, j.retry_cycle, ${at('j.created_at')}
    from ${records} as j(id uuid, kind text, instance_id uuid, execution int, element text, definition_id text,
      due_at float8, repeat jsonb, payload jsonb, retries int, retry_cycle text, created_at float8)
    where ${isHeld}
    on conflict (instance_id, execution, element, kind) where kind in ('async', 'timer')
    do update set id = excluded.id, due_at = excluded.due_at, repeat = excluded.repeat, retries = excluded.retries,
      revision = 1, is_dead = false, exception = null`,
  goneJobs: (records, { isHeld, ofThem }) => sql`
    delete from workflow_job j using ${records} as w(instance_id uuid, kind text, execution int, element text)
    where j.instance_id = w.instance_id and j.kind in ('async', 'timer') and j.kind = w.kind and j.execution = w.execution and j.element = w.element
      and j.instance_id = ${ofThem} and ${isHeld}`,
  servedJobs: (records, { isHeld, ofThem }) => sql`
    delete from workflow_job j using ${records} as w(instance_id uuid, id uuid)
    where j.id = w.id and j.instance_id = w.instance_id and j.instance_id = ${ofThem} and ${isHeld}`,
  events: (records, { isHeld }) => sql`
    insert into workflow_event (instance_id, number, at, user_id, stimulus, effects)
    select e.instance_id,
      (select coalesce(max(number), 0) + 1 from workflow_event p where p.instance_id = e.instance_id),
      ${at('e.at')}, e.user, e.stimulus, e.effects
    from ${records} as e(instance_id uuid, at float8, "user" text, stimulus jsonb, effects jsonb) where ${isHeld}`,
};
