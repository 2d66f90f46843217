/** Who may plan a reconciliation learns by it nothing that a query of their own would not tell. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { PASSWORD } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const text = { type: 'string' };
const script = (source: string) => ({ type: 'text/javascript', source });
const PLANS = `
    { pattern: 'recon', roles: 'planner', methods: 'read,action', actions: 'recon,reconById', condition: 'request.parameters.mode === "plan" || request.parameters.analyze === "true"' },
    { pattern: 'recon/*', roles: 'planner', methods: 'read,query', actions: '' },
    { pattern: 'recon', roles: 'runner', methods: 'action', actions: 'recon' },
    { pattern: 'managed/person', roles: 'reader', methods: 'query', actions: '' },
    { pattern: 'system/hr/account', roles: 'hr', methods: 'query', actions: '' },
    // Their tasks and processes.`;
const caller = (username: string, ...roles: string[]) => ({
  name: 'STATIC_USER',
  properties: {
    username,
    password: PASSWORD,
    queryOnResource: 'repo/internal/user',
    defaultUserRoles: ['svc-authorized', ...roles],
  },
});

describe('the right to plan a reconciliation', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            {
              name: 'person',
              schema: { properties: { login: text, city: text, pin: { ...text, scope: 'private' } } },
            },
            {
              name: 'crm',
              onCreate: script("throw { code: 403, message: 'no room for ' + object.login }"),
            },
          ],
        },
        'conf/provisioner.openicf-hr.json': {
          name: 'hr',
          enabled: true,
          connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
          configurationProperties: { csvFile: 'hr.csv', headerUid: 'uid' },
          objectTypes: {
            account: {
              nativeType: '__ACCOUNT__',
              properties: { uid: { type: 'string', nativeName: 'uid' }, wage: { type: 'string' } },
            },
          },
        },
        'data/hr.csv': 'uid,wage\nada,100\n',
        'conf/sync.json': {
          mappings: [
            {
              name: 'person_crm',
              source: 'managed/person',
              target: 'managed/crm',
              enableSync: false,
              properties: [{ source: 'login', target: 'login' }],
            },
            { name: 'hr_crm', source: 'system/hr/account', target: 'managed/crm', enableSync: false },
          ],
        },
        'conf/authentication.json': {
          serverAuthContext: {
            authModules: [
              { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
              caller('planner', 'planner'),
              caller('reader', 'planner', 'reader'),
              caller('runner', 'runner'),
            ],
          },
        },
        'script/access.js': readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8').replace(
          '\n    // Their tasks and processes.',
          PLANS,
        ),
      },
      threads: 2,
    });
    api = server.api;
    const body = { login: 'ada', city: 'Bern', pin: '4711' };
    expect((await api('PUT', 'managed/person/ada', { body })).status).toBe(201);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  beforeEach(() => server.database.pool.query('delete from recon_run'));

  const plan = (user: string, body: object, mapping = 'person_crm', more = 'mode=plan') =>
    api('POST', `recon?_action=recon&mapping=${mapping}&${more}&waitForCompletion=true`, {
      user,
      password: PASSWORD,
      body,
    });
  const runs = async () => (await server.database.pool.query('select from recon_run')).rowCount;
  const sourcesOf = async (id: string) =>
    (await api('GET', `recon/${id}`)).body.progress.source.existing.total;

  it('is for the question of the mapping, and not for one of the own that its owner may not ask', async () => {
    for (const more of ['mode=plan', 'analyze=true']) {
      for (const [mapping, body] of [
        ['person_crm', { sourceQuery: { _queryFilter: 'city eq "Bern"' } }],
        ['person_crm', { sourceQuery: { _queryFilter: 'city eq "Rome"' } }],
        ['person_crm', { targetQuery: { _queryFilter: 'login eq "ada"' } }],
        ['hr_crm', { sourceQuery: { _queryFilter: 'wage eq "100"' } }],
      ] as const) {
        const { status, body: answer } = await plan('planner', body, mapping, more);
        expect([status, answer.message]).toEqual([403, 'Access denied']);
      }
    }
    const target = { targetQuery: { _queryFilter: 'login eq "ada"' } };
    expect((await plan('reader', target)).status).toBe(403);
    expect(await runs()).toBe(0);
    expect((await plan('planner', {})).status).toBe(200);
  });

  it('lets a query of the own see what its owner is shown, and nothing that is private', async () => {
    const sources: Record<string, unknown> = {};
    for (const filter of [
      'city eq "Bern"',
      'pin sw "4"',
      'pin sw "5"',
      '!(pin sw "4")',
      'city pr and pin pr',
    ]) {
      const answer = await plan('reader', {
        sourceQuery: { _queryFilter: filter },
        allowEmptySourceSet: true,
        runTargetPhase: false,
      });
      expect([filter, answer.status, answer.body.message]).toEqual([filter, 200, undefined]);
      sources[filter] = await sourcesOf(answer.body._id);
    }
    expect(sources).toEqual({
      'city eq "Bern"': '1',
      'pin sw "4"': '0',
      'pin sw "5"': '0',
      '!(pin sw "4")': '1',
      'city pr and pin pr': '0',
    });
    const secret = await plan('reader', { sourceQuery: { _queryFilter: 'login/$crypto/value/iv sw "a"' } });
    expect([secret.status, secret.body.detail.id]).toEqual([403, 'QUERY_SECRET']);
  });

  it('says how much may be done unseen for those who may approve it, and for nobody else', async () => {
    for (const thresholds of [false, { delete: { percent: 100 } }]) {
      const { status, body } = await plan('runner', { thresholds }, 'person_crm', 'mode=apply');
      expect([status, body.message]).toEqual([403, 'Access denied']);
    }
    expect(await runs()).toBe(0);
    expect((await plan('runner', {}, 'person_crm', 'mode=apply')).status).toBe(200);
    const own = await api('POST', 'recon?_action=recon&mapping=person_crm&waitForCompletion=true', {
      body: { thresholds: false },
    });
    expect(own.status).toBe(200);
  });

  it('shows of what failed the kind of error, and its words to those who may query both sides', async () => {
    const { _id: id } = (await plan('planner', {})).body;
    const path = `recon/${id}/entry?_queryFilter=state eq "failed"`;
    const whole = (await api('GET', path)).body.result;
    expect(whole).toMatchObject([{ sourceId: 'ada', error: { code: 403, message: 'no room for ada' } }]);
    for (const user of ['planner', 'reader']) {
      const seen = (await api('GET', path, { user, password: PASSWORD })).body.result;
      expect(seen).toMatchObject([{ sourceId: 'ada', difference: null, error: { code: 403 } }]);
      expect(seen[0].error).not.toHaveProperty('message');
      const one = await api('GET', `recon/${id}/entry/${seen[0]._id}`, { user, password: PASSWORD });
      expect(one.body.error).not.toHaveProperty('message');
    }
  });

  it('shows why all of it has failed to those alone who may query both sides', async () => {
    const { _id: run } = (await plan('planner', {})).body;
    const error = { code: 400, reason: 'Bad Request', message: 'ada is in the way' };
    await server.database.pool.query("update recon_run set state = 'FAILED', error = $1 where id = $2", [
      error,
      run,
    ]);
    const paths = [`recon/${run}`, `recon/${run}/report`, 'recon'];
    for (const path of paths)
      expect(JSON.stringify((await api('GET', path)).body)).toContain('ada is in the way');
    const seen = await Promise.all(
      paths.map((path) => api('GET', path, { user: 'planner', password: PASSWORD })),
    );
    for (const { status, body } of seen) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain('ada is in the way');
    }
  });
});
