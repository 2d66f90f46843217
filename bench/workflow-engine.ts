/**
 * What process instances cost in memory, here and with bpmn-engine in the same run. Prints one JSON row a
 * case. Run it with `node bench/workflow-engine.ts`; absolute figures depend on the machine, the ratio less so.
 */
import { EventEmitter } from 'node:events';
import * as elements from 'bpmn-elements';
import { Engine } from 'bpmn-engine';
import { BpmnModdle } from 'bpmn-moddle';
import {
  type SerializableContext,
  default as serializeContext,
  TypeResolver,
} from 'moddle-context-serializer';
import { apply, compile, type EngineHandlers, type ProcessState } from '../src/workflow/index.ts';
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

const ROUNDS = 5;
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
const oursServices = await rate(5000, async () => {
  await apply(services, null, { kind: 'start' }, HANDLERS);
});
const theirServices = await theirContext(threeServices);
const theirsServices = await rate(60, () => runTheirs(theirServices));
report('threeServices', {
  perSecond: oursServices,
  bpmnEnginePerSecond: theirsServices,
  ratio: oursServices / theirsServices,
});

const [task] = await compile(oneTask);
const oursTask = await rate(5000, async () => {
  const started = await apply(task, null, { kind: 'start' }, HANDLERS);
  const state = JSON.parse(JSON.stringify(started.state)) as ProcessState;
  const execution = state.executions.at(-1)!.id;
  await apply(task, state, { kind: 'complete', execution }, HANDLERS);
});
const theirTask = await theirContext(oneTask);
const theirsTask = await rate(60, () => recoverTheirs(theirTask));
report('userTaskWithRoundTrip', {
  perSecond: oursTask,
  bpmnEnginePerSecond: theirsTask,
  ratio: oursTask / theirsTask,
});

const request = accessRequest();
const [definition] = await compile(request);
const compileMs = 1000 / (await rate(20, async () => void (await compile(request))));
const { state } = await apply(
  definition,
  null,
  { kind: 'start', variables: { user: 'kim', role: 'admin' } },
  HANDLERS,
);
report('accessRequest', {
  fileBytes: request.length,
  activities: [...definition.nodes.values()].filter(({ kind }) => /Task|pass|sub/i.test(kind)).length,
  compileMs,
  stateBytesAtFirstWait: JSON.stringify(state).length,
});

const [many] = await compile(bpmn(start() + user('a', {}, times(1000)) + end() + path('s', 'a', 'e')));
const startMs = performance.now();
let current = (await apply(many, null, { kind: 'start' }, HANDLERS)).state!;
const startedMs = performance.now();
const stateBytes = JSON.stringify(current).length;
let completions = 0;
for (let execution = current.executions.at(-1); current !== null; execution = current?.executions.at(-1)) {
  current = (await apply(many, current, { kind: 'complete', execution: execution!.id }, HANDLERS)).state!;
  completions++;
}
report('multiInstance1000', {
  startMs: startedMs - startMs,
  stateBytes,
  completions,
  finishMs: performance.now() - startedMs,
});

async function rate(count: number, once: () => Promise<void>): Promise<number> {
  const rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const from = performance.now();
    for (let index = 0; index < count; index++) await once();
    if (round > 0) rates.push((count * 1000) / (performance.now() - from));
  }
  return rates.sort((left, right) => left - right)[Math.floor(rates.length / 2)]!;
}

function report(name: string, figures: Readonly<Record<string, number>>): void {
  const rounded = Object.entries(figures).map(([key, value]) => [key, Number(value.toPrecision(4))]);
  console.log(JSON.stringify({ bench: `workflow.${name}`, ...Object.fromEntries(rounded) }));
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
