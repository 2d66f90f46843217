import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { callerAs, callersOf } from '../support/credentials.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { workflowApi } from '../support/workflow.ts';

const PROCESS = readFileSync(new URL('../../workflow/accessRequest.bpmn20.xml', import.meta.url), 'utf8');

let server: TestServer;
let api: Api;
const { asNobody, createUser } = callersOf(() => api);
const asAda = callerAs(() => api, 'ada');

beforeAll(async () => {
  server = await startTestServer({ files: { 'workflow/accessRequest.bpmn20.xml': PROCESS } });
  api = server.api;
  await createUser('ada');
  await eventually(
    () => workflowApi(api).list('processdefinition'),
    (definitions) => definitions.length === 1,
  );
});
afterAll(() => server?.[Symbol.asyncDispose]());

const get = async (path: string, caller: typeof asAda = api) => {
  const { status, body } = await caller('GET', path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

describe('GET /schema', () => {
  it('names the types to an administrator, with what may be asked', async () => {
    const { types, counts } = await get('schema');
    expect(types.map(({ type }: { type: string }) => type)).toEqual([
      'user',
      'role',
      'assignment',
      'deactivation',
    ]);
    expect(types[0]).toEqual({
      type: 'user',
      title: 'User',
      may: ['query', 'create', 'read', 'patch', 'delete'],
      actions: ['patch', 'triggerSyncCheck', 'explain'],
    });
    expect(counts).toBeUndefined();
  });

  it('names to a user the type of its own object, and no other', async () => {
    const { types } = await get('schema', asAda);
    expect(types).toEqual([
      {
        type: 'user',
        title: 'User',
        may: [],
        actions: [],
        own: { path: 'managed/user/ada', may: ['read', 'patch'], actions: ['patch', 'explain'] },
      },
    ]);
  });

  it('counts the objects that the caller may query, if it is asked to', async () => {
    expect(await get('schema?_fields=counts')).toEqual({
      counts: {
        user: { total: 1 },
        role: { total: 0 },
        assignment: { total: 0 },
        deactivation: { total: 0 },
      },
    });
    expect(await get('schema?_fields=counts', asAda)).toEqual({ counts: {} });
  });

  it('is for nobody without credentials, and there for anonymous neither', async () => {
    for (const path of ['schema', 'schema/managed/user', 'schema/config/managed', 'schema/task/1']) {
      expect((await asNobody('GET', path)).status).toBe(401);
      expect((await api('GET', path, { user: 'anonymous', password: 'anonymous' })).status).toBe(403);
    }
  });
});

describe('more than ten thousand objects', () => {
  beforeAll(async () => {
    await sql`insert into managed_object (type, id, data)
      select 'deactivation', n::text, '{}' from generate_series(1, 10001) n`.execute(server.database.db);
  });
  afterAll(async () => {
    await sql`delete from managed_object where type = 'deactivation'`.execute(server.database.db);
  });

  it('are estimated, and it is said', async () => {
    const { counts } = await get('schema?_fields=counts');
    expect(counts.deactivation).toEqual({ total: expect.any(Number), estimated: true });
    expect(counts.deactivation.total).toBeGreaterThan(10_000);
    const asked = 'managed/deactivation?_queryFilter=true&_pageSize=1&_totalPagedResultsPolicy=';
    expect(await get(`${asked}ESTIMATE`)).toMatchObject({
      totalPagedResultsPolicy: 'ESTIMATE',
      estimated: true,
    });
    const exact = await get(`${asked}EXACT`);
    expect([exact.totalPagedResults, exact.estimated]).toEqual([10_001, undefined]);
  });

  it('are counted where there are fewer', async () => {
    await sql`delete from managed_object where type = 'deactivation' and id = '1'`.execute(
      server.database.db,
    );
    expect((await get('schema?_fields=counts')).counts.deactivation).toEqual({ total: 10_000 });
    const page = await get('managed/user?_queryFilter=true&_pageSize=1&_totalPagedResultsPolicy=ESTIMATE');
    expect([page.totalPagedResults, page.estimated]).toEqual([1, undefined]);
  });
});

describe('GET /schema/managed/<type>', () => {
  it('has all of a type for an administrator', async () => {
    const user = await get('schema/managed/user');
    expect(user.order.slice(0, 3)).toEqual(['userName', 'password', 'givenName']);
    expect([...user.order].sort()).toEqual(Object.keys(user.properties).sort());
    const { userName, password, mail, roles, effectiveRoles, _id } = user.properties;
    expect(userName).toMatchObject({
      type: 'string',
      title: 'Username',
      required: true,
      searchable: true,
      unique: true,
      index: expect.stringMatching(/^(?:ready|building)$/),
    });
    expect(userName.policies.map(({ policyId }: { policyId: string }) => policyId)).toContain('unique');
    expect(userName).not.toHaveProperty('userEditable');
    expect(password).toMatchObject({
      private: true,
      stored: 'hash',
      isProtected: true,
      userEditable: true,
      viewable: false,
    });
    expect(mail.policies).toContainEqual(expect.objectContaining({ policyId: 'valid-email-address-format' }));
    expect(roles.relationship).toEqual({
      many: true,
      reverse: 'members',
      targets: [
        { path: 'managed/role', label: 'Role', fields: ['name'], sortKeys: ['name'], filter: 'true' },
      ],
      refProperties: {},
      conditional: 'condition',
      temporal: 'temporalConstraints',
    });
    expect(effectiveRoles.isVirtual).toBe(true);
    expect(_id.viewable).toBe(false);
  });

  it('has for a user what it may see of itself, and not how others are listed', async () => {
    const { properties, own, may } = await get('schema/managed/user', asAda);
    expect([may, own.may]).toEqual([[], ['read', 'patch']]);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['userName', 'password', 'mail']));
    expect(properties).not.toHaveProperty('_id');
    expect(properties.roles.relationship.targets).toEqual([{ path: 'managed/role', label: 'Role' }]);
  });

  it('has for a user of other types as much as of those that there are not', async () => {
    const answers = await Promise.all(['role', 'rule'].map((type) => asAda('GET', `schema/managed/${type}`)));
    for (const [index, { status, body }] of answers.entries()) {
      const type = ['role', 'rule'][index];
      expect([status, body]).toEqual([
        404,
        {
          code: 404,
          reason: 'Not Found',
          message: `There is no managed type '${type}'`,
          detail: { id: 'MANAGED_UNKNOWN_TYPE', hint: 'There are user' },
        },
      ]);
    }
    const { body } = await api('GET', 'schema/managed/rule');
    expect(body.detail.hint).toBe("Did you mean 'role'?");
  });

  it('is JSON Schema on demand, and nothing else', async () => {
    const schema = await get('schema/managed/user?_format=jsonschema', asAda);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'User',
      type: 'object',
      required: ['userName', 'givenName', 'sn', 'mail'],
      properties: { userName: { type: 'string', minLength: 1 }, password: { writeOnly: true } },
    });
    const { status, body } = await api('GET', 'schema/managed/user?_format=xsd');
    expect([status, body.detail.id, body.detail.field]).toEqual([400, 'SCHEMA_UNKNOWN_FORMAT', '_format']);
    expect((await api('GET', 'managed/user/ada?_format=jsonschema')).body.detail.id).toBe(
      'HTTP_UNKNOWN_PARAMETER',
    );
  });
});

