import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { Changes, InstanceChange, TaskChange } from './changes.ts';
import { executionId } from './instance-id.ts';

type Step = readonly [name: string, statement: RawBuilder<unknown>];

/**
 * Writes all changes of a transition in one statement.
 *
 * @returns false when the state row is no longer as it was read: a script of this very step has moved it
 */
export async function writeChanges(db: Db, changes: Changes): Promise<boolean> {
  const steps = [
    ...stateSteps(changes),
    ...taskSteps(changes),
    ...variableSteps(changes),
    ...activitySteps(changes),
    ...waitSteps(changes),
    ...eventSteps(changes),
  ];
  if (steps.length === 0) return true;
  const guard = steps.some(([name]) => name === 'guard') ? sql`(select count(*) from guard)` : sql`1`;
  const withs = steps.map(([name, statement]) => sql`${sql.ref(name)} as (${statement})`);
  const { rows } = await sql<{ written: number }>`with ${sql.join(withs)} select ${guard} as written`.execute(
    db,
  );
  return rows[0]!.written === 1;
}

const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;
const time = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? sql`null::timestamptz` : sql`to_timestamp(${ms / 1000}::float8)`;

function stateSteps({ instance, instanceChange, isNew, state }: Changes): Step[] {
  const steps: Step[] = [];
  if (isNew) steps.push(['new_instance', insertInstance(instance, instanceChange)]);
  else if (Object.keys(instanceChange).length > 0) {
    steps.push(['changed_instance', updateInstance(instance.id, instanceChange)]);
  }
  const { id, rootId, definitionId } = instance;
  if (state.kind === 'inserted') {
    const { scopes } = state;
    steps.push([
      'new_state',
      sql`insert into workflow_state (instance_id, root_id, definition_id, scopes, state)
          values (${id}, ${rootId}, ${definitionId}, ${scopes}, ${json(state.state)})`,
    ]);
  } else if (state.kind === 'updated') {
    const { revision, scopes } = state;
    const moved = sql`state = ${json(state.state)}, scopes = ${scopes}${
      state.definitionId === undefined ? sql`` : sql`, definition_id = ${state.definitionId}`
    }`;
    if (id === rootId) {
      steps.push([
        'guard',
        sql`update workflow_state set revision = revision + 1, ${moved}
            where instance_id = ${id} and revision = ${revision} returning 1`,
      ]);
    } else {
      steps.push(['guard', bumpRoot(rootId, revision)]);
      steps.push(['moved_state', sql`update workflow_state set ${moved} where instance_id = ${id}`]);
    }
  } else if (state.kind === 'deleted') {
    if (id === rootId) {
      steps.push([
        'guard',
        sql`delete from workflow_state where instance_id = ${id} and revision = ${state.revision} returning 1`,
      ]);
    } else {
      steps.push(['guard', bumpRoot(rootId, state.revision)]);
      steps.push(['gone_state', sql`delete from workflow_state where instance_id = ${id}`]);
    }
  }
  return steps;
}

function bumpRoot(rootId: string, revision: number): RawBuilder<unknown> {
  return sql`update workflow_state set revision = revision + 1
             where instance_id = ${rootId} and revision = ${revision} returning 1`;
}

function insertInstance(
  instance: Changes['instance'],
  { ended_at, delete_reason, business_key, business_status }: InstanceChange,
): RawBuilder<unknown> {
  const { caller } = instance;
  return sql`
    insert into workflow_instance
      (id, definition_id, definition_key, definition_name, deployment_id, root_id, super_instance_id, super_execution,
       business_key, business_status, name, description, tenant_id, start_user_id, started_at, ended_at, delete_reason)
    values (${instance.id}, ${instance.definitionId}, ${instance.definitionKey}, ${instance.definitionName},
            ${instance.deploymentId}, ${instance.rootId}, ${caller?.instanceId ?? null}, ${caller?.execution ?? null},
            ${business_key ?? instance.businessKey}, ${business_status ?? null}, ${instance.name},
            ${instance.description}, ${instance.tenantId}, ${instance.startUserId}, ${time(instance.startedAt)},
            ${time(ended_at)}, ${delete_reason ?? null})`;
}

function updateInstance(id: string, { ended_at, ...change }: InstanceChange): RawBuilder<unknown> {
  const sets = Object.entries(change).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  if (ended_at !== undefined) sets.push(sql`ended_at = ${time(ended_at)}`);
  return sql`update workflow_instance set ${sql.join(sets)} where id = ${id}`;
}

