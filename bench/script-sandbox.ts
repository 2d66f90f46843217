/**
 * Microseconds per script in the sandbox, next to what it costs without isolation, and with an instance of its own
 * for each run; what putting the memory back costs; how much memory an instance takes.
 */
import { createContext, Script } from 'node:vm';
import { bindingLibraries } from '../src/script/binding-libraries.ts';
import { type EngineKind, loadEngineModule, SandboxPool } from '../src/script/javascript/index.ts';
import { SandboxMemory } from '../src/script/javascript/memory-snapshot.ts';
import { QuickJsContext } from '../src/script/javascript/quickjs-context.ts';
import { createQuickJs } from '../src/script/javascript/quickjs-module.ts';
import { Sandbox } from '../src/script/javascript/sandbox.ts';
import { answerHook, FIFTY_LINE_HOOK, HOOK_OBJECT } from './support/hook-samples.ts';
import { interleave } from './support/rounds.ts';
import { compare, report } from './support/row.ts';
import { isQuick } from './support/settings.ts';

const TRIVIAL = `object.status === 'active' ? 1 : 2`;

/** Schedules of one installation whose scripts stand in them, none like another. */
const TEXTS = Array.from(
  { length: isQuick ? 120 : 1_200 },
  (_, n) => `object.status === 'active' ? ${n} : 2`,
);

interface Contender {
  readonly name: string;
  readonly runs: number;
  run(source: string): Promise<unknown> | unknown;
}

async function poolContender(engine: EngineKind): Promise<Contender> {
  const pool = await SandboxPool.create({ engine, libraries: bindingLibraries });
  return {
    name: `sandbox pool, ${engine}`,
    runs: 2000,
    run: async (source) =>
      (
        await pool.run({
          script: { name: 'bench.js', source },
          bindings: { object: HOOK_OBJECT },
          host: async (_operation, args) => answerHook(args[0]),
          timeoutMs: 10_000,
        })
      ).value,
  };
}

/** What an isolated run costs where every run gets an instance of its own. */
async function freshContender(engine: EngineKind): Promise<Contender> {
  const module = await loadEngineModule(engine);
  return {
    name: `fresh runtime and context, ${engine}`,
    runs: 100,
    run: async (source) => {
      const quickjs = await createQuickJs(engine, module.module, 1024);
      const context = new QuickJsContext(engine, quickjs, { memoryBytes: 33_554_432, stackBytes: 98_304 });
      context.user = {
        ...context.user,
        answer: async (_o, args) => JSON.stringify(answerHook(JSON.parse(args)[0])),
      };
      const fn = context.evaluate(bareFunction(source), 'bench.js');
      const result = await context.callSuspendable(fn, [
        context.newHostFunction(),
        context.newString(JSON.stringify({ object: HOOK_OBJECT })),
      ]);
      return JSON.parse(context.getString(result)).value;
    },
  };
}

/** One context, one compiled function, nothing put back: what QuickJS itself costs. Leaks, so it starts anew. */
async function bareContender(): Promise<Contender> {
  const module = await loadEngineModule('jspi');
  const start = async () => {
    const quickjs = await createQuickJs('jspi', module.module, 4096);
    const context = new QuickJsContext('jspi', quickjs, { memoryBytes: 268_435_456, stackBytes: 98_304 });
    context.user = {
      ...context.user,
      answer: async (_o, args) => JSON.stringify(answerHook(JSON.parse(args)[0])),
    };
    return { context, host: context.newHostFunction(), compiled: new Map<string, number>() };
  };
  let current = await start();
  let left = 1000;
  return {
    name: 'bare kept context, jspi, no isolation',
    runs: 2000,
    run: async (source) => {
      if (--left === 0) {
        current = await start();
        left = 1000;
      }
      const { context, host, compiled } = current;
      const fn = compiled.get(source) ?? context.evaluate(bareFunction(source), 'bench.js');
      compiled.set(source, fn);
      const input = context.newString(JSON.stringify({ object: HOOK_OBJECT }));
      return JSON.parse(context.getString(await context.callSuspendable(fn, [host, input]))).value;
    },
  };
}

