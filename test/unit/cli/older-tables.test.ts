import { describe, expect, it } from 'vitest';
import { openCrypto } from '#crypto/index.ts';
import type { JsonObject } from '#json/index.ts';
import { ManagedTypes } from '#managed/index.ts';
import { convertEdge } from '../../../src/cli/import/repository/convert-edge.ts';
import { convertManaged } from '../../../src/cli/import/repository/convert-object.ts';
import { convertInternalUser, convertLink } from '../../../src/cli/import/repository/convert-table.ts';

const text = { type: 'string' };
const edges = (path: string, reverse: string) => ({
  type: 'array',
  items: {
    type: 'relationship',
    reverseRelationship: true,
    reversePropertyName: reverse,
    resourceCollection: [{ path }],
  },
});
const types = new ManagedTypes();
types.replace([
  {
    name: 'user',
    schema: { properties: { userName: text, roles: edges('managed/role', 'members') } },
  },
  { name: 'role', schema: { properties: { name: text, members: edges('managed/user', 'roles') } } },
]);
const crypto = openCrypto({ keyRing: {} });
const row = (id: string, content: JsonObject, rev = '0') => ({
  ...{ key: '1', id, rev },
  text: JSON.stringify(content),
});

describe('what a repository of an older or a newer version of the family holds', () => {
  it.each([
    ['names with commas, as until 3.1', 'openidm-admin, openidm-authorized'],
    [
      'references, as since 4.0',
      '[{"_ref":"repo/internal/role/openidm-admin"},{"_ref":"repo/internal/role/openidm-authorized"}]',
    ],
    ['a list of names', '["openidm-admin","openidm-authorized"]'],
  ])('are roles of internal users: %s', async (_what, roles) => {
    const { items } = await convertInternalUser(crypto, row('boss', { pwd: 'Plain-Secret-1', roles }));
    expect(items[0]?.data['roles']).toEqual([
      { _ref: 'repo/internal/role/openidm-admin' },
      { _ref: 'repo/internal/role/openidm-authorized' },
    ]);
  });

  it.each([
    ['', {}, 'default'],
    ['the qualifier that they have since 4.0, and', { linkqualifier: 'insured' }, 'insured'],
  ])('are links with %s the two ids', (_what, more, qualifier) => {
    const link = { linktype: 'a_b', firstid: 'x', secondid: 'y', ...more };
    const [item] = convertLink(row('l', link)).items;
    expect(item?.data).toMatchObject({ link_type: 'a_b', qualifier, first_id: 'x', second_id: 'y' });
  });

  it('are the same edges by paths and by the collections and ids of newer versions', () => {
    const names = { firstPropertyName: 'members', secondPropertyName: 'roles', properties: {} };
    const [byPath] = convertEdge(
      types,
      row('e', { ...names, firstId: 'managed/role/a%2Fb', secondId: 'managed/user/ann' }),
    ).items;
    const [byParts] = convertEdge(
      types,
      row('e', {
        ...names,
        ...{ firstResourceCollection: 'managed/role', firstResourceId: 'a/b' },
        ...{ secondResourceCollection: 'managed/user', secondResourceId: 'ann' },
      }),
    ).items;
    expect(byPath?.data).toEqual(byParts?.data);
    expect(Object.values(byPath?.data ?? {})).toEqual(expect.arrayContaining(['a/b', 'ann']));
  });

  it('are edges where objects before 4.0 hold them as texts or references, the same each time', () => {
    const held = { userName: 'ann', roles: ['managed/role/staff', { _ref: 'managed/role/chief' }] };
    const read = () => convertManaged(types, 'user', row('ann', held));
    const { items, remarks } = read();
    expect(items.map(({ kind }) => kind)).toEqual(['managed', 'relationship', 'relationship']);
    expect(items[0]?.data).toEqual({ userName: 'ann' });
    expect(remarks).toEqual([]);
    expect(read().items.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  });

  it('has revisions that are numbers, or begin anew', () => {
    const revOf = (rev: string) => convertManaged(types, 'user', row('ann', {}, rev)).items[0]?.rev;
    expect([revOf('7'), revOf('00000000d5e1b1e2'), revOf('4a1c')]).toEqual([7, 0, 0]);
  });
});
