import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer, Api, CallOptions } from './api.ts';

/** Of the users of a test. */
export const PASSWORD = 'Passw0rd-of-users';
export const KEY = 'robot.0123456789abcdef0123456789abcdef';
export const CERTIFICATE = { 'X-Client-Cert-Subject': 'CN=device-7, O=Example' };
/** What scripts of our own pages can send, and links of others cannot. */
export const OWN_PAGE = { 'X-Requested-With': 'XMLHttpRequest' };

export const CERTIFICATES = {
  name: 'CLIENT_CERT',
  properties: {
    header: 'x-client-cert-subject',
    trustedProxies: ['127.0.0.0/8', '::1'],
    allowedAuthenticationIdPatterns: ['CN=[\\w-]+, O=Example'],
  },
} as const;

/** An entry of an `API_KEY` module. */
export const apiKey = (id: string, key: string) => ({
  id,
  hash: createHash('sha256').update(key).digest('base64url'),
});

/** An authentication.json with a module of each kind; tokens come from the issuer at that address. */
export function authenticationWith(issuer: string, further: readonly object[] = []) {
  const users = { queryOnResource: 'managed/user', defaultUserRoles: ['svc-authorized'] };
  return {
    serverAuthContext: {
      sessionModule: {
        name: 'JWT_SESSION',
        properties: { maxTokenLifeMinutes: 60, tokenIdleTimeMinutes: 10 },
      },
      authModules: [
        { name: 'MANAGED_USER', properties: users },
        { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
        {
          name: 'OPENID_CONNECT',
          properties: {
            issuer,
            audience: 'svc',
            authenticationIdClaim: 'preferred_username',
            rolesClaim: 'roles',
            acceptedRoles: ['svc-tasks-manager'],
            defaultUserRoles: ['svc-authorized'],
            queryOnResource: 'managed/user',
          },
        },
        CERTIFICATES,
        {
          name: 'API_KEY',
          properties: {
            keys: [
              { ...apiKey('robot', KEY), roles: ['svc-authorized'] },
              { ...apiKey('old', 'old.secret'), expiresAt: '2020-01-01T00:00:00Z' },
            ],
          },
        },
        ...further,
      ],
    },
  };
}

export const passwordOf = (user: string, text = PASSWORD) => ({
  'X-Svc-Username': user,
  'X-Svc-Password': text,
});

type Headers = Record<string, string>;

/** Calls of one user, who says the name and the password with each. */
export const callerAs =
  (api: () => Api, user: string, password = PASSWORD) =>
  (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
    api()(method, path, { user, password, ...options });

/** Calls that say themselves who makes them. */
export function callersOf(api: () => Api) {
  const asNobody = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
    api()(method, path, { user: null, ...options });
  return {
    asNobody,
    whoAmI: (headers: Headers) => asNobody('GET', 'info/login', { headers }),

    /** Begins a session. @returns its cookie */
    async begin(headers: Headers): Promise<{ Cookie: string }> {
      const answer = await asNobody('POST', 'authentication?_action=login', { headers });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return { Cookie: answer.headers.get('Set-Cookie')!.split(';')[0]! };
    },

    /** @param id another one than the name has it in the address */
    async createUser(userName: string, id = userName): Promise<void> {
      const mail = `${createHash('md5').update(userName).digest('hex')}@example.com`;
      const body = { userName, password: PASSWORD, givenName: userName.toUpperCase(), sn: 'Nagy', mail };
      const { status } = await api()('PUT', `managed/user/${encodeURIComponent(id)}`, { body });
      expect(status).toBe(201);
    },

    /** One operation of a patch, by the administrator. */
    async patch(path: string, operation: string, field: string, value: unknown): Promise<void> {
      const { status } = await api()('PATCH', path, { body: [{ operation, field, value }] });
      expect(status).toBe(200);
    },
  };
}
