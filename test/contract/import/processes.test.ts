// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actRows, type Engine, makeActTables } from '../../support/act-tables.ts';
import { postgresWriter, type Write } from '../../support/foreign-repository.ts';
import { importProcesses, releaseImported } from '../../support/import-processes.ts';
import { HAS_MARIADB, type Mariadb, startMariadb } from '../../support/mariadb.ts';
import { createSchemaDatabase } from '../../support/migrated-database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { makeDue, processFile, workflowApi } from '../../support/workflow.ts';
import {
  boundary,
  caught,
  cycle,
  end,
  flow,
  gateway,
  message,
  path,
  service,
  signal,
  start,
  sub,
  tag,
  timer,
  times,
  user,
} from '../../unit/workflow/engine/bpmn.ts';
import '../../support/takes-long.ts';

const FILES = {
  approval: processFile(
    'approval',
    start() +
      user('prepare') +
      user('ask') +
      boundary('late', 'ask', timer('PT5H')) +
      user('escalated') +
      user('accepted') +
      end() +
      path('s', 'prepare', 'ask') +
      flow('ask', 'accepted', '${amount > 10 && people[0] == "ann"}') +
      path('accepted', 'e') +
      path('late', 'escalated', 'e'),
  ),
  fork: processFile(
    'fork',
    start() +
      gateway('parallel', 'split') +
      user('left') +
      caught('told', message()) +
      gateway('parallel', 'join') +
      user('last') +
      end() +
      path('s', 'split', 'left', 'join') +
      path('split', 'told', 'join', 'last', 'e'),
  ),
  inside: processFile(
    'inside',
    start() +
      sub(
        'part',
        start('is') +
          user('inner') +
          boundary('again', 'inner', cycle('R3/PT5H'), false) +
          user('reminded') +
          end('ie') +
          path('is', 'inner', 'ie') +
          path('again', 'reminded', 'ie'),
      ) +
      boundary('stop', 'part', signal()) +
      user('stopped') +
      end() +
      path('s', 'part', 'e') +
      path('stop', 'stopped', 'e'),
  ),
  choice: processFile(
    'choice',
    start() +
      gateway('eventBased', 'first') +
      caught('answered', message()) +
      caught('silent', timer('PT5H')) +
      user('read') +
      user('remind') +
      end() +
      path('s', 'first', 'answered', 'read', 'e') +
      path('first', 'silent', 'remind', 'e'),
  ),
  votes: processFile(
    'votes',
    start() + user('vote', {}, times(3)) + user('count') + end() + path('s', 'vote', 'count', 'e'),
  ),
  called: processFile('called', start() + user('work') + end() + path('s', 'work', 'e')),
  caller: processFile(
    'caller',
    start() +
      tag('callActivity', 'call', { calledElement: 'called' }) +
      user('done') +
      end() +
      path('s', 'call', 'done', 'e'),
  ),
  later: processFile(
    'later',
    start() +
      service('run', '${execution.setVariable("ran", true)}', { 'flowable:async': true }) +
      user('seen') +
      end() +
      path('s', 'run', 'seen', 'e'),
  ),
  inclusive: processFile(
    'inclusive',
    start() +
      gateway('inclusive', 'split') +
      user('a') +
      user('b') +
      gateway('inclusive', 'join') +
      end() +
      path('s', 'split', 'a', 'join') +
      path('split', 'b', 'join', 'e'),
  ),
  unknown: processFile('unknown', start() + tag('userTask', 'a', {}, '') + end() + path('s', 'a', 'e')),
} as const;

