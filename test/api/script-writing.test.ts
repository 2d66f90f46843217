import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { callerAs, callersOf } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const FILES = {
  'conf/endpoint-own.json': { type: 'text/javascript', file: 'own.js' },
  'script/own.js': "'from the disk'",
  'script/lib/words.js': "exports.word = 'old';",
  'conf/endpoint-words.json': { type: 'text/javascript', source: "require('lib/words').word" },
};
const ACCESS = new URL('../../script/access.js', import.meta.url);

let server: TestServer;
let api: Api;
let shippedRules: string;
const { asNobody, createUser } = callersOf(() => api);
const asAda = callerAs(() => api, 'ada');

beforeAll(async () => {
  server = await startTestServer({ files: FILES, threads: 2 });
  api = server.api;
  shippedRules = await readFile(ACCESS, 'utf8');
  await createUser('ada');
});
afterAll(() => server?.[Symbol.asyncDispose]());

const must = async (...call: Parameters<Api>) => {
  const answer = await api(...call);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
};
const put = (path: string, content: string, query = '') =>
  api('PUT', `script/file/${path}${query}`, { body: { content } });
const revert = (path: string) => must('POST', `script/file/${path}?_action=revertToFile`);
const own = async () => must('GET', 'endpoint/own');
const kept = async () =>
  (
    await sql<{ id: string }>`select id from config_override where id ^@ 'script/' order by id`.execute(
      server.database.db,
    )
  ).rows.map(({ id }) => id);

