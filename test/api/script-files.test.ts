import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { callerAs, callersOf } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const FILES = {
  'conf/endpoint-own.json': { type: 'text/javascript', file: 'deep/own.js' },
  'conf/endpoint-inline.json': { type: 'text/javascript', source: "require('./deep/own').answer()" },
  'conf/endpoint-other.json': { type: 'text/javascript', source: '"deep/own.js"' },
  'script/deep/own.js': 'exports.answer = function () { return 1; };',
  'script/deep/user.js': "// first\nrequire('./own')",
  'script/crypto.js': 'exports.mine = true;',
  'script/.hidden.js': '"secret"',
  'script/notes.txt': 'no script',
};

let server: TestServer;
let api: Api;
const { asNobody, createUser } = callersOf(() => api);
const asAda = callerAs(() => api, 'ada');

beforeAll(async () => {
  server = await startTestServer({ files: FILES });
  api = server.api;
  const outside = join(server.project.location, 'outside.js');
  await writeFile(outside, '"outside"');
  await symlink(outside, join(server.project.location, 'script/linked.js'));
  await createUser('ada');
});
afterAll(() => server?.[Symbol.asyncDispose]());

const get = async (path: string) => {
  const { status, body } = await api('GET', path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const usages = async (path: string) => {
  const { status, body } = await api('POST', `script/file/${path}?_action=usages`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.usages;
};

describe('/script/file', () => {
  it('answers with a script by every name that configurations may call it by', async () => {
    expect(await get('script/file/script/crypto.js')).toMatchObject({
      _id: 'crypto.js',
      content: 'exports.mine = true;',
    });
  });

  it('lists the scripts of the sources, and which of two wins', async () => {
    const { result } = await get('script/file?_queryFilter=true&_sortKeys=_id');
    const ids = result.map(({ _id }: { _id: string }) => _id);
    expect(ids).toEqual(
      expect.arrayContaining(['script/access.js', 'crypto.js', 'deep/own.js', 'roles/effectiveRoles.js']),
    );
    for (const absent of ['.hidden.js', 'notes.txt', 'linked.js']) expect(ids).not.toContain(absent);
    expect(result.find(({ _id }: { _id: string }) => _id === 'crypto.js')).toEqual({
      _id: 'crypto.js',
      type: 'text/javascript',
      source: 'project-script',
      bytes: 20,
      sources: ['project-script', 'default'],
    });
  });

  it('is read page by page', async () => {
    const first = await get('script/file?_queryFilter=source+eq+"project-script"&_sortKeys=_id&_pageSize=2');
    expect(first.result).toHaveLength(2);
    const cookie = encodeURIComponent(first.pagedResultsCookie);
    const query = '_queryFilter=source+eq+"project-script"&_sortKeys=_id&_pageSize=2';
    const second = await get(`script/file?${query}&_pagedResultsCookie=${cookie}`);
    expect(second.result[0]._id > first.result[1]._id).toBe(true);
  });

  it('shows what stands in one', async () => {
    const script = await get('script/file/deep/own.js');
    expect(script).toMatchObject({
      _id: 'deep/own.js',
      source: 'project-script',
      content: FILES['script/deep/own.js'],
    });
    expect(script._rev).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([
    '.hidden.js',
    'notes.txt',
    'linked.js',
    '..%2Foutside.js',
    '%2Fetc%2Fpasswd',
    'outside.js',
    'deep',
  ])('shows nothing of %s', async (path) => {
    const { status, body } = await api('GET', `script/file/${path}`);
    expect([status, JSON.stringify(body)]).toEqual([
      404,
      expect.not.stringMatching(/secret|"outside"|root:/),
    ]);
  });

  it('says what was meant', async () => {
    const { body } = await api('GET', 'script/file/deep/onw.js');
    expect([body.message, body.detail.id, body.detail.hint]).toEqual([
      "There is no script 'deep/onw.js'",
      'SCRIPT_FILE_NOT_FOUND',
      "Did you mean 'deep/own.js'?",
    ]);
  });

  it('tells who uses one: configurations, scripts in them, schedules, other scripts', async () => {
    const schedule = {
      schedule: '0 0 2 * * ?',
      timeZone: 'UTC',
      enabled: false,
      invokeService: 'script',
      invokeContext: { script: { type: 'text/javascript', file: 'deep/own.js' } },
    };
    expect((await api('PUT', 'scheduler/job/nightly', { body: schedule })).status).toBe(201);
    expect(await usages('deep/own.js')).toEqual([
      { kind: 'configuration', id: 'endpoint/inline', field: '/source' },
      { kind: 'configuration', id: 'endpoint/own', field: '/file' },
      { kind: 'schedule', id: 'nightly', field: '/invokeContext/script/file' },
      { kind: 'script', id: 'deep/user.js', line: 2 },
    ]);
    expect(await usages('deep/user.js')).toEqual([]);
    expect(await usages('script/access.js')).toEqual([{ kind: 'access', id: 'access' }]);
  });

  it('has one of the project in place of that of the installation', async () => {
    const shipped = await get('script/file/script/access.js');
    expect(shipped.sources).toEqual(['install']);
    await server.project.write('script/access.js', shipped.content);
    expect((await get('script/file/access.js')).sources).toEqual(['project-script', 'install']);
    expect((await get('script/file/script/access.js'))._id).toBe('access.js');
    expect(await usages('access.js')).toEqual([{ kind: 'access', id: 'access' }]);
  });

  it('is for those who may evaluate scripts', async () => {
    for (const path of ['script/file?_queryFilter=true', 'script/file/crypto.js']) {
      expect((await asAda('GET', path)).status).toBe(403);
      expect((await asNobody('GET', path)).status).toBe(401);
    }
    expect((await asAda('POST', 'script/file/crypto.js?_action=usages')).status).toBe(403);
    expect((await asNobody('POST', 'script/file/crypto.js?_action=usages')).status).toBe(401);
  });
});
