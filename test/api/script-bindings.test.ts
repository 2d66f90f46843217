import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { evaluationOf } from '../support/evaluation.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const FILES = {
  'conf/managed.json': { objects: [{ name: 'thing' }] },
  'conf/boot/boot.properties': 'my.property=from boot\nmy.other=&{my.property} again\n',
  'script/lib/counter.js': 'var n = 0; exports.next = function () { n += 1; return n; };',
  'script/lib/uses.js':
    'var counter = require("./counter"); exports.twice = function () { counter.next(); return counter.next(); };',
  'script/lib/whole.js':
    'module.exports = function () { return [typeof svc, typeof require, typeof module]; };',
  'conf/endpoint-request.json': {
    type: 'text/javascript',
    source: `
      request.method = 'changed';
      request.content.added = 1;
      [request.method, request.requestType, request.content.added, request.resourcePath]`,
  },
  'conf/endpoint-context.json': {
    type: 'text/javascript',
    context: 'endpoint/context/{what}',
    source: `
      var what = context.router.uriTemplateVariables.what;
      if (what === 'chain') {
        var names = [];
        for (var link = context.current; link !== null; link = link.parent) names.push(link.name);
        names;
      } else if (what === 'functions') {
        [
          context.containsContext('http'), context.containsContext('oauth2'),
          context.getContext('client').name, context.asContext('security') === context.security,
          context.getParent() === context.parent, context.http.getContext('root').id === context.root.id,
          context.http.containsContext('router'), context.client.id === context.root.id,
          context.security['class'], context.current === context.router
        ];
      } else if (what === 'readonly') {
        context.caller = 'changed'; context.security.authenticationId = 'somebody';
        [context.caller.external, context.security.authenticationId];
      } else if (what === 'http-cases') {
        var headers = context.http.headers;
        [headers['x-own'], headers['X-OWN'], headers['X-Other'], context.http.parameters.p,
          JSON.parse(JSON.stringify(headers))['x-own'] === 'a' && 'X-Own' in headers && !('X-None' in headers)];
      } else if (what === 'missing') {
        context.getContext('oauth2');
      } else {
        JSON.parse(JSON.stringify(what === 'all' ? context : context[what]));
      }`,
  },
};

