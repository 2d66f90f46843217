/** Who has something delivered, or pairs objects by hand, gains by it nothing that they may not do or see themselves. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { PASSWORD } from '../support/credentials.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const SHIPPED = readFileSync(new URL('../../conf/managed.json', import.meta.url), 'utf8');
const text = { type: 'string' };
const RULES = `
    { pattern: 'managed/contractor', roles: 'desk', methods: 'create', actions: '' },
    { pattern: 'managed/contractor/*', roles: 'desk', methods: 'create,patch', actions: '' },
    { pattern: 'sync', roles: 'desk', methods: 'action', actions: 'performAction,deliver,notifyUpdate,notifyDelete' },
    { pattern: 'system/hr/person', roles: 'desk', methods: 'action', actions: 'liveSync' },
    { pattern: 'repo/synchronisation/*', roles: 'desk', methods: 'read,query', actions: '' },
    { pattern: 'system/hr/person', roles: 'lister', methods: 'query', actions: '' },
    { pattern: 'repo/link', roles: 'desk', methods: 'create,query', actions: '' },
    { pattern: 'repo/link/*', roles: 'desk', methods: 'create,update', actions: '' },
    { pattern: 'sync/why', roles: 'desk', methods: 'read', actions: '' },
    { pattern: 'sync/queue', roles: 'desk', methods: 'query', actions: '' },
    { pattern: 'managed/contractor', roles: 'lister', methods: 'query', actions: '' },
    { pattern: 'managed/user', roles: 'lister', methods: 'query', actions: '' },
    // Their tasks and processes.`;
const caller = (username: string, ...roles: string[]) => ({
  name: 'STATIC_USER',
  properties: {
    username,
    password: PASSWORD,
    queryOnResource: 'repo/internal/user',
    defaultUserRoles: ['svc-authorized', ...roles],
  },
});
const notYours = { status: 403, body: { detail: { id: 'ACCOUNT_NOT_YOURS' } } };

let server: TestServer;
let api: Api;
const as =
  (user: string) =>
  (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    api(method, path, { user, password: PASSWORD, headers, ...(body === undefined ? {} : { body }) });
const asDesk = as('desk');
const perform = (action: string, targetId: string) =>
  asDesk(
    'POST',
    `sync?_action=performAction&mapping=contractor_user&action=${action}&sourceId=mal&targetId=${targetId}`,
  );
const loginAs = async (user: string, password: string) =>
  (await api('GET', 'info/login', { user, password })).status;

beforeAll(async () => {
  const managed = JSON.parse(SHIPPED);
  managed.objects.push({
    name: 'contractor',
    schema: { properties: { login: text, last: text, mail: text, pin: text, pw: text } },
  });
  server = await startTestServer({
    files: {
      'conf/managed.json': managed,
      'conf/sync.json': {
        mappings: [
          {
            name: 'contractor_user',
            source: 'managed/contractor',
            target: 'managed/user',
            correlationQuery: {
              type: 'text/javascript',
              source: "({ _queryFilter: 'userName eq ' + JSON.stringify(source.login) })",
            },
            onCreate: {
              type: 'text/javascript',
              source: "if (source.pin) throw { code: 403, message: 'no room for the number ' + source.pin }",
            },
            properties: [
              { source: 'login', target: 'userName' },
              { source: 'last', target: 'givenName' },
              { source: 'last', target: 'sn' },
              { source: 'mail', target: 'mail' },
              { source: 'pw', target: 'password' },
            ],
            policies: [
              { situation: 'CONFIRMED', action: 'UPDATE' },
              { situation: 'FOUND', action: 'EXCEPTION' },
              { situation: 'ABSENT', action: 'CREATE' },
              { situation: 'UNASSIGNED', action: 'DELETE' },
            ],
          },
          {
            name: 'hr_contractor',
            source: 'system/hr/person',
            target: 'managed/contractor',
            properties: [{ source: 'last', target: 'last' }],
          },
        ],
      },
      'conf/provisioner.openicf-hr.json': {
        name: 'hr',
        connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
        configurationProperties: { csvFile: 'data/hr.csv', headerUid: 'id' },
        objectTypes: { person: { nativeType: '__ACCOUNT__', properties: { id: text, last: text } } },
      },
      'data/hr.csv': 'id,last\n1,Moe\n',
      'conf/authentication.json': {
        serverAuthContext: {
          authModules: [
            {
              name: 'MANAGED_USER',
              properties: {
                queryOnResource: 'managed/user',
                propertyMapping: {
                  authenticationId: 'userName',
                  userCredential: 'password',
                  userRoles: 'authzRoles',
                },
                defaultUserRoles: ['svc-authorized'],
              },
            },
            { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
            caller('desk', 'desk'),
            caller('lister', 'desk', 'lister'),
          ],
        },
      },
      'script/access.js': readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8').replace(
        '\n    // Their tasks and processes.',
        RULES,
      ),
    },
    threads: 2,
  });
  api = server.api;
  const person = (userName: string, more: object) => ({
    body: { userName, givenName: 'Per', sn: 'Son', mail: `${userName}@example.com`, ...more },
  });
  const admin = { authzRoles: [{ _ref: 'repo/internal/role/svc-admin' }], password: PASSWORD };
  expect((await api('PUT', 'managed/user/boss', person('boss', admin))).status).toBe(201);
  expect((await api('PUT', 'managed/user/ann', person('ann', { password: PASSWORD }))).status).toBe(201);
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('who may have anything done by a mapping', () => {
  const takeOver = { login: 'boss', last: 'Mal', mail: 'mal@example.com', pw: 'Stolen-Passw0rd' };

  it('gives a new password to no account whose roles open more, whatever action is asked for', async () => {
    expect(await asDesk('PUT', 'managed/contractor/mal', takeOver)).toMatchObject({ status: 201 });
    for (const action of ['UPDATE', 'LINK']) expect(await perform(action, 'boss')).toMatchObject(notYours);
    expect(await loginAs('boss', 'Stolen-Passw0rd')).toBe(401);
    expect(await loginAs('boss', PASSWORD)).toBe(200);
  });

  it('leads no link to it either, by which the next change would', async () => {
    const link = { linkType: 'contractor_user', firstId: 'mal', secondId: 'boss' };
    expect(await asDesk('PUT', 'repo/link/mal', link)).toMatchObject(notYours);
    const own = { ...link, secondId: 'ann' };
    const made = await asDesk('PUT', 'repo/link/mal', own);
    expect(made.status).toBe(201);
    const moved = asDesk('PUT', 'repo/link/mal', link, { 'If-Match': `"${made.body._rev}"` });
    expect(await moved).toMatchObject({ ...notYours, body: { detail: { field: '/secondId' } } });
  });

  it('goes on with accounts that open no more than theirs', async () => {
    const body = [{ operation: 'replace', field: '/login', value: 'ann' }];
    expect((await asDesk('PATCH', 'managed/contractor/mal', body as never)).status).toBe(200);
    expect(await perform('UPDATE', 'ann')).toMatchObject({ status: 200 });
    expect(await loginAs('ann', 'Stolen-Passw0rd')).toBe(200);
  });
});

describe('who may only tell of changes', () => {
  const told = (user: string, action: string, login: string, more = '') =>
    as(user)('POST', `sync?_action=${action}&resourceContainer=managed/contractor&resourceId=nobody${more}`, {
      oldValue: { login },
    });

  it('finds no target, and has none deleted, by what they say that an object was', async () => {
    const mail = 'ben@example.com';
    const ben = { userName: 'ben', givenName: 'Ben', sn: 'Son', mail };
    expect((await api('PUT', 'managed/user/ben', { body: ben })).status).toBe(201);
    for (const [action, more] of [
      ['notifyDelete', ''],
      ['notifyDelete', '&_dryRun=true'],
      ['notifyUpdate', ''],
    ] as const) {
      expect(await told('lister', action, 'ben', more), `${action}${more}`).toMatchObject({
        status: 403,
        body: { detail: { id: 'SYNC_OLD_VALUE', field: '/oldValue' } },
      });
    }
    expect((await api('GET', 'managed/user/ben')).status).toBe(200);
    const plain = 'sync?_action=notifyDelete&resourceContainer=managed/contractor&resourceId=nobody';
    expect(await asDesk('POST', plain)).toMatchObject({ status: 200, body: { success: true } });
    const body = { oldValue: { login: 'ben' } };
    const rehearsed = await api('POST', `${plain}&_dryRun=true`, { body });
    expect(rehearsed.body.result.syncDetails).toMatchObject([{ targetId: 'ben', action: 'DELETE' }]);
  });
});

describe('the words of an error', () => {
  const words = /PIN-4711/;
  const why = async (user: string) =>
    JSON.stringify((await as(user)('GET', 'sync/why?resource=managed/contractor/eve')).body);
  const queue = async (user: string) =>
    JSON.stringify((await as(user)('GET', 'sync/queue?_queryFilter=true')).body.result);

  it('are for who may list both sides, wherever they stand; others see of what kind it is', async () => {
    const body = { login: 'eve', last: 'Eve', mail: 'eve@example.com', pin: 'PIN-4711' };
    const made = await api('PUT', 'managed/contractor/eve', { body });
    expect([201, 403]).toContain(made.status);
    await eventually(
      () => why('lister'),
      (told) => words.test(told),
    );
    expect(await queue('lister')).toMatch(words);
    for (const told of [await why('desk'), await queue('desk')]) {
      expect(told).toContain('403');
      expect(told).not.toMatch(words);
    }
    for (const [user, seen] of [
      ['lister', true],
      ['desk', false],
    ] as const) {
      for (const action of ['deliver', 'performAction&action=CREATE']) {
        const asked = `sync?_action=${action}&mapping=contractor_user&sourceId=eve`;
        const { body } = await as(user)('POST', asked);
        expect([user, action, words.test(JSON.stringify(body))]).toEqual([user, action, seen]);
        expect(JSON.stringify(body)).toContain('403');
      }
    }
  });

  it('are no other of a round of live synchronisation', async () => {
    const live = 'system/hr/person?_action=liveSync';
    expect((await api('POST', live)).status).toBe(200);
    await server.project.write('data/hr.csv', 'id,last\nPIN-4711,Moe\nPIN-4711,Lie\n');
    for (const [user, seen] of [
      ['lister', true],
      ['desk', false],
    ] as const) {
      const asked = as(user);
      for (const answer of [
        await asked('POST', live),
        await asked('POST', `${live}&detailedFailure=true`),
        await asked('GET', 'repo/synchronisation/pooledSyncStage/SYSTEMHRPERSON'),
        await asked('GET', 'repo/synchronisation/pooledSyncStage?_queryFilter=true'),
      ]) {
        const shown = JSON.stringify(answer.body);
        expect([user, words.test(shown)], shown).toEqual([user, seen]);
        expect(shown).toContain('500');
      }
    }
  });
});
