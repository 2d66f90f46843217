import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { evaluationOf } from '../support/evaluation.ts';
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
  'conf/endpoint-said.json': { type: 'text/javascript', source: '[request.content]' },
  'conf/endpoint-who.json': {
    type: 'text/javascript',
    source: `[
      context.security.authenticationId, context.security.authorization.roles.length > 0,
      context.containsContext('http'), context.caller.external, context.root.id
    ]`,
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
});
