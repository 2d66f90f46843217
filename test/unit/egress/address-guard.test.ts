import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { AddressGuard, sendRequest } from '../../../src/egress/index.ts';

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

describe('a list of the only places', () => {
  const guard = (...only: string[]) => new AddressGuard(['127.0.0.0/8', '::1'], { only });
  const may = (only: string, host: string, address: string) => {
    try {
      guard(only).check(host, address);
      return true;
    } catch (error) {
      expect(error).toMatchObject({
        detail: { id: 'EGRESS_DENIED', hint: expect.stringContaining('SVC_EGRESS_ONLY') },
      });
      return false;
    }
  };

  test.each([
    ['id.example.com', 'id.example.com'],
    ['id.example.com', 'ID.Example.COM.'],
    ['.example.com', 'id.example.com'],
    ['.example.com', 'a.b.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['8.8.0.0/16', 'dns.example.net'],
    ['8.8.8.8', '8.8.8.8'],
    ['2001:4860::/32,8.8.8.8', 'dns.example.net'],
  ])('with %s lets through %s', (only, host) => {
    const list = only.split(',');
    expect(() => guard(...list).check(host, '8.8.8.8')).not.toThrow();
  });

  test.each([
    ['id.example.com', 'example.com'],
    ['id.example.com', 'a.id.example.com'],
    ['id.example.com', 'evil-id.example.com'],
    ['.example.com', 'example.com'],
    ['.example.com', 'evilexample.com'],
    ['.example.com', 'example.com.evil.org'],
    ['id.example.com', '8.8.8.8'],
    ['8.8.4.0/24', 'id.example.com'],
    ['8.8.4.0/24', '8.8.8.8'],
  ])('with %s lets nobody go to %s', (only, host) => {
    expect(may(only, host, '8.8.8.8')).toBe(false);
  });

  test('opens nothing that is not open without it', () => {
    expect(() => guard('id.example.com', '10.0.0.0/8').check('id.example.com', '10.0.0.7')).toThrow(
      /may not connect/,
    );
    expect(() => guard('localhost').check('localhost', '127.0.0.1')).not.toThrow();
  });

  test('asks nobody where a name leads that is not listed', async () => {
    await expect(guard('id.example.com').resolve('secret-of-a-process.invalid')).rejects.toMatchObject({
      detail: { id: 'EGRESS_DENIED' },
    });
    await expect(guard('.invalid').resolve('secret-of-a-process.invalid')).rejects.toMatchObject({
      code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
  });

  test('holds for requests and for where they are led on', async () => {
    const server = createServer((request, response) => {
      const { port } = server.address() as AddressInfo;
      if (request.url === '/away') response.writeHead(302, { Location: `http://127.0.0.1:${port}/` });
      response.end('here');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = (url: string) =>
      sendRequest(
        { method: 'GET', url, headers: {}, body: null, timeoutMs: 5_000, followsRedirects: true },
        guard('localhost'),
      );
    const denied = { detail: { id: 'EGRESS_DENIED' } };
    expect((await ask(`http://localhost:${port}/`)).body).toBe('here');
    await expect(ask(`http://127.0.0.1:${port}/`)).rejects.toMatchObject(denied);
    await expect(ask(`http://localhost:${port}/away`)).rejects.toMatchObject(denied);
    server.close();
  });
});
