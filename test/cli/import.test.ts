import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/index.ts';
import { createProject, type TestProject } from '../support/project.ts';

const FILES = {
  'conf/boot/boot.properties': 'openidm.node.id=one\nsvc.role.reg=svc-reg',
  'conf/managed.json': { objects: [{ name: 'user' }] },
  'conf/repo.jdbc.json': {
    queries: {
      genericTables: {
        'query-all': 'select …',
        'users-of-unit': 'select …',
        'user-by-badge': `SELECT obj.* FROM \${_dbSchema}.\${_mainTable} obj
          INNER JOIN \${_dbSchema}.\${_propTable} prop ON obj.id = prop.\${_mainTable}_id
          INNER JOIN \${_dbSchema}.objecttypes objtype ON objtype.id = obj.objecttypes_id
          WHERE prop.propkey='/badge/number' AND prop.propvalue = \${number} AND objtype.objecttype = \${_resource}`,
      },
      explicitTables: { 'credential-query': 'select …' },
    },
  },
  'conf/external.email.json': { host: 'mail.example.com' },
  'script/plain.js': '// java.io.File is not used\nobject.made = true;\n',
  'script/old.js': "var x = 1;\nvar f = new Packages.java.io.File('/tmp');\n",
  'script/ask.js': "openidm.query('managed/user', { _queryExpression: 'select 1' });\n",
  'script/hook.groovy': 'import org.forgerock.json.resource.BadRequestException\nobject.a = 1\n',
  'workflow/greet.bpmn20.xml': '<definitions/>',
  'security/keystore.jceks': 'keys',
  'bundle/some.jar': 'jar',
  'lib/driver.jar': 'jar',
  'startup.sh': '#!/bin/sh',
  'logs/openidm0.log.0': 'log',
};

interface Outcome {
  readonly isWritten: boolean;
  readonly copied: number;
  readonly unchanged: number;
  readonly differs: number;
  readonly left: number;
  readonly files: readonly { path: string; fate: string; notices: readonly string[] }[];
}

