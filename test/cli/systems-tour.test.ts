import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { HAS_MARIADB } from '../support/mariadb.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const run = promisify(execFile);
const PAGE = readFileSync(new URL('../../docs/systems.md', import.meta.url), 'utf8');

/** What a section says is to be pasted. */
function blocksOf(heading: string): string[] {
  const [section = ''] = PAGE.slice(PAGE.indexOf(`## ${heading}\n`) + 3).split('\n## ');
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

describe('docs/systems.md', () => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-tour-'));
    server = await startTestServer({ environment: { SVC_EGRESS_ALLOW: '127.0.0.1' } });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs it as somebody would who pastes it. @returns the answers of the server */
  async function paste(block: string) {
    const begin = `set -e; SVC=${server.url}/svc
      svccurl() { curl -sS -u "svc-admin:$PASSWORD" -H Content-Type:application/json "$@"; echo; }`;
    const { stdout } = await run('bash', ['-c', `${begin}\n${block}`], {
      cwd: server.project.location,
      env: { ...process.env, PASSWORD: ADMIN_PASSWORD, PATH: `${process.env['PATH']}:/usr/sbin` },
      maxBuffer: 2 ** 24,
      timeout: 60_000,
    });
    return stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  }

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
