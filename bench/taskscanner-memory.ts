/**
 * The memory of a node that scans a million objects: it may not grow with what it has done. The scan is cancelled when
 * its time is up, `--full` lets it go through all objects.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createBenchDatabase } from './support/postgres.ts';
import { compare, report } from './support/row.ts';
import { fillItems, ITEM_TYPE, readProgress, startScan } from './support/scan.ts';
import { createProject, startService } from './support/service.ts';
import { isFull, isQuick } from './support/settings.ts';

const BENCH = 'taskscanner-memory';
const OBJECTS = isQuick ? 50_000 : 1_000_000;
const MS = isFull ? Number.POSITIVE_INFINITY : isQuick ? 6_000 : 40_000;
const THREADS = 16;

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
await fillItems(databaseUrl, OBJECTS);
const project = scope.use(await createProject(ITEM_TYPE));
const node = scope.use(await startService({ databaseUrl, project: project.location }));
const id = await startScan({ databaseUrl, url: node.url, source: 'true;', threads: THREADS });
const sizes: number[] = [];
const startedAt = performance.now();
let progress = await readProgress(databaseUrl, id);
while (progress.state !== 'COMPLETED' && performance.now() - startedAt < MS) {
  await delay(500);
  sizes.push(residentMegabytes(node.pid));
  progress = await readProgress(databaseUrl, id);
}
const seconds = (performance.now() - startedAt) / 1000;
const fifth = (n: number) => sizes.slice((sizes.length * (n - 1)) / 5, (sizes.length * n) / 5);
const [second, last] = [fifth(2), fifth(5)];
const rounds = Math.min(second.length, last.length);
const what = `of ${OBJECTS.toLocaleString('en')} objects, ${progress.successes.toLocaleString('en')} of them done`;
compare(
  {
    bench: BENCH,
    quantity: `resident memory in the last fifth of a scan ${what}`,
    unit: 'MB',
    ours: last.slice(0, rounds),
    lessIsBetter: true,
    goal: { atLeast: 0.83 },
  },
  'in the second fifth',
  second.slice(0, rounds),
);
report({ bench: BENCH, quantity: 'processed', unit: 'objects/s', ours: [progress.successes / seconds] });

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
