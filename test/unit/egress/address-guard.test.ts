import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { AddressGuard, shown } from '../../../src/egress/index.ts';

const own = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .map(({ address }) => address.replace(/%.*$/, ''));

describe('the guard of connections', () => {
  test.each(own)('denies %s, an address of this machine', (address) => {
    expect(new AddressGuard().isAllowed(address)).toBe(false);
  });

  test.each(own.filter((address) => !/^(?:127\.|::1$)/.test(address)))(
    'opens %s when it is named, not when its network is',
    (address) => {
      const network = address.includes(':') ? '::/0' : '0.0.0.0/0';
      expect(new AddressGuard([network]).isAllowed(address)).toBe(false);
      expect(new AddressGuard([address]).isAllowed(address)).toBe(true);
    },
  );

  test('looks up a name once, and says which of its addresses is denied', async () => {
    const guard = new AddressGuard();
    await expect(guard.resolve('localhost')).rejects.toMatchObject({
      message: expect.stringMatching(/^This server may not connect to localhost \((?:127|::1)/),
      detail: { id: 'EGRESS_DENIED' },
    });
    await expect(guard.resolve('10.0.0.7')).rejects.toMatchObject({ detail: { id: 'EGRESS_DENIED' } });
    expect(await guard.resolve('93.184.216.34')).toBe('93.184.216.34');
    expect(await new AddressGuard(['127.0.0.0/8', '::1']).resolve('localhost')).toMatch(/^(?:127\.|::1$)/);
  });
});

test.each([
  ['https://svc:secret@example.com/a', 'https://example.com/a'],
  ['http://secret@example.com', 'http://example.com'],
  ['https://example.com/a@b', 'https://example.com/a@b'],
])('of %s errors show %s', (url, text) => {
  expect(shown(url)).toBe(text);
});
