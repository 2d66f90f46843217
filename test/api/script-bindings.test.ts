import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const FILES = {
  'conf/managed.json': {
    objects: [
      { name: 'thing' },
      {
        name: 'seen',
        onCreate: {
          type: 'text/javascript',
          source:
            'object.external = context.caller.external; object.client = context.client.isExternal; ' +
            'object.port = context.client.remotePort; object.who = context.security.authenticationId;',
        },
      },
    ],
  },
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
  'conf/endpoint-said.json': { type: 'text/javascript', source: '[request.content]' },
  'conf/endpoint-who.json': {
    type: 'text/javascript',
    source: `[
      context.security.authenticationId, context.security.authorization.roles.length > 0,
      context.containsContext('http'), context.caller.external, context.root.id
    ]`,
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
  afterAll(() => server[Symbol.asyncDispose]());

  const answer = (source: string, query = '') =>
    api('POST', `script?_action=eval${query}`, { body: { type: 'text/javascript', source } });
  const value = async (source: string) => {
    const { status, body } = await answer(source);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  };

  describe('svc', () => {
    it('creates, reads, updates, patches, queries and deletes, and answers with contents', async () => {
      const seen = await value(`
        var created = svc.create('managed/thing', 't1', { n: 1, list: [1] });
        var made = svc.create('managed/thing', null, { n: 9 }, null, ['n']);
        [
          created,
          typeof made._id + made.n,
          svc.read('managed/thing/t1', null, ['n']),
          svc.update('managed/thing/t1', created._rev, { n: 2 }),
          svc.patch('managed/thing/t1', null, [{ operation: 'increment', field: '/n', value: 3 }]),
          svc.query('managed/thing', { _queryFilter: 'n eq 5' }, ['n']).result,
          svc.delete('managed/thing/t1', null).n,
          svc.read('managed/thing/t1')
        ]`).catch((error) => error);
      expect(seen).toEqual([
        { _id: 't1', _rev: '0', n: 1, list: [1] },
        'string9',
        expect.objectContaining({ n: 1 }),
        { _id: 't1', _rev: '1', n: 2 },
        { _id: 't1', _rev: '2', n: 5 },
        [expect.objectContaining({ n: 5 })],
        5,
        null,
      ]);
    });

    it('takes _fields when there are no others, and transforms in patches', async () => {
      expect(
        await value(`
          svc.create('managed/thing', 'f1', { a: 1, b: 2, n: 4 });
          var filter = '_id eq "f1"';
          var double = { script: { type: 'text/javascript', source: 'content * 2' } };
          [
            svc.query('managed/thing', { _queryFilter: filter, _fields: ['a'] }).result[0],
            svc.query('managed/thing', { _queryFilter: filter, _fields: 'a' }, ['b']).result[0],
            svc.patch('managed/thing/f1', null, [{ operation: 'transform', field: '/n', value: double }]).n,
            svc.patch('managed/thing/f1', '1', [{ operation: 'remove', field: '/a' }], null, ['a', 'b'])
          ]`),
      ).toEqual([expect.objectContaining({ a: 1 }), expect.objectContaining({ b: 2 }), 8, expect.anything()]);
      const [first, second, , last] = await value(
        "[svc.query('managed/thing', { _queryFilter: '_id eq \"f1\"', _fields: ['n'] }).result[0].b, svc.query('managed/thing', { _queryFilter: '_id eq \"f1\"', _fields: 'n' }, ['b']).result[0].n, 0, svc.read('managed/thing/f1').a].map(function (v) { return typeof v })",
      );
      expect([first, second, last]).toEqual(['undefined', 'undefined', 'undefined']);
    });

    it.each([
      "svc.update('managed/thing/rev', '7', {})",
      "svc.patch('managed/thing/rev', '7', [])",
      "svc.delete('managed/thing/rev', '7')",
      "svc.create('managed/thing', 'rev', {})",
    ])('minds the revision, and what is there already: %s', async (source) => {
      await api('PUT', 'managed/thing/rev', { body: {} });
      expect((await answer(source)).status).toBe(412);
    });

    it.each<[string, boolean]>([
      ['context', true],
      ['context.current', true],
      ['context.http', true],
      ['context.parent', true],
      ["context.getContext('security')", false],
      ['context.client.parent', false],
      ['context.root', false],
    ])('takes the context %s, which changes what is inside of it and never who acts', async (link, http) => {
      const seen = await value(`
        var root = context.root.id;
        var calls = [
          svc.read('endpoint/who', null, null, ${link}),
          svc.query('endpoint/who', { _queryFilter: 'true' }, null, ${link}).result,
          svc.action('endpoint/who', 'x', null, null, null, ${link}),
          svc.create('endpoint/who', null, {}, null, null, ${link}),
          svc.update('endpoint/who', null, {}, null, null, ${link}),
          svc.patch('endpoint/who', null, [], null, null, ${link}),
          svc.delete('endpoint/who', null, null, null, ${link})
        ];
        calls.map(function (seen) { return seen.slice(0, 4).concat(seen[4] === root); })`);
      expect(seen).toEqual(Array.from({ length: 7 }, () => ['svc-admin', true, http, false, true]));
    });

    it.each([
      '{}',
      'JSON.parse(JSON.stringify(context))',
      'Object.create(context)',
      'Object.assign({}, context, { security: { authenticationId: "root" } })',
      '{ security: { authenticationId: "root", authorization: { id: "root", roles: ["svc-admin"] } } }',
      'context.caller',
    ])('takes no context that a script made up: %s', async (made) => {
      const { status, body } = await answer(`svc.read('endpoint/who', null, null, ${made})`);
      expect([status, body.message]).toEqual([500, expect.stringContaining('method not found read(')]);
    });

    it('takes the context of a Groovy script', async () => {
      const source = "svc.read('endpoint/who', null, null, context)";
      const { body } = await api('POST', 'script?_action=eval', { body: { type: 'groovy', source } });
      expect(body.slice(0, 4)).toEqual(['svc-admin', true, true, false]);
    });

    it('queries with parameters of any case, lists, numbers and a callback', async () => {
      const seen = await value(`
        for (var i = 0; i < 5; i++) svc.create('managed/thing', 'q' + i, { q: i });
        var rows = [];
        var rest = svc.query('managed/thing', { _QueryFilter: 'q pr', _SORTKEYS: ['-q'], _pageSize: 2, _fields: 'q' },
          function (entry) { rows.push(entry.q); if (rows.length === 1) throw 'ignored'; });
        var counted = svc.query('managed/thing', { _queryFilter: 'q pr', _totalPagedResultsPolicy: 'EXACT', _sortKeys: 'q', _pageSize: 2, _pagedResultsOffset: 3 });
        [rows, typeof rest.result, typeof rest.pagedResultsCookie, counted.totalPagedResults, counted.result.map(function (r) { return r.q; })]`);
      expect(seen).toEqual([[4, 3], 'undefined', 'string', 5, [3, 4]]);
    });

    it.each([
      ["svc.query('managed/thing', {})", 400, /exactly one/],
      [
        "svc.query('managed/thing', { _queryId: 'a', _queryFilter: 'true', _queryExpression: 'x' })",
        400,
        /exactly one/,
      ],
      ["svc.query('managed/thing', { _queryFilter: 'a eq' })", 400, /./],
      ["svc.query('managed/thing', { _queryFilter: 'true', _pageSize: '2' })", 400, /number/],
      ["svc.read('managed/thing/x', { a: {} })", 400, /a/],
      ["svc.create('managed/thing', 'x')", 500, /method not found create\(String,String\)/],
      ['svc.read()', 500, /method not found read\(\)/],
      ["svc.patch('managed/thing/x', null, {})", 500, /method not found patch\(String,null,Object\)/],
      ["svc.delete('managed/thing/x')", 500, /method not found delete\(String\)/],
      ["svc.action('managed/thing', 'x')", 500, /method not found action/],
      ["svc.action('script', 'dance', { type: 'text/javascript', source: '1' })", 400, /dance/],
    ])('refuses %s', async (source, status, message) => {
      const { status: given, body } = await answer(source);
      expect([given, body.message]).toEqual([status, expect.stringMatching(message)]);
    });

    it('acts, also when the action is among the parameters', async () => {
      const script =
        "{ type: 'text/javascript', source: '1 + (typeof x === \"undefined\" ? 0 : Number(x))' }";
      expect(
        await value(`[
          svc.action('script', 'eval', ${script}),
          svc.action('script', 'eval', ${script}, { x: 2 }, null, context),
          svc.action('script', ${script}, { _action: 'eval', x: 3 }),
          svc.action('script', { _action: 'eval', x: 4 }, ${script})
        ]`),
      ).toEqual([1, 3, 4, 5]);
    });

    it('acts with any value as the content', async () => {
      await value("svc.create('managed/thing', 'acted', { n: 1 })");
      const change = "[{ operation: 'replace', field: '/n', value: 2 }]";
      expect(
        await value(`[
          svc.action('managed/thing/acted', 'patch', ${change}).n,
          svc.action('managed/thing/acted', { _action: 'patch' }, ${change.replace('2', '3')}).n,
          svc.action('endpoint/said', 'say', 'a text'),
          svc.action('endpoint/said', 'say', null),
          svc.action('endpoint/said', 'say', undefined, { more: 1 }),
        ]`),
      ).toEqual([2, 3, ['a text'], [null], [null]]);
    });

    it('is an internal caller with the identity of whoever started the script', async () => {
      expect(
        await value(
          "var made = svc.create('managed/seen', null, {}); [made.external, made.client, made.port, made.who]",
        ),
      ).toEqual([false, false, -1, 'svc-admin']);
      const { body } = await api('POST', 'managed/seen', { body: {} });
      expect([body.external, body.client, body.port > 0]).toEqual([true, true, true]);
    });

    it('throws what scripts of the Java servers expect', async () => {
      const seen = await value(`
        try { svc.update('managed/thing/none', null, {}); } catch (e) {
          [e.code, e.reason, e.javaException.getCode(), e.javaException.getReason(), e.javaException.code,
           e.javaException.getMessage() === e.message, e.javaException.message === e.message,
           e.javaException.getDetail(), e.javaException.cause, String(e).indexOf('none') > 0, e instanceof Error]
        }`);
      expect(seen).toEqual([404, 'Not Found', 404, 'Not Found', 404, true, true, null, null, true, true]);
    });

    it.each(['throw e', 'throw e.javaException', 'throw { code: e.code, message: e.message }'])(
      'ends in the same status when the script says %s',
      async (again) => {
        const { status, body } = await answer(
          `try { svc.update('managed/thing/none', null, {}); } catch (e) { ${again} }`,
        );
        expect([status, body.message]).toEqual([404, expect.stringContaining('none')]);
      },
    );

    it('leaves no trace of a call whose failure was caught', async () => {
      expect(
        await value(`
          svc.create('managed/thing', 'c1', {});
          try { svc.create('managed/thing', 'c1', {}); } catch (e) { var code = e.code; }
          svc.create('managed/thing', 'c2', {}); code`),
      ).toBe(412);
      expect((await api('GET', 'managed/thing/c2')).status).toBe(200);
    });

    it('encrypts, decrypts, hashes and compares', async () => {
      const seen = await value(`
        var e = svc.encrypt({ a: 1 }, null, 'svc-sym-default');
        var cbc = svc.encrypt('x', 'AES/CBC/PKCS5Padding', 'svc-sym-default');
        var h = svc.hash('Grüße', 'SHA-256');
        [
          e.$crypto.type, e.$crypto.value.key, svc.decrypt(e), svc.decrypt({ list: [cbc], h: h }).list,
          svc.isEncrypted(e), svc.isEncrypted(h), svc.isEncrypted('x'), svc.isEncrypted(),
          svc.isHashed(h), svc.isHashed(e), svc.isHashed(),
          h.$crypto.value.algorithm, svc.matches('Grüße', h), svc.matches('x', h), svc.matches('x'), svc.matches('x', 'y'),
          svc.hash('p', null).$crypto.value.algorithm,
          (function () { var kept = { list: [e] }; svc.decrypt(kept); return svc.isEncrypted(kept.list[0]); })(),
          svc.matches('p', svc.hash('p', null)), require('crypto').isHashed(require('crypto').hash('x'))
        ]`);
      expect(seen).toEqual([
        'x-simple-encryption',
        'svc-sym-default',
        { a: 1 },
        ['x'],
        true,
        true,
        false,
        false,
        true,
        false,
        false,
        'SHA-256',
        true,
        false,
        false,
        false,
        // Stronger than the field's SHA-256, which would still match.
        'ARGON2ID',
        true,
        true,
        true,
      ]);
    });

    it.each([
      ["svc.encrypt('x', null)", 500, /method not found encrypt/],
      ["svc.encrypt('x', null, null)", 500, /method not found encrypt/],
      ["svc.encrypt('x', null, 'no-such-key')", 500, /no-such-key/],
      ["svc.decrypt('x')", 500, /method not found decrypt/],
      ["svc.hash('x')", 500, /method not found hash/],
      ['svc.isEncrypted(1, 2)', 500, /method not found isEncrypted/],
    ])('refuses %s', async (source, status, message) => {
      const { status: given, body } = await answer(source);
      expect([given, body.message]).toEqual([status, expect.stringMatching(message)]);
    });
  });

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