describe('a script that is set through /script/file', () => {
  it('is in force with the answer, in front of the file, until it is taken back', async () => {
    expect(await own()).toBe('from the disk');
    for (const word of ['first', 'second', 'third']) {
      const written = await put('own.js', `'${word}'`);
      expect([written.status, written.body.source]).toEqual([200, 'override']);
      expect([await own(), await own(), await own()]).toEqual([word, word, word]);
    }
    expect(await must('GET', 'script/file/own.js')).toMatchObject({
      content: "'third'",
      source: 'override',
      sources: ['override', 'project-script'],
      bytes: 7,
    });
    expect((await revert('own.js')).content).toBe("'from the disk'");
    expect(await own()).toBe('from the disk');
    expect(await kept()).toEqual([]);
  });

  it('is required by others at once, and may be in Groovy', async () => {
    expect(await must('GET', 'endpoint/words')).toBe('old');
    await must('PUT', 'script/file/lib/words.js', { body: { content: "exports.word = 'new';" } });
    expect(await must('GET', 'endpoint/words')).toBe('new');
    await revert('lib/words.js');
    expect(await must('GET', 'endpoint/words')).toBe('old');

    expect((await put('sum.groovy', '[1, 2].sum()')).status).toBe(201);
    const endpoint = { type: 'groovy', file: 'sum.groovy' };
    await must('PUT', 'config/endpoint/sum', { body: endpoint });
    expect(await must('GET', 'endpoint/sum')).toBe(3);
    await must('DELETE', 'config/endpoint/sum');
    await must('DELETE', 'script/file/sum.groovy');
    expect((await api('GET', 'script/file/sum.groovy')).status).toBe(404);
  });

  it('is gone when it was deleted, whatever the disk has, and comes back', async () => {
    await must('PUT', 'script/file/spare.js', { body: { content: '1' } });
    await must('DELETE', 'script/file/spare.js');
    expect(await kept()).toEqual([]);
    await server.project.write('script/spare.js', '2');
    await must('DELETE', 'script/file/spare.js');
    expect((await api('GET', 'script/file/spare.js')).status).toBe(404);
    expect(await kept()).toEqual(['script/file/spare.js']);
    expect((await revert('spare.js')).content).toBe('2');
    const again = await api('POST', 'script/file/spare.js?_action=revertToFile');
    expect([again.status, again.body.detail.id]).toEqual([404, 'SCRIPT_FILE_NOT_SET']);
  });

  it('has revisions, and is created once', async () => {
    const { _rev } = await must('PUT', 'script/file/rev.js', { body: { content: '1' } });
    const stale = await api('PUT', 'script/file/rev.js', {
      body: { content: '2' },
      headers: { 'If-Match': '"0000000000000000"' },
    });
    expect([stale.status, stale.body.detail.id]).toEqual([412, 'SCRIPT_FILE_REVISION']);
    const twice = await api('PUT', 'script/file/rev.js', {
      body: { content: '2' },
      headers: { 'If-None-Match': '*' },
    });
    expect([twice.status, twice.body.detail.id]).toEqual([412, 'SCRIPT_FILE_EXISTS']);
    const next = await must('PUT', 'script/file/rev.js', {
      // What was read can be sent back.
      body: { ...(await must('GET', 'script/file/rev.js')), content: '2' },
      headers: { 'If-Match': `"${_rev}"` },
    });
    expect(next._rev).not.toBe(_rev);
    await must('DELETE', 'script/file/rev.js', { headers: { 'If-Match': `"${next._rev}"` } });
  });

  it('is looked at with all that uses it before anything changes', async () => {
    const broken = await put('own.js', 'var a = 1;\nvar b = ;');
    expect([broken.status, broken.body.detail]).toMatchObject([
      400,
      { id: 'SCRIPT_FILE_INVALID', line: 2, column: 9 },
    ]);
    const lacking = await put('own.js', "require('nowhere')");
    expect([lacking.status, JSON.stringify(lacking.body.detail.findings)]).toEqual([
      400,
      expect.stringContaining("requires 'nowhere'"),
    ]);
    const needed = await api('DELETE', 'script/file/own.js');
    expect([needed.status, needed.body.detail.findings]).toEqual([
      400,
      [expect.stringMatching(/endpoint-own\.json.*own\.js/)],
    ]);
    const words = await api('DELETE', 'script/file/lib/words.js');
    expect([words.status, words.body.detail.id]).toEqual([400, 'SCRIPT_FILE_INVALID']);
    expect([await own(), await kept()]).toEqual(['from the disk', []]);
  });

  it('is rehearsed', async () => {
    const rehearsed = await must('PUT', 'script/file/own.js?_dryRun=true', {
      body: { content: "'rehearsed'" },
    });
    expect(rehearsed.changes).toEqual([
      expect.objectContaining({
        resource: 'script/file/own.js',
        before: { content: "'from the disk'" },
        after: { content: "'rehearsed'" },
      }),
    ]);
    expect([await own(), await kept()]).toEqual(['from the disk', []]);
    expect((await put('own.js', 'var', '?_dryRun=true')).status).toBe(400);
  });

  it('is in the audit, as configurations are', async () => {
    await put('own.js', "'told'");
    await revert('own.js');
    const { result } = await must(
      'GET',
      `audit/config?_queryFilter=${encodeURIComponent('objectId eq "script/file/own.js"')}&_sortKeys=-timestamp&_pageSize=2`,
    );
    expect(
      result.map(({ before, after, userId }: Record<string, unknown>) => [before, after, userId]),
    ).toEqual([
      [{ content: "'told'" }, { content: "'from the disk'" }, 'svc-admin'],
      [{ content: "'from the disk'" }, { content: "'told'" }, 'svc-admin'],
    ]);
  });

  it.each([
    ['notes.txt', 'SCRIPT_FILE_BAD_PATH'],
    ['.hidden.js', 'SCRIPT_FILE_BAD_PATH'],
    ['..%2Fown.js', 'SCRIPT_FILE_BAD_PATH'],
    ['%2Fetc%2Fcron.js', 'SCRIPT_FILE_BAD_PATH'],
    ['a%5C..%5Cown.js', 'SCRIPT_FILE_BAD_PATH'],
    ['node_modules/a.js', 'SCRIPT_FILE_BAD_PATH'],
    ['script/own.js', 'SCRIPT_FILE_BAD_PATH'],
    [`${'a'.repeat(200)}.js`, 'SCRIPT_FILE_BAD_PATH'],
  ])('has a plain path, and not %s', async (path, id) => {
    const { status, body } = await put(path, '1');
    expect([status, body.detail?.id], JSON.stringify(body)).toEqual([400, id]);
    expect(await kept()).toEqual([]);
  });

  it('has a bound, and is a text', async () => {
    const long = await put('long.js', `// ${'x'.repeat(524_288)}`);
    expect([long.status, long.body.detail.id]).toEqual([413, 'SCRIPT_FILE_TOO_LONG']);
    for (const body of [{}, { content: 1 }, { content: 'a\0b' }]) {
      const { status } = await api('PUT', 'script/file/none.js', { body });
      expect(status).toBe(400);
    }
    expect((await api('POST', 'script/file', { body: { content: '1' } })).body.detail.id).toBe(
      'SCRIPT_FILE_BAD_PATH',
    );
  });

  it('is set by those who may evaluate scripts', async () => {
    const body = { content: '1' };
    for (const [method, path] of [
      ['PUT', 'script/file/new.js'],
      ['DELETE', 'script/file/own.js'],
      ['POST', 'script/file/own.js?_action=revertToFile'],
    ] as const) {
      expect((await asAda(method, path, method === 'DELETE' ? {} : { body })).status).toBe(403);
      expect((await asNobody(method, path, method === 'DELETE' ? {} : { body })).status).toBe(401);
    }
    expect(await kept()).toEqual([]);
  });
});

