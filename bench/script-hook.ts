/**
 * What a script adds to a managed create: the same object into a type without a hook, into one whose onCreate sets a
 * property, and into one whose onCreate makes a resource call. One request at a time, through a real node.
 */
import { createBenchDatabase } from './support/postgres.ts';
import { interleave } from './support/rounds.ts';
import { compare, spreadOf } from './support/row.ts';
import { call, createProject, startService } from './support/service.ts';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 5;
const CREATES = quick ? 50 : 150;

const hook = (source: string) => ({ onCreate: { type: 'text/javascript', source } });

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
const project = scope.use(
  await createProject({
    'conf/managed.json': {
      objects: [
        { name: 'plain' },
        { name: 'hooked', ...hook("object.status = object.status || 'active'") },
        { name: 'asking', ...hook("object.known = svc.read('managed/plain/none') === null") },
      ],
    },
  }),
);
const { url } = scope.use(await startService({ databaseUrl, project: project.location }));

async function medianMs(type: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < CREATES; n++) {
    const startedAt = performance.now();
    await call(url, 'POST', `managed/${type}`, { userName: `u${n}`, givenName: 'Jane', sn: 'Doe' });
    times.push(performance.now() - startedAt);
  }
  return spreadOf(times).median;
}

const contenders = {
  plain: () => medianMs('plain'),
  hooked: () => medianMs('hooked'),
  asking: () => medianMs('asking'),
};
await interleave(1, contenders);
const times = await interleave(ROUNDS, contenders);
for (const [name, title] of [
  ['hooked', 'create with an onCreate hook'],
  ['asking', 'create with a hook that reads'],
] as const) {
  compare(
    { bench: 'script-hook', quantity: title, unit: 'ms', ours: times[name], lessIsBetter: true },
    'create without a hook',
    times.plain,
  );
}
