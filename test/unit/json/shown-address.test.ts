import { expect, test } from 'vitest';
import { shownAddress } from '#json/index.ts';

test.each([
  ['https://svc:x@example.com/a', 'https://***@example.com/a'],
  ['http://x@example.com', 'http://***@example.com'],
  ['http:svc:x@example.com', 'http:***@example.com'],
  ['https:///svc:x@example.com', 'https:///***@example.com'],
  ['https://example.com/a@b', 'https://example.com/a@b'],
  ['https://example.com/a?key=x#x', 'https://example.com/a?***'],
  ['https://svc:x/x?x@example.com/', 'https://***@example.com/'],
  ['ht!tp://svc:x@127.0.0.1:1/a?token=x', 'ht!tp://***@127.0.0.1:1/a?***'],
  ['svc:x@example.com', '***@example.com'],
  ['//svc:x@example.com', '***@example.com'],
  [' https://svc:x\n@example.com', ' https://***@example.com'],
  ['jdbc:odd://svc:x@db/svc;password=x', 'jdbc:odd://***@db/svc;***'],
  [`https://svc:${'x'.repeat(300)}@example.com/`, 'https://***@example.com/'],
  ['grant_type=password&client_secret=x', 'grant_type=password&client_secret=***'],
  ['https://svc:x', 'https://svc:***'],
  ['https://svc:pass word/a?b', 'https://svc:***/a?***'],
  ['postgres://svc:x', 'postgres://svc:***'],
  ['https://example.com:99999/a', 'https://example.com:99999/a'],
  ['ldap://example.com:389', 'ldap://example.com:389'],
  ['https://[::1]:x/a', 'https://[::1]:x/a'],
  ['https://:/', 'https://:/'],
  ['thing', 'thing'],
])('of %j messages show %j', (text, shown) => {
  expect(shownAddress(text)).toBe(shown);
  expect(shownAddress(shown)).toBe(shown);
});
