import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { commandLineOf } from '../support/command-line.ts';
import { callersOf } from '../support/credentials.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const svc = commandLineOf(() => server);
const { createUser } = callersOf(() => server.api);

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'conf/schedule-nightly.json': {
        schedule: '0 0 2 * * ?',
        invokeService: 'script',
        invokeContext: { script: { type: 'text/javascript', source: '1' } },
      },
    },
  });
  for (const name of ['ada', 'adam', 'bea']) await createUser(name);
  await server.api('PUT', 'managed/role/auditor', { body: { name: 'auditor', description: 'Reads' } });
});
afterAll(() => server?.[Symbol.asyncDispose]());

const completed = async (words: readonly string[], environment: Record<string, string> = {}) => {
  const cache = { XDG_CACHE_HOME: join(server.project.location, 'cache') };
  const { code, out, err } = await svc(['__complete', ...words], { ...cache, ...environment });
  expect([code, err]).toEqual([0, '']);
  return out.split('\n').filter(Boolean);
};

describe('completion', () => {
  it.each([
    [['sch'], ['schedule']],
    [['schedule', 'h'], ['history']],
    [['schedules', 'cal'], ['calendar']],
    [['schedule', 'history', '--fai'], ['--failed']],
    [['schedule', 'pause', '--fai'], []],
    [['audit', 't'], ['tree']],
    [['audit', 'list', '--us'], ['--user']],
    [['nothing', ''], []],
    [['get', 'us'], ['user']],
    [['get', 'conf'], ['config']],
    [
      ['get', 'user', 'ad'],
      ['ada', 'adam'],
    ],
    [['get', '-o', 'json', 'user', 'be'], ['bea']],
    [['get', 'user', '-o', 'ya'], ['yaml']],
    [['get', 'user', 'ada', ''], []],
    [['grant', 'aud'], ['auditor']],
    [['grant', 'auditor', 'ada', 'be'], ['bea']],
    [['schedule', 'run', 'ni'], ['nightly']],
    [['why', 'schedule', 'ni'], ['nightly']],
    [['why', 'user', 'be'], ['bea']],
    [['explain', 'OBJECT_REV'], ['OBJECT_REVISION']],
    [['events', 'object:us'], ['object:user']],
    [['logs', '--level', 'w'], ['warn']],
    [['api', 'PA'], ['PATCH']],
  ])('of %j is %j', async (words, found) => {
    expect(await completed(words)).toEqual(found);
  });

  it('asks for the same again only after a minute, and never a node that is not there for long', async () => {
    expect(await completed(['get', 'role', 'c'])).toEqual([]);
    await server.api('PUT', 'managed/role/clerk', { body: { name: 'clerk', description: 'Writes' } });
    expect(await completed(['get', 'role', 'c'])).toEqual([]);
    expect(await completed(['get', 'role', 'cl'])).toEqual(['clerk']);
    expect(await completed(['get', 'role', 'cl'], { SVC_URL: 'http://127.0.0.1:1' })).toEqual([]);
    expect(await completed(['get', 'user', 'a'], { SVC_PASSWORD: 'wrong', SVC_USER: 'nobody' })).toEqual([]);
  });
});

describe('completion in bash', () => {
  const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
  const LINE = 'svc() { "$NODE" "$MAIN" "$@"; }; source <(svc completion bash)';
  /** What it would put in place of the last of the words, as bash has cut them. */
  const replies = async (...words: readonly string[]) => {
    const script = `${LINE}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', 'svc', ...words], {
      cwd: server.project.location,
      env: {
        ...PROGRAM_ENVIRONMENT,
        NODE: process.execPath,
        MAIN,
        SVC_URL: server.url,
        SVC_PASSWORD: ADMIN_PASSWORD,
        XDG_CACHE_HOME: join(server.project.location, 'cache'),
      },
    });
    return stdout.split('\n').filter(Boolean);
  };

  it('knows words that bash cuts in pieces', async () => {
    expect(await completed(['events', 'object:us'])).toEqual(['object:user']);
    expect(await replies('events', 'object', ':', 'us')).toEqual(['user']);
    expect(await replies('events', 'object', ':')).toContain('user');
    expect(await replies('events', 'object:us')).toEqual(['object:user']);
    expect(await replies('events', 'firi')).toEqual(['firing']);
  });

  it('runs nothing that is the id of an object, nor is it run by whoever takes it', async () => {
    const id = '$(touch pwned)';
    await server.api('PUT', `managed/role/${encodeURIComponent(id)}`, {
      body: { name: 'sly', description: 'x' },
    });
    await server.api('PUT', `managed/role/${encodeURIComponent('$(a\u001b[2J')}`, {
      body: { name: 'loud', description: 'x' },
    });
    expect(await completed(['get', 'role', '$('])).toEqual([id]);
    expect(await replies('get', 'role', '$(')).toEqual(['\\$\\(touch\\ pwned\\)']);
    expect(existsSync(join(server.project.location, 'pwned'))).toBe(false);
  });
});

describe('-o json', () => {
  it.each([
    [['get', 'user', '--limit', '0', '-o', 'json'], 2],
    [['gte', 'user', '-o', 'json'], 2],
    [['get', '--filtr', 'true', '-o', 'json'], 2],
    [['doctor', '--nothing', '--json'], 2],
    [['get', 'usr', '--output=json'], 4],
    [['why', 'request', 'nothing', '-o', 'json'], 4],
  ])('has %j tell as JSON what is wrong', async (args, code) => {
    const said = await svc(args);
    expect([said.code, said.out]).toEqual([code, '']);
    expect(JSON.parse(said.err).message).toEqual(expect.any(String));
  });

  it('is known to what asks no node', async () => {
    const { code, out } = await svc(['version', '-o', 'json']);
    expect([code, Object.keys(JSON.parse(out))]).toEqual([0, ['svc', 'node', 'schema']]);
    expect((await svc(['--version', '-o', 'yaml'])).out).toMatch(/^svc: /);
    expect(JSON.parse((await svc(['health', '--url', server.url, '-o', 'json'])).out)).toHaveProperty(
      'state',
    );
    const { key, entry } = JSON.parse((await svc(['api-key', 'reports', '-o', 'json'])).out);
    expect([typeof key, entry.id]).toEqual(['string', 'reports']);
    expect((await svc(['version', '-o', 'tabel'])).err).toContain("Did you mean 'table'?");
  });
});
