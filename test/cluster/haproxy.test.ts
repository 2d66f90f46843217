import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../src/database/embedded/embedded-access.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { certificateAuthority } from '../support/certificates.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const isThere = spawnSync('haproxy', ['-v']).error === undefined;
const guide = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const [ofPostgres = '', ofNodes = ''] = [...guide.matchAll(/```haproxy\n(.*?)```/gs)].map(
  ([, block]) => block,
);

// On Debian: apt-get install haproxy.
describe.skipIf(!isThere)(
  `HAProxy as the guide has it${isThere ? '' : ', which is not installed: not tried'}`,
  () => {
    const scope = new AsyncDisposableStack();
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-haproxy-'));
      await chmod(folder, 0o755);
      scope.defer(() => rm(folder, { recursive: true }));
    });
    afterAll(() => scope.disposeAsync());

    const put = async (name: string, content: string) => {
      const file = join(folder, name);
      await writeFile(file, content);
      return file;
    };

    it('understands both parts of it, and warns of nothing', async () => {
      const { certificate, key } = certificateAuthority().issue('id.example.com');
      const pem = await put('svc.pem', `${certificate}${key}`);
      const whole = `${ofPostgres}\n${ofNodes}`.replace('/etc/haproxy/svc.pem', pem);
      const checked = spawnSync('haproxy', ['-c', '-f', await put('whole.cfg', whole)], { encoding: 'utf8' });
      expect([checked.status, checked.stderr.replaceAll(/^\[NOTICE\].*\n/gm, '')]).toEqual([0, '']);
    });

    it('fails no request while nodes are restarted one after the other', async () => {
      const database = scope.use(await createSchemaDatabase());
      const files = { 'conf/managed.json': { objects: [{ name: 'thing' }] } };
      const start = (name: string, port: number) =>
        startTestServer({
          database,
          files,
          environment: { SVC_NODE_ID: name, PORT: String(port), SVC_TRUSTED_PROXIES: '127.0.0.1' },
        });
      const [one, two, door] = [
        await freePort(undefined),
        await freePort(undefined),
        await freePort(undefined),
      ];
      const nodes = new Map<string, TestServer>();
      const ports = { one, two };
      for (const [name, port] of Object.entries(ports)) nodes.set(name, await start(name, port));
      scope.defer(async () => {
        for (const node of nodes.values()) await node[Symbol.asyncDispose]();
      });
      const socket = join(folder, 'admin.sock');
      const config = `global\n  stats socket ${socket} mode 666\n${ofNodes}`
        .replace(/:443 ssl .*/, `127.0.0.1:${door}`)
        .replace('10.1.1.1:8080', `127.0.0.1:${one}`)
        .replace('10.1.1.2:8080', `127.0.0.1:${two}`);
      const haproxy = spawn('haproxy', ['-db', '-f', await put('nodes.cfg', config)], { stdio: 'ignore' });
      const ended = new Promise((resolve) => haproxy.once('exit', resolve));
      scope.defer(async () => {
        haproxy.kill();
        await ended;
      });
      const stateOf = async (name: string): Promise<string | undefined> => {
        const connection = createConnection(socket);
        connection.end('show stat\n');
        const rows = (await text(connection).catch(() => '')).split('\n').map((line) => line.split(','));
        const column = rows[0]?.indexOf('status') ?? -1;
        return rows.find(([of, server]) => of === 'nodes' && server === name)?.[column];
      };
      const isIn = (name: string, state: string) =>
        expect.poll(() => stateOf(name), { timeout: 30_000 }).toBe(state);

      const headers = {
        'X-Svc-Username': 'svc-admin',
        'X-Svc-Password': ADMIN_PASSWORD,
        'Content-Type': 'application/json',
      };
      const statuses: number[] = [];
      let isOver = false;
      const caller = async (number: number) => {
        for (let n = 0; !isOver; n++) {
          const write = { method: 'PUT', body: '{}', headers: { ...headers, 'If-None-Match': '*' } };
          const asked = n % 2 === 0 ? write : { headers };
          const id = `${number}-${n - (n % 2)}`;
          const answer = await fetch(`http://127.0.0.1:${door}/svc/managed/thing/${id}`, asked).then(
            async (response) => {
              await response.arrayBuffer();
              return response.status;
            },
            () => 0,
          );
          statuses.push(answer);
        }
      };
      for (const name of ['one', 'two']) await isIn(name, 'UP');
      const callers = Promise.all([1, 2, 3, 4].map(caller));
      try {
        for (const [name, port] of Object.entries(ports)) {
          await nodes.get(name)?.[Symbol.asyncDispose]();
          await isIn(name, 'DOWN');
          nodes.set(name, await start(name, port));
          await isIn(name, 'UP');
        }
      } finally {
        isOver = true;
        await callers;
      }
      expect(statuses.length).toBeGreaterThan(20);
      expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
    });
  },
);
