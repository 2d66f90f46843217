import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const text = { type: 'string' };
const OPEN: JsonObject = {
  name: 'staff_entry',
  source: 'managed/staff',
  target: 'managed/entry',
  correlationQuery: {
    type: 'text/javascript',
    file: 'ui/correlateTreeToQueryFilter.js',
    expressionTree: { any: ['login', { all: ['mail'] }] },
  },
  defaultMapping: { type: 'text/javascript', file: 'roles/defaultMapping.js' },
  postMapping: { type: 'groovy', file: 'roles/defaultPostMapping.groovy' },
  properties: [
    { source: 'login', target: 'login' },
    { source: 'mail', target: 'mail' },
    {
      source: '',
      target: 'full',
      transform: { type: 'groovy', source: 'source.login + " <" + (source.mail ?: "none") + ">"' },
    },
    { source: 'city', target: 'address/city' },
  ],
  onCreate: script("target.by = 'onCreate ' + situation;"),
  onUpdate: script("if (oldTarget.mail !== target.mail) { target.by = 'onUpdate from ' + oldTarget.mail; }"),
  onLink: script(`if (source.login === 'unlinkable') { throw { code: 400, message: 'no link' }; }
    if (situation === 'ABSENT' && target.login !== source.login) { throw { code: 400, message: 'a link to nobody' }; }`),
  policies: [
    {
      situation: 'SOURCE_MISSING',
      condition: '/object pr',
      action: 'EXCEPTION',
    },
    {
      situation: 'SOURCE_MISSING',
      action: script("linkQualifier === 'default' ? 'DELETE' : null"),
      postAction: script("svc.create('managed/note', null, { did: action, in: situation });"),
    },
    { situation: 'AMBIGUOUS', action: 'REPORT' },
  ],
} as unknown as JsonObject;

