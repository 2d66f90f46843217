import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { yamlDocuments } from '../../src/cli/remote/apply/yaml-documents.ts';
import { yamlText } from '../../src/cli/remote/yaml-text.ts';
import { commandLineOf } from '../support/command-line.ts';
import { callersOf } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

let server: TestServer;
let folder: string;
const svc = commandLineOf(() => server);
const { createUser } = callersOf(() => server.api);

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = join(server.project.location, 'files');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
});

const file = async (name: string, text: string) => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};
const shown = async (path: string) => (await server.api('GET', path)).body;
const role = (id: string, more = '') => `_type: role\n_id: ${id}\nname: ${id}\ndescription: ${id}\n${more}`;
const roles = (...ids: string[]) => file('roles.yaml', ids.map((id) => role(id)).join('---\n'));

describe('svc apply and diff of YAML', () => {
  it('take several documents of a file, and references by what things are called', async () => {
    const place = await file(
      'people.yaml',
      `# Who works here
_type: user
_key: userName
userName: zoe
givenName: Zoe
sn: Nagy
mail: zoe@example.com
password: Writes-4-all
manager: { _ref: 'managed/user?userName=yann' }
roles: [{ _ref: managed/role?name=clerk%20of%20the%20court }]
---
- { _type: user, _key: userName, userName: yann, givenName: Yann, sn: Nagy, mail: yann@example.com }
- _type: managed/role
  _id: clerk
  name: clerk of the court
  description: |
    Writes
    everything down
`,
    );
    const planned = await svc(['diff', '-f', place, '-o', 'table']);
    expect([planned.code, planned.err]).toEqual([1, '']);
    expect(planned.out).toMatch(/^\+ managed\/user\?userName=zoe$/m);
    expect(planned.out).toMatch(/^~ managed\/user\?userName=zoe\n {4}\/manager .*userName=yann/m);
    expect(planned.out).toContain('/password  nothing → "(not shown)"');
    expect((await svc(['apply', '-f', place])).code).toBe(0);
    const { result } = await shown(
      'managed/user?_queryFilter=sn+eq+"Nagy"&_sortKeys=userName&_fields=*,manager,roles',
    );
    const [yann, zoe] = result;
    expect([zoe.manager._ref, zoe.roles[0]._ref]).toEqual([`managed/user/${yann._id}`, 'managed/role/clerk']);
    expect((await shown('managed/role/clerk')).description).toBe('Writes\neverything down\n');
    const again = await svc(['apply', '-f', place, '-o', 'table']);
    expect(again).toEqual({
      code: 0,
      out: `= managed/user/${zoe._id}\n= managed/user/${yann._id}\n= managed/role/clerk\n`,
      err: '',
    });
  });

  it('refuse what is called nothing, or the same as another, and go on', async () => {
    for (const id of ['twin1', 'twin2']) {
      await createUser(id);
      await server.api('PATCH', `managed/user/${id}`, {
        body: [{ operation: 'replace', field: '/sn', value: 'Twin' }],
      });
    }
    const place = await file(
      'some.yaml',
      `${role('lost', 'members: [{ _ref: managed/user?userName=nobody }]\n')}---
${role('torn', 'members: [{ _ref: managed/user?sn=Twin }]\n')}---
${role('odd', 'members: [{ _ref: "managed/user?userName" }]\n')}---
${role('found')}`,
    );
    const { code, out, err } = await svc(['apply', '-f', place, '-o', 'name']);
    expect([code, out]).toEqual([1, 'managed/role/found\n']);
    expect(err.split('\n').slice(0, 3)).toEqual([
      '✗ managed/role/lost  there is no managed/user with userName "nobody"',
      expect.stringMatching(
        /^✗ managed\/role\/torn {2}there are several managed\/user with sn "Twin": twin., twin., …$/,
      ),
      `✗ managed/role/odd  'managed/user?userName' is no reference such as managed/role?name=auditor`,
    ]);
    const machine = await svc(['apply', '-f', place, '-o', 'json']);
    expect(JSON.parse(machine.err.split('\n')[0] ?? '')).toMatchObject({ resource: 'managed/role/lost' });
  });

  it('leave a grant by a condition to the condition', async () => {
    await createUser('cond');
    const condition = 'userName eq "cond"';
    await server.api('PUT', 'managed/role/auto', {
      body: { name: 'auto', description: 'By rule', condition },
    });
    expect(
      (await svc(['export', 'user', '--filter', 'userName eq "cond"', '-o', 'yaml', '-d', folder])).code,
    ).toBe(0);
    const text = await readFile(join(folder, 'user.yaml'), 'utf8');
    expect(text).toMatch(/^---\n_type: managed\/user\n_id: cond\n[\s\S]*\nroles: \[\]\n/);
    expect((await svc(['diff', '-f', folder])).code).toBe(0);
    await svc(['set', 'user', 'cond', 'city=Bern']);
    expect((await svc(['apply', '-f', folder])).code).toBe(0);
    const [grant] = (await shown('managed/user/cond?_fields=roles')).roles;
    expect(grant._refProperties._grantType).toBe('conditional');
  });

  it('bring the configuration back as it was exported', async () => {
    expect((await svc(['export', 'config', '-o', 'yaml', '-d', folder])).code).toBe(0);
    const same = await svc(['diff', '-f', folder, '-o', 'table']);
    expect([same.code, same.out]).toEqual([0, expect.stringContaining('= config/managed\n')]);
  });

  it.each([
    [
      '_type: role\n_id: [a\n',
      'line 3, column 1, is no YAML: Flow sequence in block collection must be sufficiently indented',
    ],
    ['_type: role\n_id: a\n_id: b\n', 'line 3, column 1, is no YAML: Map keys must be unique'],
    ['_type: role\n_id: a\nname: !!python/object x\n', 'is no YAML: Unresolved tag'],
    ['_type: role\n_id: a\nname: .inf\n', 'has Infinity, which is no number of JSON'],
    ['_type: role\n_id: a\nname: *nowhere\n', 'is no YAML: Unresolved alias'],
    ['_type: role\nname: a\n', 'needs "_id", or "_key"'],
    ['_type: role\n_id: a\n_key: name\nname: a\n', 'one of them'],
    ['_type: role\n_key: name\n', 'is found by "name", and has no text there'],
    ['name: a\n', 'needs "_type"'],
    ['just text\n', 'is no object'],
    [`${'_type: role\n_id: a\n'}---\n${'_type: role\n_id: a\n'}`, 'managed/role/a stands in'],
  ])('refuse %j, and name the place', async (text, words) => {
    const place = await file('wrong.yaml', text);
    const { code, out, err } = await svc(['diff', '-f', place]);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(words)]);
    expect(err).toContain(place);
  });

  it('read back what svc writes as YAML, whatever is in it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false } as object), (value) => {
        const plain = JSON.parse(JSON.stringify({ value }));
        expect(yamlDocuments(yamlText(plain), 'here')).toEqual([plain]);
      }),
    );
  });
});

