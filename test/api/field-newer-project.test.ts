import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { run } from '../../src/cli/index.ts';
import type { Api } from '../support/api.ts';
import { NEWER_PROJECT } from '../support/newer-project.ts';
import { createProject } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

describe('a project of a newer server of the field', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: NEWER_PROJECT });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const create = async (path: string, body: JsonObject) => {
    const { status, body: made } = await api('POST', path, { body });
    expect([status, made]).toEqual([201, expect.anything()]);
    return made;
  };
  const person = (userName: string, more: JsonObject = {}) =>
    create('managed/user', { userName, sn: 'Berg', password: 'Passw0rd', ...more });
  const as = (user: string, password = 'Passw0rd') => ({ user, password });
  const ref = (path: string) => ({ _ref: path });

  it('has no mistakes for config-check, which says what is passed over', async () => {
    await using project = await createProject(NEWER_PROJECT);
    let output = '';
    const listen = vi.spyOn(console, 'log').mockImplementation((said: string) => {
      output += said;
    });
    try {
      expect(await run(['config-check', '--json', '--project', project.location])).toBe(0);
    } finally {
      listen.mockRestore();
    }
    const said = (JSON.parse(output) as { findings: JsonObject[] }).findings.map(
      ({ severity, file, message, hint }) => `${severity} ${file} ${message} ${hint}`,
    );
    const expected = [
      /authentication.json STATIC_USER lets nobody in: username and password .*boot.properties/,
      /authentication.json PASSTHROUGH lets nobody in: .* synchronisation/,
      /authentication.json SOCIAL_PROVIDERS lets nobody in: .* OPENID_CONNECT/,
      /authentication.json 'auth\/orgPrivileges' does less .* script\/access.js/,
      /endpoint-oauthproxy.json .* OPENID_CONNECT/,
      /endpoint-reconResults.json .* synchronisation/,
      /endpoint-repairMetadata.json .* older servers/,
      /managed.json Script file 'ui\/bindBehavior.js' .* OPENID_CONNECT/,
      /access.json .* script\/access.js/,
    ];
    for (const pattern of expected) expect(said).toContainEqual(expect.stringMatching(pattern));
    expect(said.filter((line) => !line.startsWith('warning '))).toEqual([]);
    expect(said.filter((line) => line.includes('which there is not'))).toEqual([]);
  });

  it('lets the administrator in by the password of resolver/boot.properties, and nobody by what has no value', async () => {
    const { authorization } = (await api('GET', 'info/login')).body;
    expect(authorization).toMatchObject({ moduleId: 'STATIC_USER', roles: ['svc-authorized', 'svc-admin'] });
    const open = as('&{svc.metrics.username}', '&{svc.metrics.password}');
    expect((await api('GET', 'info/login', open)).status).toBe(401);
  });

  it('creates users, roles and assignments, and grants them by hand, by condition and for a time', async () => {
    const assignment = await create('managed/assignment', { name: 'mailbox' });
    const staff = await create('managed/role', {
      name: 'staff',
      description: 'x',
      assignments: [ref(`managed/assignment/${assignment._id}`)],
    });
    const tal = await create('managed/role', { name: 'tal', description: 'x', condition: 'sn eq "Tal"' });
    const past = [{ duration: '2020-01-01T00:00:00Z/2020-02-01T00:00:00Z' }];
    const gone = await create('managed/role', { name: 'gone', description: 'x', temporalConstraints: past });
    const wrong = await api('POST', 'managed/role', { body: { name: 'x', condition: 'sn eq' } });
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([
      403,
      expect.stringContaining('VALID_QUERY_FILTER'),
    ]);
    const made = await person('anna', {
      sn: 'Tal',
      joined: '2026-01-02T03:04:05Z',
      roles: [ref(`managed/role/${staff._id}`), ref(`managed/role/${gone._id}`)],
    });
    const read = (await api('GET', `managed/user/${made._id}`)).body;
    const names = read.effectiveRoles.map((role: JsonObject) => role['_ref']);
    expect(names.sort()).toEqual([`managed/role/${staff._id}`, `managed/role/${tal._id}`].sort());
    expect(read).toMatchObject({ accountStatus: 'active', effectiveAssignments: [{ name: 'mailbox' }] });
    const twin = await api('POST', 'managed/user', { body: { userName: 'anna', sn: 'x' } });
    expect(JSON.stringify(twin.body)).toContain('VALID_USERNAME');
    const put = await api('PUT', `managed/user/${made._id}`, { body: { userName: 'anna', sn: 'Hof' } });
    expect(put.body).toMatchObject({ lastChanged: { date: expect.any(String) } });
    expect((await api('GET', `managed/user/${made._id}`)).body.effectiveRoles).toEqual([
      { _ref: `managed/role/${staff._id}` },
    ]);
    const notices = `repo/ui/notification?_queryFilter=${encodeURIComponent(`receiverId eq "${made._id}"`)}`;
    const pool = server.database.pool;
    const count = async () =>
      (await pool.query("select 1 from repo_object where data->>'receiverId' = $1", [made._id])).rowCount;
    expect([await count(), (await api('GET', notices)).status]).toEqual([1, 403]);
    expect((await api('DELETE', `managed/user/${made._id}`)).status).toBe(200);
    expect(await count()).toBe(0);
  });

  it('derives what is effective by several paths, with conditions and time spans where newer files say so', async () => {
    const named = (name: string) => create('managed/assignment', { name });
    const [own, given] = [await named('own'), await named('given')];
    const to = (object: JsonObject) => [ref(`managed/assignment/${object['_id']}`)];
    const role = { description: 'x', condition: 'sn eq "Ton"' };
    const now = await create('managed/role', { ...role, name: 'now', assignments: to(given) });
    const past = [{ duration: '2020-01-01T00:00:00Z/2020-02-01T00:00:00Z' }];
    await create('managed/role', { ...role, name: 'then', temporalConstraints: past, assignments: to(own) });
    const { _id } = await create('managed/agent', { sn: 'Ton', assignments: to(own) });
    const read = async () => (await api('GET', `managed/agent/${_id}`)).body;
    const names = (object: JsonObject) =>
      (object['effectiveAssignments'] as JsonObject[]).map(({ name }) => name).sort();
    expect((await read()).effectiveRoles).toEqual([ref(`managed/role/${now._id}`)]);
    expect(names(await read())).toEqual(['given', 'own']);
    const renamed = { body: [{ operation: 'replace', field: '/name', value: 'renamed' }] };
    expect((await api('PATCH', `managed/assignment/${own._id}`, renamed)).status).toBe(200);
    const stored = async () => {
      const { rows } = await server.database.pool.query('select data from managed_object where id = $1', [
        _id,
      ]);
      return names(rows[0].data);
    };
    expect(await stored()).toEqual(['given', 'renamed']);
    await api('PATCH', `managed/agent/${_id}`, {
      body: [{ operation: 'replace', field: '/sn', value: 'Hof' }],
    });
    expect([names(await read()), await stored()]).toEqual([['renamed'], ['renamed']]);
  });

  it('lets users in by what their name is called in the query of the field, with the roles that internal/role gives', async () => {
    const bo = await person('bo', { authzRoles: [ref('internal/role/svc-tasks-manager')] });
    const login = await api('GET', 'info/login', as('bo'));
    expect([login.status, login.body.authorization]).toEqual([
      200,
      expect.objectContaining({
        id: bo._id,
        roles: ['svc-authorized', 'svc-tasks-manager'],
        protectedAttributeList: [],
      }),
    ]);
    expect((await api('GET', `managed/user/${bo._id}`, as('bo'))).body.userName).toBe('bo');
    expect((await api('GET', 'managed/role/x', as('bo'))).status).toBe(403);
    const change = { ...as('bo'), body: [{ operation: 'replace', field: '/password', value: 'Passw1rd' }] };
    const refused = await api('PATCH', `managed/user/${bo._id}`, change);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      403,
      expect.stringContaining('REAUTH_REQUIRED'),
    ]);
    // Whoever has got hold of a session must not find the password out by guessing which one changes nothing.
    const right = [{ operation: 'replace', field: '/password', value: 'Passw0rd' }];
    expect((await api('PATCH', `managed/user/${bo._id}`, { ...as('bo'), body: right })).status).toBe(403);
    const again = { ...change, headers: { 'X-Svc-Reauth-Password': 'Passw0rd' } };
    expect((await api('PATCH', `managed/user/${bo._id}`, again)).status).toBe(200);
  });

  it('takes from answers what refers to objects that the caller may not read', async () => {
    const boss = await person('boss');
    const role = await create('managed/role', { name: 'hidden', description: 'x' });
    const cy = await person('cy', {
      manager: ref(`managed/user/${boss._id}`),
      roles: [ref(`managed/role/${role._id}`)],
    });
    const path = `managed/user/${cy._id}`;
    await api('PATCH', path, {
      body: [{ operation: 'add', field: '/friends', value: [ref(path), ref(`managed/user/${boss._id}`)] }],
    });
    const fields = '?_fields=userName,manager,roles,friends,friends/*/manager';
    const seen = (await api('GET', path + fields)).body;
    expect([seen.manager._ref, seen.roles.length, seen.friends.length]).toEqual([
      `managed/user/${boss._id}`,
      1,
      2,
    ]);
    const own = await api('GET', path + fields, as('cy'));
    expect([own.status, Object.keys(own.body).sort()]).toEqual([200, ['_id', '_rev', 'friends', 'userName']]);
    expect(own.body.friends.map(({ _ref }: JsonObject) => _ref)).toEqual([path]);
    expect(own.body.friends[0].manager).toBeUndefined();
    const patched = await api('PATCH', `${path}?_fields=*,manager`, {
      ...as('cy'),
      body: [{ operation: 'replace', field: '/sn', value: 'New' }],
    });
    expect([patched.status, patched.body.sn, patched.body.manager]).toEqual([200, 'New', undefined]);
    const query = await api('GET', `${path}/friends?_queryFilter=true`, as('cy'));
    expect([query.status, query.body.resultCount]).toEqual([200, 2]);
    expect((await api('GET', `${path}/reports?_queryFilter=true`, as('cy'))).status).toBe(403);
  });

  it('finds internal users and roles by their newer paths, under the rules of both', async () => {
    const role = { body: { description: 'Auditors' }, headers: { 'If-None-Match': '*' } };
    const made = await api('PUT', 'internal/role/auditors', role);
    expect(made.status).toBe(201);
    expect((await api('GET', 'repo/internal/role/auditors')).body.description).toBe('Auditors');
    const rehearsed = await api('DELETE', 'internal/role/auditors?_dryRun=true', {
      headers: { 'If-Match': `"${made.body._rev}"` },
    });
    expect(rehearsed.status).toBe(200);
    expect((await api('GET', 'internal/role?_queryFilter=true')).body.result).toContainEqual(
      expect.objectContaining({ _id: 'auditors' }),
    );
    const user = { body: { password: 'Passw0rd', roles: ['auditors'] }, headers: { 'If-None-Match': '*' } };
    expect((await api('PUT', 'internal/user/kim', user)).status).toBe(201);
    const { rows } = await server.database.pool.query("select data from repo_object where id = 'kim'");
    expect(JSON.stringify(rows)).toContain('$crypto');
    expect((await api('GET', 'internal/role/auditors', as('cy'))).status).toBe(403);
    const missing = await api('POST', 'managed/user', {
      body: { userName: 'dee', sn: 'x', authzRoles: [ref('internal/role/none')] },
    });
    expect([missing.status, missing.body.detail.id]).toEqual([400, 'RELATIONSHIP_NO_TARGET']);
  });

  it('answers what it has no equal for with 501 and what takes its place', async () => {
    const asked: [string, string, RegExp][] = [
      ['GET', 'endpoint/oauthproxy', /OPENID_CONNECT/],
      ['GET', 'endpoint/reconResults', /synchronisation/],
      ['GET', 'endpoint/repairMetadata', /older servers/],
      ['POST', `managed/user/${(await person('eve'))._id}?_action=bind`, /OPENID_CONNECT/],
    ];
    for (const [method, path, hint] of asked) {
      const { status, body } = await api(method, path);
      expect([path, status, body.detail]).toEqual([
        path,
        501,
        { id: 'SCRIPT_NOT_SHIPPED', hint: expect.stringMatching(hint) },
      ]);
    }
    expect((await api('GET', 'endpoint/mappingDetails')).body).toMatchObject({ mappings: [] });
    expect((await api('GET', 'endpoint/stage?of=x')).body).toMatchObject({ stage: 'test', asked: 'x' });
  });
});
