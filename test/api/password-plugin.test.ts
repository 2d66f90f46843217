/** Password plugins of other servers encrypt for a pair of keys, whose private key the ring has. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { CERTIFICATE, CERTIFICATES } from '../support/credentials.ts';
import { encryptForPair, PAIR_CIPHERS } from '../support/for-key-pair.ts';
import { COMMON_RING } from '../support/key-ring.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const ALIAS = 'openidm-localhost';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const { privateKey: other } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const RING = {
  ...JSON.parse(COMMON_RING),
  [ALIAS]: [privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')],
};
const text = { type: 'string', userEditable: true };
const TYPES = {
  objects: [
    {
      name: 'user',
      schema: {
        properties: {
          userName: { type: 'string' },
          sn: text,
          password: {
            ...text,
            scope: 'private',
            encryption: { key: 'svc-sym-default' },
            policies: [{ policyId: 'minimum-length', params: { minLength: 8 } }],
          },
        },
      },
    },
  ],
};

describe('a password that a plugin has encrypted', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': TYPES,
        'conf/authentication.json': {
          serverAuthContext: {
            authModules: [
              {
                name: 'MANAGED_USER',
                properties: { queryOnResource: 'managed/user', defaultUserRoles: ['svc-authorized'] },
              },
              { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
              CERTIFICATES,
            ],
          },
        },
      },
      environment: { SVC_KEYS: JSON.stringify(RING), SVC_TRUSTED_PROXIES: '127.0.0.0/8,::1' },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await api('PUT', 'managed/user/ada', { body: { userName: 'ada', password: 'Before-Horse-1' } });
  });

  const NAMED = 'managed/user?_action=patch&_queryId=for-userName&uid=ada';
  const set = (value: unknown, field = '/password') => [{ operation: 'replace', field, value }];
  const asPlugin = (body: unknown) => api('POST', NAMED, { user: null, headers: CERTIFICATE, body });
  const comesInWith = async (password: string) =>
    (await api('GET', 'info/login', { user: 'ada', password })).status === 200;

  it.each(PAIR_CIPHERS)('is set for somebody who is named by a query, under %s', async (cipher) => {
    const sent = encryptForPair('Plugin-Horse-1', ALIAS, privateKey, cipher);
    expect((await asPlugin(set(sent))).status).toBe(200);
    expect(await comesInWith('Plugin-Horse-1')).toBe(true);
    const { rows } = await server.database.pool.query<{ key: unknown }>(
      `select data->'password'->'$crypto'->'value'->'key' as key from managed_object where id = 'ada'`,
    );
    expect(rows).toEqual([{ key: 'svc-sym-default' }]);
  });

  it('is set by administrators, too, in a body and in a patch', async () => {
    const password = (word: string) => encryptForPair(word, ALIAS, privateKey);
    const body = { userName: 'ada', password: password('Plugin-Horse-2') };
    expect((await api('PUT', 'managed/user/ada', { body })).status).toBe(200);
    expect(await comesInWith('Plugin-Horse-2')).toBe(true);
    expect((await api('PATCH', 'managed/user/ada', { body: set(password('Plugin-Horse-3')) })).status).toBe(
      200,
    );
    expect(await comesInWith('Plugin-Horse-3')).toBe(true);
  });

  it('is held to the policies', async () => {
    const { status, body } = await asPlugin(set(encryptForPair('short', ALIAS, privateKey)));
    expect([status, body.message]).toEqual([403, expect.stringMatching(/[Pp]olicy/)]);
    expect(await comesInWith('Before-Horse-1')).toBe(true);
  });

  it.each<[string, () => unknown]>([
    ['for another pair', () => encryptForPair('Plugin-Horse-4', ALIAS, other)],
    ['by an alias that the ring has not', () => encryptForPair('Plugin-Horse-4', 'nobody', privateKey)],
    ['and is no text', () => encryptForPair({ a: 1 }, ALIAS, privateKey)],
  ])('%s changes nothing, and is told alike', async (_what, sent) => {
    const { status, body } = await asPlugin(set(sent()));
    expect([status, body.detail]).toMatchObject([400, { id: 'CRYPTO_NOT_OPENED', field: '/password' }]);
    expect(await comesInWith('Before-Horse-1')).toBe(true);
  });

  it('reaches no script of an action, which might open it with the rights of the server', async () => {
    const sent = encryptForPair('Plugin-Horse-6', ALIAS, privateKey);
    const acted = await api('POST', 'managed/user/ada?_action=triggerSyncCheck', { body: { word: sent } });
    expect([acted.status, acted.body.detail?.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
  });

  it('is opened where it would be shown to nobody alone, and for nobody else', async () => {
    const sent = encryptForPair('Plugin-Horse-5', ALIAS, privateKey);
    const shown = await api('PATCH', 'managed/user/ada', { body: set(sent, '/sn') });
    expect([shown.status, shown.body.detail.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
    const judged = await api('POST', 'policy/managed/user/*?_action=validateObject', {
      body: { password: sent },
    });
    expect([judged.status, judged.body.detail.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
    const asAda = await api('PATCH', 'managed/user/ada', {
      ...{ user: 'ada', password: 'Before-Horse-1' },
      body: set(sent),
    });
    expect([asAda.status, asAda.body.detail.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
    expect(await comesInWith('Before-Horse-1')).toBe(true);
  });
});
