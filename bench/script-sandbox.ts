/**
 * Microseconds per script in the sandbox, next to what it costs without isolation, and with an instance of its own
 * for each run; what putting the memory back costs; how much memory an instance takes. Usage:
 *
 *     node bench/script-sandbox.ts [rounds]
 */
import { createContext, Script } from 'node:vm';
import { type EngineKind, loadEngineModule, SandboxPool } from '../src/script/javascript/index.ts';
import { SandboxMemory } from '../src/script/javascript/memory-snapshot.ts';
import { QuickJsContext } from '../src/script/javascript/quickjs-context.ts';
import { createQuickJs } from '../src/script/javascript/quickjs-module.ts';
import { Sandbox } from '../src/script/javascript/sandbox.ts';
import { interleave } from './support/rounds.ts';
import { compare, report } from './support/row.ts';

const TRIVIAL = `object.status === 'active' ? 1 : 2`;

/** 50 lines with 3 reads, a query and a patch, as a hook of the field looks. */
const FIFTY_LINES = `
var manager = svc.read('managed/user/' + object.manager);
var department = svc.read('managed/department/' + object.department);
var policy = svc.read('config/policy');
var found = svc.query('managed/user', { _queryFilter: 'department eq "' + object.department + '"' });
var problems = [];
var seen = {};
function normalize(text) {
  return String(text).trim().toLowerCase().replace(/\\s+/g, ' ');
}
function initials(name) {
  return name.split(' ').map(function (part) { return part.charAt(0); }).join('');
}
if (!object.userName || object.userName.length < 3) {
  problems.push({ property: 'userName', message: 'too short' });
}
for (var i = 0; i < found.result.length; i++) {
  var other = found.result[i];
  var key = normalize(other.givenName + ' ' + other.sn);
  seen[key] = (seen[key] || 0) + 1;
  if (other.userName === object.userName && other._id !== object._id) {
    problems.push({ property: 'userName', message: 'taken by ' + other._id });
  }
}
var display = normalize(object.givenName + ' ' + object.sn);
if (seen[display]) {
  display = display + ' ' + (seen[display] + 1);
}
var roles = (object.roles || []).concat(department.roles || []).filter(function (role, index, all) {
  return all.indexOf(role) === index;
}).sort();
var limits = {};
Object.keys(policy.limits).forEach(function (name) {
  limits[name] = policy.limits[name] * (roles.indexOf('manager') >= 0 ? 2 : 1);
});
var mail = normalize(object.givenName) + '.' + normalize(object.sn) + '@' + department.domain;
if (!/^[a-z0-9.]+@[a-z0-9.]+$/.test(mail)) {
  problems.push({ property: 'mail', message: 'not valid' });
}
object.displayName = display;
object.initials = initials(object.givenName + ' ' + object.sn);
object.mail = mail;
object.roles = roles;
object.managerName = manager ? manager.givenName + ' ' + manager.sn : null;
object.limits = limits;
object.checksum = JSON.stringify(object).length;
svc.patch('managed/department/' + object.department, null, [
  { operation: 'replace', field: '/lastChange', value: object.userName }
]);
var answer = { problems: problems, display: display, roles: roles.length };
answer;
`;

const OBJECT = {
  _id: 'u1',
  userName: 'jdoe',
  givenName: 'Jane',
  sn: 'Doe',
  department: 'd1',
  manager: 'm1',
  status: 'active',
  roles: ['employee', 'manager'],
};
const ANSWERS: Record<string, object> = {
  'managed/user/m1': { _id: 'm1', givenName: 'Max', sn: 'Moe' },
  'managed/department/d1': { _id: 'd1', domain: 'example.com', roles: ['employee', 'printer'] },
  'config/policy': { limits: { a: 1, b: 2, c: 3 } },
  'managed/user': {
    result: Array.from({ length: 10 }, (_, n) => ({
      _id: `u${n}`,
      userName: `u${n}`,
      givenName: 'Jane',
      sn: `D${n}`,
    })),
  },
};
const answer = (resource: unknown) => (ANSWERS[String(resource)] ?? {}) as never;

interface Contender {
  readonly name: string;
  readonly runs: number;
  run(source: string): Promise<unknown> | unknown;
}

async function poolContender(engine: EngineKind): Promise<Contender> {
  const pool = await SandboxPool.create({ engine });
  return {
    name: `sandbox pool, ${engine}`,
    runs: 2000,
    run: async (source) =>
      (
        await pool.run({
          script: { name: 'bench.js', source },
          bindings: { object: OBJECT },
          host: async (_operation, args) => answer(args[0]),
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
        answer: async (_o, args) => JSON.stringify(answer(JSON.parse(args)[0])),
      };
      const fn = context.evaluate(bareFunction(source), 'bench.js');
      const result = await context.callSuspendable(fn, [
        context.newHostFunction(),
        context.newString(JSON.stringify({ object: OBJECT })),
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
      answer: async (_o, args) => JSON.stringify(answer(JSON.parse(args)[0])),
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
      const input = context.newString(JSON.stringify({ object: OBJECT }));
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
      const host = async (resource: string) => JSON.stringify(answer(resource));
      return JSON.parse(await fn(JSON.stringify({ object: OBJECT }), host as never)).value;
    },
  };
}

async function microsecondsPerRun(contender: Contender, source: string): Promise<number> {
  const started = performance.now();
  for (let run = 0; run < contender.runs; run++) await contender.run(source);
  return ((performance.now() - started) / contender.runs) * 1000;
}

/** What putting the memory back costs by itself. */
async function microsecondsPerRestore(): Promise<{ bytes: number; microseconds: number }> {
  const module = await loadEngineModule('jspi');
  const sandbox = await Sandbox.create(module, {
    memoryBytes: 33_554_432,
    stackBytes: 98_304,
    libraries: [],
  });
  const quickjs = await createQuickJs('jspi', module.module, 1024);
  const memory = new SandboxMemory(quickjs, module.breakAddress);
  const context = new QuickJsContext('jspi', quickjs, { memoryBytes: 33_554_432, stackBytes: 98_304 });
  const room = sandbox.snapshotBytes - memory.takeSnapshot().bytes;
  context.evaluate(`globalThis.filler = new Uint8Array(${Math.max(1, room)}).fill(1)`, 'fill.js');
  const snapshot = memory.takeSnapshot();
  const times = 5000;
  const started = performance.now();
  for (let n = 0; n < times; n++) memory.restore(snapshot);
  return { bytes: snapshot.bytes, microseconds: ((performance.now() - started) / times) * 1000 };
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

const rounds = Number(process.argv[2] ?? 5);
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
  ['50 lines, 5 host calls', FIFTY_LINES],
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
  const isGoal = source === FIFTY_LINES;
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
const restores = [];
for (let round = 0; round < rounds; round++) restores.push(await microsecondsPerRestore());
report({
  bench: 'script-sandbox',
  quantity: `isolation: restore of a snapshot of ${Math.round(restores[0]!.bytes / 1024)} KiB`,
  unit: 'µs',
  ours: restores.map(({ microseconds }) => microseconds),
  goal: { atMost: 10 },
});
report({ bench: 'script-sandbox', quantity: 'memory of an idle sandbox', unit: 'KiB', ours: [memory] });
