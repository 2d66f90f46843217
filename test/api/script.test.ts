import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const FILES = {
  'conf/managed.json': { objects: [{ name: 'thing' }] },
  'script/answer.js': 'var base = 40; base + offset;',
  'script/broken.js': 'var = 1;',
};

describe('/script', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES });
    api = server.api;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const evaluate = (source: string, more: object = {}, query = '') =>
    api('POST', `script?_action=eval${query}`, { body: { type: 'text/javascript', source, ...more } });

  it.each<[string, string, unknown]>([
    ['the last statement', 'var a = 1; a + 1', 2],
    ['an object', '({ a: [1, "x", null] })', { a: [1, 'x', null] }],
    ['a text', '"x" + 1', 'x1'],
    ['nothing as null', 'var a = 1;', null],
    ['null', 'null', null],
    ['a branch', 'if (true) { "yes" } else { "no" }', 'yes'],
  ])('answers %s', async (_title, source, value) => {
    const answer = await evaluate(source);
    expect([answer.status, answer.body]).toEqual([200, value]);
  });

  it('binds body members, globals and URL parameters, which are texts and win', async () => {
    const answer = await evaluate(
      'a + b.n + (typeof extra)',
      { globals: { a: 1, b: 'hidden' }, b: { n: 2 }, extra: 5 },
      '&extra=x',
    );
    expect(answer.body).toBe('3string');
  });

  it('runs files of the sources', async () => {
    const body = { type: 'text/javascript', file: 'answer.js', offset: 2 };
    expect((await api('POST', 'script?_action=eval', { body })).body).toBe(42);
    expect((await api('POST', 'script?_action=eval', { body: { name: 'answer.js', offset: 3 } })).body).toBe(
      43,
    );
  });

  it('compiles without running', async () => {
    const body = { type: 'text/javascript', source: 'throw 1' };
    expect((await api('POST', 'script?_action=compile', { body })).body).toBe(true);
  });

  it('sees resources, and all that one evaluation writes is one unit of work', async () => {
    const done = await evaluate(`
      svc.create('managed/thing', 't1', { n: 1 });
      svc.update('managed/thing/t1', null, { n: 2 });
      var read = svc.read('managed/thing/t1');
      var none = svc.read('managed/thing/none');
      [read._rev, read.n, none, svc.query('managed/thing', { _queryFilter: 'n eq 2' }).result.length]`);
    expect(done.body).toEqual(['1', 2, null, 1]);
    const failed = await evaluate(
      "svc.create('managed/thing', 't2', {}); throw { code: 400, message: 'back' };",
    );
    expect(failed.status).toBe(400);
    expect((await api('GET', 'managed/thing/t2')).status).toBe(404);
  });

  it('can be run dry', async () => {
    const { body } = await evaluate("svc.create('managed/thing', 't3', { n: 3 }).n", {}, '&_dryRun=true');
    expect(body).toMatchObject({
      dryRun: true,
      result: 3,
      changes: [{ resource: 'managed/thing/t3', operation: 'create' }],
    });
    expect((await api('GET', 'managed/thing/t3')).status).toBe(404);
  });

  it('lets nothing of one evaluation reach the next', async () => {
    await evaluate('leak = 1; Object.prototype.leak = 2; JSON.parse = null; Array.prototype.map = null;');
    const clean = await evaluate('[typeof leak, ({}).leak, typeof JSON.parse, [1].map(String)]');
    expect(clean.body).toEqual(['undefined', null, 'function', ['1']]);
  });

  it('ends a script that does not end, while others go on', async () => {
    const endless = evaluate('while (true) {}', {});
    const others = await Promise.all(Array.from({ length: 10 }, (_, n) => evaluate(`${n} * 2`)));
    expect(others.map((answer) => answer.body)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    const ended = await endless;
    expect([ended.status, ended.body.reason]).toEqual([500, 'Internal Server Error']);
  }, 30_000);

  it('ends a native loop that cannot be interrupted, with its thread, and goes on', async () => {
    await evaluate("svc.create('managed/thing', 'doomed', {}); new Array(1e9).join('x').length");
    expect((await api('GET', 'managed/thing/doomed')).status).toBe(404);
    expect((await evaluate('1 + 1')).body).toBe(2);
  }, 40_000);

  it.each<[string, object, string, number, RegExp]>([
    ['does not compile', { type: 'text/javascript', source: 'var = 1' }, 'eval', 400, /./],
    [
      'does not compile, asked to compile',
      { type: 'text/javascript', file: 'broken.js' },
      'compile',
      400,
      /./,
    ],
    ['throws a text', { type: 'text/javascript', source: 'throw "oops"' }, 'eval', 500, /oops/],
    ['throws an error', { type: 'text/javascript', source: 'throw new Error("oops")' }, 'eval', 500, /oops/],
    [
      'throws a status',
      { type: 'text/javascript', source: 'throw { code: 404, message: "gone" }' },
      'eval',
      404,
      /gone/,
    ],
    ['makes a mistake', { type: 'text/javascript', source: 'noSuchThing()' }, 'eval', 500, /noSuchThing/],
    [
      'reads what is forbidden by its path',
      { type: 'text/javascript', file: '../package.json' },
      'eval',
      404,
      /package.json/,
    ],
    ['is nowhere', { type: 'text/javascript', file: 'nowhere.js' }, 'eval', 404, /nowhere.js/],
    ['is not registered', { name: 'nowhere.js' }, 'eval', 503, /nowhere.js/],
    ['has no type', { source: '1' }, 'eval', 400, /type/],
    ['has an unknown type', { type: 'text/pyton', source: '1' }, 'eval', 400, /text\/pyton/],
    [
      'has a source and a file',
      { type: 'text/javascript', source: '1', file: 'x' },
      'eval',
      400,
      /source and file/,
    ],
    ['has nothing', { type: 'text/javascript' }, 'eval', 400, /source, file and name/],
    ['meets an unknown action', { type: 'text/javascript', source: '1' }, 'dance', 400, /dance/],
  ])('answers with an error when the script %s', async (_title, body, action, status, message) => {
    const answer = await api('POST', `script?_action=${action}`, { body });
    expect(answer.body).toMatchObject({ code: status, message: expect.stringMatching(message) });
    expect(answer.status).toBe(status);
  });

  it('passes on the error of a resource call that the script did not catch', async () => {
    const answer = await evaluate("svc.update('managed/thing/absent', null, {})");
    expect(answer.body).toMatchObject({ code: 404, message: expect.stringMatching(/absent/) });
  });

  it.each(['GET', 'PUT', 'DELETE'])('does not support %s', async (method) => {
    const body = method === 'PUT' ? { body: {}, headers: { 'If-Match': '*' } } : {};
    expect((await api(method, 'script', body)).status).toBe(501);
  });
});
