import { describe, expect, it } from 'vitest';
import type { RouteHandler } from '#resource/index.ts';
import { parsePath } from '../../../src/resource/resource-path.ts';
import { RouteTable } from '../../../src/resource/road/route.ts';

const handler = (name: string): RouteHandler & { name: string } => ({
  name,
  handle: () => Promise.reject(new Error('not called')),
});

function tableOf(...patterns: string[]): RouteTable {
  const table = new RouteTable();
  for (const pattern of patterns) table.add(pattern, handler(pattern));
  return table;
}

const find = (table: RouteTable, path: string) => {
  const found = table.find(parsePath(path));
  return found === undefined
    ? undefined
    : { ...found.match, name: (found.handler as { name?: string }).name };
};

describe('a route', () => {
  it('matches exactly without a star, and everything below with one', () => {
    const table = tableOf('info/ping', 'scheduler/job*');
    expect(find(table, 'info/ping')).toMatchObject({ name: 'info/ping', remaining: [] });
    expect(find(table, 'info/ping/x')).toBeUndefined();
    expect(find(table, 'scheduler/job/a')).toMatchObject({ remaining: ['a'] });
    expect(find(table, 'scheduler/job')).toMatchObject({ remaining: [] });
    expect(find(table, 'scheduler/jobs')).toBeUndefined();
  });

  it('compares literals ignoring case and keeps the case of variables', () => {
    const table = tableOf('endpoint/order/{orderId}');
    expect(find(table, 'Endpoint/ORDER/AbC')).toMatchObject({ variables: { orderId: 'AbC' } });
  });

  it('with more literals wins, then an exact one over a prefix', () => {
    const table = tableOf('repo*', 'repo/scheduler/triggers*', 'repo/{type}', 'repo/links');
    expect(find(table, 'repo/scheduler/triggers/x')?.name).toBe('repo/scheduler/triggers*');
    expect(find(table, 'repo/links')?.name).toBe('repo/links');
    expect(find(table, 'repo/other')?.name).toBe('repo/{type}');
    expect(find(table, 'repo/other/deep')?.name).toBe('repo*');
  });

  it('is gone after its removal', () => {
    const table = new RouteTable();
    const remove = table.add('a*', handler('a'));
    remove();
    expect(find(table, 'a')).toBeUndefined();
  });
});

describe('a resource path', () => {
  it('ignores slashes at its ends, and decodes its segments', () => {
    expect(parsePath('/managed/user/a%2Fb%20c/')).toEqual(['managed', 'user', 'a/b c']);
    expect(parsePath('/')).toEqual([]);
  });

  it('refuses an empty segment and a broken escape', () => {
    expect(() => parsePath('a//b')).toThrow(/empty segment/);
    expect(() => parsePath('a/%zz')).toThrow(/percent escape/);
  });
});
