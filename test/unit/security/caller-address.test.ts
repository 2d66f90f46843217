import { describe, expect, it } from 'vitest';
import { networkOf, readAddress } from '../../../src/resource/internet-address.ts';
import { callerAddress } from '../../../src/security/authentication/caller-address.ts';
import { TrustedProxies } from '../../../src/security/authentication/trusted-proxies.ts';

const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);

describe('the address of a caller', () => {
  it.each([
    ['is that of a peer that is no proxy, whatever it sends', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['is that of a proxy that says nothing', '10.0.0.1', undefined, '10.0.0.1'],
    ['is the last hop that is no proxy', '10.0.0.1', '198.51.100.1, 203.0.113.7, 10.9.9.9', '203.0.113.7'],
    ['may be written with its port', '10.0.0.1', '66.6.6.1, 1.2.3.4:5555', '1.2.3.4'],
    ['may be written in brackets, with a port', '10.0.0.1', '66.6.6.1, [2001:db8::7]:443', '2001:db8::7'],
    ['may be written in brackets alone', '10.0.0.1', '[2001:db8::7]', '2001:db8::7'],
    [
      'finds proxies that write their port',
      '10.0.0.1',
      '203.0.113.7, 10.1.1.1:80, [fd00::1]:80',
      '203.0.113.7',
    ],
    ['is never that before one that cannot be read', '10.0.0.1', '66.6.6.1, unknown', '10.0.0.1'],
    ['is never that before an empty one', '10.0.0.1', '66.6.6.1, ', '10.0.0.1'],
    ['is never that before a name', '10.0.0.1', '66.6.6.1, host:80', '10.0.0.1'],
    [
      'is that of the farthest proxy where there are only proxies',
      '10.0.0.1',
      '10.3.3.3, 10.2.2.2',
      '10.3.3.3',
    ],
    [
      'is an IPv4 address also where the socket is IPv6',
      '::ffff:10.0.0.1',
      '::ffff:203.0.113.7',
      '203.0.113.7',
    ],
  ])('%s', (_what, peer, forwarded, expected) => {
    expect(callerAddress(peer, forwarded, proxies)).toBe(expected);
  });

  it.each([
    '',
    'unknown',
    '1.2.3',
    '1.2.3.4:',
    '1.2.3.4:5:6',
    '[1.2.3.4]',
    '[::1',
    '::1]',
    '_hidden',
    '"1.2.3.4"',
  ])('is not read from %j', (text) => expect(readAddress(text)).toBeUndefined());
});

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:DB8:0:1:ffff::9', '2001:db8:0:1::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['2001:0db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unix', 'unix'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
