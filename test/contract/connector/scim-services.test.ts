import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AddressGuard } from '#egress/index.ts';
import type { JsonObject } from '#json/index.ts';
import { scimKind } from '#system/connectors/scim/scim-connector.ts';
import { guardedRequest } from '#system/guarded-request.ts';
import { readConfiguration } from '#system/read-configuration.ts';
import { ConnectorSite, errorId } from '../../support/connector/fixture.ts';

/** A service that knows the least that it may: no PATCH, no filters, no cursors, and small pages. */
class PlainService implements AsyncDisposable {
  readonly users = new Map<string, JsonObject>();
  readonly asked: string[] = [];
  refusal:
    | { readonly status: number; readonly body: string; readonly headers?: Record<string, string> }
    | undefined;
  tokens = 0;
  /** By these it goes around for ever. */
  cursors: readonly string[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    const { pathname, searchParams } = new URL(url, 'http://service');
    this.asked.push(`${method} ${pathname}`);
    const send = (status: number, answer: unknown, more: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'Content-Type': 'application/scim+json', ...more })
        .end(JSON.stringify(answer));
    if (pathname === '/token') {
      const isKnown =
        headers.authorization === `Basic ${Buffer.from('client:client-secret').toString('base64')}`;
      this.tokens += 1;
      return void send(
        isKnown ? 200 : 401,
        isKnown ? { access_token: `token${this.tokens}`, expires_in: 3600 } : {},
      );
    }
    if (headers.authorization !== `Bearer token${this.tokens}`)
      return void send(401, { detail: 'Who are you?' });
    if (this.refusal !== undefined) {
      const { status, body: words, headers: more } = this.refusal;
      return void response.writeHead(status, more).end(words);
    }
    const [, collection, id = ''] = pathname.split('/');
    if (collection === 'ServiceProviderConfig') {
      const pagination = { cursor: this.cursors.length > 0 };
      return void send(200, { patch: { supported: false }, pagination });
    }
    if (collection === 'ResourceTypes') {
      return void send(200, { Resources: [{ name: 'User', endpoint: '/Users', schema: 'urn:user' }] });
    }
    if (collection === 'Schemas') {
      const named = (name: string, more: object = {}) => ({ name, type: 'string', ...more });
      const emails = named('emails', { type: 'complex', multiValued: true, subAttributes: [named('value')] });
      return void send(200, {
        Resources: [{ id: 'urn:user', attributes: [named('userName'), named('title'), emails] }],
      });
    }
    if (method === 'POST') {
      const made = { ...JSON.parse(body), id: `u${this.users.size}`, revision: 1 };
      this.users.set(made.id, made);
      return void send(201, made);
    }
    if (id === '' && this.cursors.length > 0) {
      const at = this.cursors.indexOf(searchParams.get('cursor') ?? '') + 1;
      const nextCursor = this.cursors[at % this.cursors.length];
      return void send(200, { Resources: [{ id: `u${at}`, userName: `user${at}` }], nextCursor });
    }
    if (id === '') {
      const start = Number(searchParams.get('startIndex') ?? 1);
      const Resources = [...this.users.values()].slice(start - 1, start + 1);
      return void send(200, { totalResults: this.users.size, startIndex: start, Resources });
    }
    const user = this.users.get(id);
    if (user === undefined) return void send(404, { detail: 'Nobody' });
    if (method === 'PUT') {
      if (headers['if-match'] !== `W/"${user['revision']}"`)
        return void send(412, { detail: 'It has changed' });
      this.users.set(id, { ...JSON.parse(body), id, revision: Number(user['revision']) + 1 });
    }
    const now = this.users.get(id);
    send(200, now, { ETag: `W/"${now?.['revision']}"` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('a service of SCIM that knows little', () => {
  let service: PlainService;
  let site: ConnectorSite;
  let configuration: JsonObject;

  const siteOf = (changes: JsonObject = {}) =>
    new ConnectorSite({
      kind: scimKind,
      host: { request: guardedRequest(new AddressGuard(['127.0.0.1'])) },
      config: {
        name: 'cloud',
        connectorRef: { connectorName: 'org.forgerock.openicf.connectors.scim.ScimConnector' },
        configurationProperties: { ...configuration, ...changes },
        objectTypes: {
          account: {
            nativeType: '__ACCOUNT__',
            properties: {
              login: { type: 'string', nativeName: '__NAME__' },
              title: { type: 'string' },
              mails: { type: 'array', items: { type: 'string' }, nativeName: 'emails' },
            },
          },
        },
      },
      draft: (object) => object,
      many: 1,
      multitude: 1,
      seed: async () => {},
      empty: async () => {},
      [Symbol.asyncDispose]: async () => {},
    });

  beforeEach(async () => {
    service = new PlainService();
    const url = await service.listen();
    configuration = {
      SCIMEndpoint: url,
      authenticationMethod: 'OAUTH',
      tokenEndpoint: `${url}/token`,
      clientId: 'client',
      clientSecret: 'client-secret',
    };
    site = siteOf();
  });
  afterEach(async () => {
    await site[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  it('is asked for each of its objects once, page by page, with one token', async () => {
    for (let at = 0; at < 7; at++) service.users.set(`u${at}`, { id: `u${at}`, userName: `user${at}` });
    expect((await site.list('login sw "user"')).map(({ login }) => login)).toEqual(
      Array.from({ length: 7 }, (_, at) => `user${at}`),
    );
    expect(service.tokens).toBe(1);
    service.tokens += 1;
    expect(await site.list('login eq "user3"')).toMatchObject([{ _id: 'u3' }]);
    expect(service.tokens).toBe(3);
  });

  it('is left when its pages go around, as one that has not told everything', async () => {
    service.cursors = ['a', 'b', 'c', 'd', 'e'];
    expect(await errorId(site.list('login sw "user"'))).toBe('SYSTEM_PROTOCOL');
    expect(service.asked.filter((one) => one === 'GET /Users').length).toBeLessThan(40);
  });

  it.each(['..', '.'])('is asked nothing about an object %j, which would be another place', async (id) => {
    await site.list('login sw "user"');
    const before = service.asked.length;
    expect(await site.read(id)).toBeUndefined();
    expect(await errorId(site.patch(id, [{ operation: 'replace', field: '/title', value: 'x' }]))).toBe(
      'SYSTEM_NOT_FOUND',
    );
    expect(service.asked.length).toBe(before);
  });

  it('is given the whole object back, as it was but for what changes', async () => {
    const id = await site.create({ login: 'dora', title: 'Engineer', mails: ['a@x.org'] });
    const stored = service.users.get(id) ?? {};
    service.users.set(id, { ...stored, nickName: 'D' });
    await site.patch(id, [
      { operation: 'add', field: '/mails/-', value: 'b@x.org' },
      { operation: 'replace', field: '/title', value: 'Director' },
    ]);
    expect(service.users.get(id)).toMatchObject({
      nickName: 'D',
      title: 'Director',
      emails: [{ value: 'a@x.org' }, { value: 'b@x.org' }],
    });
  });

  it.each([
    [429, '{}', { 'Retry-After': '7' }, 'SYSTEM_THROTTLED'],
    [503, '<html>Back soon</html>', {}, 'SYSTEM_UNAVAILABLE'],
    [403, '{"detail":"Not you"}', {}, 'SYSTEM_DENIED'],
    [409, '{"scimType":"uniqueness"}', {}, 'SYSTEM_ALREADY_EXISTS'],
    [302, '', { Location: 'http://169.254.169.254/' }, 'SYSTEM_PROTOCOL'],
    [200, '<html>Welcome</html>', {}, 'SYSTEM_PROTOCOL'],
  ])('may answer %s', async (status, body, headers, expected) => {
    service.refusal = { status, body, headers };
    expect(await errorId(site.read('u1'))).toBe(expected);
  });

  it('lets nobody in who has no right to', async () => {
    await using other = siteOf({ clientSecret: 'wrong-secret' });
    const error: unknown = await other.system.test().catch((told: unknown) => told);
    expect(await errorId(Promise.reject(error))).toBe('SYSTEM_INVALID_CREDENTIALS');
    expect(`${JSON.stringify(error)}${String(error)}`).not.toContain('wrong-secret');
  });

  it('is not asked where the operator does not let the server go', async () => {
    await using other = siteOf({ SCIMEndpoint: 'http://169.254.169.254/scim', authenticationMethod: 'NONE' });
    expect(await errorId(other.system.test())).toBe('EGRESS_DENIED');
  });

  it('is known by a file in which nothing is missing', () => {
    const problems = (changes: JsonObject) =>
      readConfiguration(scimKind, { SCIMEndpoint: 'https://id.example.com/v2', ...changes }).problems.map(
        ({ property }) => property,
      );
    expect(problems({ authToken: 'x' })).toEqual([]);
    expect(problems({})).toEqual(['authToken']);
    expect(problems({ authenticationMethod: 'BASIC' })).toEqual(['user', 'password']);
    expect(problems({ authenticationMethod: 'KERBEROS' })).toEqual(['authenticationMethod']);
    expect(problems({ SCIMEndpoint: 'https://me:secret@id.example.com', authToken: 'x' })).toEqual([
      'SCIMEndpoint',
    ]);
  });
});
