import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import setUp, { dockerAnswers } from '../../support/global-setup.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import '../../support/takes-long.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-setup-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true });
});

/** Runs the set-up as vitest would, and says what it provided. */
async function runSetUp(): Promise<{ url: string; tearDown: () => Promise<void> }> {
  const provide = vi.fn<(key: string, value: string) => void>();
  const tearDown = await setUp({ provide } as unknown as Parameters<typeof setUp>[0]);
  return { url: provide.mock.calls[0]![1], tearDown };
}

describe('the database server of a test run', () => {
  test('is the one of DATABASE_URL where that is set', async () => {
    vi.stubEnv('DATABASE_URL', 'postgres://127.0.0.1:1/else');
    const { url, tearDown } = await runSetUp();
    expect(url).toBe('postgres://127.0.0.1:1/else');
    await tearDown();
  });

  test('is an embedded one elsewhere, which leaves nothing behind and clears away what killed runs left', async () => {
    vi.stubEnv('DATABASE_URL', '');
    vi.stubEnv('DOCKER_HOST', `unix://${root}/no.sock`);
    vi.stubEnv('TMPDIR', root);
    const killed = join(root, 'svc-test-postgres-killed');
    await mkdir(killed);
    await writeFile(join(killed, 'postgres.lock'), JSON.stringify({ pid: 4_194_305, startedAt: 'long ago' }));
    const { url, tearDown } = await runSetUp();
    await expect(access(killed)).rejects.toThrow('ENOENT');
    const database = await createTestDatabase({ serverUrl: url });
    await database[Symbol.asyncDispose]();
    await tearDown();
    expect(await readdir(root)).toEqual([]);
  });
});

describe('a Docker engine', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });
  async function listen(server: Server): Promise<string> {
    servers.push(server);
    await once(server.listen(join(root, 'docker.sock')), 'listening');
    return `unix://${root}/docker.sock`;
  }

  test('is there when its socket answers a ping', async () => {
    const host = await listen(
      createServer((request, response) => response.end(request.url === '/_ping' ? 'OK' : '')),
    );
    expect(await dockerAnswers(host, 300_000)).toBe(true);
  });

  test('is not there when the socket is missing, fails, or stays silent', async () => {
    expect(await dockerAnswers(`unix://${root}/no.sock`)).toBe(false);
    expect(await dockerAnswers('nonsense')).toBe(false);
    expect(await dockerAnswers('tcp://127.0.0.1:1')).toBe(false);
    expect(await dockerAnswers(await listen(createServer(() => {})), 100)).toBe(false);
  });
});
