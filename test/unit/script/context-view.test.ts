import { expect, it } from 'vitest';
import { systemContext } from '#resource/index.ts';
import { contextView } from '../../../src/script/context-view.ts';

it('what the server asks by itself comes from the system', () => {
  const { security, caller, client } = contextView(systemContext()) as Record<string, object>;
  expect(security).toEqual({
    name: 'security',
    authenticationId: 'system',
    authorization: { id: 'system', roles: ['system'], component: 'internal/user' },
  });
  expect([caller, client]).toMatchObject([{ external: false }, { isExternal: false }]);
});