function taskSteps({ instance, newTasks, taskChanges, links, keptCandidates, now }: Changes): Step[] {
  const steps: Step[] = [];
  const { id, definitionId, definitionKey, tenantId } = instance;
  if (keptCandidates.size > 0) {
    steps.push([
      'dropped_candidates',
      sql`delete from workflow_identity_link l
          using jsonb_to_recordset(${json([...keptCandidates.values()])}) as k(task_id uuid, kind text, names jsonb)
          where l.task_id = k.task_id and l.type = 'candidate'
            and case k.kind when 'user_id' then l.user_id else l.group_id end is not null
            and not k.names ? case k.kind when 'user_id' then l.user_id else l.group_id end
          returning l.task_id, l.user_id, l.group_id`,
    ]);
  }
  if (newTasks.size > 0) {
    steps.push([
      'new_tasks',
      sql`insert into workflow_task (id, instance_id, execution, element, definition_id, definition_key, tenant_id,
            name, description, assignee, owner, delegation, priority, due_at, category, form_key, created_at,
            ended_at, delete_reason, submitted)
          select t.id, ${id}, t.execution, t.element, ${definitionId}, ${definitionKey}, ${tenantId},
            t.name, t.description, t.assignee, t.owner, t.delegation, t.priority, to_timestamp(t.due_at / 1000), t.category, t.form_key,
            ${time(now)}, to_timestamp(t.ended_at / 1000), t.delete_reason, t.submitted
          from jsonb_to_recordset(${json([...newTasks.values()])}) as t(id uuid, execution int, element text, name text,
            description text, assignee text, owner text, delegation text, priority int, due_at float8, category text, form_key text,
            ended_at float8, delete_reason text, submitted jsonb)`,
    ]);
  }
  if (taskChanges.size > 0) {
    const patches = [...taskChanges].map(([execution, change]) => ({ execution, change }));
    const text = (column: string) =>
      sql`${sql.ref(column)} = case when p.change ? ${sql.lit(column)} then p.change->>${sql.lit(column)} else t.${sql.ref(column)} end`;
    const instant = (column: string) =>
      sql`${sql.ref(column)} = case when p.change ? ${sql.lit(column)}
            then to_timestamp((p.change->>${sql.lit(column)})::float8 / 1000) else t.${sql.ref(column)} end`;
    steps.push([
      'changed_tasks',
      sql`update workflow_task t set revision = t.revision + 1,
            ${sql.join(['name', 'description', 'assignee', 'owner', 'delegation', 'category', 'form_key', 'definition_id', 'delete_reason'].map(text))},
            ${sql.join(['due_at', 'claimed_at', 'ended_at'].map(instant))},
            priority = coalesce((p.change->>'priority')::int, t.priority),
            submitted = coalesce(p.change->'submitted', t.submitted)
          from jsonb_to_recordset(${json(patches)}) as p(execution int, change jsonb)
          where t.instance_id = ${id} and t.execution = p.execution and t.ended_at is null`,
    ]);
    const moved = patches.flatMap(({ execution, change }) => {
      const isOpen = canBeTaken(change);
      return isOpen === undefined ? [] : [{ task_id: executionId(id, execution), is_open: isOpen }];
    });
    // A row can be changed once in a statement.
    const stays =
      keptCandidates.size === 0
        ? sql``
        : sql`and not exists (select from dropped_candidates d
                              where d.task_id = l.task_id and d.user_id is not distinct from l.user_id
                                and d.group_id is not distinct from l.group_id)`;
    if (moved.length > 0) {
      steps.push([
        'moved_links',
        sql`update workflow_identity_link l set is_open = m.is_open
            from jsonb_to_recordset(${json(moved)}) as m(task_id uuid, is_open boolean)
            where l.task_id = m.task_id and l.type = 'candidate' and l.is_open <> m.is_open ${stays}`,
      ]);
    }
  }
  if (links.length > 0) {
    const created = new Map([...newTasks.values()].map((task) => [task.id, task]));
    const changed = new Map(
      [...taskChanges].map(([execution, change]) => [executionId(id, execution), change]),
    );
    const rows = links.map((link) => {
      const { task_id: taskId } = link;
      const task = created.get(taskId ?? '');
      const isOpen =
        task === undefined ? canBeTaken(changed.get(taskId ?? '') ?? {}) : canBeTaken(task, true);
      return { ...link, is_open: isOpen };
    });
    steps.push([
      'new_links',
      sql`insert into workflow_identity_link (instance_id, task_id, type, user_id, group_id, is_open, task_created_at)
          select distinct ${id}::uuid, l.task_id, l.type, l.user_id, l.group_id,
            coalesce(l.is_open, t.assignee is null), coalesce(t.created_at, ${time(now)})
          from jsonb_to_recordset(${json(rows)}) as l(task_id uuid, type text, user_id text, group_id text, is_open boolean)
          left join workflow_task t on t.id = l.task_id
          on conflict do nothing`,
    ]);
  }
  return steps;
}

/** Whether candidates can take a task from now on; undefined when nothing changes about it. */
function canBeTaken({ assignee, ended_at }: TaskChange, isNew = false): boolean | undefined {
  if (ended_at !== undefined) return false;
  return assignee === undefined && !isNew ? undefined : (assignee ?? null) === null;
}

