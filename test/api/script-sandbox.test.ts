import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const TIMEOUT_MS = 300;
/** For what has nothing to hide and may be slow. */
const HONEST_MS = 120_000;
/** Longer than any wait on a machine that has other things to do as well, shorter than a standstill. */
const PATIENCE_MS = 20_000;
/** Far below the patience, so that no standstill is missed. */
const PAUSE_MS = 50;

const FILES = {
  'conf/managed.json': {
    objects: [
      { name: 'thing' },
      {
        name: 'seen',
        onCreate: { type: 'text/javascript', source: 'object.who = context.security.authenticationId' },
      },
    ],
  },
  'conf/script.json': { ECMAScript: {}, properties: {} },
  'conf/endpoint-attack.json': {
    type: 'text/javascript',
    source: 'eval(request.content.source)',
    timeout: TIMEOUT_MS,
  },
  'conf/endpoint-slow.json': { type: 'text/javascript', file: 'slow.js', timeout: TIMEOUT_MS },
  'script/slow.js': 'if (request.content.held) [].indexOf.call({ length: 1e15 }, 1); for (;;) {}',
  'conf/endpoint-nest.json': {
    type: 'text/javascript',
    source: `
      var level = Number(request.resourcePath);
      var next = 'endpoint/nest/' + (level - 1);
      if (level === 0) ({ depth: 0 });
      else if (request.method === 'read') ({ depth: svc.read(next).depth + 1 });
      else ({ depth: svc.action(next, 'x', {}).depth + 1 });`,
    timeout: HONEST_MS,
  },
  'conf/endpoint-honest.json': {
    type: 'text/javascript',
    source: 'eval(request.content.source)',
    timeout: HONEST_MS,
  },
  'conf/endpoint-tenacious.json': {
    type: 'text/javascript',
    source: 'eval(request.content.source)',
    timeout: 1_000,
  },
  'conf/endpoint-forever.json': {
    type: 'text/javascript',
    source: "svc.action('endpoint/forever', 'x', {})",
  },
  'secret.txt': 'the secret of the project',
  '.env': 'PASSWORD=hidden_in_dotfile',
};

/** What must never be seen, whatever the script tries. */
const SECRETS = ['Correct-Horse-9', 'the secret of the project', 'hidden_in_dotfile', 'postgres://', 'root:'];