describe('the rules that are set through /script/file', () => {
  const withRule = (rule: string) => shippedRules.replace('configs: [', `configs: [\n${rule},`);

  it('hold with the answer, and no more when they are taken back', async () => {
    expect((await asAda('GET', 'script/file?_queryFilter=true')).status).toBe(403);
    const rule = "{ pattern: 'script', roles: 'svc-authorized', methods: '*', actions: '*' }";
    const rules = withRule(
      `${rule}, { pattern: 'script/*', roles: 'svc-authorized', methods: '*', actions: '*' }`,
    );
    await must('PUT', 'script/file/access.js', { body: { content: rules } });
    expect((await asAda('GET', 'script/file?_queryFilter=true')).status).toBe(200);
    await revert('access.js');
    expect((await asAda('GET', 'script/file?_queryFilter=true')).status).toBe(403);
  });

  it.each([
    ['lock out who sends them', 'var httpAccessConfig = { configs: [] };', 409, 'ACCESS_LOCKS_OUT'],
    ['are none', 'var other = 1;', 400, 'SCRIPT_FILE_INVALID'],
    ['throw', 'throw new Error("no"); var httpAccessConfig;', 400, 'SCRIPT_FILE_INVALID'],
    ['do not compile', 'var httpAccessConfig = {', 400, 'SCRIPT_FILE_INVALID'],
  ])('are refused when they %s', async (_title, content, status, id) => {
    const answer = await put('access.js', content);
    expect([answer.status, answer.body.detail?.id], JSON.stringify(answer.body)).toEqual([status, id]);
    expect((await api('GET', 'script/file/access.js')).status).toBe(404);
  });

  it('are put in force by whoever insists, and not deleted', async () => {
    const none =
      'var httpAccessConfig = { configs: [{ pattern: "info/*", roles: "*", methods: "read", actions: "*" }] };';
    expect((await put('access.js', none, '?_dryRun=true&force=true')).status).toBe(200);
    expect((await api('GET', 'script/file/access.js')).status).toBe(404);
    await server.project.write('script/access.js', shippedRules);
    const deleted = await api('DELETE', 'script/file/access.js');
    expect([deleted.status, deleted.body.detail.id]).toEqual([409, 'ACCESS_LOCKS_OUT']);
  });
});
