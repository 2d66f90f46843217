import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOOK_NAMES } from '../../src/managed/hook.ts';
import { MODULE_FUNCTIONS, SERVER_OBJECTS } from '../../src/script/javascript/server-functions.ts';
import type { Api } from '../support/api.ts';
import { callerAs, callersOf } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** Names of those variables that a script finds, which it answers as a text. */
const SEES = (names: readonly string[]) =>
  `[${names.map((name) => `typeof ${name} === 'undefined' ? null : '${name}'`)}]`;

const FILES = {
  'conf/script.json': { ECMAScript: {}, properties: { company: 'Example' } },
  'script/sees.js': 'null',
};

let server: TestServer;
let api: Api;
const { asNobody, createUser } = callersOf(() => api);
const asAda = callerAs(() => api, 'ada');

beforeAll(async () => {
  server = await startTestServer({ files: FILES });
  api = server.api;
  await createUser('ada');
});
afterAll(() => server?.[Symbol.asyncDispose]());

const diagnose = async (source: string, more: object = {}) => {
  const body = { type: 'text/javascript', source, diagnostics: true, ...more };
  const answer = await api('POST', 'script?_action=compile', { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
const groovy = (source: string, more: object = {}) => diagnose(source, { type: 'groovy', ...more });
const said = async (source: string, more: object = {}) =>
  (await diagnose(source, more)).diagnostics.map(({ message }: { message: string }) => message);

describe('a rehearsal of a script as what it is for', () => {
  it('answers with what became of the variables whose changes go on, and with nothing of others', async () => {
    const body = {
      type: 'text/javascript',
      source: "object.city = newObject.city; oldObject.city = 'Bern'; typeof use",
      use: 'onUpdate',
      diagnostics: true,
      object: { city: 'Rome' },
      oldObject: {},
      newObject: { city: 'Thun' },
    };
    const answer = await api('POST', 'script?_action=eval&_dryRun=true', { body });
    expect(answer.body.result).toEqual({
      result: 'undefined',
      kept: { object: { city: 'Thun' }, newObject: { city: 'Thun' } },
    });
    const unknown = await api('POST', 'script?_action=eval', { body: { ...body, use: 'onUpdat' } });
    expect(unknown.status).toBe(400);
    const plain = await api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source: 'use', use: 'mine' },
    });
    expect(plain.body).toBe('mine');
  });
});

