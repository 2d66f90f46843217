import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callersOf } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

interface Operation {
  readonly operationId: string;
  readonly 'x-svc-actions'?: Readonly<Record<string, { readonly takes: object; readonly answers: object }>>;
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
  readonly security: readonly object[];
}

const DRY_RUN = '#/components/schemas/DryRun';
const VERBS = ['get', 'post', 'put', 'patch', 'delete'];
const QUERY_RESULT = '#/components/schemas/QueryResult';

let server: TestServer;
let document: Document;
const { createUser } = callersOf(() => server.api);

beforeAll(async () => {
  const greet = { type: 'text/javascript', source: "'hello'", _methods: ['action'] };
  server = await startTestServer({ files: { 'conf/endpoint-greet.json': greet } });
  await createUser('ada');
  document = (await (await fetch(new URL('/docs/openapi.json', server.url))).json()) as Document;
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** Each answer of an operation, such as that to `GET /managed/user` with status 200, and its schema. */
function* answers(): Generator<{ path: string; verb: string; status: string; schema: object }> {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const verb of VERBS) {
      for (const [status, { content }] of Object.entries(item[verb]?.responses ?? {})) {
        yield { path, verb, status, schema: content['application/json']?.schema ?? {} };
      }
    }
  }
}

describe('the OpenAPI document', () => {
  it('is one by the schema of OpenAPI', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect([valid, errors]).toEqual([true, undefined]);
    // What an endpoint takes only its script knows.
    const act = document.paths['/endpoint/greet']?.['post'];
    expect(act?.responses['200']?.content['application/json']?.schema).toEqual({});
    expect(JSON.stringify(document)).not.toMatch(/"(?:anyOf|enum)":\[\]/);
  });

  it('names each operation once, says how each may be refused, and what is in each list', () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      VERBS.flatMap((verb) => item[verb]?.operationId ?? []),
    );
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    const refusals = [...answers()].filter(({ status }) => status === 'default');
    expect(refusals.length).toBe(ids.length);
    for (const { schema } of refusals) expect(schema).toEqual({ $ref: '#/components/schemas/Error' });
    const lists = [...answers()].filter(({ schema }) => JSON.stringify(schema).includes(QUERY_RESULT));
    expect(lists.length).toBeGreaterThan(20);
    for (const { path, schema } of lists) {
      expect(JSON.stringify(schema), path).toMatch(/"result":\{"type":"array","items":\{/);
    }
  });

  it('describes what is answered to writes, rehearsed ones and those that ask for a part included', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'api', components: document.components });
    const user = { userName: 'cy', givenName: 'Cy', sn: 'Test', mail: 'cy@example.com' };
    const calls: [string, string, string, object?][] = [
      ['POST', 'managed/user?_dryRun=true', '/managed/user', user],
      ['PUT', 'managed/user/cy', '/managed/user/{id}', user],
      ['PUT', 'managed/user/cy?_dryRun=true', '/managed/user/{id}', user],
      ['PUT', 'managed/user/cy?_fields=sn', '/managed/user/{id}', user],
      ['GET', 'managed/user/cy?_fields=sn', '/managed/user/{id}'],
      ['DELETE', 'managed/user/cy?_dryRun=true', '/managed/user/{id}'],
      ['GET', 'taskscanner', '/taskscanner'],
    ];
    for (const [method, path, described, body] of calls) {
      const answer = await server.api(method, path, body === undefined ? {} : { body });
      const operation = document.paths[described]?.[method.toLowerCase()];
      const schema = operation?.responses[String(answer.status)]?.content['application/json']?.schema;
      expect(schema, `${method} ${path}: ${answer.status}`).toBeDefined();
      const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
      if (path.includes('_dryRun')) expect(text).toContain(DRY_RUN);
      const fits = ajv.compile(JSON.parse(text));
      expect([path, fits(answer.body), ajv.errorsText(fits.errors)]).toEqual([path, true, 'No errors']);
    }
  });

  it('describes what actions take and answer, from where they read it', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'api', components: document.components });
    await server.api('PUT', 'managed/user/di', {
      body: { userName: 'di', givenName: 'Di', sn: 'Test', mail: 'di@example.com' },
    });
    const calls: [string, string, string, unknown][] = [
      ['access', '/access', 'may', [{ method: 'read', path: 'managed/user/di', as: 'ada' }]],
      ['managed/user/di', '/managed/user/{id}', 'explain', { property: 'effectiveRoles' }],
      [
        'managed/user/di',
        '/managed/user/{id}',
        'patch',
        [{ operation: 'replace', field: '/sn', value: 'A' }],
      ],
      ['managed/user', '/managed/user', 'triggerSyncCheck', {}],
      ['scheduler/job', '/scheduler/job', 'calendar', { ids: ['none'] }],
      ['scheduler', '/scheduler', 'validateQuartzCronExpression', { cronExpression: '0 0 2 * *' }],
      ['scheduler/firing', '/scheduler/firing', 'aggregate', { by: ['node'], bucket: '1h' }],
      ['audit', '/audit', 'aggregate', { bucket: 'day', by: ['topic'] }],
      ['policy/managed/user/di', '/policy/managed/{type}/{id}', 'validateProperty', { sn: '' }],
      ['session', '/session', 'endAll', { user: 'managed/user/di' }],
      ['workflow/signal', '/workflow/signal', 'send', { name: 'nobody', variables: {} }],
      ['script', '/script', 'eval', { type: 'text/javascript', source: 'a + 1', a: 1 }],
    ];
    for (const [path, described, action, body] of calls) {
      const { status, body: answer } = await server.api('POST', `${path}?_action=${action}`, { body });
      expect([path, action, status], JSON.stringify(answer)).toEqual([path, action, 200]);
      const said = document.paths[described]?.['post']?.['x-svc-actions']?.[action];
      expect(said?.takes, `${path} ${action}`).not.toEqual({});
      for (const [value, schema] of [
        [body, said?.takes],
        [answer, said?.answers],
      ]) {
        const fits = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/comp', '"api#/comp')));
        expect([path, action, fits(value), ajv.errorsText(fits.errors)]).toEqual([
          path,
          action,
          true,
          'No errors',
        ]);
      }
    }
    // What there is not in a description is refused by what reads it.
    const wrong = { body: [{ method: 'read', path: 'info/ping', action: 'a', whom: 'ada' }] };
    const refused = await server.api('POST', 'access?_action=may', wrong);
    expect(refused.body.detail.hint).toContain('method, path, action, fields, content, as');
  });

  it('describes what is answered, to lists, to objects in them, and to what is not there', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'api', components: document.components });
    const wrong: unknown[] = [];
    const check = (asked: string, schema: object, body: unknown) => {
      const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
      const fits = ajv.compile(JSON.parse(text));
      if (!fits(body)) wrong.push([asked, ajv.errorsText(fits.errors)]);
    };
    const asked: string[] = [];
    for (const { path, verb, status, schema } of answers()) {
      if (verb !== 'get' || status !== '200' || path.includes('{')) continue;
      const isList = JSON.stringify(schema).includes(QUERY_RESULT);
      const query = path.startsWith('/workflow/') ? '_queryId=query-all-ids' : '_queryFilter=true';
      const url = `${path.slice(1)}${isList ? `?${query}` : ''}`;
      const answer = await server.api('GET', url);
      asked.push(url);
      if (answer.status === 500) wrong.push([url, answer.status]);
      check(url, answer.status === 200 ? schema : { $ref: '#/components/schemas/Error' }, answer.body);
      const each = document.paths[`${path}/{id}`]?.['get']?.responses['200'];
      const [first] = isList && answer.status === 200 ? answer.body.result : [];
      for (const id of [first?._id, 'nothing-of-that-name']) {
        if (each === undefined || id === undefined) continue;
        const one = `${path.slice(1)}/${encodeURIComponent(id)}`;
        const read = await server.api('GET', one);
        asked.push(one);
        if (read.status === 500) wrong.push([one, read.status]);
        const described = each.content['application/json']?.schema ?? {};
        check(one, read.status === 200 ? described : { $ref: '#/components/schemas/Error' }, read.body);
      }
    }
    expect(asked.length).toBeGreaterThan(40);
    expect(wrong).toEqual([]);
  });
});
