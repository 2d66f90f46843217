import { describe, expect, test } from 'vitest';
import { readDatabaseTargets, readSettings } from '#config/index.ts';

const read = (url: string) => {
  const targets = readDatabaseTargets(url);
  return targets?.addresses.map(targets.urlOf);
};

describe('the URL of a database', () => {
  test.for([
    'postgres://u:p@db/svc',
    'postgres://u:p@[::1]:5433/svc?sslmode=require',
    'postgres:///svc?host=/var/run/postgresql',
    'postgres://db/svc?target_session_attrs=any',
  ])('that names one server is the driver’s to read: %s', (url) => {
    expect(readDatabaseTargets(url)).toBeUndefined();
  });

  test.for([
    [
      'postgres://u:p%40ss@a:5433,b/svc?sslmode=verify-full&load_balance_hosts=disable',
      [
        'postgres://u:p%40ss@a:5433/svc?sslmode=verify-full',
        'postgres://u:p%40ss@b:5432/svc?sslmode=verify-full',
      ],
    ],
    ['postgresql://[::1]:1,10.0.0.1/svc', ['postgresql://[::1]:1/svc', 'postgresql://10.0.0.1:5432/svc']],
    ['postgres://u@/svc?host=a,b&port=1,2', ['postgres://u@a:1/svc', 'postgres://u@b:2/svc']],
    ['postgres://u@a,b/svc?port=6000', ['postgres://u@a:6000/svc', 'postgres://u@b:6000/svc']],
    ['postgres://a/svc?target_session_attrs=primary', ['postgres://a:5432/svc']],
  ] as const)('may have a list of hosts, as libpq reads it: %s', ([url, urls]) => {
    expect(read(url)).toEqual(urls);
  });

  test('means the server that takes changes, unless any is said', () => {
    const wants = (rest: string) => readDatabaseTargets(`postgres://a,b/svc${rest}`)?.wants;
    const attributes = ['read-write', 'any', 'prefer-standby'].map((word) => `?target_session_attrs=${word}`);
    expect(['', ...attributes].map(wants)).toEqual(['primary', 'primary', 'any', 'standby']);
  });

  test.for([
    [
      'postgres://a,b/svc?target_session_attrs=best',
      /target_session_attrs=best; must be one of any, read-write, primary, standby, prefer-standby/,
    ],
    ['postgres://a/svc?target_session_attrs=standby', /a standby, which takes no changes/],
    ['postgres://a,,b/svc', /has '' in a list of hosts/],
    ['postgres://a:99999,b/svc', /the port '99999'/],
    ['postgres://a,b,c/svc?port=1,2', /3 hosts and 2 ports/],
    ['mysql://a,b/svc', /must look like postgres:/],
    ['postgres://a,b c/svc', /must look like postgres:/],
  ] as const)('is refused where it could not be followed: %s', ([url, words]) => {
    expect(() => readSettings({ DATABASE_URL: url })).toThrow(words);
  });
});
