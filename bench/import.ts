/**
 * How long objects and relationships of another server take to come, as the command that brings them: into a database with the
 * schema that nodes have. 100,000 of each; `--full`: a million. The memory of the command may not grow with how many there are.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { remark, report } from './support/row.ts';
import { createProject } from './support/service.ts';
import { isFull, isQuick } from './support/settings.ts';

const BENCH = 'import';
const OBJECTS = isFull ? 1_000_000 : isQuick ? 10_000 : 100_000;
/** Of a million objects and as many relationships. */
const GOAL_SECONDS = 600;
const LOOK_MS = 500;

const text = { type: 'string' };
const edges = (path: string, reverse: string) => ({
  type: 'array',
  items: {
    type: 'relationship',
    reverseRelationship: true,
    reversePropertyName: reverse,
    resourceCollection: [{ path }],
  },
});
const TYPES = {
  objects: [
    {
      name: 'user',
      schema: {
        properties: {
          ...Object.fromEntries(
            ['userName', 'givenName', 'sn', 'mail', 'city', 'description'].map((name) => [name, text]),
          ),
          roles: edges('managed/role', 'members'),
        },
      },
    },
    { name: 'role', schema: { properties: { name: text, members: edges('managed/user', 'roles') } } },
  ],
};

await using scope = new AsyncDisposableStack();
const foreign = scope.use(await createBenchDatabase());
const target = scope.use(await createBenchDatabase());
const project = scope.use(await createProject({ 'conf/managed.json': TYPES }));
await fill(foreign.url, OBJECTS);
const imported = await run(['import', 'repository', foreign.url, '--apply', '--json']);
if (imported.code !== 0) throw new Error(imported.output);
const verified = await run(['import', 'verify', foreign.url, '--json']);
if (verified.code !== 0) throw new Error(verified.output);

const what = `${OBJECTS.toLocaleString('en')} objects and as many relationships`;
const goal = { atLeast: Math.floor((2 * 1_000_000) / GOAL_SECONDS), of: 'ours' } as const;
report({ bench: BENCH, quantity: `${what} come`, unit: 's', ours: [imported.seconds] });
report({ bench: BENCH, quantity: 'come a second', unit: '', ours: [(2 * OBJECTS) / imported.seconds], goal });
report({ bench: BENCH, quantity: 'processor time of the command', unit: 's', ours: [imported.cpuSeconds] });
const middle = imported.megabytes.slice(
  Math.floor(imported.megabytes.length / 4),
  Math.floor(imported.megabytes.length / 2),
);
const last = imported.megabytes.slice(Math.floor((imported.megabytes.length * 3) / 4));
report({
  bench: BENCH,
  quantity: 'resident memory of the command, second quarter',
  unit: 'MB',
  ours: [Math.max(...middle)],
});
report({
  bench: BENCH,
  quantity: 'resident memory of the command, last quarter',
  unit: 'MB',
  ours: [Math.max(...last)],
});
report({ bench: BENCH, quantity: `${what} are compared again`, unit: 's', ours: [verified.seconds] });
const load = readFileSync('/proc/loadavg', 'utf8').split(' ')[1];
remark(BENCH, `Load of the machine in the last five minutes: ${load}, on ${availableParallelism()} cores.`);

/** The command as operators run it, and what it takes. */
async function run(words: readonly string[]) {
  const env = { ...process.env, DATABASE_URL: target.url, SVC_PROJECT: project.location };
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['src/main.ts', ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (said) => (output += said));
  const megabytes: number[] = [];
  let cpuSeconds = 0;
  const look = setInterval(() => {
    const seen = lookAt(child.pid);
    if (seen === undefined) return;
    megabytes.push(seen.megabytes);
    cpuSeconds = seen.cpuSeconds;
  }, LOOK_MS);
  const [code] = await once(child, 'close');
  clearInterval(look);
  return { code, output, seconds: (performance.now() - startedAt) / 1_000, megabytes, cpuSeconds };
}

function lookAt(pid: number | undefined): { megabytes: number; cpuSeconds: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11, 13)
      .map(Number);
    const megabytes = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    return { megabytes, cpuSeconds: (user + system) / 100 };
  } catch {
    return undefined;
  }
}

/** Tables as servers of the family have them; objects of about 700 bytes, each with an edge to one of 1,000 roles. */
async function fill(url: string, count: number): Promise<void> {
  const table = (name: string) => `
    create table openidm.${name} (id bigserial primary key, objecttypes_id bigint not null, objectid varchar(255) not null,
      rev varchar(38) not null, fullobject json, unique (objecttypes_id, objectid));`;
  await onServer(
    url,
    `create schema openidm;
     create table openidm.objecttypes (id bigserial primary key, objecttype varchar(255));
     ${table('managedobjects')} ${table('relationships')}
     insert into openidm.objecttypes (objecttype) values ('managed/user'), ('managed/role'), ('relationships');
     insert into openidm.managedobjects (objecttypes_id, objectid, rev, fullobject)
       select 1, 'u' || n, '0', json_build_object('_id', 'u' || n, '_rev', '0', 'userName', 'user' || n, 'givenName', 'Given ' || n,
         'sn', 'Name ' || n, 'mail', n || '@example.com', 'city', 'City ' || n % 100, 'description', repeat('About the user. ', 30))
       from generate_series(1, ${count}) n;
     insert into openidm.managedobjects (objecttypes_id, objectid, rev, fullobject)
       select 2, 'r' || n, '0', json_build_object('_id', 'r' || n, 'name', 'role ' || n) from generate_series(0, 999) n;
     insert into openidm.relationships (objecttypes_id, objectid, rev, fullobject)
       select 3, 'e' || n, '0', json_build_object('_id', 'e' || n, 'firstId', 'managed/role/r' || n % 1000, 'firstPropertyName', 'members',
         'secondId', 'managed/user/u' || n, 'secondPropertyName', 'roles', 'properties', json_build_object('_grantType', ''))
       from generate_series(1, ${count}) n;
     analyze;`,
  );
}