describe('svc apply --prune', () => {
  const ids = async () =>
    (await shown('managed/role?_queryFilter=description+sw+"p"&_sortKeys=_id')).result.map(
      ({ _id }: { _id: string }) => _id,
    );
  const asked = (place: string, ...more: string[]) =>
    svc([
      'apply',
      '-f',
      place,
      '--prune',
      '--type',
      'role',
      '--filter',
      'description sw "p"',
      '-o',
      'table',
      ...more,
    ]);

  beforeEach(async () => {
    for (const id of ['p1', 'p2', 'p3']) {
      await server.api('PUT', `managed/role/${id}`, { body: { name: id, description: id } });
    }
  });

  it('deletes what no file has, once it is said that it may', async () => {
    const place = await roles('p1');
    const rehearsed = await asked(place, '--dry-run');
    expect([rehearsed.code, rehearsed.out]).toEqual([
      0,
      '= managed/role/p1\n- managed/role/p2\n- managed/role/p3\n',
    ]);
    const unasked = await asked(place);
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('--yes says that it may')]);
    expect(await ids()).toEqual(['p1', 'p2', 'p3']);
    const differs = ['diff', '-f', place, '--prune', '--type', 'role', '--filter', 'description sw "p"'];
    expect((await svc(differs)).code).toBe(1);
    expect((await asked(place, '--yes')).code).toBe(0);
    expect(await ids()).toEqual(['p1']);
    expect((await svc(differs)).code).toBe(0);
  });

  it('comes last, so that what the files let go of can go', async () => {
    await createUser('holder');
    const grant = { operation: 'replace', field: '/roles', value: [{ _ref: 'managed/role/p3' }] };
    await server.api('PATCH', 'managed/user/holder', { body: [grant] });
    const place = await roles('p1', 'p2');
    const held = await asked(place, '--yes');
    expect([held.code, held.err]).toEqual([1, expect.stringContaining('✗ managed/role/p3  Cannot delete')]);
    await writeFile(place, `${await readFile(place, 'utf8')}---\n_type: user\n_id: holder\nroles: []\n`);
    expect(await asked(place, '--yes')).toMatchObject({ code: 0, err: '' });
    expect(await ids()).toEqual(['p1', 'p2']);
  });

  it('deletes nothing when an object is refused', async () => {
    const place = await file('roles.yaml', `${role('p1')}---\n_type: role\n_id: bad\nname: 7\n`);
    const { code, err } = await asked(place, '--yes');
    expect([code, err]).toEqual([1, expect.stringContaining('Nothing was pruned')]);
    expect(await ids()).toEqual(['p1', 'p2', 'p3']);
  });

  it.each([
    [['--prune', '--yes'], '--prune needs --type'],
    [['--type', 'role'], '--type goes with --prune'],
    [['--prune', '--type', 'user', '--yes'], 'no file has an object of managed/user'],
    [['--prune', '--type', 'scheduler/job', '--yes'], 'is for managed types'],
    [['--prune', '--type', 'role', '--prune-limit', '1', '--yes'], 'objects, and may delete 1;'],
    [['--prune', '--type', 'role', '--prune-limit', 'all'], "'all' is no number"],
  ])('is refused with %j', async (flags, words) => {
    const { code, out, err } = await svc(['apply', '-f', await roles('p1'), ...flags]);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(words)]);
    expect(await ids()).toEqual(['p1', 'p2', 'p3']);
  });
});