describe('in a script', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const { answer, value } = evaluationOf(() => api);

  it('identityServer knows properties and places', async () => {
    expect(
      await value(`[
        identityServer.getProperty('my.property'), identityServer.getProperty('my.other', null, true),
        identityServer.getProperty('none'), identityServer.getProperty('none', 'by default'),
        identityServer.getProperty('svc.config.crypto.alias'),
        identityServer.getProjectLocation(), identityServer.getInstallLocation().length > 1,
        identityServer.getWorkingLocation().charAt(0)
      ]`),
    ).toEqual([
      'from boot',
      'from boot again',
      null,
      'by default',
      'svc-sym-default',
      server.project.location,
      true,
      '/',
    ]);
    expect(
      await value(`[
        identityServer.getProperty('my.property', 'x', true), identityServer.getProperty('my.property', 'x', false),
        identityServer.getProperty('my.none', 'first', true), identityServer.getProperty('my.none', 'second', true)
      ]`),
    ).toEqual(['from boot', 'from boot', 'first', 'second']);
    expect((await answer('identityServer.getProperty()')).status).toBe(500);
    expect(
      await value("[identityServer.getProperty('SVC_KEYS'), identityServer.getProperty('database.url')]"),
    ).toEqual([null, null]);
  });

  it('console and logger return nothing and null', async () => {
    expect(
      await value("[typeof console.log('x'), logger.info('{} {}', 'a', { b: 1 }), logger.trace('t')]"),
    ).toEqual(['undefined', null, null]);
  });

  it('require loads modules of the sources once per run, relative ones too', async () => {
    const source =
      "[require('lib/counter').next(), require('lib/counter.js').next(), require('lib/uses').twice(), require('lib/whole')()]";
    for (let run = 0; run < 2; run++) {
      expect(await value(source)).toEqual([1, 2, 4, ['object', 'function', 'object']]);
    }
    const missing = await answer("require('lib/none')");
    expect(missing.body.message).toContain('lib/none.js');
  });

  it('require knows every module that scripts of the field expect, and Java is not there', async () => {
    const names = [
      'crypto',
      'lib/lodash',
      'lib/handlebars',
      'linkedView',
      'auth/customAuthz',
      'roles/relationshipHelper',
      'roles/effectiveRoles',
      'policyFilter',
      'router-authz',
      'util',
    ];
    // Each in a script of its own: all of them together are a second's work of a busy machine.
    for (const name of names)
      expect([name, await value(`Object.getOwnPropertyNames(require('${name}')).length > 0`)]).toEqual([
        name,
        true,
      ]);
    expect(await value('[typeof java, typeof Packages, typeof importPackage]')).toEqual(
      Array(3).fill('undefined'),
    );
    const groovy = { type: 'groovy', source: 'require("crypto")' };
    expect((await api('POST', 'script?_action=eval', { body: groovy })).status).toBe(500);
  });

  it('object is the input of a schedule, null without one, and the scheduler acts', async () => {
    const source = `svc.create('managed/thing', seen, {
      object: object, who: context.security, links: [typeof context.http, typeof context.root.id]
    })`;
    for (const [seen, more] of [
      ['fired', {}],
      ['given', { input: { n: 1 } }],
    ] as const) {
      const script = { type: 'text/javascript', source, seen };
      const body = {
        type: 'simple',
        startTime: '2020-01-01T00:00:00',
        invokeService: 'script',
        invokeContext: { script, ...more },
      };
      expect((await api('PUT', `scheduler/job/${seen}`, { body })).status).toBe(201);
    }
    const made = await eventually(
      () => Promise.all(['fired', 'given'].map((id) => api('GET', `managed/thing/${id}`))),
      (answers) => answers.every(({ status }) => status === 200),
    );
    const who = {
      authenticationId: expect.any(String),
      authorization: { roles: ['system'], component: 'scheduler' },
    };
    expect(made.map(({ body }) => body)).toMatchObject([
      { object: null, who, links: ['undefined', 'string'] },
      { object: { n: 1 }, who },
    ]);
    expect(made[0]!.body.who.authorization.id).toBe(made[0]!.body.who.authenticationId);
  });

  it('request keeps its members, and its content can be changed inside', async () => {
    const { body } = await api('POST', 'endpoint/request?_action=x', { body: {} });
    expect(body).toEqual(['action', 'ACTION', 1, '']);
  });

  describe('context', () => {
    const context = async (what: string) => (await api('GET', `endpoint/context/${what}?p=1`)).body;

    it('is a chain from the router to the root', async () => {
      expect(await context('chain')).toEqual([
        'router',
        'advice',
        'http',
        'security',
        'client',
        'attributes',
        'requestAudit',
        'session',
        'transactionId',
        'root',
      ]);
    });

    it.each<[string, object]>([
      [
        'router',
        { matchedUri: 'endpoint/context/router', remainingUri: '', uriTemplateVariables: { what: 'router' } },
      ],
      [
        'http',
        {
          method: 'GET',
          path: expect.stringMatching(/^http.*\/svc\/endpoint\/context\/http/),
          parameters: { p: '1' },
          headers: { 'x-svc-username': 'svc-admin' },
        },
      ],
      [
        'security',
        {
          authenticationId: 'svc-admin',
          authorization: {
            id: expect.any(String),
            component: expect.any(String),
            roles: expect.arrayContaining(['svc-admin']),
          },
        },
      ],
      [
        'client',
        {
          isExternal: true,
          isSecure: false,
          remoteAddress: '127.0.0.1',
          remotePort: expect.any(Number),
          remoteUser: '',
          userAgent: 'node',
          certificates: [],
          localAddress: '',
          localPort: -1,
        },
      ],
      ['requestAudit', { receivedTime: expect.any(Number) }],
      ['transactionId', { transactionId: { value: expect.any(String), subTransactionIdCounter: 0 } }],
      ['root', { id: expect.any(String) }],
      ['caller', { name: 'client', external: true }],
      ['advice', { restrictedAdviceNames: [], advice: {} }],
      ['current', { name: 'router' }],
      ['parent', { name: 'advice' }],
    ])('has %s with every field', async (what, fields) => {
      expect(await context(what)).toMatchObject(fields);
    });

    it('has headers under any case, and joins what was sent more than once', async () => {
      const { body } = await api('GET', 'endpoint/context/http-cases?p=1&p=2', {
        headers: { 'X-Own': 'a', 'x-other': 'b, c' },
      });
      expect(body).toEqual(['a', 'a', 'b, c', '1,2', true]);
    });

    it('shows no password', async () => {
      expect(JSON.stringify(await context('all'))).not.toContain('Horse');
    });

    it('can be asked for its links', async () => {
      expect(await context('functions')).toEqual([
        true,
        false,
        'client',
        true,
        true,
        true,
        false,
        true,
        'SecurityContext',
        true,
      ]);
      expect((await api('GET', 'endpoint/context/missing')).body.message).toContain("'oauth2'");
    });

    it('cannot be changed', async () => {
      expect(await context('readonly')).toEqual([true, 'svc-admin']);
    });
  });

  it.each<[string, unknown]>([
    ['var a = 1; function f() { return a + 1; } f();', 2],
    ['let s = new Set([1, 2, 2]); [...s].length', 2],
    ['const { a, ...rest } = { a: 1, b: 2 }; `a\u0062` + a + JSON.stringify(rest)', 'ab1{"b":2}'],
    ['class A { #x = 5; get x() { return this.#x; } static s = 1; } new A().x + A.s', 6],
    ['[3, 1, 2].toSorted?.() ?? [3, 1, 2].slice().sort()', [1, 2, 3]],
    ['null ?? 5', 5],
    ['({ a: { b: 1 } }).a?.b', 1],
    ['10n ** 3n === 1000n', true],
    ['"aXbX".replaceAll("X", "-")', 'a-b-'],
    ['/(?<year>\\d{4})/.exec("in 2024").groups.year', '2024'],
    ['Object.entries({ a: 1 }).flat()', ['a', 1]],
    ['return 7;', 7],
    ['if (true) return "early"; "late"', 'early'],
    ['with ({ x: 3 }) { x }', 3],
    ['var undefinedThing; typeof undefinedThing', 'undefined'],
    ['eval("1 + 1")', 2],
    ['new Date(0).toISOString()', '1970-01-01T00:00:00.000Z'],
    ['arguments.length >= 0', true],
  ])('the language has %j', async (source, expected) => {
    expect((await answer(source)).body).toEqual(expected);
  });
});