const ATTACKS: Record<string, readonly string[]> = {
  'reach the host': [
    "this.constructor.constructor('return process')()",
    "(function () {}).constructor('return process.env')()",
    "svc.read.constructor('return process')().exit()",
    "logger.info.constructor.constructor('return globalThis.process.mainModule')()",
    "identityServer.getProperty.constructor('return require.main')().children",
    'process.binding("fs")',
    "globalThis.process = undefined; Function('return process')().env",
    'Object.getOwnPropertyDescriptor(svc, "read").value.caller.arguments',
    'new WebAssembly.Module(new Uint8Array(8))',
    'import("node:fs").then(function (fs) { leaked = fs })  , leaked',
    "new (Object.getPrototypeOf(function* () {}).constructor)('yield process')().next().value.env",
    'try { null.f() } catch (e) { e.constructor.constructor("return process")().env }',
    'Error.prepareStackTrace = function (e, frames) { return frames[0].getThis() }; new Error().stack.process.env',
    'Reflect.construct(Function, ["return process"])().env',
    'std.getenv("PATH") + os.readdir("/")',
  ],
  'read what it must not': [
    "require('/etc/passwd')",
    "require('../secret.txt')",
    "require('..//..//..//etc/passwd')",
    "require('lib/../../../secret.txt')",
    "require('child_process').execSync('id')",
    "require('node:fs').readFileSync('/etc/passwd')",
    "require('fs\\u0000.js')",
    "svc.action('script', 'eval', { type: 'text/javascript', file: '../../../etc/passwd' })",
    "svc.action('script', 'eval', { type: 'text/javascript', file: '/etc/passwd' })",
    "svc.action('script', 'eval', { type: 'text/javascript', file: '.env' })",
    "svc.action('script', 'eval', { type: 'text/javascript', file: 'conf/../.env' })",
    "require('lib/lodash/../../../../etc/passwd')",
    "require('__proto__')",
    'svc.read("managed/thing/../../config/script").sources',
    'svc.read("managed/thing/%2e%2e/%2e%2e/config/script").sources',
    "identityServer.getProperty('SVC_ADMIN_PASSWORD') || identityServer.getProperty('svc.admin.password') || nothing",
    "identityServer.getProperty('DATABASE_URL') || identityServer.getProperty('database.url') || nothing",
    "identityServer.getProperty('SVC_KEYS') || identityServer.getProperty('svc.keys') || nothing",
    'context.http.headers.authorization.length',
    "context.http.headers['x-svc-password'].length",
  ],
  'run for ever': [
    'for (;;) {}',
    'while (true) { try { for (;;) {} } catch (e) {} }',
    '/^(a+)+$/.test("a".repeat(50) + "b")',
    '/(x+x+)+y/.test("x".repeat(60))',
    '({ toJSON: function () { for (;;) {} } })',
    'throw { get message() { for (;;) {} } }',
    'for (;;) { try { svc.read("managed/thing/x") } catch (e) {} }',
    'for (;;) JSON.stringify(JSON.parse("[" + "1,".repeat(1000) + "1]"))',
    'new Proxy({}, { ownKeys: function () { for (;;) {} } }).x; Object.keys(new Proxy({}, { ownKeys: function () { for (;;) {} } }))',
    'svc.action("endpoint/attack", "x", { source: "for (;;) {}" })',
    'var e = new Error("x"); Object.defineProperty(e, "name", { get: function () { for (;;) {} } }); throw e',
    'for (;;) logger.info("x".repeat(10000))',
    'throw { toJSON: function () { for (;;) {} } }',
  ],
  'sit in native loops that cannot be interrupted': [
    'new Array(1e9).join("x").length',
    'var s = "x".repeat(2e7); for (var i = 0; i < 1e6; i++) s.indexOf("y")',
    '[].indexOf.call({ length: 1e15 }, 1)',
    '(10n ** 300000n).toString()',
    'new Array(4294967295).reverse().length',
  ],
  'take all memory': [
    'var s = "x"; for (;;) s += s',
    'var a = []; for (;;) a.push(new ArrayBuffer(1e6))',
    'var a = []; for (;;) a.push(new Array(100000).fill({}))',
    'new ArrayBuffer(4e9)',
    '"x".repeat(2e9)',
    'var a = [1]; for (var i = 0; i < 40; i++) a = [a, a]; a',
    'var m = new Map(); for (var i = 0; ; i++) m.set(i, "x".repeat(1000))',
    'svc.create("managed/thing", null, { big: "x".repeat(3e7) })',
    'throw { code: 400, message: "x".repeat(9e6) }',
    'Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 0)',
    '(2n ** 3000000n) ** 30n',
  ],
  'overflow the stack': [
    'function f() { return f() + 1 } f()',
    'var o = { toString: function () { return "" + o } }; "" + o',
    'var a = []; for (var i = 0; i < 300000; i++) a = [a]; JSON.stringify(a)',
    'eval("[".repeat(100000))',
    'var p = new Proxy({}, { get: function (t, k, r) { return r[k] } }); p.x',
    'new RegExp("(".repeat(50000) + ")".repeat(50000)).test("x")',
    'JSON.parse("[".repeat(5000) + "]".repeat(5000))',
    'var a = {}; for (var i = 0; i < 3000; i++) a = { a: a }; svc.create("managed/thing", null, a)',
    'var a = {}; for (var i = 0; i < 2000; i++) a = { a: a }; throw { code: 400, detail: a }',
    'svc.query("managed/thing", { _queryFilter: "(".repeat(60000) + "true" })',
    'svc.create("managed/thing", "path", {}); svc.patch("managed/thing/path", null, [{ operation: "add", field: "/a".repeat(3000), value: 1 }])',
  ],
  'be somebody else': [
    'svc.create("managed/seen", null, {}, null, null, { security: { authenticationId: "root", authorization: { id: "root", roles: [] } } }).who',
    'var get = WeakMap.prototype.get; WeakMap.prototype.get = function () { return { security: { authenticationId: "root" } } }; svc.create("managed/seen", null, {}, null, null, {}).who; nothing',
  ],
  'break the border': [
    'JSON.stringify = JSON.parse = null; svc.read("managed/thing/x"); nothing',
    'Object.prototype.toJSON = function () { return { failure: 1 } }; svc.read("managed/thing/x"); nothing',
    'Object.defineProperty(Object.prototype, "code", { get: function () { return 200 } }); throw {}',
    'Array.prototype[Symbol.iterator] = null; Map.prototype.get = null; require("x")',
    'svc.read({ toString: function () { return "managed/thing/x" } })',
    'svc.read("../../config/authentication").x',
    'svc.create("managed/__proto__", "constructor", {})',
    'throw new Proxy({}, { get: function () { throw 1 }, ownKeys: function () { throw 2 } })',
    'throw { code: 1e308, message: {}, detail: (function () { var a = {}; a.a = a; return a })() }',
    'Promise.reject(new Error("later"))',
    'Object.keys = function () { return ["_queryFilter", "_queryId"] }; svc.query("managed/thing", {})',
    'WeakMap.prototype.get = function () { return 7 }; throw {}',
    'svc.create("managed/thing", "nul", { a: "x\\u0000y" })',
    'svc.create("managed/thing", "a\\u0000b", {})',
    'svc.create("managed/thing", "half", { a: "\\ud800" })',
    'throw { code: 101 }',
    'throw { code: -1 }',
  ],
};

