import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { ClaimedJob } from '#queue/index.ts';
import { Connection, type RequestSink } from '#resource/index.ts';
import { noScripts, type Scripts } from '#script/index.ts';
import { seededRandom } from '../support/hostile-requests.ts';
import { createMigratedDatabase } from '../support/migrated-database.ts';
import { createProject } from '../support/project.ts';
import { SEED } from '../support/property-seed.ts';
import { processFile } from '../support/workflow.ts';
import { openWorkflowCore } from '../support/workflow-core.ts';
import {
  boundary,
  caught,
  end,
  extension,
  flow,
  gateway,
  path,
  service,
  start,
  tag,
  timer,
  user,
} from '../unit/workflow/engine/bpmn.ts';
import '../support/takes-long.ts';

const PROCESSES = 12;
const INSTANCES = 60;
const MOST = 12;

/** Stands in the place of scripts, so that all happens in this process: its source is the word for what it does. */
function standIns(resources: RequestSink): Scripts {
  return {
    ...noScripts,
    compile: async () => [],
    async evaluate(context, { reference, bindings, operations }) {
      const svc = new Connection(resources, context);
      const n = Number(bindings['n']);
      const { number } = bindings;
      const mark = (text: string) => svc.create('managed/mark', null, { text: `${text} ${number}` });
      // Meanwhile others may be faster with what is stored together with this.
      await setTimeout(Number(number) % 4 === 0 ? 20 : 0);
      switch (reference.source) {
        case 'mark':
          await mark('mark');
          break;
        case 'look':
          await mark('look');
          await svc.query('managed/mark', { queryFilter: { kind: 'literal', value: false } });
          break;
        case 'count':
          await operations!['execution.setVariable']!(['n', n + 1]);
          break;
        case 'shared':
          await svc.patch('managed/mark/shared', null, [
            { operation: 'increment', field: ['times'], value: 1 },
          ]);
          break;
        case 'fail':
          await mark('fail');
          if (Number(number) % 3 === 0) throw new Error('it is a multiple of three');
          break;
        default:
          throw new Error(`Nothing stands in for '${reference.source}'`);
      }
      return { value: null, bindings: {}, log: [] };
    },
  };
}

const standInsOf = ({ resources }: { readonly resources: RequestSink }) => standIns(resources);

/** A process of random elements one after the other, some of them side by side. @param first what there is of course */
function randomProcess(random: () => number, first?: string): string {
  const pick = <T>(choices: readonly T[]) => choices[Math.floor(random() * choices.length)]!;
  const retried = extension('<flowable:failedJobRetryTimeCycle>R2/PT0S</flowable:failedJobRetryTimeCycle>');
  let made = 0;
  const element = (chosen?: string): readonly [body: string, first: string, last: string] => {
    const id = `n${++made}`;
    const script = (source: string, attributes: Record<string, string | boolean>) =>
      tag(
        'scriptTask',
        id,
        { scriptFormat: 'javascript', ...attributes },
        `${retried}<script>${source}</script>`,
      );
    const kind =
      chosen ??
      pick(['timer', 'timer', 'async', 'mark', 'look', 'count', 'shared', 'fail', 'task', 'call', 'both']);
    switch (kind) {
      case 'timer':
        return [caught(id, timer('PT0S')), id, id];
      case 'async':
        return [
          service(id, '\u0024{n + 1}', { 'flowable:async': true, 'flowable:resultVariable': 'n' }),
          id,
          id,
        ];
      case 'task':
        return [
          user(id, { 'flowable:candidateGroups': 'clerks' }) +
            boundary(`late-${id}`, id, timer('PT0S'), false) +
            end(`over-${id}`) +
            flow(`late-${id}`, `over-${id}`),
          id,
          id,
        ];
      case 'call':
        return [tag('callActivity', id, { calledElement: 'called' }), id, id];
      case 'both': {
        const [left, l1, l2] = element();
        const [right, r1, r2] = element();
        const [split, join] = [`split-${id}`, `join-${id}`];
        const body = gateway('parallel', split) + gateway('parallel', join) + left + right;
        return [body + flow(split, l1) + flow(l2, join) + flow(split, r1) + flow(r2, join), split, join];
      }
      default:
        // What fails does so as a job: whoever completes a task would be told.
        return [script(kind, kind === 'fail' || random() < 0.5 ? { 'flowable:async': true } : {}), id, id];
    }
  };
  // Where it begins to wait, so that its start fails for nobody.
  const elements: (readonly [string, string, string])[] = [
    [caught('begin', timer('PT0S')), 'begin', 'begin'],
  ];
  for (let count = 1 + Math.floor(random() * 4); count > 0; count--) elements.push(element(first));
  const flows = elements.map(([, first], at) => flow(at === 0 ? 's' : elements[at - 1]![2], first)).join('');
  return start() + end() + elements.map(([body]) => body).join('') + flows + flow(elements.at(-1)![2], 'e');
}

async function openWorld(database: Database, location: string, files: Readonly<Record<string, string>>) {
  const core = await openWorkflowCore(database, location, {
    scripts: standInsOf,
  });
  for (const [key, body] of Object.entries(files)) {
    const file = { name: `${key}.bpmn20.xml`, content: processFile(key, body) };
    await core.connection.action('workflow/deployment', 'deploy', file);
  }
  await core.connection.create('managed/mark', 'shared', { times: 0 });
  return core;
}