const SERIALIZED = {
  /** `new ArrayList<>(List.of("ann", 7, true, 2.5, new Date(1700000000000L), 8_000_000_000L))` */
  list: 'rO0ABXNyABNqYXZhLnV0aWwuQXJyYXlMaXN0eIHSHZnHYZ0DAAFJAARzaXpleHAAAAAGdwQAAAAGdAADYW5uc3IAEWphdmEubGFuZy5JbnRlZ2VyEuKgpPeBhzgCAAFJAAV2YWx1ZXhyABBqYXZhLmxhbmcuTnVtYmVyhqyVHQuU4IsCAAB4cAAAAAdzcgARamF2YS5sYW5nLkJvb2xlYW7NIHKA1Zz67gIAAVoABXZhbHVleHABc3IAEGphdmEubGFuZy5Eb3VibGWAs8JKKWv7BAIAAUQABXZhbHVleHEAfgAEQAQAAAAAAABzcgAOamF2YS51dGlsLkRhdGVoaoEBS1l0GQMAAHhwdwgAAAGLz+VoAHhzcgAOamF2YS5sYW5nLkxvbmc7i+SQzI8j3wIAAUoABXZhbHVleHEAfgAEAAAAAdzWUAB4',
  /** `java.net.URI.create("http://x")` */
  uri: 'rO0ABXNyAAxqYXZhLm5ldC5VUkmsAXguQ55JqwMAAUwABnN0cmluZ3QAEkxqYXZhL2xhbmcvU3RyaW5nO3hwdAAIaHR0cDovL3h4',
};

type Ids = Record<string, string>;