/** Attempts that are no errors: what they come to is what an honest script would get. */
const HARMLESS: Record<string, readonly (readonly [source: string, value: unknown])[]> = {
  'pollute the prototypes of the host': [
    [
      'svc.create("managed/thing", "p1", JSON.parse(\'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\'))._id',
      'p1',
    ],
    [
      'svc.create("managed/thing", "p2", {}); svc.patch("managed/thing/p2", null, [{ operation: "add", field: "/__proto__/polluted", value: 1 }])._id',
      'p2',
    ],
    [
      'svc.create("managed/thing", "p3", {}); svc.patch("managed/thing/p3", null, [{ operation: "add", field: "/constructor/prototype/polluted", value: 1 }])._id',
      'p3',
    ],
    [
      'typeof svc.query("managed/thing", { _queryFilter: "true" }, ["__proto__/polluted"]).result.length',
      'number',
    ],
    ['identityServer.getProperty("__proto__")', null],
    ['identityServer.getProperty("constructor")', null],
  ],
  'write SQL': [
    [
      'svc.query("managed/thing", { _queryFilter: "a eq \\"\'; drop table managed_object; --\\"" }).result.length',
      0,
    ],
    [
      'typeof svc.query("managed/thing", { _queryFilter: "true", _sortKeys: "a\'; drop table managed_object; --" }).result.length',
      'number',
    ],
    ['svc.read("managed/thing/x\'); drop table managed_object; --")', null],
  ],
  'be somebody else': [
    ['context.security.authenticationId = "root"; svc.create("managed/seen", null, {}).who', 'svc-admin'],
  ],
  'break what it runs with': [
    ['Object.prototype.length = 5; svc.read("managed/thing/none")', null],
    [
      'Array.prototype.push = Array.prototype.map = null; svc.query("managed/thing", { _queryFilter: "false" }).result',
      [],
    ],
    ['Object.freeze(globalThis); Object.freeze(Object.prototype); svc.read("managed/thing/none")', null],
    [
      'Function.prototype.call = Function.prototype.apply = Reflect.apply = null; svc.read("managed/thing/none")',
      null,
    ],
    ['({ toJSON: function () { return svc.read("managed/thing/none") } })', null],
    ['(function f() { Promise.resolve().then(f) })(); "done"', 'done'],
    ['var a = 0; for (var i = 0; i < 1200; i++) a = [a]; JSON.stringify(a).length', 2401],
    [
      'svc.create("managed/thing", "s1", {}); try { svc.query("managed/thing", { _queryFilter: "a eq \\"\\u0000\\"" }) } catch (e) {} svc.create("managed/thing", "s2", {})._id',
      's2',
    ],
  ],
  'make the host calculate for ever': [
    [
      'svc.matches("x", { $crypto: { type: "salted-hash", value: { algorithm: "BCRYPT", data: "$2a$31$" + "a".repeat(53) } } })',
      false,
    ],
    [
      'svc.matches("x", { $crypto: { type: "salted-hash", value: { algorithm: "PBKDF2", data: "$PBKDF2-HMAC-SHA256$2000000000$AAAA$AAAA" } } })',
      false,
    ],
    [
      'svc.matches("x", { $crypto: { type: "salted-hash", value: { algorithm: "SCRYPT", data: "$SCRYPT$2147483648$8$1$AAAA$AAAA" } } })',
      false,
    ],
  ],
};

