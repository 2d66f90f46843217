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

  // IANA's registries of special addresses, with what RFC 6052, RFC 2765 and RFC 4291 embed in IPv6.
  test.each([
    ...[
      '0.1.2.3',
      '10.1.2.3',
      '100.64.1.1',
      '127.1.2.3',
      '169.254.1.1',
      '172.16.0.1',
      '192.0.0.8',
      '192.0.0.170',
    ],
    ...['192.0.2.1', '192.88.99.1', '192.168.0.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
    ...['240.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...[
      '::',
      '::1',
      '::ffff:10.0.0.7',
      '::ffff:0:8.8.8.8',
      '::ffff:0:0a00:7',
      '::8.8.8.8',
      '64:ff9b::10.0.0.7',
    ],
    ...[
      '64:ff9b:1::1',
      '64:ff9b:1:a00:7::',
      '100::1',
      '100:0:0:1::1',
      '2001::1',
      '2001:1::1',
      '2001:2::1',
      '2001:10::1',
    ],
    ...[
      '2001:20::1',
      '2001:30::1',
      '2001:db8::1',
      '2002:a00:7::1',
      '3fff::1',
      '3fff:fff::1',
      '5f00::1',
      '4000::1',
    ],
    ...['fc00::1', 'fdff::1', 'fe80::1', 'fec0::1', 'ff02::1', '1fff::1', '8000::1'],
  ])('denies %s, which is no address of the Internet', (address) => {
    expect(new AddressGuard().isAllowed(address)).toBe(false);
  });

  test.each([
    '8.8.8.8',
    '2606:4700::1111',
    '2a00:1450::1',
    '64:ff9b::8.8.8.8',
    '2001:4860:4860::8888',
    '2620:4f:8000::1',
  ])('lets through %s', (address) => {
    expect(new AddressGuard().isAllowed(address)).toBe(true);
  });

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
