import { expect, it } from 'vitest';
import { moduleDoubts } from '../../../src/security/authentication/module-doubts.ts';

const doubtsOf = (name: string, properties: Record<string, never | string | string[]>, enabled = true) =>
  moduleDoubts({ serverAuthContext: { authModules: [{ name, enabled, properties }] } } as never);

it('tells of modules that believe a proxy and name none', () => {
  expect(doubtsOf('CLIENT_CERT', { allowedAuthenticationIdPatterns: [] })).toMatchObject([
    {
      field: '/serverAuthContext/authModules/0',
      message: 'CLIENT_CERT lets nobody in without header, trustedProxies, allowedAuthenticationIdPatterns',
      isWarning: true,
    },
  ]);
  expect(doubtsOf('TRUSTED_ATTRIBUTE', { trustedProxies: [] })).toHaveLength(1);
  expect(doubtsOf('TRUSTED_ATTRIBUTE', { trustedProxies: ['10.0.0.1'] })).toEqual([]);
});