/** Instances as an engine of that version keeps them, by their processes. */
async function fill(write: Write, engine: Engine): Promise<Ids> {
  const { put, deploy, execution, task, variable } = actRows(write);
  const isNew = engine === 'flowable';
  const timerTable = isNew ? 'ACT_RU_TIMER_JOB' : 'ACT_RU_JOB';
  const ids: Ids = {};
  const timerOf = (instance: string, at: string, element: string, table = timerTable, row = {}) =>
    put(table, {
      TYPE_: 'timer',
      EXECUTION_ID_: at,
      PROCESS_INSTANCE_ID_: instance,
      RETRIES_: 3,
      DUEDATE_: '2039-01-01 05:00:00',
      HANDLER_TYPE_: isNew ? 'trigger-timer' : 'timer-transition',
      HANDLER_CFG_: isNew ? JSON.stringify({ activityId: element }) : element,
      ...row,
    });
  const wait = (instance: string, at: string, element: string, type: string, name: string) =>
    put('ACT_RU_EVENT_SUBSCR', {
      EVENT_TYPE_: type,
      EVENT_NAME_: name,
      EXECUTION_ID_: at,
      PROC_INST_ID_: instance,
      ACTIVITY_ID_: element,
    });
  /** An activity with boundary events: newer engines have an execution for each, older ones one around it. */
  const beside = (definition: string, instance: string, at: string, element: string) =>
    isNew ? execution(definition, { instance, PARENT_ID_: at, ACT_ID_: element }) : at;
  const begin = async (key: keyof typeof FILES, row: Record<string, string | number | boolean> = {}) => {
    const definition = await deploy(key, FILES[key]);
    const started = isNew ? { START_USER_ID_: 'ann', START_TIME_: '2026-02-03 10:00:00' } : {};
    const instance = await execution(definition, { ...started, BUSINESS_KEY_: `of ${key}`, ...row });
    ids[key] = instance;
    const facts = { PROC_INST_ID_: instance, START_USER_ID_: 'ann', START_TIME_: '2026-02-03 10:00:00' };
    await put('ACT_HI_PROCINST', facts);
    return { definition, instance };
  };

  const approval = await begin('approval');
  {
    const { definition, instance } = approval;
    const at = await execution(definition, {
      instance,
      PARENT_ID_: instance,
      ACT_ID_: 'ask',
      IS_SCOPE_: !isNew,
    });
    await timerOf(instance, await beside(definition, instance, at, 'late'), 'late');
    const ask = await task(instance, at, 'ask', {
      OWNER_: 'boss',
      DUE_DATE_: '2039-01-02 00:00:00',
      PRIORITY_: 70,
    });
    await put('ACT_RU_IDENTITYLINK', { TYPE_: 'candidate', GROUP_ID_: 'staff', TASK_ID_: ask });
    await put('ACT_RU_IDENTITYLINK', { TYPE_: 'starter', USER_ID_: 'ann', PROC_INST_ID_: instance });
    await variable(instance, 'amount', 'double', { DOUBLE_: '12.5' });
    await variable(instance, 'open', 'boolean', { LONG_: 1 });
    await variable(instance, 'when', 'date', { LONG_: 1_700_000_000_000 });
    await variable(instance, 'object', 'json', { TEXT_: '{"a":[1]}' });
    const bytes = { NAME_: 'var', BYTES_: Buffer.from(SERIALIZED.list, 'base64') };
    await variable(instance, 'people', 'serializable', {
      BYTEARRAY_ID_: await put('ACT_GE_BYTEARRAY', bytes),
    });
    const context = {
      parent: {
        security: { authenticationId: 'ann', authorization: { id: 'ann', roles: ['openidm-authorized'] } },
      },
    };
    await variable(instance, 'openidmcontext', 'json', { TEXT_: JSON.stringify(context) });
    await put('ACT_RU_VARIABLE', {
      NAME_: 'draft',
      TYPE_: 'string',
      TEXT_: 'of the task',
      TASK_ID_: ask,
      EXECUTION_ID_: at,
      PROC_INST_ID_: instance,
    });
    const prepared = await put('ACT_HI_TASKINST', {
      ...{
        PROC_INST_ID_: instance,
        NAME_: 'prepare',
        ASSIGNEE_: 'ben',
        DELETE_REASON_: 'completed',
        PRIORITY_: 50,
      },
      ...{ START_TIME_: '2026-02-03 10:00:01', END_TIME_: '2026-02-03 10:20:30' },
    });
    const activity = { PROC_INST_ID_: instance, EXECUTION_ID_: at, ACT_TYPE_: 'userTask' };
    await put('ACT_HI_ACTINST', {
      ...{ ...activity, ACT_ID_: 'prepare', TASK_ID_: prepared },
      ...{ START_TIME_: '2026-02-03 10:00:01', END_TIME_: '2026-02-03 10:20:30' },
    });
    await put('ACT_HI_ACTINST', {
      ...activity,
      ACT_ID_: 'ask',
      TASK_ID_: ask,
      START_TIME_: '2026-02-03 10:20:30',
    });
  }
  {
    const { definition, instance } = await begin('fork');
    const branch = { instance, PARENT_ID_: instance, IS_CONCURRENT_: true };
    await execution(definition, { ...branch, ACT_ID_: 'join', IS_ACTIVE_: false });
    const told = await execution(definition, { ...branch, ACT_ID_: 'told' });
    await wait(instance, told, 'told', 'message', 'hello');
  }
  {
    const { definition, instance } = await begin('inside');
    // The old engine moves the execution of the sub-process itself, and has another one around an activity with boundaries.
    const part = await execution(definition, {
      ...{ instance, PARENT_ID_: instance, IS_SCOPE_: true },
      ...(isNew ? { ACT_ID_: 'part' } : { IS_ACTIVE_: false }),
    });
    const inner = await execution(definition, {
      instance,
      PARENT_ID_: part,
      ACT_ID_: 'inner',
      IS_SCOPE_: !isNew,
    });
    await task(instance, inner, 'inner', { ASSIGNEE_: 'ann' });
    await timerOf(instance, await beside(definition, instance, inner, 'again'), 'again', timerTable, {
      REPEAT_: 'R2/PT5H',
    });
    await wait(instance, await beside(definition, instance, part, 'stop'), 'stop', 'signal', 'alarm');
    await put('ACT_RU_VARIABLE', {
      NAME_: 'own',
      TYPE_: 'string',
      TEXT_: 'of the part',
      EXECUTION_ID_: part,
      PROC_INST_ID_: instance,
    });
  }
  {
    const { definition, instance } = await begin('choice');
    if (isNew) {
      const answered = await execution(definition, { instance, PARENT_ID_: instance, ACT_ID_: 'answered' });
      const silent = await execution(definition, { instance, PARENT_ID_: instance, ACT_ID_: 'silent' });
      await wait(instance, answered, 'answered', 'message', 'hello');
      await timerOf(instance, silent, 'silent');
    } else {
      const first = await execution(definition, {
        instance,
        PARENT_ID_: instance,
        ACT_ID_: 'first',
        IS_SCOPE_: true,
      });
      await wait(instance, first, 'answered', 'message', 'hello');
      await timerOf(instance, first, 'silent', timerTable, {
        HANDLER_TYPE_: 'timer-intermediate-transition',
      });
    }
  }
  {
    const { definition, instance } = await begin('votes');
    const body = await execution(definition, {
      ...{ instance, PARENT_ID_: instance, ACT_ID_: 'vote', IS_SCOPE_: true, IS_ACTIVE_: false },
      ...(isNew ? { IS_MI_ROOT_: true } : {}),
    });
    const counts = { nrOfInstances: 3, nrOfActiveInstances: 2, nrOfCompletedInstances: 1 };
    for (const [name, LONG_] of Object.entries(counts)) {
      // Newer engines count two of them off the executions.
      const isCounted = isNew && name !== 'nrOfInstances';
      await put('ACT_RU_VARIABLE', {
        NAME_: name,
        ...(isCounted ? { TYPE_: 'bpmnParallelMultiInstanceCompleted' } : { TYPE_: 'integer', LONG_ }),
        EXECUTION_ID_: body,
        PROC_INST_ID_: instance,
      });
    }
    for (const index of [0, 1, 2]) {
      const round = await execution(definition, {
        ...{ instance, PARENT_ID_: body, ACT_ID_: 'vote', IS_CONCURRENT_: true, IS_ACTIVE_: index > 0 },
      });
      const counter = { NAME_: 'loopCounter', TYPE_: 'integer', LONG_: index };
      // The engine keeps what belongs to a round that is over, too.
      const person = { NAME_: 'person', TYPE_: 'string', TEXT_: `person ${index}` };
      for (const own of [counter, person]) {
        await put('ACT_RU_VARIABLE', { ...own, EXECUTION_ID_: round, PROC_INST_ID_: instance });
      }
      if (index > 0) await task(instance, round, 'vote');
    }
  }
  {
    const { definition, instance } = await begin('caller');
    const call = await execution(definition, { instance, PARENT_ID_: instance, ACT_ID_: 'call' });
    const called = await deploy('called', FILES.called);
    const child = await execution(called, { SUPER_EXEC_: call, ...(isNew ? {} : { ACT_ID_: 'work' }) });
    const work = isNew
      ? await execution(called, { instance: child, PARENT_ID_: child, ACT_ID_: 'work' })
      : child;
    await task(child, work, 'work');
  }
  {
    const { definition, instance } = await begin('later');
    const run = await execution(definition, { instance, PARENT_ID_: instance, ACT_ID_: 'run' });
    await put('ACT_RU_JOB', {
      ...{ TYPE_: 'message', EXECUTION_ID_: run, PROCESS_INSTANCE_ID_: instance, RETRIES_: 3 },
      HANDLER_TYPE_: 'async-continuation',
    });
  }
  {
    const { definition, instance } = await begin('inclusive');
    const a = await execution(definition, { instance, PARENT_ID_: instance, ACT_ID_: 'a' });
    await task(instance, a, 'a');
    await execution(definition, { instance, PARENT_ID_: instance, ACT_ID_: 'join', IS_ACTIVE_: false });
  }
  {
    const { definition, instance } = await begin('unknown');
    const at = await execution(definition, { instance, PARENT_ID_: instance, ACT_ID_: 'a' });
    await task(instance, at, 'a');
    const bytes = { NAME_: 'var', BYTES_: Buffer.from(SERIALIZED.uri, 'base64') };
    await variable(instance, 'address', 'serializable', {
      BYTEARRAY_ID_: await put('ACT_GE_BYTEARRAY', bytes),
    });
  }
  await put('ACT_RU_TASK', { NAME_: 'by itself', PRIORITY_: 50, CREATE_TIME_: '2026-02-03 10:20:30' });
  return ids;
}

