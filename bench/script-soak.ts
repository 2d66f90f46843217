/**
 * Runs well-behaved and hostile scripts side by side for an hour and checks every result. Ends with status 1 at the
 * first wrong one, and when the memory of the process grows. Usage:
 *
 *     node bench/script-soak.ts [seconds] [jspi|asyncify]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type EngineKind, SandboxPool } from '../src/script/javascript/index.ts';

const seconds = Number(process.argv[2] ?? 3600);
const engine = (process.argv[3] ?? 'jspi') as EngineKind;
const PARALLEL = 24;

interface Case {
  readonly source: string;
  /** What a run with this number must come to: a value, or the name and limit of its failure. */
  expected(n: number): unknown;
}

const DIRTY =
  'Object.prototype.p = n; Array.prototype.map = null; JSON.parse = null; globalThis.g = [n]; leaked = n;';
const CASES: readonly Case[] = [
  { source: 'n + 1', expected: (n) => n + 1 },
  { source: `${DIRTY} n`, expected: (n) => n },
  {
    source: 'typeof g + typeof leaked + ({}).p + [n].map(String)',
    expected: (n) => `undefinedundefinedundefined${n}`,
  },
  { source: 'svc.read("x" + n).x', expected: (n) => `x${n}` },
  {
    source: 'var s = 0; for (var i = 0; i < 5; i++) s += svc.read("x" + (n + i)).x.length; s',
    expected: (n) => [0, 1, 2, 3, 4].reduce((sum, i) => sum + `x${n + i}`.length, 0),
  },
  { source: 'try { svc.update("bad", null, {}) } catch (e) { e.code }', expected: () => 500 },
  { source: `${DIRTY} throw { code: n }`, expected: () => 'ScriptThrownError' },
  { source: `${DIRTY} function f() { f() } f()`, expected: () => 'ScriptLimitError stack' },
  { source: `${DIRTY} for (;;) {}`, expected: () => 'ScriptLimitError time' },
  { source: 'svc.read("never")', expected: () => 'ScriptLimitError time' },
  {
    source: 'var a = []; for (;;) a.push(new Array(10000).fill(n))',
    expected: () => 'ScriptLimitError memory',
  },
  { source: 'require("m").f(n)', expected: (n) => n * 2 },
  { source: `var kept = require("kept"); ${DIRTY} kept.n += n; kept.n`, expected: (n) => n },
  { source: 'require("sees").n()', expected: (n) => n },
  { source: `var own = n; load("adds"); ${DIRTY} added() + own`, expected: (n) => 2 * (n + 1) },
];
const MODULES: Record<string, { source: string; isShared?: boolean }> = {
  m: { source: 'exports.f = function (x) { return x * 2 }' },
  kept: { source: 'exports.n = 0; exports.big = new Array(20000).fill("x")', isShared: true },
  adds: { source: 'own += 1; function added() { return own }' },
  sees: { source: 'exports.n = function () { return n }' },
};
const RARE = new Set([8, 9, 10]);

const pool = await SandboxPool.create({ engine, size: 16, maxSize: 16 });
const deadline = performance.now() + seconds * 1000;
let runs = 0;
let lastReport = performance.now();
/** After a fifth of the time everything has been met; from there on memory has to stay where it is. */
const warmAt = performance.now() + seconds * 200;
let warmRss: number | undefined;
const MOST_GROWTH = 134_217_728;

async function outcome({ source }: Case, n: number): Promise<unknown> {
  const isHostile = source.includes('for (;;)') || source.includes('never');
  try {
    const { value } = await pool.run({
      script: { name: 'soak.js', source },
      bindings: { n },
      timeoutMs: source.includes('push') ? 20_000 : isHostile ? 40 : 20_000,
      host: async (operation, args) => {
        if (Math.random() < 0.5) await delay(Math.random() * 3);
        if (operation.endsWith('.resolve'))
          return { id: `${String(args[0])}.js`, ...MODULES[String(args[0])]! };
        if (args[0] === 'never') return new Promise(() => {});
        if (args[0] === 'bad') throw new Error('bad');
        return { x: args[0] ?? null };
      },
    });
    return value;
  } catch (error) {
    const { name, limit } = error as { name: string; limit?: string };
    return limit === undefined ? name : `${name} ${limit}`;
  }
}

async function work(): Promise<void> {
  while (performance.now() < deadline) {
    let index = Math.floor(Math.random() * CASES.length);
    if (RARE.has(index) && Math.random() < 0.95) index = 0;
    const chosen = CASES[index]!;
    const n = Math.floor(Math.random() * 1e6);
    const actual = await outcome(chosen, n);
    if (actual !== chosen.expected(n)) {
      console.error(
        `wrong after ${runs} runs: ${chosen.source}\n  n ${n}, got ${actual}, expected ${chosen.expected(n)}`,
      );
      process.exit(1);
    }
    runs++;
    if (warmRss === undefined && performance.now() > warmAt) warmRss = process.memoryUsage.rss();
    if (performance.now() - lastReport > 10_000) report();
  }
}

function report(): void {
  lastReport = performance.now();
  const { instances, created, discarded } = pool.stats;
  const rss = Math.round(process.memoryUsage.rss() / 1_048_576);
  console.log(
    `${runs} runs, 0 wrong, RSS ${rss} MiB, instances ${instances}, created ${created}, discarded ${discarded}`,
  );
}

await Promise.all(Array.from({ length: PARALLEL }, work));
report();
pool.close();
const growth = process.memoryUsage.rss() - (warmRss ?? 0);
if (warmRss !== undefined && growth > MOST_GROWTH) {
  console.error(`memory grew by ${Math.round(growth / 1_048_576)} MiB`);
  process.exit(1);
}
