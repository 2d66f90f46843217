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

export const passwordOf = (user: string, text = PASSWORD) => ({
  'X-Svc-Username': user,
  'X-Svc-Password': text,
});

type Headers = Record<string, string>;

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