const COMING = ['approval', 'fork', 'inside', 'choice', 'votes', 'caller', 'later'];

describe.each(['activiti', 'flowable'] as const)('processes under way in %s', (engine) => {
  let foreign: TestDatabase;
  let write: Write;
  let endWriter: () => Promise<void>;
  let target: TestDatabase;
  let ids: Ids;
  let server: TestServer;
  let workflow: ReturnType<typeof workflowApi>;
  const here: Ids = {};
  const bring = (more: Partial<Parameters<typeof importProcesses>[0]> = {}) =>
    importProcesses({ from: foreign.url, to: target.url, zone: 'Europe/Prague', ...more });
  beforeAll(async () => {
    foreign = await createTestDatabase();
    ({ write, end: endWriter } = await postgresWriter(foreign.url));
    await makeActTables(write, 'postgres', engine);
    ids = await fill(write, engine);
    target = await createSchemaDatabase();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await endWriter();
    await target[Symbol.asyncDispose]();
    await foreign[Symbol.asyncDispose]();
  });

  it('are planned first, with the reason of each that cannot come', async () => {
    const { counts, remarks, rootOf } = await bring({ isApplied: false });
    expect(counts).toMatchObject({ read: 9, created: COMING.length, left: 2 });
    const reasons = remarks
      .filter(({ isLeft }) => isLeft)
      .map(({ ids, reason }) => `${ids.join()}: ${reason}`);
    expect(reasons.sort()).toEqual([
      expect.stringMatching(`^${ids['inclusive']}: 'join' is an inclusive join`),
      expect.stringMatching(`^${ids['unknown']}: The variable 'address' .* java.net.URI`),
      ': Tasks without a process have no place here',
    ]);
    expect(rootOf(ids['approval'] ?? '')).toBe('');
  });

  it('come once, and again only what has moved there', async () => {
    const first = await bring();
    expect(first.counts).toMatchObject({ created: COMING.length, updated: 0, left: 2 });
    expect(first.differing.map(({ reason }) => reason)).toEqual(['It is not here']);
    for (const key of COMING) here[key] = first.rootOf(ids[key] ?? '');
    expect((await bring()).counts).toMatchObject({ created: 0, updated: 0, unchanged: COMING.length });
    await write("update ACT_RU_TASK set ASSIGNEE_ = 'cid' where TASK_DEF_KEY_ = 'ask'");
    const again = await bring();
    expect(again.counts).toMatchObject({ created: 0, updated: 1, unchanged: COMING.length - 1 });
    expect(again.rootOf(ids['approval'] ?? '')).toBe(here['approval']);
  });

  it('stand still until the import is finished, and show where they are, since when, and what is theirs', async () => {
    const folder = Object.entries(FILES).map(([key, text]) => [`workflow/${key}.bpmn20.xml`, text]);
    server = await startTestServer({ database: target, files: Object.fromEntries(folder) });
    workflow = workflowApi(server.api);
    const { rows } = await server.database.pool.query(
      'select key, count(*)::int from workflow_definition group by key',
    );
    expect(rows.filter(({ key, count }) => key in FILES && count !== 1)).toEqual([]);
    expect((await workflow.completeAt(here['approval'] ?? '', 'ask')).status).toBe(409);
    const [task] = await workflow.tasks(here['approval'] ?? '');
    expect(task).toMatchObject({
      taskDefinitionKey: 'ask',
      assignee: 'cid',
      owner: 'boss',
      priority: 70,
      createTime: '2026-02-03T09:20:30.456Z',
      dueDate: '2039-01-01T23:00:00.000Z',
    });
    const instance = await workflow.get(`processinstance/${here['approval']}?_fields=*,processVariables`);
    expect(instance).toMatchObject({ startUserId: 'ann', businessKey: 'of approval' });
    const variables = await server.database.pool.query(
      'select name, scope, value from workflow_variable where instance_id = $1 order by name',
      [here['approval']],
    );
    expect(Object.fromEntries(variables.rows.map(({ name, value }) => [name, value]))).toMatchObject({
      amount: 12.5,
      draft: 'of the task',
      object: { a: [1] },
      open: true,
      people: ['ann', 7, true, 2.5, 1_700_000_000_000, 8_000_000_000],
      svccontext: { authenticationId: 'ann', authorization: { roles: ['openidm-authorized'] } },
      when: 1_700_000_000_000,
    });
    const history = await workflow.list('taskinstance/history', `processInstanceId=${here['approval']}`);
    expect(
      history.map(({ name, endTime }: { name: string; endTime: string }) => [name, endTime]),
    ).toContainEqual(['prepare', '2026-02-03T09:20:30.000Z']);
  });

  it('go on from there', async () => {
    await releaseImported(target.url);
    const at = (key: string) => here[key] ?? '';
    const open = async (key: string) => (await workflow.openTasks(at(key))).sort();
    const send = (kind: string, name: string, processInstanceId?: string) =>
      server.api('POST', `workflow/${kind}?_action=send`, { body: { name, processInstanceId } });
    expect((await workflow.completeAt(at('approval'), 'ask')).status).toBe(200);
    expect(await open('approval')).toEqual(['accepted']);
    expect((await send('message', 'hello', at('fork'))).status).toBe(200);
    expect(await open('fork')).toEqual(['last']);
    await workflow.completeAt(at('votes'), 'vote');
    await workflow.completeAt(at('votes'), 'vote');
    expect(await open('votes')).toEqual(['count']);
    await makeDue(server.database.pool, at('choice'));
    await server.database.pool.query('update workflow_job set due_at = now() where instance_id = $1', [
      at('choice'),
    ]);
    await workflow.reached(at('choice'), 'remind');
    await workflow.reached(at('later'), 'seen');
    const [child] = await workflow.list('processinstance', `superProcessInstanceId=${at('caller')}`);
    await workflow.completeAt(child._id, 'work');
    expect(await open('caller')).toEqual(['done']);
    await makeDue(server.database.pool, at('inside'));
    await workflow.reached(at('inside'), 'reminded');
    expect(await open('inside')).toEqual(['inner', 'reminded']);
    await send('signal', 'alarm');
    expect(await open('inside')).toEqual(['stopped']);
  });

  it('stay as they are here when they have moved, whatever the other engine does', async () => {
    await write('delete from ACT_RU_EXECUTION where PROC_INST_ID_ = ?', [ids['fork'] ?? '']);
    const { counts, remarks } = await bring({ deletes: true });
    expect(counts).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    expect(remarks.map(({ reason }) => reason).join()).toMatch(/was moved here since it came/);
    expect(await workflow.openTasks(here['fork'] ?? '')).toEqual(['last']);
  });
});

describe.skipIf(!HAS_MARIADB)('processes under way in MariaDB', () => {
  it('come as they do from Postgres', async () => {
    await using mariadb: Mariadb = await startMariadb();
    await makeActTables(mariadb.query, 'mysql', 'flowable');
    await fill(mariadb.query, 'flowable');
    await using target = await createSchemaDatabase();
    const { user: name, password, port, database } = mariadb;
    const { counts, differing } = await importProcesses({
      from: `mysql://${name}:${password}@127.0.0.1:${port}/${database}`,
      to: target.url,
    });
    expect(counts).toMatchObject({ read: 9, created: COMING.length, left: 2 });
    expect(differing.map(({ reason }) => reason)).toEqual(['It is not here']);
  });
});
