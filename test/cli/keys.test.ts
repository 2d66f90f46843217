import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCrypto } from '#crypto/index.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const OLD = Buffer.alloc(32, 1).toString('base64');
const OTHER = Buffer.alloc(32, 2).toString('base64');
const ALIAS = 'svc-sym-default';

describe('svc keys', () => {
  let server: TestServer;
  const svc = (...args: string[]) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const env = {
        ...PROGRAM_ENVIRONMENT,
        SVC_PROJECT: server.project.location,
        SVC_DATA_DIR: join(server.project.location, '.svc'),
        DATABASE_URL: server.database.url,
      };
      execFile(process.execPath, ['src/main.ts', ...args], { cwd: ROOT, env }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), output: out + err }),
      );
    });
  const ring = async () =>
    JSON.parse(await readFile(join(server.project.location, '.svc', 'keys.json'), 'utf8')) as Record<
      string,
      string[]
    >;
  const evaluate = async (source: string) => {
    const { status, body } = await server.api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const sealed = async () =>
    (
      await server.database.pool.query<{ text: string }>(
        `select data::text as text from managed_object where data::text like '%x-simple-encryption%'
         union all select data::text from repo_object where data::text like '%x-simple-encryption%'
         union all select content from config_override where content like '%x-simple-encryption%'`,
      )
    ).rows.map(({ text }) => text);
  const keyIds = (texts: readonly string[]) => [
    ...new Set(texts.flatMap((text) => [...text.matchAll(/"keyId": ?"(\w+)"/g)].map(([, id]) => id))),
  ];

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        '.svc/keys.json': { [ALIAS]: [OLD, OTHER], 'svc-jwtsessionhmac-key': [OLD] },
        'conf/managed.json': {
          objects: [
            {
              name: 'vault',
              schema: { properties: { code: { type: 'string', encryption: { purpose: 'storage' } } } },
            },
          ],
        },
      },
    });
    for (let n = 0; n < 5; n++)
      await server.api('PUT', `managed/vault/v${n}`, { body: { code: `code ${n}` } });
    await evaluate(
      `svc.create('repo/note', 'n1', { deep: [{ secret: svc.encrypt({ inner: svc.encrypt('core', null, '${ALIAS}') }, null, '${ALIAS}') }] }) && true`,
    );
    await server.api('PUT', 'config/external.email', {
      body: { host: 'mail', auth: { username: 'u', password: 'mail secret' } },
    });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('lists keys by their ids, and shows none', async () => {
    const { code, output } = await svc('keys', 'list');
    expect(code).toBe(0);
    expect(output.match(/^svc-sym-default {2}\w{12} {2}256 bits {2}(in use|decrypts)$/gm)).toHaveLength(2);
    for (const key of [OLD, OTHER]) expect(output).not.toContain(key);
  });

  it('adds a key that waits', async () => {
    const { code, output } = await svc('keys', 'add', 'svc-selfservice-key');
    const keys = (await ring())['svc-selfservice-key'];
    expect([code, keys]).toEqual([0, [expect.stringMatching(/^[\w+/]{43}=$/)]]);
    expect(output).not.toContain(keys![0]);
  });

  it('makes a new alias only where one is meant', async () => {
    const before = await ring();
    const misspelt = await svc('keys', 'add', 'svc-sym-defalt');
    expect([misspelt.code, misspelt.output]).toEqual([
      1,
      expect.stringMatching(
        /no alias 'svc-sym-defalt'.*Did you mean 'svc-sym-default'.*--new-alias.*Nothing was changed\./s,
      ),
    ]);
    const unknown = await svc('keys', 'use', 'svc-sym-default', 'zz');
    expect([unknown.code, unknown.output]).toEqual([
      1,
      expect.stringMatching(/'svc-sym-default' has no key zz.*\n1 error\. Nothing was changed\.\n$/s),
    ]);
    expect(await ring()).toEqual(before);
    expect((await svc('keys', 'add', 'our-own', '--new-alias')).code).toBe(0);
    expect(Object.keys(await ring())).toContain('our-own');
  });

  it('makes no ring where nothing but a key of one is to be used', async () => {
    const elsewhere = join(server.project.location, 'nothing-here');
    const { code, output } = await svc('keys', 'use', ALIAS, '--data-dir', elsewhere);
    expect([code, output]).toEqual([1, expect.stringMatching(/there is no \S+keys\.json.*SVC_DATA_DIR/s)]);
    expect(existsSync(elsewhere)).toBe(false);
  });

  it('encrypts again what an older key has encrypted, while the server runs, and twice changes nothing', async () => {
    const before = await sealed();
    expect([before.length, keyIds(before).length]).toEqual([7, 1]);
    const rev = (await server.api('GET', 'managed/vault/v1')).body._rev;
    expect((await svc('keys', 'use', ALIAS)).code).toBe(0);
    expect((await ring())[ALIAS]).toEqual([OTHER, OLD]);

    const { code, output } = await svc('keys', 'rotate');
    expect([code, output]).toEqual([
      0,
      expect.stringContaining('managed_object: 5 with encrypted values, 5 encrypted again'),
    ]);
    const after = await sealed();
    expect([after.length, keyIds(after).length]).toEqual([7, 1]);
    expect(keyIds(after)).not.toEqual(keyIds(before));

    expect(await evaluate("svc.decrypt(svc.read('repo/managed/vault/v3').code)")).toBe('code 3');
    expect(await evaluate("svc.decrypt(svc.read('repo/note/n1')).deep[0].secret.inner")).toBe('core');
    expect(await evaluate("svc.decrypt(svc.read('config/external.email')).auth.password")).toBe(
      'mail secret',
    );
    expect((await server.api('GET', 'managed/vault/v1')).body._rev).toBe(rev);

    expect((await svc('keys', 'rotate')).output).toContain(
      'managed_object: 5 with encrypted values, 0 encrypted again',
    );
    expect(await sealed()).toEqual(after);
  });

  it('tells of what looks encrypted and is not, and takes it for the text that it is', async () => {
    const envelope = (keyId: string) =>
      JSON.stringify({
        $crypto: {
          type: 'x-simple-encryption',
          value: { cipher: 'AES/GCM/NoPadding', key: ALIAS, keyId, iv: 'AAAA', data: '\u001b[2J' },
        },
      });
    const used = keyIds(await sealed())[0]!;
    const sn = `x-simple-encryption {cipher} ${envelope(used)} ${envelope('x')}`;
    expect((await server.api('PUT', 'managed/vault/forged', { body: { sn } })).status).toBe(201);
    const { code, output } = await svc('keys', 'rotate');
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(
        /^1 with what looks encrypted, and was by no key of this ring: left as it is, such as\n {2}managed_object vault\/forged: /m,
      ),
    ]);
    expect((await server.api('GET', 'managed/vault/forged')).body.sn).toBe(sn);
    await server.api('DELETE', 'managed/vault/forged');
  });

  it('exits 1 while something that the ring has sealed is under an older key, however it is written', async () => {
    const keys = await ring();
    const before = openCrypto({ keyRing: { [ALIAS]: [OLD] } });
    const literal = JSON.stringify(await before.encrypt('x', null, null)).replaceAll('"', "'");
    await server.api('PUT', 'managed/vault/literal', { body: { sn: `decrypt(${literal})` } });
    const { code, output } = await svc('keys', 'rotate');
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/vault\/literal: a value under key \w+ of 'svc-sym-default' is written in a way/),
    ]);
    await server.api('DELETE', 'managed/vault/literal');
    expect(await ring()).toEqual(keys);
  });

  it('refuses a ring that lacks a key in use, which would take for made up what is under it', async () => {
    const keys = await ring();
    const file = join(server.project.location, '.svc', 'keys.json');
    await writeFile(file, JSON.stringify({ ...keys, [ALIAS]: [Buffer.alloc(32, 3).toString('base64')] }));
    const { code, output } = await svc('keys', 'rotate');
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/the key ring lacks key \w+ of 'svc-sym-default'/),
    ]);
    await writeFile(file, JSON.stringify(keys));
  });

  it('lets no node start without a key that has been used, until that is forgotten', async () => {
    const start = (ring: string[]) =>
      startTestServer({
        database: { url: server.database.url, name: '', [Symbol.asyncDispose]: async () => {} },
        environment: { SVC_KEYS: JSON.stringify({ [ALIAS]: ring, 'svc-jwtsessionhmac-key': [OLD] }) },
      });
    const used = async () =>
      (await server.database.pool.query<{ key: string }>('select key from svc_key order by first_used_at'))
        .rows;
    // The server goes on with the older one until it is started again, so both are in use.
    const [old, other] = await used();
    await expect(start([OTHER])).rejects.toThrow(
      `SVC_KEYS: the key ring lacks key ${old!.key} of '${ALIAS}', under which`,
    );
    await expect(start([Buffer.alloc(32, 3).toString('base64')])).rejects.toThrow(
      new RegExp(`${old!.key}.*SVC_KEYS or keys.json of the others.*\n.*${other!.key}`),
    );
    expect((await svc('keys', 'forget', ALIAS, old!.key)).code).toBe(0);
    expect((await svc('keys', 'forget', ALIAS, old!.key)).code).toBe(1);
    await (await start([OTHER]))[Symbol.asyncDispose]();
    expect(await used()).toEqual([other]);
  });

  it('changes no ring that stands in a variable', async () => {
    const { code, output } = await new Promise<{ code: number; output: string }>((resolve) =>
      execFile(
        process.execPath,
        ['src/main.ts', 'keys', 'add', ALIAS],
        { cwd: ROOT, env: { ...PROGRAM_ENVIRONMENT, SVC_KEYS: JSON.stringify({ [ALIAS]: [OLD] }) } },
        (error, out, err) => resolve({ code: Number(error?.code ?? 0), output: out + err }),
      ),
    );
    expect([code, output]).toEqual([1, expect.stringContaining('SVC_KEYS')]);
    expect(output).not.toContain(OLD);
  });
});

describe('svc api-key', () => {
  it('makes a key and the entry that admits it', async () => {
    const output = await new Promise<string>((resolve) =>
      execFile(
        process.execPath,
        ['src/main.ts', 'api-key', 'robot', '--roles', 'svc-admin'],
        { cwd: ROOT },
        (_error, out) => resolve(out),
      ),
    );
    const [, key, entry] = /^key +(\S+)\nentry +(.+)\n$/.exec(output)!;
    const authentication = JSON.parse(await readFile(join(ROOT, 'conf/authentication.json'), 'utf8'));
    const modules = authentication.serverAuthContext.authModules;
    const module = modules.find(({ name }: { name: string }) => name === 'API_KEY');
    Object.assign(module, { enabled: true, properties: { keys: [JSON.parse(entry!)] } });
    await using server = await startTestServer({ files: { 'conf/authentication.json': authentication } });
    const login = await server.api('GET', 'info/login', { user: null, headers: { 'X-Svc-Api-Key': key! } });
    expect([login.status, login.body.authenticationId]).toEqual([200, 'robot']);
    const wrong = await server.api('GET', 'info/login', {
      user: null,
      headers: { 'X-Svc-Api-Key': `${key}x` },
    });
    expect(wrong.status).toBe(401);
  });
});