describe('diagnostics of a script', () => {
  it('are none where nothing is wrong, and `true` where nobody asks for them', async () => {
    expect(await diagnose('svc.read("managed/user/1")')).toEqual({ ok: true, diagnostics: [] });
    expect(await groovy('svc.read("managed/user/1")')).toEqual({ ok: true, diagnostics: [] });
    const body = { type: 'text/javascript', source: 'nothing' };
    expect((await api('POST', 'script?_action=compile', { body })).body).toBe(true);
  });

  it('tell an error of syntax with its place', async () => {
    expect(await diagnose('var a = 1;\nif (a {')).toEqual({
      ok: false,
      diagnostics: [
        {
          line: 2,
          column: 7,
          endLine: 2,
          endColumn: 8,
          severity: 'error',
          id: 'SCRIPT_NOT_COMPILED',
          message: 'Unexpected token',
        },
      ],
    });
    const { ok, diagnostics } = await groovy('def a = new File("x")\nnew Socket()');
    expect(ok).toBe(false);
    expect(diagnostics).toEqual([
      expect.objectContaining({
        line: 1,
        severity: 'error',
        message: 'unable to resolve class File',
        hint: expect.stringContaining('Scripts have no files'),
      }),
      expect.objectContaining({ line: 2, message: 'unable to resolve class Socket' }),
    ]);
  });

  it('warn of a name that nothing has, and of what was meant', async () => {
    const { ok, diagnostics } = await diagnose('var a = 1;\n  a + compani + company + given', { given: 1 });
    expect([ok, diagnostics]).toEqual([
      true,
      [
        {
          line: 2,
          column: 7,
          endLine: 2,
          endColumn: 14,
          severity: 'warning',
          id: 'SCRIPT_UNKNOWN_NAME',
          message: "Nothing here is called 'compani'",
          hint: "Did you mean 'company'?",
        },
      ],
    ]);
    expect((await groovy('company + compani')).diagnostics).toEqual([
      expect.objectContaining({ line: 1, column: 11, endColumn: 18, id: 'SCRIPT_UNKNOWN_NAME' }),
    ]);
    expect((await groovy('def total(n) { n + lokup(n) }\ntotal(foo(3))')).diagnostics).toEqual([
      expect.objectContaining({
        line: 1,
        column: 20,
        endColumn: 25,
        message: "Nothing here is called 'lokup'",
      }),
      expect.objectContaining({ line: 2, column: 7, endColumn: 10, message: "Nothing here is called 'foo'" }),
    ]);
    expect((await diagnose('openidm.read("x")')).diagnostics[0].hint).toMatch(/The binding is svc here/);
  });

  it.each([
    [
      'what it declares',
      'let a = 1; function f(b, [c], {d: {e}} = {}) { try { f() } catch (g) { return a + b + c + e + g } } f()',
    ],
    ['what it assigns', 'total = 1; total + 1'],
    ['what it asks for', 'typeof perhaps === "undefined"'],
    [
      'names of the language',
      '[Math, JSON, Object, undefined, isNaN, arguments, require, load, module, exports]',
    ],
    ['members and labels', 'outer: for (const x of [1]) { ({ a: x }).a; continue outer; }'],
    ['what a text may make', 'eval("var made = 1"); made'],
    ['what a loaded file may declare', 'load("sees.js"); made'],
  ])('say nothing of %s', async (_title, source) => {
    expect(await said(source)).toEqual([]);
  });

  it.each([
    [
      'methods of the script, wherever they stand',
      'later(1)\ndef later(a) { a }\ndef later(a, b) { later(a) + b }',
    ],
    ['closures and variables', 'def one = { it }\ntwo = { it }\none(1) + two(2)'],
    ['methods of every script', 'println "a"\nprintf("%s", 1)\nhashCode() + toString()'],
    ['what is given', 'company(1)'],
    ['what a closure may be delegated to', '[1].each { foo(it) }'],
    ['what a class has', 'class A { def a() { b() }\ndef b() { 1 } }\nnew A().a()'],
    ['methods that are made', 'metaClass.made = { 1 }\nmade()'],
    ['methods that answer for any', 'def methodMissing(String name, args) { name }\nanything()'],
    ['static imports', 'import static java.lang.Math.max\nmax(1, 2)'],
  ])('say nothing in Groovy of %s', async (_title, source) => {
    expect((await groovy(source)).diagnostics).toEqual([]);
  });

  it('know the variables of a use', async () => {
    expect(await said('oldObject.mail + input', { use: 'onUpdate' })).toEqual([
      "Nothing here is called 'input'",
    ]);
    expect(await said('oldObject.mail + input', { use: 'scan' })).toEqual([
      "Nothing here is called 'oldObject'",
    ]);
    // Whatever it is for.
    expect(await said('oldObject.mail + input')).toEqual([]);
    expect(await said('applicant + execution', { use: 'process' })).toEqual([]);
    const body = { type: 'text/javascript', source: '1', diagnostics: true, use: 'onUpdat' };
    const refused = await api('POST', 'script?_action=compile', { body });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      "Scripts have no use 'onUpdat'. Did you mean 'onUpdate'?",
    ]);
  });

  it('warn of functions of the server that are not there, and of calls that nobody takes', async () => {
    const { diagnostics } = await diagnose(
      'svc.reed("a");\nlogger.info("x {}", 1);\nsvc.create("managed/user", {});',
    );
    expect(diagnostics).toEqual([
      {
        line: 1,
        column: 5,
        endLine: 1,
        endColumn: 9,
        severity: 'warning',
        id: 'SCRIPT_UNKNOWN_FUNCTION',
        message: "svc has no 'reed'",
        hint: "Did you mean 'read'?",
      },
      {
        line: 3,
        column: 5,
        endLine: 3,
        endColumn: 11,
        severity: 'warning',
        id: 'SCRIPT_WRONG_ARGUMENTS',
        message: 'svc.create takes 3 to 6 arguments, and is given 2',
        hint: 'Write svc.create(container, id, content[, params[, fields[, context]]])',
      },
    ]);
    const inGroovy = await groovy('svc.reed("a")\nsvc.create("managed/user", [:])');
    expect(inGroovy.diagnostics).toEqual(
      diagnostics.map(({ line, ...diagnostic }: { line: number }) => {
        const at = line === 1 ? 1 : 2;
        return { ...diagnostic, line: at, endLine: at };
      }),
    );
    expect(await said('svc.query("u", {_queryFilter: "true"}, function (row) { row })')).toEqual([]);
    expect(await said('svc.read(...list); var svc2 = svc; svc2.reed()', { list: [] })).toEqual([]);
  });

  it('warn of variables that nobody reads, and of modules that are nowhere', async () => {
    expect(
      await said('(function () { var a = 1, b; b = 2; let _c; const {d, ...e} = {}; return e })()'),
    ).toEqual([
      "The variable 'a' is never read",
      "The variable 'b' is never read",
      "The variable 'd' is never read",
    ]);
    expect(await said('var top = 1; 2')).toEqual([]);
    expect(await said('var top = 1; 2', { use: 'onUpdate' })).toEqual(["The variable 'top' is never read"]);
    expect((await groovy('def f() { def a = 1; def b = 2; b }\nf()')).diagnostics).toEqual([
      expect.objectContaining({ column: 15, endColumn: 16, id: 'SCRIPT_UNUSED_VARIABLE' }),
    ]);
    expect(await said('require("lib/lodash"); require("nowhere")')).toEqual([
      "The module 'nowhere' is in none of the script sources",
    ]);
  });

  it('are as many as somebody reads', async () => {
    const { diagnostics } = await diagnose('unknown;'.repeat(2_000));
    expect(diagnostics).toHaveLength(500);
  });

  it('are for those who may evaluate scripts', async () => {
    const body = { type: 'text/javascript', source: '1', diagnostics: true };
    expect((await asAda('POST', 'script?_action=compile', { body })).status).toBe(403);
    expect((await asNobody('POST', 'script?_action=compile', { body })).status).toBe(401);
  });
});

