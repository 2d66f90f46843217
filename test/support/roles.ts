import { expect } from 'vitest';
import type { Api } from './api.ts';

export type Grant = { _ref: string; _refProperties: Record<string, unknown> };

export const DAY_MS = 86_400_000;
export const span = (fromMs: number, toMs: number) => [
  { duration: `${new Date(Date.now() + fromMs).toISOString()}/${new Date(Date.now() + toMs).toISOString()}` },
];
export const NOW = () => span(-DAY_MS, DAY_MS);
export const PAST = () => span(-2 * DAY_MS, -DAY_MS);
export const FUTURE = () => span(DAY_MS, 2 * DAY_MS);

/** Users, roles and assignments under names of their own, and what they come to. */
export function rolesApi(api: () => Api) {
  let next = 0;
  const named = (kind: string) => `${kind}${++next}`;
  const create = async (path: string, body: object) => {
    const answer = await api()('PUT', `managed/${path}`, { body });
    expect(answer.body).not.toHaveProperty('code');
    return answer.body;
  };
  const user = async (more: object = {}) => {
    const id = named('user');
    const body = { userName: id, givenName: 'Uma', sn: 'Ser', mail: `${id}@example.com`, ...more };
    await create(`user/${id}`, body);
    return id;
  };
  const role = async (more: object = {}) => {
    const id = named('role');
    await create(`role/${id}`, { name: id, description: 'A role', ...more });
    return id;
  };
  const assignment = async (more: object = {}) => {
    const id = named('assignment');
    await create(`assignment/${id}`, {
      name: id,
      description: 'An assignment',
      mapping: 'directory',
      ...more,
    });
    return id;
  };
  const role_ = (id: string, properties?: object) => ({
    _ref: `managed/role/${id}`,
    ...(properties === undefined ? {} : { _refProperties: properties }),
  });
  const patch = async (path: string, ...body: object[]) => {
    const answer = await api()('PATCH', `managed/${path}`, { body });
    expect(answer.body).not.toHaveProperty('code');
    return answer;
  };
  const set = (path: string, field: string, value: unknown) =>
    patch(path, value === null ? { operation: 'remove', field } : { operation: 'replace', field, value });
  const read = async (id: string) => (await api()('GET', `managed/user/${id}?_fields=*,roles`)).body;
  const rolesOf = async (id: string) =>
    ((await read(id)).roles as Grant[]).map(({ _ref, _refProperties }) => [
      _ref.slice('managed/role/'.length),
      _refProperties['_grantType'] ?? 'manual',
    ]);
  const effective = async (id: string) =>
    (await read(id)).effectiveRoles.map(({ _ref }: Grant) => _ref.slice('managed/role/'.length));
  return { named, user, role, assignment, role_, patch, set, read, rolesOf, effective };
}