describe('/sync and /repo/link', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            {
              name: 'staff',
              schema: {
                properties: {
                  login: text,
                  mail: text,
                  city: text,
                  duties: {
                    type: 'array',
                    items: { type: 'relationship', resourceCollection: [{ path: 'managed/duty' }] },
                  },
                  effectiveAssignments: {
                    type: 'array',
                    isVirtual: true,
                    returnByDefault: true,
                    queryConfig: {
                      referencedRelationshipFields: ['duties'],
                      referencedObjectFields: ['*'],
                    },
                  },
                  lastSync: { type: ['object', 'null'], scope: 'private' },
                },
              },
            },
            { name: 'duty' },
            { name: 'device' },
            {
              name: 'scanner',
              schema: { properties: { effectiveAssignments: { isVirtual: true, returnByDefault: true } } },
            },
            { name: 'holder' },
            { name: 'entry' },
            { name: 'note' },
            { name: 'ping' },
            { name: 'pong' },
            {
              name: 'user',
              schema: {
                properties: { userName: text, password: { ...text, secureHash: { algorithm: 'SHA-256' } } },
              },
            },
          ],
        },
        'conf/sync.json': {
          mappings: [
            OPEN,
            ...['device', 'scanner'].map((type) => ({
              name: `${type}_holder`,
              source: `managed/${type}`,
              target: 'managed/holder',
              properties: [{ source: 'owner', target: 'owner' }],
            })),
            ...[
              ['ping', 'pong'],
              ['pong', 'ping'],
            ].map(([from, to]) => ({
              name: `${from}_${to}`,
              source: `managed/${from}`,
              target: `managed/${to}`,
              links: 'ping_pong',
              properties: [
                { target: 'n', transform: script('0'), default: 0 },
                { source: 'n', target: 'n', transform: script('(source || 0) + 1') },
              ],
            })),
          ],
        },
        'script/onGone.js': 'targetObject.gone = [attributes[0].value[0], typeof smuggled];',
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const put = async (path: string, body: object) => {
    const answer = await api('PUT', `managed/${path}`, { body });
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };
  const set = (path: string, body: Record<string, unknown>) =>
    api('PATCH', `managed/${path}`, {
      body: Object.entries(body).map(([name, value]) => ({ operation: 'replace', field: `/${name}`, value })),
    });
  const entries = async (filter: string) =>
    (await api('GET', `managed/entry?_queryFilter=${encodeURIComponent(filter)}`)).body.result;
  const perform = (parameters: Record<string, string>) =>
    api(
      'POST',
      `sync?_action=performAction&${new URLSearchParams({ mapping: 'staff_entry', ...parameters })}`,
      { body: {} },
    );
  const why = async (id: string) =>
    (await api('GET', `sync/why?resource=managed/staff/${id}`)).body.mappings[0];

  it('runs hooks and transforms in both languages, and says which rule has given a target its values', async () => {
    await put('staff/ann', { login: 'ann', mail: 'ann@example.com', city: 'Bern' });
    const [entry] = await entries('login eq "ann"');
    expect(entry).toMatchObject({
      full: 'ann <ann@example.com>',
      by: 'onCreate ABSENT',
      address: { city: 'Bern' },
    });
    await set('staff/ann', { mail: 'a@example.com' });
    expect(await entries('login eq "ann"')).toMatchObject([{ by: 'onUpdate from ann@example.com' }]);
    const told = await why('ann');
    expect(told).toMatchObject({
      outcome: 'delivered',
      situation: 'CONFIRMED',
      action: 'UPDATE',
      sourceRev: '1',
      target: `managed/entry/${entry._id}`,
    });
    expect(told.attributes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          attribute: '/mail',
          rule: 'properties/1',
          source: '/mail',
          sourceRev: '1',
        }),
        expect.objectContaining({ attribute: '/by', rule: 'onUpdate', sourceRev: '1', userId: 'svc-admin' }),
        // The second delivery has not written it.
        expect.objectContaining({ attribute: '/login', rule: 'properties/0', sourceRev: '0' }),
      ]),
    );
    const asTarget = (await api('GET', `sync/why?resource=managed/entry/${entry._id}`)).body.mappings;
    expect(asTarget).toMatchObject([{ role: 'target', source: 'managed/staff/ann' }]);
  });

  it('finds targets by the tree of a user interface, where nothing is like an empty value', async () => {
    await put('entry/e1', { login: 'other', mail: 'bob@example.com' });
    await put('entry/e2', { mail: '' });
    await put('staff/bob', { login: 'bob', mail: 'bob@example.com' });
    expect((await why('bob')).target).toBe('managed/entry/e1');
    await put('staff/nobody', { login: 'nobody', mail: '' });
    expect((await why('nobody')).situation).toBe('ABSENT');
  });

  it('does what is asked by name: with the target that is meant, and only in the situation that is expected', async () => {
    await put('entry/c1', { login: 'cat' });
    await put('entry/c2', { login: 'cat' });
    await put('staff/cat', { login: 'cat' });
    expect(await entries('login eq "cat"')).toHaveLength(2);
    const other = await perform({ action: 'LINK', sourceId: 'cat', situation: 'FOUND', targetId: 'c2' });
    expect(other).toMatchObject({ status: 412, body: { detail: { id: 'SYNC_OTHER_SITUATION' } } });
    const linked = await perform({
      action: 'UPDATE',
      sourceId: 'cat',
      situation: 'AMBIGUOUS',
      targetId: 'c2',
    });
    expect(linked).toMatchObject({ status: 200, body: { status: 'OK', action: 'UPDATE', targetId: 'c2' } });
    expect((await api('GET', 'managed/entry/c2')).body.full).toBe('cat <none>');
    const rehearsed = await api(
      'POST',
      'sync?_action=performAction&mapping=staff_entry&action=UNLINK&sourceId=cat&_dryRun=true',
      { body: {} },
    );
    expect(rehearsed.body.result).toMatchObject({ status: 'OK', action: 'UNLINK' });
    expect((await why('cat')).linked).toBe(true);
    for (const [parameters, id] of [
      [{ action: 'UPDAT', sourceId: 'cat' }, 'SYNC_BAD_QUESTION'],
      [{ action: 'UPDATE' }, 'SYNC_BAD_QUESTION'],
      [{ action: 'UPDATE', sourceId: 'cat', mapping: 'staff_entri' }, 'SYNC_NO_MAPPING'],
      [{ action: 'UPDATE', sourceId: 'cat', linkQualifier: 'x' }, 'SYNC_UNKNOWN_QUALIFIER'],
      [{ action: 'UPDATE', sourceId: 'cat', targetId: 'c1' }, 'SYNC_OTHER_TARGET'],
      [{ action: 'CREATE', sourceId: 'cat' }, 'SYNC_REFUSED'],
    ] as const) {
      const { status, body } = await perform(parameters as Record<string, string>);
      expect([status >= 400 && status < 500, body.detail?.id]).toEqual([true, id]);
    }
  });

  it('shows what is linked to an object', async () => {
    await put('staff/dan', { login: 'dan' });
    const { body } = await api('POST', 'sync?_action=getLinkedResources&resourceName=managed/staff/dan', {
      body: {},
    });
    expect(body).toMatchObject([
      {
        linkType: 'staff_entry',
        linkQualifier: 'default',
        content: { login: 'dan' },
        mappings: [{ name: 'staff_entry', type: 'target' }],
      },
    ]);
  });

  it('has policies by condition and by script, with what runs after them', async () => {
    await put('staff/eve', { login: 'eve' });
    expect((await api('DELETE', 'managed/staff/eve')).status).toBe(200);
    expect(await entries('login eq "eve"')).toEqual([]);
    const { body } = await api('GET', `managed/note?_queryFilter=${encodeURIComponent('did eq "DELETE"')}`);
    expect(body.result).toMatchObject([{ in: 'SOURCE_MISSING' }]);
  });

  it('mends links below repo/link, and makes no second one of an object', async () => {
    await put('staff/fay', { login: 'fay' });
    const { target } = await why('fay');
    const query = `repo/link?_queryFilter=${encodeURIComponent('firstId eq "fay"')}`;
    const [link] = (await api('GET', query)).body.result;
    const twin = { linkType: 'staff_entry', firstId: 'fay', secondId: 'elsewhere' };
    expect((await api('POST', 'repo/link?_action=create', { body: twin })).body.detail.id).toBe(
      'SYNC_LINK_TAKEN',
    );
    const wrong = await api('POST', 'repo/link?_action=create', {
      body: { ...twin, linkType: 'staf_entry' },
    });
    expect(wrong.body.detail).toMatchObject({ id: 'SYNC_BAD_LINK', hint: "Did you mean 'staff_entry'?" });
    expect((await api('DELETE', `repo/link/${link._id}`)).status).toBe(200);
    expect((await why('fay')).why).toContain('its link is gone since');
    await set('staff/fay', { mail: 'fay@example.com' });
    expect(await why('fay')).toMatchObject({ situation: 'FOUND', target });
  });

  it('brings a target back in line by triggerSyncCheck, though its source has not changed', async () => {
    await put('staff/gus', { login: 'gus', mail: 'gus@example.com' });
    const [entry] = await entries('login eq "gus"');
    await set(`entry/${entry._id}`, { mail: 'wrong@example.com' });
    await api('POST', 'managed/staff/gus?_action=triggerSyncCheck', { body: {} });
    expect((await api('GET', `managed/entry/${entry._id}`)).body.mail).toBe('gus@example.com');
  });

  it('shows lastSync on the object to scripts, runs scripts of assignments that are files, and no others', async () => {
    const duty = (id: string, more: object) =>
      put(`duty/${id}`, {
        mapping: 'staff_entry',
        attributes: [{ name: 'groups', value: ['x'] }],
        ...more,
      });
    const file = { type: 'text/javascript', file: 'onGone.js', globals: { smuggled: 1 }, smuggled: 2 };
    await duty('a', { onUnassignment: file });
    await put('staff/hal', { login: 'hal', duties: [{ _ref: 'managed/duty/a' }] });
    const { body } = await api('POST', 'script?_action=eval', {
      body: script("svc.read('managed/staff/hal').lastSync.staff_entry.effectiveAssignments[0]._id"),
    });
    expect(body).toBe('a');
    expect((await api('GET', 'managed/staff/hal')).body.lastSync).toBeUndefined();
    await set('staff/hal', { duties: [] });
    const [entry] = await entries('login eq "hal"');
    expect(entry).toMatchObject({ gone: ['x', 'undefined'] });
    await duty('b', { onAssignment: script('targetObject.evil = 1') });
    await set('staff/hal', { duties: [{ _ref: 'managed/duty/b' }] });
    expect(await why('hal')).toMatchObject({ outcome: 'failed', error: { id: 'SYNC_SCRIPT_IN_OBJECT' } });
  });

  it.each(['device', 'scanner'])(
    'takes no assignments that somebody sends with a %s, and no lastSync',
    async (type) => {
      const assignments = (name: string, value: string) => [
        { _id: name, mapping: `${type}_holder`, attributes: [{ name, value }] },
      ];
      await put(`${type}/mine`, {
        owner: type,
        lastSync: { [`${type}_holder`]: { effectiveAssignments: assignments('owner', type) } },
      });
      await set(`${type}/mine`, { effectiveAssignments: assignments('authzRoles', 'svc-admin') });
      const sent = (await api('GET', `managed/${type}/mine?_fields=effectiveAssignments`)).body;
      expect(sent.effectiveAssignments).toHaveLength(1);
      const { body } = await api(
        'GET',
        `managed/holder?_queryFilter=${encodeURIComponent(`owner eq "${type}"`)}`,
      );
      expect(body.result).toEqual([{ _id: expect.any(String), _rev: '0', owner: type }]);
    },
  );

  it('fails where a hook does, and leaves no link', async () => {
    await put('staff/una', { login: 'unlinkable' });
    expect(await why('una')).toMatchObject({
      outcome: 'failed',
      linked: false,
      error: { code: 400, message: 'no link' },
    });
    expect(await entries('login eq "unlinkable"')).toEqual([]);
  });

  it('ends a circle of mappings that never agree, and says so', async () => {
    await put('ping/p', { n: 1 });
    const { rows } = await server.database.pool.query(
      "select count(*)::int as n, max(error->>'id') as id from sync_state where mapping in ('ping_pong', 'pong_ping') and outcome = 'failed'",
    );
    expect(rows[0]).toEqual({ n: 1, id: 'SYNC_LOOP' });
    expect((await api('GET', 'managed/ping/p')).body.n).toBeLessThan(12);
  });

  it('is for administrators alone', async () => {
    await put('user/lee', { userName: 'lee', password: 'Lees-Own-1' });
    const lee = { user: 'lee', password: 'Lees-Own-1', body: {} };
    const asked = [
      api('POST', 'sync?_action=performAction&mapping=staff_entry&action=DELETE&sourceId=ann', lee),
      api('POST', 'sync?_action=notifyUpdate&resourceContainer=managed/staff&resourceId=ann', lee),
      api('GET', 'sync/why?resource=managed/staff/ann', { ...lee, body: undefined }),
      api('GET', 'repo/link?_queryFilter=true', { ...lee, body: undefined }),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  it('is told by hand as by a change', async () => {
    const { body } = await api(
      'POST',
      'sync?_action=notifyUpdate&resourceContainer=managed/staff&resourceId=ann',
      { body: {} },
    );
    expect(body).toMatchObject({
      success: true,
      syncDetails: [{ mapping: 'staff_entry', situation: 'CONFIRMED', result: 'SUCCESSFUL' }],
    });
    expect(body.syncDetails[0].targetObjectSet).toBeUndefined();
  });

  it('refuses mappings that cannot be, with the place', async () => {
    const check = async (mapping: object) => {
      const { status, body } = await api('PUT', 'config/sync', {
        body: { mappings: [{ ...OPEN, ...mapping }] },
      });
      return [status, JSON.stringify(body.detail ?? body)];
    };
    for (const [mapping, says] of [
      [{ policies: [{ situation: 'CONFIRMD', action: 'UPDATE' }] }, /CONFIRMED/],
      [{ policies: [{ situation: 'CONFIRMED', action: 'UPDTE' }] }, /UPDATE/],
      [{ validSorce: script('true') }, /validSource/],
      [{ links: 'nothing' }, /SYNC_BAD_LINKS/],
      [{ correlationScript: script('[]') }, /SYNC_TWO_CORRELATIONS/],
      [{ properties: [{ source: 'login' }] }, /target/],
      [{ properties: [{ target: 'login', condition: '/object/x eq' }] }, /SYNC_BAD_CONDITION/],
      [{ properties: [{ target: 'login', transform: script('source +') }] }, /SCRIPT_NOT_COMPILED/],
      [{ onCreate: { type: 'text/javascript', file: 'nope.js' } }, /SCRIPT_FILE_NOT_FOUND/],
    ] as const) {
      expect([mapping, ...(await check(mapping))]).toEqual([mapping, 400, expect.stringMatching(says)]);
    }
  });

  it('refuses what would leave a mapping of another file without its links, and lets both go in their order', async () => {
    const lender = { name: 'lender', source: 'managed/note', target: 'repo/lent', enableSync: false };
    const put = (name: string, mapping: object) => api('PUT', `config/mapping/${name}`, { body: mapping });
    expect((await put('lender', lender)).status).toBe(201);
    expect((await put('borrower', { ...lender, name: 'borrower', links: 'lender' })).status).toBe(201);
    for (const refused of [
      await put('lender', { ...lender, source: 'managed/ping' }),
      await put('lender', { ...lender, links: 'ping_pong' }),
      await put('lender', { ...lender, name: 'leaver' }),
      await api('DELETE', 'config/mapping/lender'),
    ]) {
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([
        400,
        expect.stringMatching(/mapping 'borrower' of another file would not work.*SYNC_BREAKS_MAPPING/),
      ]);
    }
    expect((await api('GET', 'config/mapping/lender')).body).toMatchObject(lender);
    const plan = await api('POST', 'config/mapping/lender?_action=plan', { body: { content: null } });
    expect(JSON.stringify(plan.body.findings)).toContain('SYNC_BREAKS_MAPPING');
    expect((await api('DELETE', 'config/mapping/borrower')).status).toBe(200);
    expect((await api('DELETE', 'config/mapping/lender')).status).toBe(200);
  });

  it('deletes all links of a mapping by the command of the field, and a rehearsal none', async () => {
    await put('staff/ida', { login: 'ida' });
    const command = (mapping: string, more = '') =>
      api('POST', `repo/links?_action=command&commandId=delete-mapping-links&mapping=${mapping}${more}`);
    const before = (await api('GET', 'repo/link?_queryFilter=linkType+eq+"staff_entry"')).body.resultCount;
    expect(before).toBeGreaterThan(0);
    expect((await command('staff_entr')).body.detail).toMatchObject({
      id: 'SYNC_BAD_LINK',
      field: '/mapping',
    });
    expect((await api('POST', 'repo/link?_action=command&commandId=drop')).status).toBe(400);
    expect((await command('staff_entry', '&_dryRun=true')).status).toBe(200);
    expect((await api('GET', 'repo/link?_queryFilter=linkType+eq+"staff_entry"')).body.resultCount).toBe(
      before,
    );
    expect((await command('staff_entry')).body).toEqual({ linkType: 'staff_entry', deleted: before });
    expect((await api('GET', 'repo/link?_queryFilter=linkType+eq+"staff_entry"')).body.resultCount).toBe(0);
    await set('staff/ida', { mail: 'ida@example.com' });
    expect(await why('ida')).toMatchObject({ situation: 'FOUND' });
  });

  it('warns of what is taken and probably not meant, and of what leads outside', async () => {
    const more = [
      {
        name: 'user_entry',
        source: 'managed/user',
        target: 'managed/entry',
        taskThreads: 5,
        properties: [
          { source: 'password', target: 'secret' },
          { source: 'userNme', target: 'login' },
          { source: 'sn', target: '/login/of/somebody' },
        ],
      },
      { name: 'user_ldap', source: 'managed/user', target: 'system/ldap/account' },
      { name: 'user_else', source: 'managed/user', target: 'elsewhere/account' },
    ];
    const { status } = await api('PUT', 'config/sync', { body: { mappings: [OPEN, ...more] } });
    expect(status).toBe(200);
    for (const told of [
      /'userNme'.*Did you mean 'userName'/,
      /'staff_entry' writes '\/login' of 'managed\/entry' as well/,
      /'staff_entry' writes '\/login' of 'managed\/entry', and this one '\/login\/of\/somebody'/,
      /'password' of 'managed\/user' is kept as a hash/,
      /'user_ldap' will fail: no file declares a type for 'system\/ldap\/account'/,
      /'user_else' is passed over: its target 'elsewhere\/account' is not available/,
      /"taskThreads" of the mapping 'user_entry' has no effect:/,
    ]) {
      await server.observed('config.warned', ({ message }) => told.test(message));
    }
    const asked = await perform({ action: 'CREATE', sourceId: 'x', mapping: 'user_else' });
    expect(asked).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining('is passed over') },
    });
  });
});
