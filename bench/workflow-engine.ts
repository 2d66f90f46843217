/** What process instances cost in memory, here and with bpmn-engine in the same rounds. */
import { EventEmitter } from 'node:events';
import * as elements from 'bpmn-elements';
import { Engine } from 'bpmn-engine';
import { BpmnModdle } from 'bpmn-moddle';
import {
  type SerializableContext,
  default as serializeContext,
  TypeResolver,
} from 'moddle-context-serializer';
import { apply, compile, type EngineHandlers, type ProcessState } from '../src/workflow/engine/index.ts';
import {
  bpmn,
  end,
  extension,
  flow,
  gateway,
  path,
  service,
  start,
  tag,
  times,
  user,
} from '../test/unit/workflow/engine/bpmn.ts';
import { interleave } from './support/rounds.ts';
import { compare, report } from './support/row.ts';

const BENCH = 'workflow-engine';
const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 2 : 5;
const OURS = quick ? 1_000 : 5_000;
const THEIRS = 60;
/** Times the rate of bpmn-engine. */
const GOAL = { atLeast: 100 };
const HANDLERS: EngineHandlers = {
  now: 0,
  instance: { id: 'i', definitionId: 'p:1' },
  runScript: () => ({ value: true }),
  callDelegate: () => null,
};

const threeServices = bpmn(
  start() +
    ['a', 'b', 'c'].map((id) => service(id, `$${'{1 + 1}'}`)).join('') +
    end() +
    path('s', 'a', 'b', 'c', 'e'),
);
const oneTask = bpmn(start() + user('a') + end() + path('s', 'a', 'e'));

const [services] = await compile(threeServices);
const theirServices = await theirContext(threeServices);
await measure(
  'three service tasks',
  async () => {
    await apply(services, null, { kind: 'start' }, HANDLERS);
  },
  () => runTheirs(theirServices),
);

const [task] = await compile(oneTask);
const theirTask = await theirContext(oneTask);
await measure(
  'one user task, its state written and read again',
  async () => {
    const started = await apply(task, null, { kind: 'start' }, HANDLERS);
    const state = JSON.parse(JSON.stringify(started.state)) as ProcessState;
    const execution = state.executions.at(-1)!.id;
    await apply(task, state, { kind: 'complete', execution }, HANDLERS);
  },
  () => recoverTheirs(theirTask),
);

const request = accessRequest();
const [definition] = await compile(request);
const compileMs: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  compileMs.push(1000 / (await rate(20, async () => void (await compile(request)))));
}
report({
  bench: BENCH,
  quantity: `compile a file of ${Math.round(request.length / 1000)} kB`,
  unit: 'ms',
  ours: compileMs,
});
const variables = { user: 'kim', role: 'admin' };
const { state } = await apply(definition, null, { kind: 'start', variables }, HANDLERS);
const activities = [...definition.nodes.values()].filter(({ kind }) => /Task|pass|sub/i.test(kind)).length;
report({
  bench: BENCH,
  quantity: `state of a process of ${activities} activities at its first wait`,
  unit: 'bytes',
  ours: [JSON.stringify(state).length],
  goal: { atMost: 500 },
});

const [many] = await compile(bpmn(start() + user('a', {}, times(1000)) + end() + path('s', 'a', 'e')));
const startedAt = performance.now();
let current = (await apply(many, null, { kind: 'start' }, HANDLERS)).state!;
const thousand = { bench: BENCH, unit: 'ms' };
report({
  ...thousand,
  quantity: '1,000 parallel rounds of a user task: start',
  ours: [performance.now() - startedAt],
});
const completedAt = performance.now();
for (let execution = current.executions.at(-1); current !== null; execution = current?.executions.at(-1)) {
  current = (await apply(many, current, { kind: 'complete', execution: execution!.id }, HANDLERS)).state!;
}
report({
  ...thousand,
  quantity: '1,000 parallel rounds of a user task: 1,000 completions',
  ours: [performance.now() - completedAt],
});

