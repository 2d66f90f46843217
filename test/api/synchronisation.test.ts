import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const text = { type: 'string' };
const account = (name: string) => ({
  name,
  schema: {
    properties: {
      login: text,
      mail: text,
      title: text,
      area: text,
      groups: { type: 'array', items: text },
      secret: { ...text, encryption: { purpose: 'idm.password.encryption' } },
    },
  },
});
const MANAGED = {
  objects: [
    {
      name: 'person',
      schema: {
        properties: {
          login: text,
          mail: text,
          title: text,
          kind: text,
          secret: { ...text, encryption: { purpose: 'idm.password.encryption' } },
          effectiveAssignments: {
            type: 'array',
            isVirtual: true,
            returnByDefault: true,
            onRetrieve: script('object.duties || []'),
          },
          lastSync: { type: ['object', 'null'], scope: 'private' },
        },
      },
    },
    account('crm'),
    account('mirror'),
    account('shop'),
    { name: 'strict', schema: { properties: { login: { ...text, minLength: 3 } }, required: ['login'] } },
    {
      name: 'left',
      onSync: script(
        "if (newObject && newObject.strict && !syncResults.success) { throw { code: 409, message: 'not taken' } }",
      ),
    },
    { name: 'right' },
  ],
};
const copied = (...names: string[]) => names.map((name) => ({ source: name, target: name }));
const MAPPINGS: JsonObject[] = [
  {
    name: 'person_crm',
    source: 'managed/person',
    target: 'managed/crm',
    validSource: script("source.kind !== 'guest'"),
    correlationQuery: script("({ _queryFilter: 'login eq ' + JSON.stringify(source.login) })"),
    properties: [
      ...copied('login', 'mail', 'secret'),
      {
        source: 'title',
        target: 'title',
        transform: script('source ? source.toUpperCase() : null'),
        default: 'NONE',
      },
      { target: 'area', default: 'staff', condition: '/object/kind eq "employee"' },
    ],
    policies: [
      { situation: 'SOURCE_MISSING', action: 'DELETE' },
      { situation: 'MISSING', action: 'CREATE' },
    ],
  },
  {
    name: 'person_strict',
    source: 'managed/person',
    target: 'managed/strict',
    sourceCondition: '/source/kind eq "employee"',
    properties: copied('login'),
    policies: [{ situation: 'SOURCE_MISSING', action: 'UNLINK' }],
  },
  {
    name: 'left_right',
    source: 'managed/left',
    target: 'managed/right',
    properties: copied('name', 'strict'),
    onCreate: script(
      "if (source.strict) { throw { code: 400, message: 'too strict' } } target.made = sourceId;",
    ),
    policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
  },
  {
    name: 'right_left',
    source: 'managed/right',
    target: 'managed/left',
    links: 'left_right',
    properties: [
      ...copied('name'),
      { target: 'n', source: 'n', transform: script('source === null ? null : source + 1') },
    ],
    policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
  },
] as JsonObject[];