function bareFunction(source: string): string {
  return `(function (host, input) {
    var object = JSON.parse(input).object;
    var call = function (name) { return JSON.parse(host(name, JSON.stringify(Array.prototype.slice.call(arguments, 1)))) };
    var svc = { read: call.bind(null, 'read'), query: call.bind(null, 'query'), patch: call.bind(null, 'patch') };
    ${withValue(source)}
    return JSON.stringify({ value: value });
  })`;
}

/** The bare contenders have no completion values; their scripts name the result. */
function withValue(source: string): string {
  return source === TRIVIAL
    ? `var value = ${source};`
    : `${source.trim().replace(/answer;$/, '')}; var value = answer;`;
}

function vmContender(): Contender {
  const context = createContext({});
  const compiled = new Map<string, (input: string, host: (resource: string) => string) => Promise<string>>();
  return {
    name: 'node:vm kept context, no sandbox',
    runs: 5000,
    run: async (source) => {
      let fn = compiled.get(source);
      if (fn === undefined) {
        // Host calls wait as in the sandbox, here by await.
        const text = withValue(source).replace(/svc\.(\w+)\(/g, 'await svc.$1(');
        fn = new Script(`(async function (input, host) {
          var object = JSON.parse(input).object;
          var call = async function (name) { return JSON.parse(await host(name)) };
          var svc = { read: call, query: call, patch: call };
          ${text}
          return JSON.stringify({ value: value });
        })`).runInContext(context) as typeof fn & {};
        compiled.set(source, fn);
      }
      const host = async (resource: string) => JSON.stringify(answerHook(resource));
      return JSON.parse(await fn(JSON.stringify({ object: HOOK_OBJECT }), host as never)).value;
    },
  };
}

async function microsecondsPerRun(contender: Contender, source: string): Promise<number> {
  const started = performance.now();
  for (let run = 0; run < contender.runs; run++) await contender.run(source);
  return ((performance.now() - started) / contender.runs) * 1000;
}

/** What putting the memory back costs by itself, in time of the processor: as much memory as the server's sandboxes have. */
async function microsecondsPerRestore(): Promise<{ bytes: number; microseconds: number }> {
  const module = await loadEngineModule('jspi');
  const sandbox = await Sandbox.create(module, {
    memoryBytes: 33_554_432,
    stackBytes: 98_304,
    libraries: bindingLibraries,
    fields: module.fields,
  });
  const quickjs = await createQuickJs('jspi', module.module, 1024);
  const memory = new SandboxMemory(quickjs, module.breakAddress);
  const context = new QuickJsContext('jspi', quickjs, { memoryBytes: 33_554_432, stackBytes: 98_304 });
  const room = sandbox.snapshotBytes - memory.takeSnapshot().bytes;
  context.evaluate(`globalThis.filler = new Uint8Array(${Math.max(1, room)}).fill(1)`, 'fill.js');
  const snapshot = memory.takeSnapshot();
  const times = 5000;
  const before = process.cpuUsage();
  for (let n = 0; n < times; n++) memory.restore(snapshot);
  const { user, system } = process.cpuUsage(before);
  return { bytes: snapshot.bytes, microseconds: (user + system) / times };
}

/** Resident memory of one instance that waits for work, its code shared with all others. */
async function kibibytesPerInstance(): Promise<number> {
  const instances = 64;
  const module = await loadEngineModule('jspi');
  const options = { memoryBytes: 33_554_432, stackBytes: 262_144, libraries: [] };
  const kept: Sandbox[] = [await Sandbox.create(module, options)];
  const before = process.memoryUsage.rss();
  while (kept.length <= instances) kept.push(await Sandbox.create(module, options));
  return (process.memoryUsage.rss() - before) / 1024 / instances;
}

/** Each of many texts in its turn, next to one text as often, once all of them are known. */
async function differentTexts(): Promise<void> {
  const texts = async (sources: readonly string[]) => {
    for (const source of sources) await contenders.ours.run(source);
  };
  const before = process.memoryUsage.rss();
  await texts(TEXTS);
  const heldKiB = (process.memoryUsage.rss() - before) / 1024;
  const microseconds = (sources: readonly string[]) => async () => {
    const started = process.cpuUsage();
    await texts(sources);
    const { user, system } = process.cpuUsage(started);
    return (user + system) / sources.length;
  };
  const turns = { many: microseconds(TEXTS), one: microseconds(TEXTS.map(() => TRIVIAL)) };
  await interleave(1, turns);
  const { many, one } = await interleave(rounds, turns);
  const quantity = `trivial script, ${TEXTS.length} different texts in turn`;
  const row = { bench: 'script-sandbox', unit: 'µs', lessIsBetter: true };
  compare({ ...row, quantity: `${quantity}, CPU`, ours: many }, 'one text', one);
  report({
    bench: 'script-sandbox',
    quantity: `${quantity}: memory of each`,
    unit: 'KiB',
    ours: [heldKiB / TEXTS.length],
  });
}

const rounds = isQuick ? 2 : 5;
const memory = await kibibytesPerInstance();
const contenders = {
  ours: await poolContender('jspi'),
  asyncifyPool: await poolContender('asyncify'),
  asyncifyFresh: await freshContender('asyncify'),
  bare: await bareContender(),
  vm: vmContender(),
};
for (const [title, source] of [
  ['trivial script', TRIVIAL],
  ['50 lines, 5 host calls', FIFTY_LINE_HOOK],
] as const) {
  const all = Object.values(contenders);
  const values = await Promise.all(all.map((contender) => contender.run(source)));
  const differing = values.findIndex((value) => JSON.stringify(value) !== JSON.stringify(values[0]));
  if (differing >= 0) throw new Error(`${all[differing]!.name} differs: ${JSON.stringify(values)}`);
  const measure = (contender: Contender) => () => microsecondsPerRun(contender, source);
  const turns = {
    ours: measure(contenders.ours),
    asyncifyPool: measure(contenders.asyncifyPool),
    asyncifyFresh: measure(contenders.asyncifyFresh),
    bare: measure(contenders.bare),
    vm: measure(contenders.vm),
  };
  await interleave(1, turns);
  const times = await interleave(rounds, turns);
  const row = { bench: 'script-sandbox', quantity: `${title}, isolated`, unit: 'µs', lessIsBetter: true };
  const isGoal = source === FIFTY_LINE_HOOK;
  compare(
    { ...row, ours: times.ours, ...(isGoal ? { goal: { atLeast: 5 } } : {}) },
    contenders.asyncifyFresh.name,
    times.asyncifyFresh,
  );
  compare(
    { ...row, ours: times.ours, ...(isGoal ? { goal: { atLeast: 0.4 } } : {}) },
    contenders.vm.name,
    times.vm,
  );
  compare({ ...row, ours: times.ours }, contenders.bare.name, times.bare);
  compare({ ...row, ours: times.ours }, contenders.asyncifyPool.name, times.asyncifyPool);
}
await differentTexts();
const restores = [];
for (let round = 0; round < rounds; round++) restores.push(await microsecondsPerRestore());
report({
  bench: 'script-sandbox',
  quantity: `isolation, CPU: restore of a snapshot of ${Math.round(restores[0]!.bytes / 1024)} KiB`,
  unit: 'µs',
  ours: restores.map(({ microseconds }) => microseconds),
  goal: { atMost: 10 },
});
report({ bench: 'script-sandbox', quantity: 'memory of an idle sandbox', unit: 'KiB', ours: [memory] });