describe('the sandbox', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES, threads: 2 });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const attack = (source: string) => api('POST', 'endpoint/attack?_action=x', { body: { source } });
  const ask = (source: string) => api('POST', 'endpoint/honest?_action=x', { body: { source } });

  /** Asks again and again for what needs no script, and for what does, while the work goes on. */
  async function meanwhile<T>(work: Promise<T>): Promise<{ result: T; longestMs: number; loopMs: number }> {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    let done = false;
    let longestMs = 0;
    const goOn = async () => {
      while (!done) {
        const startedAt = performance.now();
        const { status } = await api('GET', 'managed/thing?_queryFilter=true&_pageSize=1');
        expect(status).toBe(200);
        longestMs = Math.max(longestMs, performance.now() - startedAt);
        // Asking without a pause would measure the load that it makes itself.
        if (!done) await pause(PAUSE_MS);
      }
    };
    const asking = goOn();
    const result = await work.finally(() => {
      done = true;
    });
    await asking;
    delay.disable();
    return { result, longestMs, loopMs: delay.max / 1e6 };
  }

  for (const [kind, sources] of Object.entries(ATTACKS)) {
    describe(`keeps in a script that tries to ${kind}`, () => {
      it.each(sources)('%s', async (source) => {
        const { result, longestMs, loopMs } = await meanwhile(attack(source));
        expect([result.status, result.body]).toEqual([
          expect.toSatisfy((status: number) => status >= 400),
          expect.objectContaining({ code: expect.any(Number), message: expect.any(String) }),
        ]);
        for (const secret of SECRETS) expect(JSON.stringify(result.body)).not.toContain(secret);
        expect(longestMs).toBeLessThan(PATIENCE_MS);
        expect(loopMs).toBeLessThan(PATIENCE_MS);
        const after = await ask('[1, 2].map(function (n) { return n + 1 }).concat(typeof leaked)');
        expect(after.body).toEqual([2, 3, 'undefined']);
      });
    });
  }

  for (const [kind, attempts] of Object.entries(HARMLESS)) {
    describe(`lets a script go on that tries to ${kind}`, () => {
      it.each(attempts)('%s', async (source, value) => {
        const { result, longestMs } = await meanwhile(ask(source));
        expect([result.status, result.body]).toEqual([200, value]);
        expect(longestMs).toBeLessThan(PATIENCE_MS);
        expect((await ask('[({}).polluted, typeof leaked]')).body).toEqual([null, 'undefined']);
        expect((await api('GET', 'managed/thing?_queryFilter=polluted+pr')).body.result).toEqual([]);
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      });
    });
  }

  it('refuses texts that cannot be stored as every door does', async () => {
    for (const text of ['x\\u0000y', '\\ud800']) {
      const { status, body } = await ask(`svc.create("managed/thing", null, { a: "${text}" })`);
      expect([status, body]).toMatchObject([400, { detail: { id: 'DB_BAD_TEXT' } }]);
    }
  });

  it('lets scripts on the other thread go on while one thread is held', async () => {
    const held = attack('for (;;) {}');
    const quick = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const { body } = await ask(`${n} * 2`);
        return body;
      }),
    );
    expect(quick).toEqual([0, 2, 4, 6, 8, 10]);
    expect((await held).status).toBe(500);
  });

  it('replaces a thread that had to be ended, rolls its work back, and says so', async () => {
    const doom = () =>
      attack("svc.create('managed/thing', 'doomed', {}); [].indexOf.call({ length: 1e15 }, 1)");
    // On a busy machine its time may be over before it holds its thread.
    const { status } = await eventually(doom, ({ body }) => body.message.includes('cannot be interrupted'));
    expect(status).toBe(500);
    const { thread } = await server.observed('script.threadKilled');
    expect(thread).toBeGreaterThan(0);
    expect((await api('GET', 'managed/thing/doomed')).status).toBe(404);
    const health = (await (await fetch(`${server.url}/health/ready`)).json()) as {
      parts: { scripts: { state: string; detail: string } };
    };
    expect(health.parts.scripts.state).toBe('up');
    expect(health.parts.scripts.detail).toMatch(/thread \d+ (up|starting)/);
  });

  it('names the script that did not end', async () => {
    const slow = (held: boolean) => api('POST', 'endpoint/slow?_action=x', { body: { held } });
    // On a busy machine one that would have ended at its deadline may get no turn, and the other not come so far.
    const says = (held: boolean, text: string) =>
      eventually(
        () => slow(held),
        ({ body }) => body.message.startsWith(text),
      );
    await says(false, `Script 'slow.js' did not end within ${TIMEOUT_MS} ms`);
    await says(true, "The script 'slow.js' ran longer than it may");
    const killed = server.observations.filter(({ kind }) => kind === 'script.threadKilled');
    expect(killed.at(-1)).toMatchObject({ reason: "its script 'slow.js' ignored the deadline" });
  });

  it('runs again elsewhere what changes nothing when its thread is ended', async () => {
    const slow = () => api('GET', 'endpoint/nest/15');
    const reads = Array.from({ length: 10 }, slow);
    const kills = Array.from({ length: 2 }, () => attack('[].indexOf.call({ length: 1e15 }, 1)'));
    const answers = await Promise.all(reads);
    expect(answers.map(({ status, body }) => [status, body.depth])).toEqual(answers.map(() => [200, 15]));
    await Promise.all(kills);
  });

  it.each(['action', 'read'])(
    'runs %ss nested twenty deep, thirty at once on two threads, without a deadlock',
    async (kind) => {
      const call = () =>
        kind === 'read'
          ? api('GET', 'endpoint/nest/20')
          : api('POST', 'endpoint/nest/20?_action=x', { body: {} });
      const answers = await Promise.all(Array.from({ length: 30 }, call));
      expect(answers.map(({ status, body }) => [status, body.depth])).toEqual(answers.map(() => [200, 20]));
    },
  );

  it('ends scripts that call each other without end', async () => {
    const { status, body } = await api('POST', 'endpoint/forever?_action=x', { body: {} });
    expect([status, body]).toMatchObject([500, { detail: { id: 'SCRIPT_TOO_DEEP' } }]);
  });

  it('answers every one of many concurrent attacks and honest requests', async () => {
    const sources = [
      'for (;;) {}',
      '"x".repeat(2e9)',
      'function f() { f() } f()',
      '1 + 1',
      '2 + 2',
      'svc.read("managed/thing/x")',
    ];
    const { result } = await meanwhile(
      Promise.all(
        Array.from({ length: 60 }, (_, n) => {
          const kind = n % sources.length;
          return (kind < 3 ? attack : ask)(sources[kind]!);
        }),
      ),
    );
    const honest = result.filter((_, n) => n % sources.length >= 3);
    expect(honest.map(({ status }) => status)).toEqual(honest.map(() => 200));
    expect(result.filter((_, n) => n % sources.length < 3).every(({ status }) => status === 500)).toBe(true);
  });

  it('lets no caller fill the threads with long scripts while others wait', async () => {
    const deputy = { user: 'deputy', password: 'Another-Horse-9' };
    const body = { password: deputy.password, roles: ['svc-admin'] };
    expect((await api('PUT', 'repo/internal/user/deputy', { body })).status).toBe(201);
    const evaluate = (source: string, options = {}) =>
      api('POST', 'script?_action=eval', {
        body: { type: 'text/javascript', source, timeout: 1_500 },
        ...options,
      });
    expect((await evaluate('1 + 1', deputy)).body).toBe(2);
    const endless = Array.from({ length: 8 }, () => evaluate('for (;;) {}'));
    const others = Array.from({ length: 4 }, () => evaluate('2 + 2', deputy));
    expect((await Promise.all(others)).map((answer) => [answer.status, answer.body])).toEqual(
      others.map(() => [200, 4]),
    );
    const answers = await Promise.all(endless);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500, 503]));
    const crowded = answers.find(({ status }) => status === 503)!;
    expect(crowded.body.message).toContain('Scripts of this caller have kept others waiting');
    expect(Number(crowded.headers.get('Retry-After'))).toBeGreaterThan(0);
  });

  it('lets one caller wait for no more than one of the endless scripts of another, however many', async () => {
    const deputy = { user: 'deputy', password: 'Another-Horse-9' };
    const body = { password: deputy.password, roles: ['svc-admin'] };
    await api('PUT', 'repo/internal/user/deputy', { body });
    const evaluate = (source: string, options = {}) =>
      api('POST', 'endpoint/tenacious?_action=x', { body: { source }, ...options });
    expect((await evaluate('1 + 1', deputy)).body).toBe(2);
    let ended = 0;
    // One more than a caller has in two threads.
    const endless = Array.from({ length: 17 }, () =>
      evaluate('for (;;) {}').then((answer) => {
        if (answer.status === 500) ended += 1;
        return answer;
      }),
    );
    // What needs no script does not wait at all.
    expect((await api('GET', 'managed/thing?_queryFilter=true')).status).toBe(200);
    expect(ended).toBe(0);
    const seen: number[] = [];
    for (let time = 0; time < 20; time += 1) {
      const before = ended;
      expect((await evaluate('1 + 1', deputy)).body).toBe(2);
      seen.push(ended - before);
    }
    // One on each of the two threads, and what ends beside the quick ones.
    expect(Math.max(...seen)).toBeLessThanOrEqual(2);
    expect(seen.slice(1).filter((count) => count > 0).length).toBeLessThanOrEqual(2);
    const answers = await Promise.all(endless);
    expect(answers.filter(({ status }) => status !== 500 && status !== 503)).toEqual([]);
  });
});
