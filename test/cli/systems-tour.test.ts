import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { HAS_MARIADB } from '../support/mariadb.ts';
import { freePort } from '../support/port.ts';
import { HAS_SAMBA } from '../support/samba.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SLAPD } from '../support/slapd.ts';
import '../support/takes-long.ts';

const run = promisify(execFile);
const SVC = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));
const PAGE = readFileSync(new URL('../../docs/systems.md', import.meta.url), 'utf8');

/** What a section says is to be pasted, or is answered. */
function blocksOf(heading: string, language = 'sh'): string[] {
  const [section = ''] = PAGE.slice(PAGE.indexOf(`## ${heading}\n`) + 3).split('\n## ');
  return section
    .split('```')
    .filter((block) => block.startsWith(`${language}\n`))
    .map((block) => block.slice(language.length + 1));
}

function shownAfter(heading: string, place: number): { readonly result: readonly object[] } {
  return JSON.parse(blocksOf(heading, 'json')[place] ?? '');
}

describe('docs/systems.md', () => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-tour-'));
    server = await startTestServer({ environment: { SVC_EGRESS_ALLOW: '127.0.0.1' } });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** @returns the answers of the server */
  async function paste(block: string) {
    return (await pasted(block))
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  }

  /** Runs it as somebody would who pastes it. */
  async function pasted(block: string): Promise<string> {
    const begin = `set -e; SVC=${server.url}/svc
      svccurl() { curl -sS -u "svc-admin:$PASSWORD" -H Content-Type:application/json "$@"; echo; }`;
    const text = block.replaceAll('./bin/svc.js', `'${process.execPath}' '${SVC}'`);
    const { stdout } = await run('bash', ['-c', `${begin}\n${text}`], {
      cwd: server.project.location,
      env: {
        ...process.env,
        PASSWORD: ADMIN_PASSWORD,
        SVC_URL: server.url,
        SVC_USER: 'svc-admin',
        SVC_PASSWORD: ADMIN_PASSWORD,
        PATH: `${process.env['PATH']}:/usr/sbin`,
      },
      maxBuffer: 2 ** 24,
      timeout: 600_000,
    });
    return stdout;
  }

  it('reads and writes a file, and makes users of who stands there, as it stands', async () => {
    const [file = '', changes = '', mapping = ''] = blocksOf('A tour');
    const [stored, tested, found] = await paste(file);
    expect(stored).toMatchObject({ name: 'hr' });
    expect(tested).toMatchObject({ ok: true });
    expect(found.result).toMatchObject(shownAfter('A tour', 0).result);
    const [rehearsed, changed, made, gone] = await paste(changes);
    expect(rehearsed).toMatchObject({ dryRun: true });
    expect(changed).toMatchObject({ _id: '7', mail: 'moe@example.com' });
    expect(made).toMatchObject({ _id: '9', sn: 'Bø' });
    expect(gone).toMatchObject({ _id: '9' });
    const out = await pasted(mapping);
    expect(out).toContain('per@example.com');
  });

  it.skipIf(SLAPD === undefined)('brings users into a directory as it stands', async () => {
    const [, , , block = ''] = blocksOf('A tour');
    const own = block
      .replaceAll('/tmp/dir', join(folder, 'dir'))
      .replaceAll('3890', String(await freePort()))
      .replace('rootpw secret', `rootpw secret\npidfile ${folder}/slapd.pid`);
    try {
      const out = await pasted(own);
      const answers = out.split('\n').filter((line) => line.startsWith('{'));
      const names = JSON.parse(answers.at(-1) ?? '').mappings.map((one: JsonObject) => one['mapping']);
      expect(names).toContain('user_ldap');
      expect(out).toContain('uid=ulf,ou=people,dc=example,dc=com');
    } finally {
      process.kill(Number(readFileSync(join(folder, 'slapd.pid'), 'utf8')));
    }
  });

  it.skipIf(!HAS_SAMBA)('asks Active Directory as it stands', async () => {
    const [block = ''] = blocksOf('Active Directory');
    const own = block.replaceAll('/tmp/ad', join(folder, 'ad'));
    const [stored, tested, made, letIn, found] = await paste(own);
    expect(stored).toMatchObject({ name: 'ad' });
    expect(tested).toMatchObject({ ok: true });
    expect(letIn).toEqual({ _id: made._id });
    expect(found.result).toMatchObject(shownAfter('Active Directory', 1).result);
  });

  it.skipIf(!HAS_MARIADB)('asks tables of a database as it stands', async () => {
    const [block = ''] = blocksOf('Tables of databases');
    const pid = join(folder, 'pid');
    const own = block
      .replaceAll('/tmp/hr-db', join(folder, 'hr-db'))
      .replaceAll('3307', '33907')
      .replace('--skip-name-resolve', `--skip-name-resolve --pid-file=${pid}`);
    try {
      const answers = await paste(own);
      const [stored, tested, found, changed] = answers;
      expect(stored).toMatchObject({ name: 'staff' });
      expect(tested).toMatchObject({ ok: true });
      expect(found.result).toMatchObject([{ _id: 'ida', mails: ['ida@example.com', 'moe@example.com'] }]);
      const [, shown = ''] = /```json\n(\{"_id":"ida"[\s\S]*?)```/.exec(PAGE) ?? [];
      expect(changed).toMatchObject({ ...JSON.parse(shown), _rev: expect.any(String) });
      const printed = await promisify(execFile)(
        process.execPath,
        ['bin/svc.js', 'system', 'sql-trigger', 'staff', '--print', '--url', server.url],
        { env: { ...process.env, SVC_USER: 'svc-admin', SVC_PASSWORD: ADMIN_PASSWORD } },
      );
      expect(printed.stdout).toContain('create trigger svc_change_of_person_mail_delete after delete');
    } finally {
      execFileSync('kill', ['-9', readFileSync(pid, 'utf8').trim()]);
    }
  });

  it('asks by a script as it stands', async () => {
    const [block = ''] = blocksOf("A script of one's own");
    const [stored, tested, made, found] = await paste(block);
    expect(stored).toMatchObject({ name: 'far' });
    expect(tested).toMatchObject({ ok: true });
    expect(made).toMatchObject({ userName: 'finn', mail: 'finn@example.com' });
    expect(found.result).toMatchObject([{ userName: 'finn', sn: 'Berg' }]);
    expect(JSON.stringify([stored, tested, made, found])).not.toContain(ADMIN_PASSWORD);
  });

  it('asks a service of SCIM as it stands', async () => {
    const [block = ''] = blocksOf('SCIM 2.0 services');
    const [stored, tested, made, found] = await paste(block);
    expect(stored).toMatchObject({ name: 'cloud' });
    expect(tested).toMatchObject({ ok: true });
    expect(made).toMatchObject({ userName: 'sky', mail: 'sky@example.com' });
    expect(found.result).toMatchObject([{ userName: 'sky', active: true }]);
    expect(JSON.stringify([stored, tested, made, found])).not.toContain('authToken":"');
  });
});
