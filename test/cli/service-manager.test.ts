import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { startNodeProcess } from '../support/node-process.ts';
import { createProject } from '../support/project.ts';

/** Listens as systemd does; Node has no such sockets. */
const LISTEN = `
import socket, sys
heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
heard.bind(sys.argv[1])
print('listening', flush=True)
while True: print(heard.recv(4096).decode().replace('\\n', ' '), flush=True)`;
const isThere = ['systemd-notify', 'python3'].every((name) => spawnSync(name, ['--version']).status === 0);
if (!isThere)
  console.warn('SKIPPED: systemd is not told of a node, systemd-notify and python3 are not both here');

it.skipIf(!isThere)('tells systemd when a node answers, and when it stops', async () => {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'svc-notify-'));
  scope.defer(() => rm(folder, { recursive: true }));
  const socket = join(folder, 'notify');
  const listener = spawn('python3', ['-c', LISTEN, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  scope.defer(() => void listener.kill());
  const heard: string[] = [];
  createInterface({ input: listener.stdout }).on('line', (line) => heard.push(line));
  await expect.poll(() => heard).toContain('listening');
  const [database, project] = [scope.use(await createSchemaDatabase()), scope.use(await createProject())];
  const node = scope.use(
    await startNodeProcess({
      name: 'told',
      databaseUrl: database.url,
      project: project.location,
      environment: { NOTIFY_SOCKET: socket },
    }),
  );
  await expect.poll(() => heard.join()).toMatch(/READY=1/);
  expect(heard.join()).not.toMatch(/STOPPING=1/);
  node.signal('SIGTERM');
  expect(await node.ended).toBe(0);
  await expect.poll(() => heard.join()).toMatch(/READY=1.*STOPPING=1/);
});
