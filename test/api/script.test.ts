import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const FILES = {
  'conf/managed.json': { objects: [{ name: 'thing' }] },
  'script/answer.js': 'var base = 40; base + offset;',
  'script/broken.js': 'var = 1;',
  'script/deep/in/folders.js': '"deep"',
  'script/both.js': '"script"',
  'both.js': '"project"',
  'only-project.js': '"project"',
  'script/relabelled.js': '"first"',
  'script/logs/from-file.js': 'logger.warn("from a file")',
  'conf/script.json': {
    ECMAScript: { 'javascript.recompile.minimumInterval': '60000' },
    properties: { company: 'Example', limits: { most: 3 }, svc: 1, console: 2, identityServer: 3 },
  },
};

describe('/script', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const evaluate = (source: string, more: object = {}, query = '') =>
    api('POST', `script?_action=eval${query}`, { body: { type: 'text/javascript', source, ...more } });

  it.each<[string, string, unknown]>([
    ['the last statement', 'var a = 1; a + 1', 2],
    ['an object', '({ a: [1, "x", null] })', { a: [1, 'x', null] }],
    ['a text', '"x" + 1', 'x1'],
    ['a boolean', '1 > 2', false],
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

  it('takes every parameter but the action for a variable, and none for a rehearsal that is none', async () => {
    const source = '[typeof _action, _prettyPrint, _fields, _mine, own]';
    const body = { type: 'text/javascript', source, 'auto-detect': true };
    const url = 'script?_action=EVAL&_prettyPrint=true&own=1&_mine=2&_fields=a';
    expect((await api('POST', url, { body })).body).toEqual(['undefined', 'true', 'a', '2', '1']);
    for (const misspelt of ['_dryrn', 'dryRun', '_dryRan']) {
      const refused = await api('POST', `script?_action=eval&${misspelt}=true`, { body });
      expect([refused.status, refused.body.message]).toEqual([400, `There is no parameter '${misspelt}'`]);
    }
  });

  it('takes every other member of the body for a variable, whatever it means in configuration', async () => {
    const more = { timeout: 1, transactional: false, _note: 'x', context: 5 };
    expect((await evaluate('[timeout, transactional, _note, context]', more)).body).toEqual([
      1,
      false,
      'x',
      5,
    ]);
  });

  it('minds the case of a file, and not the visibility of a script', async () => {
    const run = (body: object) => api('POST', 'script?_action=eval', { body });
    expect((await run({ type: 'text/javascript', file: 'ANSWER.js' })).status).toBe(404);
    expect(
      (await run({ type: 'text/javascript', file: 'answer.js', offset: 1, visibility: 'private' })).body,
    ).toBe(41);
  });

  it('runs files of the sources', async () => {
    const body = { type: 'text/javascript', file: 'answer.js', offset: 2 };
    expect((await api('POST', 'script?_action=eval', { body })).body).toBe(42);
    expect((await api('POST', 'script?_action=eval', { body: { name: 'answer.js', offset: 3 } })).body).toBe(
      43,
    );
  });

  it('binds nothing that describes the script', async () => {
    await server.project.write(
      'script/describes.js',
      '[typeof file, typeof type, typeof name, typeof source, typeof globals, typeof revision, typeof visibility]',
    );
    const body = {
      type: 'text/javascript',
      file: 'describes.js',
      revision: '1',
      visibility: 'x',
      globals: {},
    };
    expect((await api('POST', 'script?_action=eval', { body })).body).toEqual(Array(7).fill('undefined'));
  });

  it('says that there is no Java where a script reaches for it', async () => {
    for (const source of [
      'java.lang.System.out.println(1)',
      'new Packages.java.util.Date()',
      'org.forgerock.openidm.util.DateUtil.getDateUtil()',
      'new ResourcePath("a/b")',
    ]) {
      const { status, body } = await evaluate(source);
      expect([status, body.message]).toEqual([
        500,
        expect.stringMatching(/is not defined\. There is no Java/),
      ]);
    }
    expect((await evaluate('openidm.read("x")')).body.message).toMatch(
      /is not defined\. The binding is svc here/,
    );
    expect((await evaluate('nothing')).body.message).toBe("ReferenceError: 'nothing' is not defined");
    expect((await evaluate('readFile("x")')).body.message).toMatch(/is not defined\. Scripts read no files/);
  });

  it('names what is no function, and what to write for a method of Java', async () => {
    const { status, body } = await evaluate('var user = { roles: {} };\nuser.roles.size()');
    expect([status, body.message]).toEqual([
      500,
      'TypeError: user.roles.size is not a function; write Object.keys(user.roles).length',
    ]);
  });

  it('names line and column of what does not compile', async () => {
    expect((await evaluate('var a = 1;\nif (a {')).body.message).toBe('Unexpected token (line 2, column 7)');
  });

  it('runs the file of the source that was declared last, and takes dots of a name for folders', async () => {
    const run = async (body: object) => (await api('POST', 'script?_action=eval', { body })).body;
    expect(await run({ type: 'text/javascript', file: 'both.js' })).toBe('script');
    expect(await run({ type: 'text/javascript', file: 'only-project.js' })).toBe('project');
    expect(await run({ type: 'text/javascript', file: 'crypto.js' })).toEqual(expect.anything());
    expect(await run({ type: 'text/javascript', file: 'deep/in/folders.js' })).toBe('deep');
    expect(await run({ name: 'deep.in.folders' })).toBe('deep');
  });

  it('looks at a file again at once when its revision label is another one', async () => {
    const run = async (revision?: string) =>
      (
        await api('POST', 'script?_action=eval', {
          body: { type: 'text/javascript', file: 'relabelled.js', revision },
        })
      ).body;
    // Each thread has its own memory of files; here there is one.
    expect(await run()).toBe('first');
    await server.project.write('script/relabelled.js', '"second"');
    expect(await run()).toBe('first');
    expect(await run('v2')).toBe('second');
  });

  it('takes properties, globals, body and URL as variables, in this order of precedence', async () => {
    const source = '[company, limits.most, typeof svc.read, typeof console.log, typeof visibility]';
    const server = ['function', 'function', 'undefined'];
    const body = { visibility: 'public', revision: 'r1' };
    expect((await evaluate(source, body)).body).toEqual(['Example', 3, ...server]);
    expect((await evaluate(source, { ...body, globals: { company: 'G' } })).body[0]).toBe('G');
    expect((await evaluate(source, { globals: { company: 'G' }, company: 'B' })).body[0]).toBe('B');
    expect((await evaluate(source, { company: 'B' }, '&company=U')).body[0]).toBe('U');
  });

  it('types of variables stay what they are in JSON', async () => {
    const given = { s: 'a', n: 1.5, t: true, z: null, a: [1], o: { x: 1 } };
    const kinds =
      '[s, n, t, z, a, o].map(function (v) { return v === null ? "null" : Array.isArray(v) ? "array" : typeof v; })';
    expect((await evaluate(kinds, given)).body).toEqual([
      'string',
      'number',
      'boolean',
      'null',
      'array',
      'object',
    ]);
    const big = { n: 9007199254740991, now: 1_754_000_000_000 };
    expect((await evaluate('[n, now]', big)).body).toEqual([9007199254740991, 1_754_000_000_000]);
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

  it('ends a script that does not end after ten seconds, while others go on', async () => {
    // It mostly waits, because ten seconds of work would be ten seconds of work.
    await server.database.pool.query(`
      create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(0.2); return new; end $$;
      create trigger wait before insert on managed_object for each row when (new.data ? 'slow') execute function wait()`);
    const endless = evaluate("while (true) svc.create('managed/thing', null, { slow: true })", {});
    const others = await Promise.all(Array.from({ length: 10 }, (_, n) => evaluate(`${n} * 2`)));
    expect(others.map((answer) => answer.body)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    const ended = await endless;
    // The latter where its thread got no turn at the deadline.
    const why = expect.stringMatching(/10000 ms|ran longer than it may/);
    expect([ended.status, ended.body.message]).toEqual([500, why]);
    await server.database.pool.query('drop function wait cascade');
  });

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
    ['does not compile, by name', { name: 'broken.js' }, 'eval', 503, /broken.js/],
    [
      'does not compile, with another action',
      { type: 'text/javascript', source: 'var = 1' },
      'dance',
      400,
      /Unexpected/,
    ],
    [
      'has a name and a source',
      { name: 'a', type: 'text/javascript', source: '1' },
      'eval',
      400,
      /source and name/,
    ],
    ['throws a number', { type: 'text/javascript', source: 'throw 42' }, 'eval', 500, /^42$/],
    ['throws null', { type: 'text/javascript', source: 'throw null' }, 'eval', 500, /null/],
    [
      'throws a code of its own',
      { type: 'text/javascript', source: 'throw { code: 451, message: "odd" }' },
      'eval',
      451,
      /odd/,
    ],
    [
      'throws a code of success, and keeps nothing',
      { type: 'text/javascript', source: 'throw { code: 200, message: "odd" }' },
      'eval',
      500,
      /odd/,
    ],
    ['names a file and no type', { file: 'answer.js' }, 'eval', 400, /needs a type/],
    [
      'throws a cause, which is kept to the inside',
      { type: 'text/javascript', source: 'throw { code: 400, message: "m", cause: { message: "inner" } }' },
      'eval',
      400,
      /^m$/,
    ],
    [
      'throws a code and no message',
      { type: 'text/javascript', source: 'throw { code: 409 }' },
      'eval',
      409,
      /./,
    ],
    [
      'returns itself',
      { type: 'text/javascript', source: 'var a = {}; a.a = a; a' },
      'eval',
      500,
      /circular/,
    ],
    [
      'returns a promise',
      { type: 'text/javascript', source: 'Promise.resolve(1)' },
      'eval',
      500,
      /synchronous/,
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
    expect(answer.body).toEqual({
      code: status,
      reason: expect.any(String),
      message: expect.stringMatching(message),
    });
    expect(answer.status).toBe(status);
    expect(answer.body.message).not.toMatch(/#\d+\)$/);
  });

  it('answers with no detail, not even that which the script threw', async () => {
    const own = await evaluate('throw { code: 409, message: "busy", detail: { a: 1 } }');
    expect([own.status, own.body]).toEqual([409, { code: 409, reason: 'Conflict', message: 'busy' }]);
    const ofCall = await evaluate("svc.action('script', 'eval', { type: 'text/pyton', source: '1' })");
    expect(ofCall.body).toEqual({ code: 400, reason: 'Bad Request', message: expect.any(String) });
    const advice = await evaluate('1', { type: 'groovi' });
    expect(advice.body.message).toMatch(/groovi.*Did you mean 'groovy'/);
  });

  it('passes on the error of a resource call that the script did not catch', async () => {
    const answer = await evaluate("svc.update('managed/thing/absent', null, {})");
    expect(answer.body).toMatchObject({ code: 404, message: expect.stringMatching(/absent/) });
  });

  it.each(['GET', 'PUT', 'DELETE'])('does not support %s', async (method) => {
    const body = method === 'PUT' ? { body: {}, headers: { 'If-Match': '*' } } : {};
    const answer = await api(method, 'script', body);
    const operation = { GET: 'read', PUT: 'update', DELETE: 'delete' }[method];
    expect([answer.status, answer.body.message]).toEqual([501, expect.stringContaining(operation!)]);
  });

  it.each<[string, string, object]>([
    ['a create', 'script', { body: { type: 'text/javascript', source: '1' } }],
    ['a patch', 'script', { body: [], method: 'PATCH' }],
    ['an action below it', 'script/x?_action=eval', { body: { type: 'text/javascript', source: '1' } }],
  ])('does not support %s', async (_title, path, { method = 'POST', ...options }: { method?: string }) => {
    expect((await api(method, path, options)).status).toBe(501);
  });

  it('does not support a query', async () => {
    expect((await api('GET', 'script?_queryFilter=true')).status).toBe(501);
  });

  it('is a playground: a rehearsal answers with result, changes and what was logged', async () => {
    const { body } = await evaluate(
      "logger.info('creating {} of {}', 1, 2); var made = svc.create('managed/thing', 'play', { n: 1 }); console.log(JSON.stringify(made)); logger.warn('done'); made.n",
      {},
      '&_dryRun=true',
    );
    expect(body).toMatchObject({
      dryRun: true,
      result: 1,
      changes: [{ resource: 'managed/thing/play', operation: 'create', before: null }],
      log: [
        { level: 'info', message: 'creating 1 of 2' },
        { level: 'info', message: expect.stringContaining('"_id":"play"') },
        { level: 'warn', message: 'done' },
      ],
    });
    expect((await api('GET', 'managed/thing/play')).status).toBe(404);
  });

  it('tells the log what a script logs, with the request that it belongs to', async () => {
    const answer = await evaluate("logger.error('lost {}', 'key')");
    const line = await server.observed('script.logged', ({ message }) => message === 'lost key');
    expect(line).toMatchObject({ level: 'error', requestId: answer.headers.get('x-request-id') });
    expect(answer.body).toBeNull();
  });

  it('logs what a file logs under a name that ends with that of the file', async () => {
    await api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', file: 'logs/from-file.js' },
    });
    const line = await server.observed('script.logged', ({ message }) => message === 'from a file');
    expect(line).toMatchObject({ level: 'warn', script: expect.stringMatching(/from-file\.js$/) });
  });

  it('keeps the log of a script that logs without end small', async () => {
    const { body } = await evaluate(
      'for (var i = 0; i < 5000; i++) console.log("line " + i)',
      {},
      '&_dryRun=true',
    );
    expect(body.log).toHaveLength(1001);
    expect(body.log.at(-1).message).toMatch(/the rest is left out/);
  });
});

describe('without the ECMAScript block of script.json', () => {
  it('scripts are inactive, the server says so, and all else goes on', async () => {
    await using server = await startTestServer({
      files: {
        'conf/managed.json': { objects: [{ name: 'thing' }] },
        'conf/script.json': { properties: {} },
      },
    });
    const ready = await fetch(`${server.url}/health/ready`);
    const { parts } = (await ready.json()) as { parts: { scripts: { state: string; detail: string } } };
    expect(parts.scripts).toMatchObject({ state: 'down', detail: expect.stringContaining('ECMAScript') });
    const body = { type: 'text/javascript', source: '1' };
    expect((await server.api('POST', 'script?_action=eval', { body })).status).toBe(503);
    expect((await server.api('POST', 'managed/thing', { body: {} })).status).toBe(201);
    const whole = { ECMAScript: {} };
    expect((await server.api('PUT', 'config/script', { body: whole })).status).toBe(200);
    expect((await server.api('POST', 'script?_action=eval', { body })).body).toBe(1);

    // And with everything that the file may hold.
    const { project } = server;
    await project.write('script/which.js', '"script"');
    await project.write('which.js', '"project"');
    await project.write('script/letters.groovy', '1');
    const directory = (below: string) => ({ directory: `&{launcher.project.location}${below}` });
    const full = {
      '#properties': 'left out',
      properties: { city: 'Wien' },
      ECMAScript: { '#javascript.optimization.level': 9, 'javascript.recompile.minimumInterval': '0' },
      Groovy: {
        'groovy.source.encoding': 'ISO-8859-1',
        'groovy.target.directory': '&{launcher.install.location}/classes',
        'groovy.classpath': '&{launcher.install.location}/lib',
        'groovy.recompile': 'false',
        'groovy.recompile.minimumInterval': '0',
      },
      sources: {
        'project-script': {
          ...directory('/script'),
          subdirectories: 'true',
          visibility: 'public',
          type: 'x',
        },
        project: directory(''),
      },
    };
    const put = await server.api('PUT', 'config/script', { body: full });
    expect([put.status, put.body]).toEqual([200, expect.anything()]);
    const run = async (file: string) =>
      (
        await server.api('POST', 'script?_action=eval', {
          body: { type: file.endsWith('.groovy') ? 'groovy' : 'text/javascript', file },
        })
      ).body;
    expect(await run('which.js')).toBe('project');
    await writeFile(
      join(project.location, 'script/letters.groovy'),
      Buffer.from('city + " größer"', 'latin1'),
    );
    expect(await run('letters.groovy')).toBe('Wien größer');
    await project.write('which.js', '"changed"');
    await project.write('script/letters.groovy', '2');
    expect([await run('which.js'), await run('letters.groovy')]).toEqual(['changed', 'Wien größer']);
  });
});