/** What is left of everything that was done, without ids, times and the numbers of executions. */
async function remains(database: Database): Promise<JsonObject> {
  const rows = async (query: string) =>
    (
      await sql
        .raw<{ row: JsonObject }>(`select to_jsonb(r) as row from (${query}) r order by 1`)
        .execute(database.db)
    ).rows.map(({ row }) => row);
  const of = (table: string, columns: string, more = '') => `
    select i.definition_key, v.text_value as number, ${columns} from ${table} t
    join workflow_instance i on i.id = t.instance_id
    left join workflow_variable v on v.instance_id = i.root_id and v.scope = 0 and v.name = 'number' ${more}`;
  return {
    instances: await rows(`
      select i.definition_key, v.text_value as number, i.business_key, i.ended_at is null as runs, i.delete_reason
      from workflow_instance i
      left join workflow_variable v on v.instance_id = i.root_id and v.scope = 0 and v.name = 'number'`),
    states: await rows(
      of(
        'workflow_state',
        `(select array_agg(e->>'at' order by e->>'at')
      from jsonb_array_elements(t.state->'executions') e) as at`,
      ),
    ),
    variables: await rows(of('workflow_variable', 't.name, t.value', `where t.name <> 'svccontext'`)),
    tasks: await rows(
      of('workflow_task', 't.element, t.ended_at is null as open, t.delete_reason, t.submitted'),
    ),
    links: await rows(of('workflow_identity_link', 't.type, t.user_id, t.group_id, t.is_open')),
    activities: await rows(of('workflow_activity', 't.element, t.ended_at is null as open, t.reason')),
    // Which of two branches comes first to a join is left to chance.
    stimuli: await rows(
      of('workflow_event', `t.user_id, t.stimulus->>'kind' as stimulus, count(*)`, 'group by 1, 2, 3, 4'),
    ),
    effects: await rows(
      of(
        'workflow_event',
        "e->>'kind' as effect, count(*)",
        'cross join jsonb_array_elements(t.effects) e group by 1, 2, 3',
      ),
    ),
    jobs: await rows(of('workflow_job', 't.kind, t.element, t.retries, t.is_dead, t.exception')),
    queued: await rows('select queue, attempt from work_job'),
    letters: await rows(
      `select tried, error->>'message' as message, error->>'cause' as cause from work_dead_letter`,
    ),
    objects: await rows(`select data - '_id' as data from managed_object where type = 'mark'`),
    audit: await rows(`
      select topic, user_id, event->>'operation' as operation, split_part(object_id, '/', 2) as type, count(*)
      from audit_event group by 1, 2, 3, 4`),
  };
}

test('steps of many instances together come to what they come to one by one', {
  timeout: 300_000,
}, async () => {
  const random = seededRandom(SEED);
  await using oneByOne = await createMigratedDatabase();
  await using together = await createMigratedDatabase();
  await using project = await createProject({
    'conf/managed.json': { objects: [{ name: 'mark' }] },
    'conf/workflow.json': { history: 'full' },
  });
  const files = {
    p0: randomProcess(random, 'fail'),
    p1: randomProcess(random, 'shared'),
    p2: randomProcess(random, 'both'),
    p3: randomProcess(random, 'both'),
    called: start() + caught('inside', timer('PT0S')) + end() + path('s', 'inside', 'e'),
    ...Object.fromEntries(
      Array.from({ length: PROCESSES - 4 }, (_, n) => [`p${n + 4}`, randomProcess(random)]),
    ),
  };
  const single = await openWorld(oneByOne, project.location, files);
  const many = await openWorld(together, project.location, files);
  // What two of them store at the same time does not leave together.
  await using scope = new AsyncDisposableStack();
  const another = scope.adopt(openDatabase({ url: together.url }), (opened) => opened.close());
  const other = await openWorkflowCore(another, project.location, { name: 'other', scripts: standInsOf });

  for (let number = 0; number < INSTANCES; number++) {
    const body = { _key: `p${number % PROCESSES}`, _businessKey: `b${number}`, number, n: number };
    for (const { connection } of [single, many])
      await connection.create('workflow/processinstance', null, body);
  }
  for (let isAtWork = true; isAtWork; ) {
    for (let job = await single.claim(1); job.length > 0; job = await single.claim(1)) await single.run(job);
    for (let jobs = await many.claim(MOST); jobs.length > 0; jobs = await many.claim(MOST)) {
      // Some at the same time as others, which may be of the same instances.
      const parts = Map.groupBy(jobs, () => Math.floor(random() * 3));
      await Promise.all(
        [...parts].map(([at, part]: [number, readonly ClaimedJob[]]) => (at === 0 ? other : many).run(part)),
      );
    }
    const done = await Promise.all([completeAll(single.connection, 1), completeAll(many.connection, 8)]);
    expect(done[1]).toBe(done[0]);
    isAtWork = done[0] > 0;
  }
  const expected = await remains(oneByOne);
  expect(expected['letters']).not.toEqual([]);
  expect(await remains(together)).toEqual(expected);
});

/** Completes all open tasks, so many at a time. @returns how many there were */
async function completeAll(connection: Connection, atOnce: number): Promise<number> {
  const { result } = await connection.query('workflow/taskinstance', { queryId: 'query-all-ids' });
  const left = result.values();
  const lane = async () => {
    for (const { id } of left)
      await connection.action(`workflow/taskinstance/${id}`, 'complete', { done: true });
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return result.length;
}
