/**
 * Groovy next to JavaScript in the same sandbox: evaluations a second of the same logic, the time that it takes to
 * compile 200 lines, and what a sandbox with Groovy in it costs.
 */
import { compileGroovy } from '../src/groovy/index.ts';
import { GroovyPool } from '../src/script/groovy-pool.ts';
import { SandboxPool } from '../src/script/javascript/index.ts';
import { answerHook, HOOK, HOOK_OBJECT } from './support/hook-samples.ts';
import { interleave } from './support/rounds.ts';
import { compare, report } from './support/row.ts';
import { isQuick } from './support/settings.ts';

/** Nothing but the language at work: numbers, texts, lists and maps. */
const WORK = {
  groovy: `
int total = 0
for (int i = 0; i < 2000; i++) { if (i % 3 == 0) total += i * 2 }
def words = (1..200).collect { "word\${it % 17}".toString() }
def counts = words.groupBy { it }.collectEntries { word, all -> [word, all.size()] }
def text = counts.sort { a, b -> b.value <=> a.value ?: a.key <=> b.key }.collect { k, v -> k + '=' + v }.join(',')
[total: total, text: text.size(), max: counts.values().max()]
`,
  javascript: `
var total = 0;
for (var i = 0; i < 2000; i++) { if (i % 3 === 0) { total += i * 2; } }
var words = [];
for (var n = 1; n <= 200; n++) { words.push('word' + (n % 17)); }
var counts = {};
words.forEach(function (word) { counts[word] = (counts[word] || 0) + 1; });
var names = Object.keys(counts).sort(function (a, b) { return counts[b] - counts[a] || (a < b ? -1 : 1); });
var text = names.map(function (name) { return name + '=' + counts[name]; }).join(',');
({ total: total, text: text.length, max: Math.max.apply(null, names.map(function (name) { return counts[name]; })) });
`,
};

const SCRIPTS = {
  'one expression': {
    groovy: "object.status == 'active' ? 1 : 2",
    javascript: "object.status === 'active' ? 1 : 2",
    runs: 1000,
  },
  'a hook with 2 reads and a query': { ...HOOK, runs: 400 },
  'loops, lists and maps': { ...WORK, runs: 100 },
};
const host = async (_operation: string, args: unknown[]) => answerHook(args[0]);

const rounds = isQuick ? 2 : 5;
const createdAt = performance.now();
const groovy = await GroovyPool.create();
const startMs = performance.now() - createdAt;
const javascript = await SandboxPool.create();

async function rate(pool: GroovyPool | SandboxPool, source: string, runs: number): Promise<number> {
  const startedAt = performance.now();
  for (let run = 0; run < runs; run++) {
    await pool.run({
      script: { name: 'bench', source },
      bindings: { object: HOOK_OBJECT },
      host,
      timeoutMs: 10_000,
    });
  }
  return (runs / (performance.now() - startedAt)) * 1000;
}

for (const [name, script] of Object.entries(SCRIPTS)) {
  await rate(groovy, script.groovy, 20);
  await rate(javascript, script.javascript, 20);
  const results = await interleave(rounds, {
    groovy: () => rate(groovy, script.groovy, script.runs),
    javascript: () => rate(javascript, script.javascript, script.runs),
  });
  compare(
    { bench: 'groovy', quantity: name, unit: 'evaluations/s', ours: results.groovy, goal: { atLeast: 0.5 } },
    'JavaScript',
    results.javascript,
  );
}

/** Different texts, or the second one would be known already. */
function twoHundredLines(round: number): string {
  const lines = HOOK.groovy.trim().split('\n');
  const copies = Array.from({ length: Math.ceil(200 / lines.length) }, (_, copy) =>
    lines
      .map((line) => line.replaceAll(/\b(?:def |normalize\()(\w*)/g, (all) => all))
      .join('\n')
      .replaceAll(
        /\b(manager|department|found|problems|seen|normalize|display|roles|limits|mail|key)\b(?!')/g,
        `$1${copy}_${round}`,
      ),
  );
  return copies.join('\n').split('\n').slice(0, 200).join('\n');
}

const compileMs = Array.from({ length: rounds * 4 }, (_, round) => {
  const source = twoHundredLines(round);
  const startedAt = performance.now();
  compileGroovy({ name: 'bench', source });
  return performance.now() - startedAt;
});
report({
  bench: 'groovy',
  quantity: 'compile 200 lines',
  unit: 'ms',
  ours: compileMs.slice(rounds),
  lessIsBetter: true,
  goal: { atMost: 20 },
});
report({
  bench: 'groovy',
  quantity: 'first sandbox of a thread',
  unit: 'ms',
  ours: [startMs],
  lessIsBetter: true,
});
groovy.close();
javascript.close();
