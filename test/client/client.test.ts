import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  asFilter,
  BadRequestError,
  ConflictError,
  createClient,
  type DryRun,
  filter,
  NeedsReauthenticationError,
  NotAllowedError,
  NotFoundError,
  PolicyError,
  type Stored,
  UnavailableError,
  UnreachableError,
} from '#client/index.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { apiKey, callersOf, KEY, PASSWORD } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

interface User {
  userName: string;
  givenName: string;
  sn: string;
  mail: string;
}

interface Types {
  user: User;
}

const ADMIN = { user: 'svc-admin', password: ADMIN_PASSWORD };

let server: TestServer;
const { createUser } = callersOf(() => server.api);
const clientOf = (options: object = {}) => createClient<Types>({ url: server.url, auth: ADMIN, ...options });
const user = (userName: string, sn = 'Nagy') => ({
  userName,
  givenName: userName.toUpperCase(),
  sn,
  mail: `${userName}@example.com`,
});

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function errorOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
}

describe('the client', () => {
  it('creates, reads, changes and deletes an object', async () => {
    const users = clientOf().managed('user');
    const dora: Stored<User> = await users.create(user('dora'));
    expect(await users.read(dora._id, { fields: ['userName'] })).toEqual({
      _id: dora._id,
      _rev: '0',
      userName: 'dora',
    });
    const patched = await users.patch(dora._id, [{ operation: 'replace', field: '/sn', value: 'Vogl' }], {
      revision: dora._rev,
    });
    expect([patched.sn, patched._rev]).toEqual(['Vogl', '1']);
    const updated = await users.update(dora._id, { ...user('dora'), givenName: 'Theodora' });
    expect([updated.sn, updated.givenName]).toEqual(['Nagy', 'Theodora']);
    expect((await users.delete(dora._id, { revision: updated._rev })).userName).toBe('dora');
    expect(await errorOf(users.read(dora._id))).toBeInstanceOf(NotFoundError);
  });

  it('goes through what a query finds, page by page, as far as it is wanted', async () => {
    const urls: string[] = [];
    const counting: typeof fetch = (input, init) => {
      urls.push(String(input));
      return fetch(input, init);
    };
    const users = clientOf({ fetch: counting }).managed('user');
    for (const name of ['p1', 'p2', 'p3', 'p4', 'p5'])
      await users.create(user(name, 'Page "or" \\'), { id: name });
    urls.length = 0;
    const query = {
      filter: filter`sn eq ${'Page "or" \\'}`,
      fields: ['userName'],
      sort: ['-userName'],
      pageSize: 2,
    };
    const names: string[] = [];
    for await (const { userName } of users.query(query)) names.push(userName);
    expect(names).toEqual(['p5', 'p4', 'p3', 'p2', 'p1']);
    expect(urls).toHaveLength(3);
    for await (const page of users.query({ ...query, total: 'EXACT' }).pages()) {
      expect([page.result.length, page.totalPagedResults]).toEqual([2, 5]);
      break;
    }
    expect(urls).toHaveLength(4);
  });

  it('rehearses, and answers with the report instead', async () => {
    const users = clientOf().managed('user');
    const report: DryRun<Stored<User>> = await users.create(user('never'), { id: 'never', dryRun: true });
    expect(report.changes.map(({ resource, operation }) => [resource, operation])).toContainEqual([
      'managed/user/never',
      'create',
    ]);
    expect(report.result.userName).toBe('never');
    expect(await errorOf(users.read('never'))).toBeInstanceOf(NotFoundError);
  });

  it('tells who was slower at which revision the object is', async () => {
    const users = clientOf().managed('user');
    await users.create(user('race'), { id: 'race' });
    await users.patch('race', [{ operation: 'replace', field: '/sn', value: 'First' }]);
    const late = await errorOf(
      users.patch('race', [{ operation: 'replace', field: '/sn', value: 'Late' }], { revision: '0' }),
    );
    expect(late).toBeInstanceOf(ConflictError);
    expect(late).toMatchObject({ id: 'OBJECT_REVISION', code: 412, revision: '1' });
    expect(await errorOf(users.create(user('race'), { id: 'race' }))).toMatchObject({
      name: 'ConflictError',
      id: 'OBJECT_EXISTS',
      revision: undefined,
    });
    expect(await errorOf(users.update('absent', user('absent')))).toBeInstanceOf(NotFoundError);
  });

  it('says by the class of an error what is the matter, with its id, hint and request', async () => {
    const slip = await errorOf(
      clientOf()
        .managed('user')
        .query({ filter: asFilter('sn ne "x"') })
        [Symbol.asyncIterator]()
        .next(),
    );
    expect(slip).toBeInstanceOf(BadRequestError);
    expect(slip).toMatchObject({
      id: 'FILTER_UNKNOWN_OPERATOR',
      hint: 'Write !(field eq value)',
      requestId: expect.stringMatching(/\S/),
    });
    const nameless: unknown = await errorOf(
      clientOf()
        .managed('user')
        .create({ ...user('x'), sn: 7 as never }),
    );
    expect(nameless).toBeInstanceOf(PolicyError);
    expect(nameless).toMatchObject({ code: 403, failures: [{ property: 'sn' }] });
    expect(await errorOf(clientOf({ auth: undefined }).whoAmI())).toMatchObject({
      name: 'NotAllowedError',
      code: 401,
    });
    await createUser('ada');
    const asAda = clientOf({ auth: { user: 'ada', password: PASSWORD } });
    expect(await errorOf(asAda.config().read('managed'))).toBeInstanceOf(NotAllowedError);
  });

  it('sends the password once more for what is protected, where it is asked to', async () => {
    await createUser('bea');
    const auth = { user: 'bea', password: PASSWORD };
    const mail = [{ operation: 'replace', field: '/mail', value: 'b@example.com' }] as const;
    expect(await errorOf(clientOf({ auth }).managed('user').patch('bea', mail))).toBeInstanceOf(
      NeedsReauthenticationError,
    );
    const willing = clientOf({ auth, reauthenticate: () => PASSWORD }).managed('user');
    expect((await willing.patch('bea', mail)).mail).toBe('b@example.com');
  });

  it('lets names and passwords of any letters in', async () => {
    const users = clientOf().managed('user');
    const password = 'Pässwörd: 密码-9';
    await users.create({ ...user('jörg'), mail: 'joerg@example.com', password } as User, { id: 'joerg' });
    const { authenticationId } = await clientOf({ auth: { user: 'jörg', password } }).whoAmI();
    expect(authenticationId).toBe('jörg');
  });

  it('lets no id be a path, nor none', async () => {
    const users = clientOf().managed('user');
    for (const id of ['', '.', '..']) await expect(users.delete(id)).rejects.toThrow(TypeError);
    expect(await errorOf(users.read('../role/x?y#z'))).toBeInstanceOf(NotFoundError);
  });

  it('comes again where it was turned away at the door, also to write', async () => {
    await using limited = await startTestServer({ environment: { SVC_RATE_LIMIT: '20' } });
    const statuses: number[] = [];
    const counting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      statuses.push(response.status);
      return response;
    };
    const roles = createClient({ url: limited.url, auth: ADMIN, fetch: counting }).managed('role');
    // A minute's worth may come at once.
    const names = Array.from({ length: 22 }, (_, at) => `r${at}`);
    const made = await Promise.all(names.map((name) => roles.create({ name, description: 'One of many' })));
    expect(made.map(({ name }) => name)).toEqual(names);
    expect(statuses).toContain(429);
    expect(statuses.filter((status) => status === 201)).toHaveLength(22);
  });

  it('reads again after a 503 that says when, and writes never', async () => {
    let refusals = 2;
    let calls = 0;
    const busy: typeof fetch = async (input, init) => {
      calls += 1;
      if (refusals-- <= 0) return fetch(input, init);
      return new Response('<html>busy</html>', { status: 503, headers: { 'Retry-After': '0' } });
    };
    const users = clientOf({ fetch: busy }).managed('user');
    expect((await users.read('ada')).userName).toBe('ada');
    expect(calls).toBe(3);
    refusals = 1;
    expect(await errorOf(users.create(user('twice')))).toBeInstanceOf(UnavailableError);
    expect(calls).toBe(4);
    refusals = 100;
    expect(await errorOf(users.read('ada'))).toBeInstanceOf(UnavailableError);
    expect(calls).toBe(8);
  });

  it('says that there is no server, or another one', async () => {
    expect(await errorOf(createClient({ url: 'http://127.0.0.1:1' }).whoAmI())).toBeInstanceOf(
      UnreachableError,
    );
    const redirected: typeof fetch = (input, init) =>
      fetch(String(input).replace('/svc/info/login', '/docs'), init);
    expect(await errorOf(clientOf({ fetch: redirected }).whoAmI())).toBeInstanceOf(UnreachableError);
    expect(() => createClient({ url: 'nonsense' })).toThrow(TypeError);
  });

  it('runs a schedule, and shows a configuration', async () => {
    const client = clientOf();
    const body = {
      enabled: false,
      schedule: '0 0 2 * * ?',
      invokeService: 'script',
      invokeContext: { script: { type: 'text/javascript', source: '1' } },
    };
    await client.scheduler.jobs.create({ ...body, persisted: true }, { id: 'nightly' });
    const job = client.scheduler.job('nightly');
    expect(await job.trigger({ dryRun: true })).toMatchObject({ dryRun: true });
    expect(await job.trigger()).toHaveProperty('_id', 'nightly');
    expect(await client.config().read('managed')).toHaveProperty('objects');
  });

  it('comes in with a key', async () => {
    const modules = [
      { name: 'API_KEY', properties: { keys: [{ ...apiKey('robot', KEY), roles: ['svc-authorized'] }] } },
    ];
    await using other = await startTestServer({
      files: { 'conf/authentication.json': { serverAuthContext: { authModules: modules } } },
    });
    const { authenticationId } = await createClient({
      url: `${other.url}/svc/`,
      auth: { apiKey: KEY },
    }).whoAmI();
    expect(authenticationId).toBe('robot');
  });

  it('needs nothing but what browsers and Node 20 have', () => {
    const program = ts.createProgram([new URL('../../src/client/index.ts', import.meta.url).pathname], {
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: [],
      strict: true,
      skipDefaultLibCheck: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      allowImportingTsExtensions: true,
      noEmit: true,
    });
    const found = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
    expect(found).toEqual([]);
  });
});
