import { afterAll, beforeAll, expect } from 'vitest';
import { ADMIN_PASSWORD, type Answer, type CallOptions } from './api.ts';
import { type HostileTarget, hostileTarget, USER_PASSWORD } from './hostile-target.ts';

/** A server of its own for the attacks of a file, and who may ask it for what. */
export function attackSite() {
  let target: HostileTarget;
  let before: unknown;
  const asAdmin = (method: string, path: string, options: CallOptions = {}) =>
    target.server.api(method, path, options);
  const asEve = (method: string, path: string, options: CallOptions = {}) =>
    asAdmin(method, path, { user: 'eve', password: USER_PASSWORD, ...options });
  const asNobody = (method: string, path: string, options: CallOptions = {}) =>
    asAdmin(method, path, { user: 'anonymous', password: 'anonymous', ...options });

  /** What the attacks must not change. */
  async function crownJewels() {
    const paths = [
      'repo/managed/user/ada',
      'repo/managed/user/ben',
      'repo/internal/user/svc-admin',
      'repo/internal/role/svc-admin',
      'config/managed',
      'config/authentication',
    ];
    return Promise.all(paths.map(async (path) => (await asAdmin('GET', path)).body));
  }

  beforeAll(async () => {
    target = await hostileTarget();
    before = await crownJewels();
  });
  afterAll(() => target?.[Symbol.asyncDispose]());

  async function expectUnharmed(): Promise<void> {
    expect(await crownJewels()).toEqual(before);
  }

  /** To be asked after all attacks. */
  async function expectNoFailure(): Promise<void> {
    const failed = target.server.observations.filter(({ kind }) => kind === 'http.failed');
    expect(failed).toEqual([]);
    const ready = await fetch(`${target.server.url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(
      (await asAdmin('GET', 'managed/user?_queryFilter=userName%20eq%20%22mallory%22')).body.resultCount,
    ).toBe(0);
    expect((await asAdmin('GET', 'info/login')).body.authorization.roles).toContain('svc-admin');
  }

  function expectNoPassword(): void {
    const said = JSON.stringify(target.server.observations.map(({ ...all }) => all));
    for (const secret of [ADMIN_PASSWORD, USER_PASSWORD]) expect(said).not.toContain(secret);
  }

  return {
    get target() {
      return target;
    },
    asAdmin,
    asEve,
    asNobody,
    expectUnharmed,
    expectNoFailure,
    expectNoPassword,
  };
}

export function expectRefusal({ status, body }: Answer, ...statuses: number[]): void {
  expect(statuses, JSON.stringify(body)).toContain(status);
  expect(body).toMatchObject({ code: status, reason: expect.any(String), message: expect.any(String) });
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:\d|syntax error|relation "|pg_|at \S+ \(/);
}
