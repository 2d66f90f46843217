import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { PeopleService } from '../support/connector/people-service.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PEOPLE = 'uid,firstName,mail,room\navo,Anna,avo@example.com,12\nd/ö ra,Dora,dora@example.com,7\n';
const CONNECTOR = { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' };
const HR = {
  name: 'hr',
  connectorRef: { ...CONNECTOR, bundleName: 'org.forgerock.openicf.connectors.csvfile-connector' },
  configurationProperties: { csvFile: '&{launcher.project.location}/data/people.csv', headerUid: 'uid' },
  objectTypes: {
    person: {
      nativeType: '__ACCOUNT__',
      properties: {
        uid: { type: 'string', required: true, flags: ['NOT_UPDATEABLE'] },
        givenName: { type: 'string', nativeName: 'firstName' },
        mail: { type: 'string' },
        room: { type: 'integer' },
      },
    },
  },
  operationOptions: { DELETE: { denied: true, supportedObjectTypes: ['group'] } },
};

describe('/system', () => {
  let server: TestServer;
  let api: Api;
  const availability = async () =>
    (await api('GET', 'system?_queryFilter=true&_fields=availability')).body.result[0].availability;
  const people = () => readFile(join(server.project.location, 'data/people.csv'), 'utf8');

  beforeAll(async () => {
    server = await startTestServer({
      environment: { SVC_EGRESS_ALLOW: '127.0.0.1' },
      files: { 'conf/provisioner.openicf-hr.json': HR, 'data/people.csv': PEOPLE },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  beforeEach(() => server.project.write('data/people.csv', PEOPLE));

  it('shows objects of another system by the names of its file', async () => {
    const { status, body } = await api('GET', `system/hr/person/${encodeURIComponent('d/ö ra')}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      _id: 'd/ö ra',
      _rev: expect.stringMatching(/^[\w-]{16}$/),
      uid: 'd/ö ra',
      givenName: 'Dora',
      mail: 'dora@example.com',
      room: 7,
    });
    const found = await api('GET', 'system/hr/person?_queryFilter=room+gt+10&_fields=mail');
    expect(found.body.result).toEqual([{ _id: 'avo', mail: 'avo@example.com' }]);
    const ids = await api('GET', 'system/hr/person?_queryId=query-all-ids');
    expect(ids.body.result).toEqual([{ _id: 'avo' }, { _id: 'd/ö ra' }]);
  });

  it('makes, changes and deletes them', async () => {
    const made = await api('POST', 'system/hr/person?_action=create', {
      body: { uid: 'kim', givenName: 'Kim, "K"', room: 3 },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ _id: 'kim', uid: 'kim', givenName: 'Kim, "K"', room: 3 });
    const patched = await api('PATCH', 'system/hr/person/kim', {
      body: [{ operation: 'replace', field: '/mail', value: 'kim@example.com' }],
    });
    expect(patched.body.mail).toBe('kim@example.com');
    const put = await api('PUT', 'system/hr/person/kim', {
      headers: { 'If-Match': '*' },
      body: { ...made.body, room: null, givenName: 'Kim' },
    });
    const { _rev, ...shown } = put.body;
    expect(shown).toEqual({ _id: 'kim', uid: 'kim', givenName: 'Kim', mail: 'kim@example.com' });
    expect((await api('GET', 'system/hr/person/kim')).body._rev).toBe(_rev);
    expect(await people()).toBe(`${PEOPLE}kim,Kim,kim@example.com,\n`);
    expect((await api('DELETE', 'system/hr/person/kim')).status).toBe(200);
    expect(await people()).toBe(PEOPLE);
    expect((await api('GET', 'system/hr/person/kim')).body).toMatchObject({
      code: 404,
      message: 'Object kim not found on hr/person',
    });
  });

  it('changes and deletes what is as the caller has read it, and nothing else', async () => {
    const path = `system/hr/person/${encodeURIComponent('d/ö ra')}`;
    const { body, headers } = await api('GET', path);
    const some = await api('GET', `${path}?_fields=mail`);
    expect(some.body).toEqual({ _id: 'd/ö ra', mail: 'dora@example.com' });
    expect(headers.get('etag')).toBe(`"${body._rev}"`);
    const stale = { 'If-Match': `"${body._rev}"` };
    const patch = [{ operation: 'replace', field: '/room', value: 13 }];
    const patched = await api('PATCH', path, { headers: stale, body: patch });
    expect([patched.status, patched.body.room]).toEqual([200, 13]);
    const now = await people();
    for (const [method, given] of [
      ['PATCH', patch],
      ['PUT', { room: 14 }],
      ['DELETE', undefined],
    ] as const) {
      const refused = await api(method, path, {
        headers: stale,
        ...(given === undefined ? {} : { body: given }),
      });
      expect([refused.status, refused.body.detail.id]).toEqual([412, 'OBJECT_REVISION']);
    }
    expect(await people()).toBe(now);
    const last = { 'If-Match': patched.body._rev };
    expect((await api('DELETE', `${path}?_fields=uid`, { headers: last })).status).toBe(200);
  });

  it('says of a rehearsal what would change, and changes nothing', async () => {
    const made = await api('POST', 'system/hr/person?_action=create&_dryRun=true', { body: { uid: 'kim' } });
    expect(made.body.changes).toMatchObject([{ operation: 'create', after: { uid: 'kim' } }]);
    const patch = [{ operation: 'replace', field: '/room', value: 13 }];
    const patched = await api('PATCH', 'system/hr/person/avo?_dryRun=true', { body: patch });
    expect(patched.body.changes).toMatchObject([
      { resource: 'system/hr/person/avo', operation: 'update', before: { room: 12 }, after: { room: 13 } },
    ]);
    const deleted = await api('DELETE', 'system/hr/person/avo?_dryRun=true');
    expect(deleted.body.changes).toMatchObject([{ operation: 'delete' }]);
    expect(await people()).toBe(PEOPLE);
  });

  it('refuses what the system cannot hold, and says what it can', async () => {
    const refusals = [
      ['POST', 'system/hr/person?_action=create', { uid: 'kim', mial: 'x' }, 400, /attribute mial/, "'mail'"],
      ['POST', 'system/hr/person?_action=create', { mail: 'x' }, 400, /needs 'uid'/, ''],
      ['POST', 'system/hr/person?_action=create', { uid: 'avo' }, 412, /'avo' already/, ''],
      ['PUT', 'system/hr/person/new', { uid: 'new' }, 400, /client provided ID/, 'POST'],
      [
        'PATCH',
        'system/hr/person/avo',
        [{ operation: 'replace', field: '/uid', value: 'x' }],
        400,
        /'uid'/,
        'flags',
      ],
      [
        'PATCH',
        'system/hr/person/avo',
        [{ operation: 'replace', field: '/room', value: 'x' }],
        400,
        /integer/,
        '',
      ],
      [
        'PATCH',
        'system/hr/person/avo',
        [{ operation: 'increment', field: '/room', value: 1 }],
        400,
        /incr/,
        'add',
      ],
      ['GET', 'system/hr/person?_queryFilter=rom+eq+1', undefined, 400, /'rom'/, "'room'"],
      ['GET', 'system/hr/persn?_queryFilter=true', undefined, 404, /persn/, "'person'"],
      ['GET', 'system/rh/person?_queryFilter=true', undefined, 404, /'rh'/, "'hr'"],
      ['POST', 'system/hr?_action=script&scriptId=x', undefined, 501, /not run/, 'svc'],
      ['POST', 'system/hr?_action=liveSnc', undefined, 400, /liveSnc/, 'liveSync'],
    ] as const;
    for (const [method, path, body, code, message, hint] of refusals) {
      const answer = await api(method, path, body === undefined ? {} : { body });
      expect(answer.body, path).toMatchObject({ code, message: expect.stringMatching(message) });
      if (hint !== '') expect(answer.body.detail.hint, path).toContain(hint);
    }
    expect(await people()).toBe(PEOPLE);
  });

  it('refuses to read two rows of one id, and a row with too many cells', async () => {
    await server.project.write('data/people.csv', `${PEOPLE}avo,Other,,\n`);
    const twice = await api('GET', 'system/hr/person?_queryFilter=true');
    expect(twice.body).toMatchObject({ code: 500, message: "hr: Two rows are 'avo'" });
    await server.project.write('data/people.csv', `${PEOPLE}kim,Kim,k,3,4\n`);
    const long = await api('GET', 'system/hr/person?_queryFilter=true');
    expect(long.body).toMatchObject({ code: 500, message: expect.stringContaining('line 4') });
  });

  it('lets only administrators in', async () => {
    const user = {
      userName: 'kay',
      givenName: 'K',
      sn: 'K',
      mail: 'k@example.com',
      password: 'Some-Words-12',
    };
    await api('PUT', 'managed/user/kay', { body: user });
    const asUser = { user: 'kay', password: 'Some-Words-12' };
    expect((await api('GET', 'system/hr/person?_queryFilter=true', asUser)).status).toBe(403);
    expect((await api('POST', 'system?_action=test', asUser)).status).toBe(403);
  });

  it('tests what is configured, and what is not yet', async () => {
    const described = {
      name: 'hr',
      enabled: true,
      config: 'config/provisioner.openicf/hr',
      objectTypes: ['person'],
      displayName: 'hr',
    };
    expect((await api('POST', 'system?_action=test')).body).toMatchObject([{ ...described, ok: true }]);
    expect((await api('POST', 'system/hr?_action=test')).body).toMatchObject({ ...described, ok: true });
    expect((await api('GET', 'system?_queryFilter=true')).body.result).toMatchObject([described]);
    expect((await availability()).state).toBe('up');
    await server.project.remove('data/people.csv');
    expect((await api('POST', 'system?_action=test', { body: { id: 'hr' } })).body).toMatchObject({
      ok: false,
      error: expect.stringContaining('There is no file'),
    });
    expect(await availability()).toEqual({
      state: 'failing',
      why: expect.stringContaining('There is no file'),
    });
    const other = { ...HR, name: 'other', configurationProperties: { csvFile: 'conf/authentication.json' } };
    expect((await api('POST', 'system?_action=testConfig', { body: other })).body).toMatchObject({
      ok: false,
      error: expect.stringContaining("outside of the project's folder 'data'"),
    });
  });

  it('says why a system cannot be opened', async () => {
    const outside = { ...HR, name: 'zz', configurationProperties: { csvFile: 'conf/authentication.json' } };
    await api('PUT', 'config/provisioner.openicf/zz', { body: outside });
    expect((await api('POST', 'system/zz?_action=test')).body).toMatchObject({ ok: false });
    const listed = await api('GET', 'system?_queryFilter=name+eq+"zz"');
    expect(listed.body.result).toMatchObject([
      { availability: { state: 'failing', why: expect.stringContaining("such as 'data/ca.pem'") } },
    ]);
    await api('DELETE', 'config/provisioner.openicf/zz');
  });

  it('makes the file of a system step by step', async () => {
    const available = await api('POST', 'system?_action=availableConnectors');
    const [connectorRef] = available.body.connectorRef.filter(
      (one: typeof CONNECTOR) => one.connectorName === CONNECTOR.connectorName,
    );
    expect(available.body.configurationProperties[CONNECTOR.connectorName]).toContainEqual({
      name: 'csvFile',
      type: 'text',
      does: expect.any(String),
      required: true,
    });
    const core = await api('POST', 'system?_action=createCoreConfig', { body: { connectorRef } });
    expect(core.body.configurationProperties).toMatchObject({
      csvFile: null,
      headerUid: 'uid',
      fieldDelimiter: ',',
    });
    core.body.configurationProperties.csvFile = 'data/people.csv';
    const full = await api('POST', 'system?_action=createFullConfig', { body: core.body });
    expect(Object.keys(full.body.objectTypes.account.properties)).toEqual([
      'uid',
      'firstName',
      'mail',
      'room',
    ]);
    const stored = await api('PUT', 'config/provisioner.openicf/second', {
      body: { ...full.body, name: 'second' },
    });
    expect(stored.status).toBe(201);
    expect((await api('GET', 'system/second/account/avo')).body.firstName).toBe('Anna');
    const openapi = await fetch(`${server.url}/docs/openapi.json`).then((answer) => answer.text());
    expect(Object.keys(JSON.parse(openapi).paths)).toEqual(
      expect.arrayContaining(['/system', '/system/second', '/system/second/account/{id}']),
    );
    await api('DELETE', 'config/provisioner.openicf/second');
    expect((await api('GET', 'system/second/account/avo')).status).toBe(404);
  });

  it('refuses a file that could not work', async () => {
    const put = (changes: object) =>
      api('PUT', 'config/provisioner.openicf/wrong', { body: { ...HR, ...changes } });
    const wrong = [
      [{ name: 'h r' }, 'CONFIG'],
      [{ name: 'hr' }, 'SYSTEM_DUPLICATE'],
      [
        { name: 'x', connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CsvFileConnectr' } },
        'SYSTEM_NO_CONNECTOR',
      ],
      [
        {
          name: 'x',
          connectorRef: { connectorName: 'org.forgerock.openicf.connectors.groovy.ScriptedConnector' },
        },
        'SYSTEM_NO_CONNECTOR',
      ],
      [{ name: 'x', configurationProperties: {} }, 'SYSTEM_BAD_CONFIGURATION'],
      [
        { name: 'x', objectTypes: { t: { nativeType: 'a', properties: { b: { type: 'strnig' } } } } },
        'SYSTEM_BAD_TYPE',
      ],
    ] as const;
    for (const [changes, id] of wrong) {
      const { status, body } = await put(changes);
      expect(status, JSON.stringify(body)).toBe(400);
      expect(JSON.stringify(body), id).toContain(id);
    }
  });

  it('writes into the audit what was changed', async () => {
    await api('PATCH', 'system/hr/person/avo', {
      body: [{ operation: 'replace', field: '/room', value: 14 }],
    });
    const filter = encodeURIComponent('objectId eq "system/hr/person/avo" and operation eq "PATCH"');
    const { body } = await api('GET', `audit/activity?_queryFilter=${filter}`);
    expect(body.result).toMatchObject([{ changedFields: ['/room'], userId: 'svc-admin' }]);
  });

  describe('with a script that is its connector', () => {
    let service: PeopleService;
    let file: Record<string, unknown>;
    const ACCOUNT = {
      nativeType: '__ACCOUNT__',
      properties: {
        login: { type: 'string', nativeName: '__NAME__' },
        title: { type: 'string' },
        password: { type: 'string', nativeName: '__PASSWORD__', nativeType: 'JAVA_TYPE_GUARDEDSTRING' },
      },
    };
    /** Puts a function of the script in force. */
    const store = async (source: string) => {
      const script = `script/systems/people${++scripts}.js`;
      await server.project.write(script, source);
      const { configurationProperties } = file as typeof HR;
      const own = { ...configurationProperties, file: script.slice('script/'.length) };
      return api('PUT', 'config/provisioner.openicf/people', {
        body: { ...file, configurationProperties: own },
      });
    };
    let scripts = 0;
    const read = () => api('GET', 'system/people/account/1');

    beforeAll(async () => {
      service = new PeopleService();
      const port = await service.listen();
      file = {
        name: 'people',
        connectorRef: { connectorName: 'svc.scripted' },
        configurationProperties: {
          allow: [`http://127.0.0.1:${port}/v1`],
          authenticationMethod: 'HEADER',
          headerName: 'X-Api-Key',
          authToken: service.key,
          parameters: ['tenant=42'],
          scriptTimeout: 2_000,
        },
        objectTypes: { account: ACCOUNT },
      };
    });
    afterAll(async () => {
      await api('DELETE', 'config/provisioner.openicf/people');
      await service[Symbol.asyncDispose]();
    });

    it('reaches a service that has no standard, where scripts run', async () => {
      const source = await readFile(
        new URL('../support/connector/people-script.js', import.meta.url),
        'utf8',
      );
      const stored = await store(source);
      expect([stored.status, JSON.stringify(stored.body)]).toEqual([
        201,
        expect.not.stringContaining(service.key),
      ]);
      expect((await api('POST', 'system/people?_action=test')).body).toMatchObject({ ok: true });
      const made = await api('POST', 'system/people/account?_action=create', {
        body: { login: 'dora', title: 'Engineer', password: 'Open "Sesame" 1' },
      });
      expect(made.body).toMatchObject({ login: 'dora', title: 'Engineer' });
      expect([...service.people.values()]).toMatchObject([{ login: 'dora', password: 'Open "Sesame" 1' }]);
      const login = { username: 'dora', password: 'Open "Sesame" 1' };
      const known = await api('POST', 'system/people/account?_action=authenticate', { body: login });
      expect(known.body).toEqual({ _id: made.body._id });
      const twin = await api('POST', 'system/people/account?_action=create', { body: { login: 'dora' } });
      expect([twin.status, twin.body.detail.existingId]).toEqual([412, made.body._id]);
      const found = await api('GET', 'system/people/account?_queryFilter=title+co+"gin"');
      expect(found.body.result).toHaveLength(1);
    });

    it('shows the script neither its credentials nor a password', async () => {
      await store(`exports.get = () => {
        const { body } = http.request({ method: 'POST', url: 'echo', body: 'told' });
        return { id: '1', name: JSON.parse(body).key, attributes: { title: JSON.parse(body).body } };
      };
      exports.create = ({ attributes }) => { throw { code: 400, message: attributes.__PASSWORD__[0] }; };`);
      expect((await read()).body).toMatchObject({ login: '***', title: 'told' });
      const refused = await api('POST', 'system/people/account?_action=create', {
        body: { login: 'x', password: 'Open-Sesame-1' },
      });
      expect(refused.body).toMatchObject({ code: 400, message: expect.stringMatching(/^people: secret-/) });
    });

    it.each([
      ['another place', `http.request({ url: 'http://127.0.0.1:1/' })`, 500, /'allow' of the system/],
      ['a place beside it', `http.request({ url: '../v2/people' })`, 500, /v2\/people' is not allowed/],
      ['its own key', `http.request({ url: 'echo', headers: { 'x-api-key': '1' } })`, 500, /x-api-key/],
      ['a strange header', `http.request({ url: 'echo', headers: { 'a b': '1' } })`, 500, /'a b'/],
      ['resources of the server', `svc.read('managed/user/avo')`, 500, /no function 'svc.read'/],
      ['secrets of the server', `svc.decrypt({})`, 500, /no function 'svc.decrypt'/],
      ['properties', `identityServer.getProperty('x')`, 500, /no function 'identityServer/],
      ['an endless loop', `for (;;);`, 500, /2000 ms/],
      ['nothing that is known', `return { name: 'x' }`, 500, /an id must be a text/],
      ['its own refusal', `throw { code: 429, message: 'slowly', detail: { retryAfter: 7 } }`, 429, /slowly/],
      ['a mistake', `null.x`, 500, /TypeError|not/],
    ])('answers when the script wants %s', async (_what, statement, status, words) => {
      await store(`exports.get = () => { ${statement} };`);
      const answer = await read();
      expect(answer.body).toMatchObject({ code: status, message: expect.stringMatching(words) });
    });

    it('says what it lacks, follows no redirect, and gives what it was told to', async () => {
      await store(`exports.get = ({ parameters }) => {
        const { status, headers } = http.request({ url: 'moved' });
        return { id: 1, name: parameters.tenant, attributes: { title: status + ' ' + headers.location } };
      };`);
      expect((await read()).body).toMatchObject({ _id: '1', login: '42', title: '302 /v1/people' });
      const lacking = await api('GET', 'system/people/account?_queryFilter=true');
      expect(lacking.body).toMatchObject({ code: 501, message: expect.stringContaining("'search'") });
    });

    it('is refused when its file does not compile, or is not there', async () => {
      const broken = await store('exports.get = () => {');
      expect([broken.status, JSON.stringify(broken.body)]).toEqual([
        400,
        expect.stringContaining('SCRIPT_NOT_COMPILED'),
      ]);
      const { configurationProperties } = file as typeof HR;
      const nowhere = {
        ...file,
        configurationProperties: { ...configurationProperties, file: 'systems/no.js' },
      };
      const refused = await api('PUT', 'config/provisioner.openicf/people', { body: nowhere });
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([
        400,
        expect.stringContaining('SCRIPT_FILE_NOT_FOUND'),
      ]);
      const groovy = { ...configurationProperties, searchScriptFileName: 'SearchScript.groovy' };
      const field = {
        ...file,
        enabled: false,
        connectorRef: { connectorName: 'org.forgerock.openicf.connectors.groovy.ScriptedConnector' },
        configurationProperties: groovy,
      };
      const warned = await api('PUT', 'config/provisioner.openicf/groovy?_dryRun=true', { body: field });
      expect(JSON.stringify(warned.body) + warned.headers.get('warning')).toContain('svc.scripted');
    });
  });
});
