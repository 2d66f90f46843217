import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { startServer } from '#app';
import { withSecretFiles } from '#config/secret-variables.ts';
import { readSettings } from '#config/settings.ts';
import { apiOf } from '../support/api.ts';
import { dropDatabase, onServer } from '../support/postgres.ts';
import { createProject } from '../support/project.ts';
import '../support/takes-long.ts';

const SCRIPT = new URL('../../deploy/tenants/add-tenant.sh', import.meta.url).pathname;
const hasPsql = spawnSync('psql', ['--version']).status === 0;
if (!hasPsql) console.warn('SKIPPED: tenants are added by psql, which this machine has not');

/** Two whose databases nothing else on the server has. */
const NAMES = ['one', 'two'].map((name) => `${name}_${Math.random().toString(36).slice(2, 10)}`);

async function addTenant(folder: string, name: string, more: Record<string, string> = {}) {
  const admin = new URL(inject('databaseServerUrl'));
  const password = decodeURIComponent(admin.password);
  admin.password = '';
  const { PATH } = process.env;
  return promisify(execFile)('/bin/sh', [SCRIPT, name, '0', folder], {
    env: { PATH, ADMIN_URL: admin.href, PGPASSWORD: password, ...more },
  });
}

/** What a node of the tenant is started with, as systemd reads it. */
async function environmentOf(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
}

async function startTenant(scope: AsyncDisposableStack, file: string) {
  const project = scope.use(await createProject());
  const environment: Record<string, string> = {
    ...(await environmentOf(file)),
    SVC_PROJECT: project.location,
    SVC_SCRIPT_THREADS: '1',
  };
  const server = await startServer({
    settings: readSettings(environment),
    environment: withSecretFiles(environment),
    observe: () => {},
    migrate: false,
  });
  scope.defer(() => server.stop('test ended'));
  const password = await readFile(environment['SVC_ADMIN_PASSWORD_FILE'] ?? '', 'utf8');
  const api = apiOf(server.url);
  return {
    databaseUrl: server.databaseUrl,
    api: (method: string, path: string, body?: object) =>
      api(method, path, { password, ...(body === undefined ? {} : { body }) }),
  };
}

describe.skipIf(!hasPsql)('deploy/tenants/add-tenant.sh', () => {
  it('gives each tenant a database, keys and secrets that no other one has', async () => {
    await using scope = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'svc-tenants-'));
    scope.defer(() => rm(folder, { recursive: true }));
    const server = inject('databaseServerUrl');
    for (const name of NAMES)
      scope.defer(async () => {
        await dropDatabase(server, `svc_${name}`);
        await onServer(server, `drop role if exists svc_${name}`);
      });
    const files: string[] = [];
    for (const name of NAMES) files.push((await addTenant(folder, name)).stdout.trim());
    const secrets = () =>
      Promise.all(
        NAMES.flatMap((name) =>
          ['database-url', 'keys', 'admin-password'].map((file) => join(folder, name, file)),
        ).map(async (file) => ({
          text: await readFile(file, 'utf8'),
          mode: (await stat(file)).mode & 0o777,
        })),
      );
    const before = await secrets();
    expect(new Set(before.map(({ text }) => text)).size).toBe(6);
    expect(before.every(({ mode }) => mode === 0o600)).toBe(true);
    for (const name of NAMES) await addTenant(folder, name);
    expect(await secrets()).toEqual(before);

    const [one, two] = await Promise.all(files.map((file) => startTenant(scope, file)));
    const user = { userName: 'ada', givenName: 'Ada', sn: 'Nagy', mail: 'ada@example.com' };
    expect(await one?.api('PUT', 'managed/user/ada', user)).toMatchObject({ status: 201 });
    expect(await two?.api('GET', 'managed/user/ada')).toMatchObject({ status: 404 });
    const foreign = new URL(one?.databaseUrl ?? '');
    foreign.pathname = `/svc_${NAMES[1]}`;
    await expect(new pg.Client({ connectionString: foreign.href }).connect()).rejects.toThrow(
      /permission denied for database/,
    );
  });

  it('refuses a name that is none, and a password on the command line', async () => {
    for (const name of ['2x', 'a-b', 'a; drop', "a'b"])
      await expect(addTenant('/nonexistent', name)).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`'${name}'`),
      });
    const shown = { ADMIN_URL: 'postgres://postgres:secret@db/postgres' };
    await expect(addTenant('/nonexistent', 'fine', shown)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/give it in PGPASSWORD or PGPASSFILE/),
    });
  });
});
