/** From an empty folder to a Postgres that answers, and to a node that listens: copies of a template, as `npm start` makes them. */
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startEmbeddedServer } from '#database/index.ts';
import { onServer } from './support/postgres.ts';
import { report } from './support/row.ts';
import { createProject } from './support/service.ts';
import { isQuick } from './support/settings.ts';
import { USER_TYPE } from './support/users.ts';

const BENCH = 'start';
const ROUNDS = isQuick ? 2 : 4;
const ROOT = new URL('../', import.meta.url).pathname;

await using scope = new AsyncDisposableStack();
const project = scope.use(await createProject(USER_TYPE));
// The first one may have to make the template.
await inEmptyFolder(postgresMs);
const databases: number[] = [];
const nodes: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  databases.push(await inEmptyFolder(postgresMs));
  nodes.push(await inEmptyFolder(nodeMs));
}
const row = { bench: BENCH, unit: 'ms', lessIsBetter: true };
report({
  ...row,
  quantity: 'empty folder to a Postgres that answers',
  ours: databases,
  goal: { atMost: 300 },
});
report({
  ...row,
  quantity: 'empty folder to a node that listens, schema and administrator made',
  ours: nodes,
});

async function inEmptyFolder(measure: (folder: string) => Promise<number>): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-start-'));
  // Postgres may run as another user than we do, and has to pass through.
  await chmod(folder, 0o711);
  try {
    return await measure(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function postgresMs(dataDir: string): Promise<number> {
  const startedAt = performance.now();
  const server = await startEmbeddedServer({ dataDir });
  await onServer(server.url, 'select 1');
  const ms = performance.now() - startedAt;
  await server.stop();
  return ms;
}

async function nodeMs(dataDir: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['src/main.ts', 'start'], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: '',
      SVC_DATA_DIR: dataDir,
      SVC_PROJECT: project.location,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let listeningAt: number | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes('listening on')) continue;
    listeningAt = performance.now();
    child.kill('SIGTERM');
  }
  await ended;
  if (listeningAt === undefined) throw new Error('The node ended before it listened');
  return listeningAt - startedAt;
}
