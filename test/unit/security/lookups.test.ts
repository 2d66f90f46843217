import { expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { type Request, resource, systemContext } from '#resource/index.ts';
import { AccessRules } from '#security/index.ts';
import { Lookups } from '../../../src/security/access/lookups.ts';

it('what is stored is read, and its members are counted, once for all questions about it', async () => {
  let reads = 0;
  let counts = 0;
  const preferences = new Proxy<JsonObject>(
    { a: 1, b: 2 },
    {
      ownKeys: (target) => {
        counts += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  const lookups = new Lookups(async () => {
    reads += 1;
    return resource('kim', '0', { nested: { preferences } });
  });
  const rules = new AccessRules({
    adminRole: 'svc-admin',
    properties: () => ({ nested: { userEditable: true } }),
    processRules: () => undefined,
    decideByScript: () => Promise.reject(new Error('No condition here needs a script')),
  });
  const customAuthz = "onlyEditableManagedObjectProperties('user')";
  const rule = { pattern: '*', roles: '*', methods: '*', actions: '*', customAuthz };
  rules.replace({ config: { configs: [rule] }, text: '' });
  const ask = (content: JsonObject) => {
    const path = ['managed', 'user', 'kim'];
    const request = { method: 'update', path, content, fields: [], parameters: {}, revision: null } as const;
    return rules.grants(systemContext(), request satisfies Request, lookups);
  };
  for (let n = 0; n < 5; n += 1) expect(await ask({ nested: { preferences: { a: n } } })).toBe(true);
  expect([reads, counts]).toEqual([1, 1]);
});
