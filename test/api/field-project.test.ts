import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { run } from '../../src/cli/index.ts';
import type { Api } from '../support/api.ts';
import { createProject, fixtureFiles, WATCHFUL } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

async function projectFiles(): Promise<Record<string, string>> {
  // Nothing reads it, so nothing need mind that a key stands there twice.
  const theme = '{\n  "path": "",\n  "path": "css"\n}\n';
  return { ...(await fixtureFiles('field-project')), 'conf/ui-themeconfig.json': theme };
}

describe('a project with the configuration that servers of the field start with', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    const files = await projectFiles();
    const managed = JSON.parse(files['conf/managed.json']!) as { objects: JsonObject[] };
    managed.objects.push(
      { name: 'gadget', onCreate: { type: 'text/javascript', file: 'gadget.js' } },
      {
        name: 'gizmo',
        onCreate: { type: 'text/javascript', source: "require('parts/gizmo').make(object);" },
      },
      { name: 'dated', onUpdate: { type: 'text/javascript', file: 'ui/lastChanged.js' } },
    );
    server = await startTestServer({
      files: {
        ...files,
        'conf/boot/boot.properties': WATCHFUL,
        'conf/managed.json': managed,
        'script/gadget.js': 'object.made = true;',
        'script/parts/gizmo.js': 'exports.make = function (object) { object.made = true; };',
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const create = (path: string, body: JsonObject) => api('POST', path, { body });
  const person = (userName: string, more: JsonObject = {}) => ({
    userName,
    givenName: userName,
    sn: 'Field',
    mail: `${userName}@example.com`,
    password: 'Passw0rd',
    ...more,
  });

  it('has no mistakes for config-check, which says what is passed over', async () => {
    await using project = await createProject(await projectFiles());
    const listen = vi.spyOn(console, 'log').mockImplementation(() => {});
    try {
      expect(await run(['config-check', '--project', project.location])).toBe(0);
      const said = listen.mock.calls.flat().join('\n');
      expect(said).toMatch(/oauthProxy.js.*OPENID_CONNECT/);
      expect(said).toMatch(/ui-themeconfig.json:3:3/);
    } finally {
      listen.mockRestore();
    }
  });

  it('creates users, roles and assignments, and grants them', async () => {
    const anna = await create('managed/user', person('anna'));
    expect([anna.status, anna.body]).toEqual([
      201,
      expect.objectContaining({ accountStatus: 'active', effectiveRoles: [], effectiveAssignments: [] }),
    ]);
    const assignment = await create('managed/assignment', {
      name: 'mailbox',
      description: 'A mailbox',
      mapping: 'managedUser_systemDirectory',
    });
    expect(assignment.status).toBe(201);
    const role = await create('managed/role', {
      name: 'staff',
      description: 'Staff',
      assignments: [{ _ref: `managed/assignment/${assignment.body._id}` }],
    });
    expect(role.status).toBe(201);
    const granted = await api('PATCH', `managed/user/${anna.body._id}`, {
      body: [{ operation: 'add', field: '/roles/-', value: { _ref: `managed/role/${role.body._id}` } }],
    });
    expect(granted.status).toBe(200);
    const read = (await api('GET', `managed/user/${anna.body._id}`)).body;
    expect(read.effectiveRoles).toEqual([{ _ref: `managed/role/${role.body._id}` }]);
    expect(read.effectiveAssignments).toMatchObject([{ name: 'mailbox' }]);
    expect((await api('DELETE', `managed/role/${role.body._id}`)).status).toBe(409);
    const other = await create('managed/assignment', { name: 'x', description: 'x', mapping: 'nobody' });
    expect(other.status).toBe(403);
  });

  it('grants roles by their condition, to whom there is and to whom comes', async () => {
    const before = await create('managed/user', person('bo', { sn: 'Berg' }));
    const role = await create('managed/role', { name: 'berg', description: 'x', condition: 'sn eq "Berg"' });
    expect(role.status).toBe(201);
    const after = await create('managed/user', person('cy', { sn: 'Berg' }));
    const roles = async (id: string) =>
      (await api('GET', `managed/user/${id}`)).body.effectiveRoles.map(({ _ref }: { _ref: string }) => _ref);
    expect(await roles(before.body._id)).toEqual([`managed/role/${role.body._id}`]);
    expect(await roles(after.body._id)).toEqual([`managed/role/${role.body._id}`]);
    await api('PATCH', `managed/user/${after.body._id}`, {
      body: [{ operation: 'replace', field: '/sn', value: 'Tal' }],
    });
    expect(await roles(after.body._id)).toEqual([]);
  });

  it('keeps what the last synchronization has left when a client puts a user, and takes its notices along', async () => {
    const { body } = await create('managed/user', person('dee', { lastSync: { timestamp: 'then' } }));
    const put = await api('PUT', `managed/user/${body._id}`, { body: person('dee', { sn: 'New' }) });
    expect(put.status).toBe(200);
    // Private properties pass no door.
    const { rows } = await server.database.pool.query('select data from managed_object where id = $1', [
      body._id,
    ]);
    expect(rows[0].data).toMatchObject({ sn: 'New', lastSync: { timestamp: 'then' } });
    await create('repo/ui/notification', { receiverId: body._id, createDate: '2026-01-01', message: 'm' });
    expect((await api('DELETE', `managed/user/${body._id}`)).status).toBe(200);
    const left = `repo/ui/notification?_queryFilter=${encodeURIComponent(`receiverId eq "${body._id}"`)}`;
    expect((await api('GET', left)).body.result).toEqual([]);
  });

  it('says of an action that would send mail why it does not, and changes nothing', async () => {
    const { body } = await create('managed/user', person('eve'));
    const reset = await api('POST', `managed/user/${body._id}?_action=resetPassword`);
    expect([reset.status, reset.body.detail.hint]).toEqual([501, expect.stringMatching(/process/)]);
    expect((await api('GET', `managed/user/${body._id}`)).body._rev).toBe(body._rev);
  });

  it('serves the endpoints that can be, and notes when an object was changed', async () => {
    expect((await api('GET', 'endpoint/usernotifications')).body).toMatchObject({ notifications: [] });
    expect((await api('GET', 'endpoint/mappingDetails')).body.mappings).toMatchObject([
      { name: 'managedUser_systemDirectory' },
    ]);
    const { status, body: said } = await api('GET', 'endpoint/oauthproxy');
    expect([status, said.detail.hint]).toEqual([501, expect.stringMatching(/OPENID_CONNECT/)]);
    const { body } = await create('managed/dated', { a: 1 });
    await api('PUT', `managed/dated/${body._id}`, { body: { a: 2 } });
    expect((await api('GET', `managed/dated/${body._id}`)).body.lastChanged).toEqual({
      date: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('does not say that an object was not found when the script of a hook is gone', async () => {
    await server.project.remove('script/gadget.js');
    await server.project.remove('script/parts/gizmo.js');
    for (const type of ['gadget', 'gizmo']) {
      const { status, body } = await create(`managed/${type}`, {});
      expect([status, body.detail]).toEqual([
        500,
        expect.objectContaining({ id: 'HOOK_SCRIPT_NOT_FOUND', hook: `${type} onCreate` }),
      ]);
    }
  });

  it('says which hook cannot run when its script is edited into none, and where the mistake is', async () => {
    await server.project.write('script/gadget.js', 'var a = 1;\nvar b = ;');
    const { status, body } = await create('managed/gadget', {});
    expect([status, body.message]).toEqual([
      503,
      expect.stringMatching(/^Script 'gadget.js' does not compile: .*line 2/),
    ]);
    expect(body.detail).toEqual({
      id: 'SCRIPT_NOT_COMPILED',
      hook: 'gadget onCreate',
      script: 'gadget.js',
      line: 2,
      column: 9,
    });
  });

  it('keeps its types when the file is edited into one whose hook is not there, until it is', async () => {
    const before = (await api('GET', 'config/managed')).body;
    const late = { name: 'late', onCreate: { type: 'groovy', file: 'late.groovy' } };
    const kept = before.objects.filter(({ name }: JsonObject) => name !== 'gadget' && name !== 'gizmo');
    const edited = { objects: [...kept, late] };
    await server.project.write('conf/managed.json', edited);
    const refusal = await server.observed('config.refused', ({ id }) => id === 'managed');
    expect(refusal.findings).toEqual([expect.stringMatching(/^conf\/managed.json:1:\d+ .*late.groovy/)]);
    expect((await api('GET', 'config/managed')).body).toEqual(before);
    await server.project.write('script/late.groovy', 'object.late = true');
    await server.observed('config.changed', ({ id }) => id === 'managed');
    expect((await create('managed/late', {})).body.late).toBe(true);
  });
});
