// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployToFlowable, startFlowable } from '../../bench/support/servers/flowable.ts';
import { type PeerServer, whyNoJava } from '../../bench/support/servers/java.ts';
import { eventually } from '../support/eventually.ts';
import { importProcesses, releaseImported } from '../support/import-processes.ts';
import { isLong } from '../support/long.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import {
  boundary,
  caught,
  cycle,
  end,
  flow,
  gateway,
  loop,
  message,
  path,
  signal,
  start,
  sub,
  tag,
  timer,
  user,
} from '../unit/workflow/engine/bpmn.ts';

/**
 * Processes begin in Flowable, rest in many ways, come here, and go on in both: the same tasks are open after each step, and
 * the same are ended.
 */
const WHY_NOT = isLong ? whyNoJava() : 'it is part of npm run test:long';
if (WHY_NOT !== undefined) console.warn(`No processes of Flowable are moved: ${WHY_NOT}`);

const each = (inner = '') =>
  loop(inner, { 'flowable:collection': 'people', 'flowable:elementVariable': 'person' });

const FILES: Readonly<Record<string, string>> = {
  approval: processFile(
    'approval',
    start() +
      user('ask', { 'flowable:candidateGroups': 'staff' }) +
      boundary('late', 'ask', timer('PT5H')) +
      user('escalated') +
      gateway('exclusive', 'which') +
      user('accepted') +
      user('refused') +
      end() +
      path('s', 'ask', 'which') +
      flow('which', 'accepted', '${decision == "yes"}') +
      flow('which', 'refused', '${decision != "yes"}') +
      path('accepted', 'e') +
      path('refused', 'e') +
      path('late', 'escalated', 'e'),
  ),
  fork: processFile(
    'fork',
    start() +
      gateway('parallel', 'split') +
      user('left') +
      user('right') +
      caught('told', message()) +
      gateway('parallel', 'join') +
      user('last') +
      end() +
      path('s', 'split', 'left', 'join') +
      path('split', 'right', 'join') +
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
      user('after') +
      end() +
      path('s', 'part', 'after', 'e') +
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
  together: processFile(
    'together',
    start() + user('vote', {}, each()) + user('count') + end() + path('s', 'vote', 'count', 'e'),
  ),
  inTurn: processFile(
    'inTurn',
    start() +
      user('sign', {}, each().replace('Characteristics ', 'Characteristics isSequential="true" ')) +
      user('count') +
      end() +
      path('s', 'sign', 'count', 'e'),
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
};

/** What is done in either engine, until nothing is open any more. */
type Step = { readonly complete: string } | { readonly message: string } | { readonly signal: string };
const SCRIPTS: Readonly<
  Record<string, { readonly before?: readonly Step[]; readonly steps: readonly Step[] }>
> = {
  approval: { steps: [{ complete: 'ask' }, { complete: 'accepted' }] },
  fork: {
    before: [{ complete: 'left' }],
    steps: [{ message: 'hello' }, { complete: 'right' }, { complete: 'last' }],
  },
  inside: { steps: [{ signal: 'alarm' }, { complete: 'stopped' }] },
  choice: { steps: [{ message: 'hello' }, { complete: 'read' }] },
  together: {
    before: [{ complete: 'vote' }],
    steps: [{ complete: 'vote' }, { complete: 'vote' }, { complete: 'count' }],
  },
  inTurn: {
    before: [{ complete: 'sign' }],
    steps: [{ complete: 'sign' }, { complete: 'sign' }, { complete: 'count' }],
  },
  caller: { steps: [{ complete: 'work' }, { complete: 'done' }] },
};
const VARIABLES = { decision: 'yes', people: ['ann', 'ben', 'cid'], amount: 12.5, open: true };

interface Side {
  open(instance: string): Promise<readonly string[]>;
  take(instance: string, step: Step): Promise<void>;
}

function theirs(url: string): Side & { start(key: string): Promise<string> } {
  const ask = async (method: string, at: string, body?: object) => {
    const response = await fetch(`${url}/process-api/${at}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
  const tree = async (instance: string): Promise<string[]> => {
    const { data } = await ask('GET', `runtime/process-instances?superProcessInstanceId=${instance}`);
    return [instance, ...data.map(({ id }: { id: string }) => id)];
  };
  const tasks = async (instance: string) => {
    const found = await Promise.all(
      (await tree(instance)).map((id) => ask('GET', `runtime/tasks?processInstanceId=${id}&size=100`)),
    );
    return found.flatMap(({ data }) => data as { id: string; taskDefinitionKey: string }[]);
  };
  const executionAt = async (instance: string, query: string) => {
    const { data } = await ask('GET', `runtime/executions?processInstanceId=${instance}&${query}`);
    return data[0].id as string;
  };
  return {
    start: async (key) => {
      const variables = Object.entries(VARIABLES).map(([name, value]) =>
        Array.isArray(value) ? { name, value, type: 'json' } : { name, value },
      );
      const body = { processDefinitionKey: key, businessKey: `of ${key}`, variables };
      return (await ask('POST', 'runtime/process-instances', body)).id;
    },
    open: async (instance) => (await tasks(instance)).map((task) => task.taskDefinitionKey).sort(),
    async take(instance, step) {
      if ('complete' in step) {
        const task = (await tasks(instance)).find((one) => one.taskDefinitionKey === step.complete);
        await ask('POST', `runtime/tasks/${task?.id}`, { action: 'complete' });
      } else if ('message' in step) {
        const at = await executionAt(instance, `messageEventSubscriptionName=${step.message}`);
        await ask('PUT', `runtime/executions/${at}`, {
          action: 'messageEventReceived',
          messageName: step.message,
        });
      } else {
        await ask('POST', 'runtime/signals', { signalName: step.signal });
      }
    },
  };
}

function ours(server: TestServer): Side {
  const workflow = workflowApi(server.api);
  const post = async (at: string, body: object) => {
    const answer = await server.api('POST', `workflow/${at}`, { body });
    if (answer.status >= 300) throw new Error(`${at}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  const tree = async (instance: string): Promise<string[]> => [
    instance,
    ...(await workflow.list('processinstance', `superProcessInstanceId=${instance}`)).map(
      ({ _id }: { _id: string }) => _id,
    ),
  ];
  return {
    open: async (instance) =>
      (await Promise.all((await tree(instance)).map(workflow.openTasks))).flat().sort(),
    async take(instance, step) {
      if ('complete' in step) {
        for (const id of await tree(instance)) {
          if (!(await workflow.openTasks(id)).includes(step.complete)) continue;
          expect((await workflow.completeAt(id, step.complete)).status).toBe(200);
          return;
        }
      } else if ('message' in step) {
        await post('message?_action=send', { name: step.message, processInstanceId: instance });
      } else {
        await post('signal?_action=send', { name: step.signal });
      }
    },
  };
}

describe.skipIf(WHY_NOT !== undefined)('processes that have begun in Flowable', () => {
  const instances = new Map<string, { readonly there: string; here: string }>();
  let foreign: TestDatabase;
  let flowable: PeerServer;
  let target: TestDatabase;
  let server: TestServer;
  let there: ReturnType<typeof theirs>;
  let left: readonly { readonly reason: string }[];
  beforeAll(async () => {
    foreign = await createTestDatabase();
    flowable = await startFlowable(foreign.url);
    for (const [name, text] of Object.entries(FILES)) {
      await deployToFlowable(flowable.url, `${name}.bpmn20.xml`, text);
    }
    there = theirs(flowable.url);
    for (const [key, { before = [] }] of Object.entries(SCRIPTS)) {
      const id = await there.start(key);
      for (const step of before) await there.take(id, step);
      instances.set(key, { there: id, here: '' });
    }
    target = await createSchemaDatabase();
    const { remarks, rootOf } = await importProcesses({
      from: foreign.url,
      schema: 'public',
      to: target.url,
    });
    left = remarks.filter(({ isLeft }) => isLeft);
    for (const instance of instances.values()) instance.here = rootOf(instance.there);
    await releaseImported(target.url);
    server = await startTestServer({ database: target });
    // A JVM that makes a hundred tables takes its time where others work, too.
  }, 1_800_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await target?.[Symbol.asyncDispose]();
    await flowable?.[Symbol.asyncDispose]();
    await foreign?.[Symbol.asyncDispose]();
  });

  it('all come', () => {
    expect(left).toEqual([]);
  });

  it.each(Object.keys(SCRIPTS))('take the same path here: %s', async (key) => {
    const { steps } = SCRIPTS[key] ?? { steps: [] };
    const { there: theirId, here: ourId } = instances.get(key) ?? { there: '', here: '' };
    const here = ours(server);
    const both = async () => [await here.open(ourId), await there.open(theirId)];
    for (const step of steps) {
      const [own, other] = await both();
      expect(own).toEqual(other);
      await here.take(ourId, step);
      await there.take(theirId, step);
    }
    expect(await both()).toEqual([[], []]);
    await eventually(
      async () => (await workflowApi(server.api).get(`processinstance/history/${ourId}`)).endTime,
      (at) => at !== null && at !== undefined,
    );
  });
});