describe('GET /script/binding', () => {
  const binding = async (query: string) => {
    const { status, body } = await api('GET', `script/binding?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const namesIn = ({ globals }: { globals: { name: string; from: string }[] }, from: string) =>
    globals.filter((each) => each.from === from).map(({ name }) => name);

  it('names the uses', async () => {
    const { uses } = await binding('');
    const names = uses.map(({ use }: { use: string }) => use);
    for (const use of [
      'onUpdate',
      'endpoint',
      'schedule',
      'scan',
      'process',
      'policy',
      'condition',
      'access',
    ]) {
      expect(names).toContain(use);
    }
    for (const { use } of uses) expect((await binding(`use=${use}`)).title).toEqual(expect.any(String));
  });

  it('has what the script of a use is given', async () => {
    const update = await binding('use=onUpdate&type=user');
    expect(namesIn(update, 'use')).toEqual([
      'request',
      'resourceName',
      'object',
      'oldObject',
      'newObject',
      'context',
    ]);
    const object = update.globals.find(({ name }: { name: string }) => name === 'object');
    expect(object).toMatchObject({ type: 'object', says: 'the object as it will be', keeps: true });
    expect(object.properties).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'userName', type: 'string', required: true }),
        expect.objectContaining({ name: 'roles', type: 'array', relationship: true }),
      ]),
    );
    expect(namesIn(update, 'script.json')).toEqual(['company']);
    expect(namesIn(update, 'server')).toEqual([
      ...Object.keys(SERVER_OBJECTS),
      ...Object.keys(MODULE_FUNCTIONS),
    ]);
  });

  it('is what scripts do find', async () => {
    const objects = `[svc, identityServer, console, logger].map((each) => Object.keys(each))`;
    const { body } = await api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source: objects },
    });
    expect(body.map((names: string[]) => names.toSorted())).toEqual(
      Object.values(SERVER_OBJECTS).map(({ functions }) => Object.keys(functions).toSorted()),
    );
    const all = [...namesIn(await binding('use=endpoint'), 'use'), 'object', 'input', 'execution'];
    await api('PUT', 'config/endpoint/sees', { body: { type: 'text/javascript', source: SEES(all) } });
    const seen = (await api('POST', 'endpoint/sees?_action=x')).body.filter(Boolean);
    expect(seen).toEqual(namesIn(await binding('use=endpoint'), 'use'));
  });

  it('is what hooks do find', async () => {
    const names = ['request', 'resourceName', 'object', 'oldObject', 'newObject', 'value', 'syncResults'];
    const tells = (hook: string) => ({
      [hook]: {
        type: 'text/javascript',
        source: `logger.info('${hook} sees ' + ${SEES(names)}.filter(Boolean))`,
      },
    });
    const type = Object.assign({ name: 'seen' }, ...HOOK_NAMES.map(tells));
    const added = [{ operation: 'add', field: '/objects/-', value: type }];
    expect((await api('PATCH', 'config/managed', { body: added })).status).toBe(200);
    await api('PUT', 'managed/seen/a', { body: { n: 1 } });
    await api('PUT', 'managed/seen/a', { body: { n: 2 } });
    await api('GET', 'managed/seen/a');
    await api('DELETE', 'managed/seen/a');
    for (const hook of HOOK_NAMES) {
      const { message } = await server.observed('script.logged', (line) =>
        line.message.startsWith(`${hook} sees`),
      );
      const declared = namesIn(await binding(`use=${hook}&type=seen`), 'use').filter(
        (name) => name !== 'context',
      );
      expect(message.replace(`${hook} sees `, '').split(',').toSorted()).toEqual(declared.toSorted());
    }
  });

  it.each([
    ['use=onUpdat', 400, "Scripts have no use 'onUpdat'", "Did you mean 'onUpdate'?"],
    ['use=onUpdate&type=usr', 404, "There is no managed type 'usr'", "Did you mean 'user'?"],
    [
      'use=schedule&type=user',
      400,
      "The use 'schedule' is not about objects of a type",
      'Leave the type out',
    ],
    ['type=user', 400, 'A type is nothing without the use of a script', expect.stringContaining('onUpdate')],
  ])('refuses %s', async (query, status, message, hint) => {
    const answer = await api('GET', `script/binding?${query}`);
    expect([answer.status, answer.body.message, answer.body.detail.hint]).toEqual([status, message, hint]);
  });

  it('is for administrators', async () => {
    expect((await asAda('GET', 'script/binding?use=onUpdate&type=user')).status).toBe(403);
    expect((await asNobody('GET', 'script/binding?use=onUpdate&type=user')).status).toBe(401);
  });
});