describe('GET /schema/config/<id>', () => {
  it('has the keys of a configuration for an administrator', async () => {
    expect(await get('schema/config/schedule/nightly')).toMatchObject({
      config: 'schedule',
      many: true,
      file: 'schedule-<name>.json',
      schema: { properties: { invokeService: {} } },
    });
    expect(await get('schema/config/audit?_format=jsonschema')).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
    });
  });

  it('says which there are, and nothing to users', async () => {
    const { status, body } = await api('GET', 'schema/config/managd');
    expect([status, body.detail.id, body.detail.hint]).toEqual([
      404,
      'CONFIG_NO_SCHEMA',
      "Did you mean 'managed'?",
    ]);
    expect((await api('GET', 'schema/config/audit/more')).status).toBe(404);
    expect((await asAda('GET', 'schema/config/managed')).status).toBe(403);
  });
});

describe('a form of a process', () => {
  it('is told to whoever may start it', async () => {
    const form = await get('schema/process/accessRequest/start', asAda);
    expect(form).toMatchObject({
      key: 'accessRequest',
      formKey: null,
      order: ['userName', 'role', 'reason'],
    });
    expect(form.properties.role).toEqual({
      type: 'string',
      title: 'Role',
      required: true,
      userEditable: true,
      value: null,
    });
    expect(await get(`schema/process/${encodeURIComponent(form.process)}/start`)).toEqual({
      ...form,
      _id: 'start',
    });
    expect(await get('schema/process/accessRequest/start?_format=jsonschema', asAda)).toMatchObject({
      type: 'object',
      properties: { reason: { type: 'string', title: 'Reason' } },
      required: ['role', 'reason'],
    });
  });

  it('of which there is none has a hint for administrators, and none for users', async () => {
    const { status, body } = await api('GET', 'schema/process/accesRequest/start');
    expect([status, body.detail.hint]).toEqual([404, "Did you mean 'accessRequest'?"]);
    expect((await asAda('GET', 'schema/process/accesRequest/start')).status).toBe(403);
    expect((await api('GET', 'schema/process/accessRequest')).status).toBe(404);
  });

  it('of a task is told to whom the task is offered', async () => {
    const role = { name: 'auditor', description: 'May read everything', requestable: true };
    expect((await api('PUT', 'managed/role/auditor', { body: role })).status).toBe(201);
    const started = await asAda('POST', 'workflow/processinstance', {
      body: { _key: 'accessRequest', role: 'auditor', reason: 'The audit' },
    });
    expect(started.status, JSON.stringify(started.body)).toBe(201);
    const { result } = await get('workflow/taskinstance?_queryId=query-all-ids');
    const task = result[0]._id;
    const form = await get(`schema/task/${task}`);
    expect(form).toMatchObject({ task, order: ['decision', 'comment'] });
    expect(form.properties.decision).toEqual({
      type: 'string',
      title: 'Decision',
      enum: ['accept', 'reject'],
      enumTitles: { accept: 'Grant the role', reject: 'Refuse it' },
      required: true,
      userEditable: true,
      value: null,
    });
    expect((await asAda('GET', `schema/task/${task}`)).status).toBe(403);
    expect((await asAda('GET', 'schema/task/12')).status).toBe(403);
    expect((await api('GET', 'schema/task/12')).status).toBe(404);
  });

  it('of a task shows no more of it than filters leave of its read', async () => {
    const { result } = await get('workflow/taskinstance?_queryId=query-all-ids');
    const task = `schema/task/${result[0]._id}`;
    const js = (source: string) => ({ type: 'text/javascript', source });
    const filtered = async (source: string) => {
      const hiding = {
        pattern: 'workflow/(taskinstance|processdefinition)/.+',
        methods: ['read'],
        onResponse: js(source),
      };
      expect((await api('PUT', 'config/router', { body: { filters: [hiding] } })).status).toBe(200);
    };
    const shown = async () => (await get(task)).properties.decision;
    await filtered("response.content.formProperties = [{ decision: 'left' }]");
    expect(await shown()).toMatchObject({ title: 'Decision', value: 'left' });
    await filtered('delete response.content.formProperties');
    expect(await shown()).not.toHaveProperty('value');
    await filtered("throw { code: 404, message: 'not here' }");
    for (const path of [task, 'schema/process/accessRequest/start']) {
      const { status, body } = await api('GET', path);
      expect([status, body.message]).toEqual([404, 'not here']);
    }
    expect((await api('PUT', 'config/router', { body: { filters: [] } })).status).toBe(200);
    expect(await shown()).toHaveProperty('value', null);
  });
});