async function measure(
  quantity: string,
  ours: () => Promise<void>,
  theirs: () => Promise<void>,
): Promise<void> {
  const contenders = { ours: () => rate(OURS, ours), theirs: () => rate(THEIRS, theirs) };
  await interleave(1, contenders);
  const rounds = await interleave(ROUNDS, contenders);
  const row = { bench: BENCH, quantity, unit: 'instances/s', ours: rounds.ours, goal: GOAL };
  compare(row, 'bpmn-engine', rounds.theirs);
}

async function rate(count: number, once: () => Promise<void>): Promise<number> {
  const from = performance.now();
  for (let index = 0; index < count; index++) await once();
  return (count * 1000) / (performance.now() - from);
}

/** Parsed once and shared, as a server would do it. */
async function theirContext(source: string): Promise<SerializableContext> {
  const parsed = await new BpmnModdle().fromXML(source.replace('<process ', '<process isExecutable="true" '));
  return serializeContext(parsed as never, TypeResolver(elements as never));
}

function theirEngine(sourceContext: SerializableContext): Engine {
  return new Engine({ name: 'bench', sourceContext, extensions: { service: installService as never } });
}

/** Their service tasks need a behaviour; this one answers at once. */
function installService(activity: { type: string; behaviour: Record<string, unknown> }): void {
  if (activity.type !== 'bpmn:ServiceTask') return;
  activity.behaviour['Service'] = class {
    execute(_message: unknown, done: () => void) {
      done();
    }
  };
}

async function runTheirs(context: SerializableContext): Promise<void> {
  const engine = theirEngine(context);
  const ended = new Promise((resolve) => engine.once('end', resolve));
  await engine.execute();
  await ended;
}

async function recoverTheirs(context: SerializableContext): Promise<void> {
  const engine = theirEngine(context);
  await engine.execute();
  const stored = JSON.stringify(await engine.getState());
  await engine.stop();
  const listener = new EventEmitter();
  listener.on('activity.wait', (activity: { signal(): void }) => activity.signal());
  const revived = new Engine({ name: 'bench' }).recover(JSON.parse(stored));
  const ended = new Promise((resolve) => revived.once('end', resolve));
  await revived.resume({ listener });
  await ended;
}

/** A request with approvals: 14 activities, forms and notes, about as large as such files are. */
function accessRequest(): string {
  const form = (prefix: string) =>
    extension(
      Array.from({ length: 7 }, (_, index) => {
        const values = ['accept', 'reject'].map(
          (id) => `<flowable:value id="${id}" name="${id} the request"/>`,
        );
        return `<flowable:formProperty id="${prefix}${index}" name="Field ${index} of ${prefix}" type="enum" required="true">${values.join('')}</flowable:formProperty>`;
      }).join(''),
    );
  const script = (id: string) =>
    tag(
      'scriptTask',
      id,
      { scriptFormat: 'groovy', 'flowable:autoStoreVariables': false },
      `<script>${'// looks up what is needed\n'.repeat(46)}true</script>`,
    );
  const steps = ['approveManager', 'approveOwner', 'approveRisk', 'approveFinal'];
  const body = [start('s', form('start')), script('prepare'), path('s', 'prepare', steps[0]!)];
  steps.forEach((step, index) => {
    const next = steps[index + 1] ?? 'provision';
    body.push(user(step, { 'flowable:candidateGroups': `$${'{role}'}` }, form(step)), script(`note-${step}`));
    body.push(gateway('exclusive', `g-${step}`, { default: `g-${step}-rejected` }));
    body.push(
      path(step, `note-${step}`, `g-${step}`),
      flow(`g-${step}`, next, `$${"{vars:eq(decision, 'accept')}"}`),
    );
    body.push(flow(`g-${step}`, 'rejected'));
  });
  body.push(
    script('provision'),
    script('inform'),
    user('confirm', {}, form('confirm')),
    script('close'),
    end(),
  );
  body.push(
    script('rejected'),
    end('e-rejected'),
    path('provision', 'inform', 'confirm', 'close', 'e'),
    path('rejected', 'e-rejected'),
  );
  return bpmn(body.join(''));
}