function variableSteps({ instance, variables }: Changes): Step[] {
  const all = [...variables.values()];
  const set = all.filter((variable) => 'value' in variable);
  const removed = all.filter((variable) => !('value' in variable));
  const steps: Step[] = [];
  if (set.length > 0) {
    steps.push([
      'set_variables',
      // What a caller writes as it likes stays whose it was.
      sql`insert into workflow_variable as present (instance_id, scope, name, owner, type, value, text_value)
          select ${instance.id}::uuid, v.scope, v.name, v.owner, v.type, coalesce(v.value, 'null'), v.text_value
          from jsonb_to_recordset(${json(set)})
            as v(scope int, name text, owner text, type text, value jsonb, text_value text)
          on conflict (instance_id, scope, name) do update
          set type = excluded.type, value = excluded.value, text_value = excluded.text_value,
              owner = case excluded.owner when 'caller' then present.owner else excluded.owner end`,
    ]);
  }
  if (removed.length > 0) {
    steps.push([
      'removed_variables',
      sql`delete from workflow_variable v using jsonb_to_recordset(${json(removed)}) as r(scope int, name text)
          where v.instance_id = ${instance.id} and v.scope = r.scope and v.name = r.name`,
    ]);
  }
  return steps;
}

function activitySteps({ instance, activities }: Changes): Step[] {
  const begun = [...activities.values()].filter(({ started_at }) => started_at !== undefined);
  const ended = [...activities.values()].filter(({ started_at }) => started_at === undefined);
  const columns = sql`a(execution int, element text, started_at float8, ended_at float8, reason text)`;
  const steps: Step[] = [];
  if (begun.length > 0) {
    steps.push([
      'begun_activities',
      sql`insert into workflow_activity (instance_id, execution, element, started_at, ended_at, reason)
          select ${instance.id}::uuid, a.execution, a.element, to_timestamp(a.started_at / 1000),
                 to_timestamp(a.ended_at / 1000), a.reason
          from jsonb_to_recordset(${json(begun)}) as ${columns}
          on conflict do nothing`,
    ]);
  }
  if (ended.length > 0) {
    steps.push([
      'ended_activities',
      sql`update workflow_activity w set ended_at = to_timestamp(a.ended_at / 1000), reason = a.reason
          from jsonb_to_recordset(${json(ended)}) as ${columns}
          where w.instance_id = ${instance.id} and w.execution = a.execution and w.element = a.element`,
    ]);
  }
  return steps;
}

function waitSteps({ instance, subscriptions, jobs, now }: Changes): Step[] {
  const steps: Step[] = [];
  const waits = [...subscriptions.values()];
  const added = waits.filter((wait) => 'event' in wait);
  const removed = waits.filter((wait) => !('event' in wait));
  if (added.length > 0) {
    steps.push([
      'new_subscriptions',
      sql`insert into workflow_subscription (event, name, instance_id, execution, element)
          select w.event, w.name, ${instance.id}::uuid, w.execution, w.element
          from jsonb_to_recordset(${json(added)}) as w(event text, name text, execution int, element text)
          on conflict (instance_id, execution, element, definition_id)
          do update set event = excluded.event, name = excluded.name`,
    ]);
  }
  if (removed.length > 0) {
    steps.push([
      'gone_subscriptions',
      sql`delete from workflow_subscription s using jsonb_to_recordset(${json(removed)}) as w(execution int, element text)
          where s.instance_id = ${instance.id} and s.execution = w.execution and s.element = w.element`,
    ]);
  }
  const all = [...jobs.values()];
  const newJobs = all.filter((job) => 'id' in job);
  const goneJobs = all.filter((job) => !('id' in job));
  if (newJobs.length > 0) {
    steps.push([
      'new_jobs',
      sql`insert into workflow_job
            (id, kind, instance_id, execution, element, definition_id, due_at, repeat, payload, retries, retry_cycle, created_at)
          select j.id, j.kind, ${instance.id}::uuid, j.execution, j.element, ${instance.definitionId}::text,
                 to_timestamp(j.due_at / 1000), j.repeat, j.payload, j.retries, j.retry_cycle, ${time(now)}
          from jsonb_to_recordset(${json(newJobs)}) as j(id uuid, kind text, execution int, element text, due_at float8,
            repeat jsonb, payload jsonb, retries int, retry_cycle text)
          on conflict (instance_id, execution, element, kind) where kind in ('async', 'timer')
          do update set id = excluded.id, due_at = excluded.due_at, repeat = excluded.repeat, retries = excluded.retries,
            revision = 1, is_dead = false, exception = null`,
    ]);
  }
  if (goneJobs.length > 0) {
    steps.push([
      'gone_jobs',
      sql`delete from workflow_job j using jsonb_to_recordset(${json(goneJobs)}) as w(kind text, execution int, element text)
          where j.instance_id = ${instance.id} and j.kind = w.kind and j.execution = w.execution and j.element = w.element`,
    ]);
  }
  return steps;
}

function eventSteps({ instance, event, now }: Changes): Step[] {
  if (event === null) return [];
  return [
    [
      'new_event',
      sql`insert into workflow_event (instance_id, number, at, user_id, stimulus, effects)
          values (${instance.id}, (select coalesce(max(number), 0) + 1 from workflow_event where instance_id = ${instance.id}),
                  ${time(now)}, ${event.user}, ${json(event.stimulus)}, ${json(event.effects)})`,
    ],
  ];
}