describe('svc import', () => {
  let source: TestProject;
  let place: TestProject;
  let target: string;

  beforeAll(async () => {
    source = await createProject(FILES);
    place = await createProject();
    target = join(place.location, 'arrived');
    await symlink('/etc/passwd', join(source.location, 'script/linked.js'));
  });
  afterAll(async () => {
    await source[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  async function asks(...args: string[]) {
    let output = '';
    const listen = vi.spyOn(console, 'log').mockImplementation((text: string) => {
      output += text;
    });
    const complaint = vi.spyOn(console, 'error').mockImplementation((text: string) => {
      output += text;
    });
    try {
      return { code: await run(['import', ...args]), output };
    } finally {
      listen.mockRestore();
      complaint.mockRestore();
    }
  }
  async function told(...args: string[]) {
    const { code, output } = await asks(...args, '--json');
    return { code, ...(JSON.parse(output) as Outcome) };
  }
  const importing = () => told('project', source.location, '--to', target);

  it('tells what would come and what cannot, and why, and writes nothing', async () => {
    const plan = await told('check', source.location);
    expect([plan.code, plan.isWritten, plan.copied, plan.differs]).toEqual([1, false, 10, 0]);
    const of = (path: string) => plan.files.find((file) => file.path === path);
    expect(of('security/')).toMatchObject({ fate: 'left', notices: [expect.stringMatching(/key ring/)] });
    expect(of('bundle/')).toMatchObject({ fate: 'left', notices: [expect.stringMatching(/Java/)] });
    expect(of('startup.sh')).toMatchObject({ fate: 'left' });
    expect(of('script/linked.js')).toMatchObject({ fate: 'left', notices: [expect.stringMatching(/link/)] });
    expect(of('script/old.js')).toMatchObject({ fate: 'copy', notices: [expect.stringMatching(/^Line 2 /)] });
    expect(of('script/ask.js')?.notices).toEqual([expect.stringMatching(/^Line 1 .*_queryFilter/)]);
    expect(of('script/plain.js')?.notices).toEqual([]);
    expect(of('script/hook.groovy')?.notices).toEqual([]);
    expect(of('conf/repo.jdbc.json')?.notices).toEqual([
      expect.stringMatching(/DATABASE_URL/),
      expect.stringMatching(/'users-of-unit' does not come/),
      expect.stringMatching(/'user-by-badge' .* \/badge\/number eq \$\{number\}/),
    ]);
    expect(of('conf/repo.json')).toMatchObject({ fate: 'copy' });
    await expect(readdir(target)).rejects.toThrow(/ENOENT/);
  });

  it('copies the project as it is, and says which names it goes by', async () => {
    const { code, copied, isWritten } = await importing();
    expect([code, copied, isWritten]).toEqual([1, 10, true]);
    expect(await readFile(join(target, 'script/old.js'), 'utf8')).toBe(FILES['script/old.js']);
    const boot = await readFile(join(target, 'conf/boot/boot.properties'), 'utf8');
    expect(boot).toMatch(/^openidm.node.id=one\nsvc.role.reg=svc-reg\n/);
    expect(boot).toMatch(/^svc.compat=openidm$/m);
    expect(boot).toMatch(/^svc.role.admin=openidm-admin$/m);
    expect(boot).not.toMatch(/openidm-reg/);
    expect((await readdir(target)).sort()).toEqual(['conf', 'script', 'workflow']);
  });

  it('finds nothing to do a second time, and only what has come since a third time', async () => {
    const again = await importing();
    expect([again.copied, again.unchanged, again.differs]).toEqual([0, 10, 0]);
    await source.write('script/late.js', '1');
    const later = await importing();
    expect([later.copied, later.unchanged]).toEqual([1, 10]);
  });

  it('keeps what was changed at the target, and says so', async () => {
    await writeFile(join(target, 'script/plain.js'), 'object.made = false;');
    const { code, differs, files } = await importing();
    expect([code, differs]).toEqual([1, 1]);
    expect(files.find(({ fate }) => fate === 'differs')?.path).toBe('script/plain.js');
    expect(await readFile(join(target, 'script/plain.js'), 'utf8')).toBe('object.made = false;');
  });

  it('takes nothing along that a link leads to, be it in place of the properties', async () => {
    await using secret = await createProject({ 'properties/boot.properties': 'password=of another' });
    await using linked = await createProject({ 'conf/managed.json': {} });
    await mkdir(join(linked.location, 'conf/boot'));
    const boot = join(linked.location, 'conf/boot/boot.properties');
    await symlink(join(secret.location, 'properties/boot.properties'), boot);
    await using folder = await createProject({ 'conf/managed.json': {} });
    await symlink(join(secret.location, 'properties'), join(folder.location, 'conf/boot'));
    for (const { location } of [linked, folder]) {
      const to = join(place.location, location.slice(-6));
      const { files, copied, left } = await told('project', location, '--to', to);
      expect([copied, left]).toEqual([1, 1]);
      expect(files.find(({ fate }) => fate === 'left')?.path).toMatch(/^conf\/boot/);
      expect(await readdir(join(to, 'conf'))).toEqual(['managed.json']);
    }
  });

  it('shows what it copies to nobody who could not read it before, and keeps drafts of others', async () => {
    await using kept = await createProject({
      'conf/managed.json': {},
      'conf/secret.json': { password: 'p' },
    });
    await chmod(join(kept.location, 'conf/secret.json'), 0o600);
    await using there = await createProject({ 'conf/secret.json.part': 'of somebody' });
    await told('project', kept.location, '--to', there.location);
    expect((await stat(join(there.location, 'conf/secret.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(there.location, 'conf/secret.json.part'), 'utf8')).toBe('of somebody');
  });

  it('does not start with folders that are none, or that lie in each other', async () => {
    expect((await asks()).code).toBe(2);
    expect((await asks('check', join(place.location, 'nowhere'))).code).toBe(2);
    expect((await asks('project', source.location)).code).toBe(2);
    for (const to of [source.location, join(source.location, 'copy'), join(source.location, '..')]) {
      expect((await asks('project', source.location, '--to', to)).code).toBe(2);
    }
  });
});