describe('synchronisation between managed types', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': MANAGED,
        'conf/sync.json': { mappings: MAPPINGS },
        'conf/mapping-person_shop.json': {
          name: 'person_shop',
          source: 'managed/person',
          target: 'managed/shop',
          linkQualifiers: ['default', 'test'],
          sourceCondition: '/source/kind eq "shopper"',
          properties: copied('login'),
        },
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const create = async (type: string, body: object, id?: string) => {
    const answer = await (id === undefined
      ? api('POST', `managed/${type}?_action=create`, { body })
      : api('PUT', `managed/${type}/${id}`, { body }));
    expect(answer.status).toBe(201);
    return answer.body._id as string;
  };
  const set = (path: string, body: Record<string, unknown>) =>
    api('PATCH', `managed/${path}`, {
      body: Object.entries(body).map(([name, value]) => ({ operation: 'replace', field: `/${name}`, value })),
    });
  const find = async (type: string, filter: string) =>
    (await api('GET', `managed/${type}?_queryFilter=${encodeURIComponent(filter)}`)).body.result;
  const linksOf = async (id: string) =>
    (
      await api(
        'GET',
        `repo/link?_sortKeys=linkType&_queryFilter=${encodeURIComponent(`firstId eq "${id}"`)}`,
      )
    ).body.result;
  const why = async (path: string, mapping: string) =>
    (await api('GET', `sync/why?resource=managed/${path}&mapping=${mapping}`)).body.mappings[0];

  it('makes, changes and deletes a target with its source', async () => {
    const id = await create('person', {
      login: 'ann',
      mail: 'ann@example.com',
      title: 'chief',
      kind: 'employee',
    });
    const [made] = await find('crm', 'login eq "ann"');
    expect(made).toMatchObject({ mail: 'ann@example.com', title: 'CHIEF', area: 'staff' });
    expect(await linksOf(id)).toMatchObject([
      { linkType: 'person_crm', linkQualifier: 'default', secondId: made._id },
      { linkType: 'person_strict' },
    ]);
    await set(`person/${id}`, { mail: 'a@example.com', title: '' });
    const [changed] = await find('crm', 'login eq "ann"');
    expect(changed).toMatchObject({ _id: made._id, mail: 'a@example.com', title: 'NONE' });
    expect((await api('DELETE', `managed/person/${id}`)).status).toBe(200);
    expect(await find('crm', 'login eq "ann"')).toEqual([]);
    expect(await linksOf(id)).toEqual([]);
    expect(await find('strict', 'login eq "ann"')).toHaveLength(1);
  });

  it('writes nothing where nothing differs, and leaves alone what it does not map', async () => {
    const id = await create('person', { login: 'bea', secret: 'Very-Secret-1', kind: 'employee' });
    const [made] = await find('crm', 'login eq "bea"');
    await set(`crm/${made._id}`, { groups: ['own'], area: 'other' });
    await set(`person/${id}`, { kind: 'retired' });
    expect(await find('crm', 'login eq "bea"')).toMatchObject([
      { _rev: '1', groups: ['own'], area: 'other' },
    ]);
  });

  it('takes an encrypted value along encrypted, and tells it to nobody', async () => {
    const id = await create('person', { login: 'cat', secret: 'Very-Secret-2' });
    const { rows } = await server.database.pool.query(
      "select data from managed_object where type = 'crm' and data->>'login' = 'cat'",
    );
    expect(rows[0].data.secret.$crypto.type).toBeDefined();
    const told = await server.database.pool.query(
      "select coalesce((select string_agg(event::text, ' ') from audit_event), '') || coalesce((select string_agg(sync_state::text, ' ') from sync_state), '') as text",
    );
    expect(told.rows[0].text).not.toContain('Very-Secret');
    const { body } = await api('POST', `script?_action=eval`, {
      body: script(
        `svc.decrypt(svc.query('managed/crm', {_queryFilter: 'login eq "cat"'}).result[0].secret)`,
      ),
    });
    expect(body).toBe('Very-Secret-2');
    expect(id).toBeDefined();
  });

  it('finds a target by correlation, and one that belongs to somebody else is not taken', async () => {
    await create('crm', { login: 'dan', title: 'old' }, 'dan-crm');
    const id = await create('person', { login: 'dan', title: 'new' });
    expect(await find('crm', 'login eq "dan"')).toMatchObject([{ _id: 'dan-crm', title: 'NEW' }]);
    expect(await why(`person/${id}`, 'person_crm')).toMatchObject({ situation: 'FOUND', action: 'UPDATE' });
    const twin = await create('person', { login: 'dan', title: 'twin' });
    expect(await why(`person/${twin}`, 'person_crm')).toMatchObject({
      outcome: 'failed',
      situation: 'FOUND_ALREADY_LINKED',
      error: { id: 'SYNC_REFUSED' },
    });
    expect(await find('crm', 'login eq "dan"')).toMatchObject([{ title: 'NEW' }]);
  });

  it('takes the target of a source away that does not qualify any more, and makes one anew for one that is missing', async () => {
    const id = await create('person', { login: 'eva' });
    const [made] = await find('crm', 'login eq "eva"');
    await set(`person/${id}`, { kind: 'guest' });
    expect(await find('crm', 'login eq "eva"')).toEqual([]);
    await set(`person/${id}`, { kind: 'member' });
    const [again] = await find('crm', 'login eq "eva"');
    expect(again._id).not.toBe(made._id);
    await api('DELETE', `managed/crm/${again._id}`);
    await set(`person/${id}`, { mail: 'eva@example.com' });
    const [third] = await find('crm', 'login eq "eva"');
    expect(await linksOf(id)).toMatchObject([{ secondId: third._id }]);
  });

  it('makes one target for each link qualifier, by a file of its own', async () => {
    const id = await create('person', { login: 'fay', kind: 'shopper' });
    expect(await find('shop', 'login eq "fay"')).toHaveLength(2);
    const links = (await linksOf(id)).filter(({ linkType }: JsonObject) => linkType === 'person_shop');
    expect(links.map(({ linkQualifier }: JsonObject) => linkQualifier).sort()).toEqual(['default', 'test']);
  });

  it('leaves nothing of a target that refuses, keeps the source, and says why', async () => {
    const id = await create('person', { login: 'g', kind: 'employee' });
    expect(await find('crm', 'login eq "g"')).toHaveLength(1);
    expect((await linksOf(id)).map(({ linkType }: JsonObject) => linkType)).toEqual(['person_crm']);
    expect(await why(`person/${id}`, 'person_strict')).toMatchObject({
      outcome: 'failed',
      situation: 'ABSENT',
      action: 'CREATE',
      error: { code: 403 },
    });
    await server.observed('sync.failed', ({ resource }) => resource === `managed/person/${id}`);
    await set(`person/${id}`, { login: 'gus' });
    expect(await why(`person/${id}`, 'person_strict')).toMatchObject({
      outcome: 'delivered',
      action: 'CREATE',
    });
  });

  it('lets onSync refuse the change for what a target has refused', async () => {
    const answer = await api('PUT', 'managed/left/no', { body: { name: 'no', strict: true } });
    expect(answer.status).toBe(409);
    expect((await api('GET', 'managed/left/no')).status).toBe(404);
    expect(await find('right', 'name eq "no"')).toEqual([]);
  });

  it('goes both ways, and ends when both agree', async () => {
    const id = await create('left', { name: 'two' });
    const [right] = await find('right', 'name eq "two"');
    expect(right.made).toBe(id);
    expect(await find('left', 'name eq "two"')).toHaveLength(1);
    await set(`right/${right._id}`, { name: 'three' });
    expect(await find('left', 'name eq "three"')).toMatchObject([{ _id: id }]);
    expect((await api('DELETE', `managed/right/${right._id}`)).status).toBe(200);
    expect((await api('GET', `managed/left/${id}`)).status).toBe(404);
  });

  it('shows with a dry run what targets would get, and changes nothing', async () => {
    const answer = await api('POST', 'managed/person?_action=create&_dryRun=true', {
      body: { login: 'hal' },
    });
    const made = answer.body.changes.find(({ resource }: JsonObject) =>
      String(resource).startsWith('managed/crm/'),
    );
    expect(made).toMatchObject({ operation: 'create', after: { login: 'hal' } });
    expect(await find('crm', 'login eq "hal"')).toEqual([]);
  });

  it('records what it has done in the audit, with the names of what was written', async () => {
    const id = await create('person', { login: 'ida' });
    const filter = encodeURIComponent(`sourceObjectId eq "managed/person/${id}"`);
    const { result } = (await api('GET', `audit/sync?_queryFilter=${filter}`)).body;
    expect(result).toMatchObject([
      {
        mapping: 'person_crm',
        situation: 'ABSENT',
        action: 'CREATE',
        status: 'SUCCESS',
        changedFields: ['/login', '/title'],
      },
      { mapping: 'person_strict', situation: 'SOURCE_IGNORED', action: 'REPORT' },
      { mapping: 'person_shop', linkQualifier: 'default', action: 'REPORT' },
      { mapping: 'person_shop', linkQualifier: 'test', action: 'REPORT' },
    ]);
  });

  it('gives what assignments say, and takes back what they said', async () => {
    const assignment = (value: string[]) => [
      {
        _id: 'a',
        mapping: 'person_crm',
        attributes: [{ name: 'groups', value, assignmentOperation: 'mergeWithTarget' }],
      },
    ];
    const id = await create('person', { login: 'joe', duties: assignment(['sales']) });
    const groups = async () => (await find('crm', 'login eq "joe"'))[0].groups;
    expect(await groups()).toEqual(['sales']);
    const [made] = await find('crm', 'login eq "joe"');
    await set(`crm/${made._id}`, { groups: ['sales', 'own'] });
    await set(`person/${id}`, { duties: assignment(['staff']) });
    expect(await groups()).toEqual(['own', 'staff']);
    await set(`person/${id}`, { duties: [] });
    expect(await groups()).toEqual(['own']);
  });
});
