/** PATCH as RFC 7644, 3.5.2, has it, and as the clients there are send it. */
import { describe, expect, it } from 'vitest';
import { managedConfig, scimConfig } from '#config/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { Budget, REQUEST_ALLOWANCE } from '#resource/budget.ts';
import { readPatchBody } from '#scim/bulk.ts';
import { compileResourceTypes } from '#scim/compile-resource-type.ts';
import { changesTo, readContent } from '#scim/content.ts';
import { patchResource } from '#scim/patch.ts';
import { represent } from '#scim/representation.ts';
import type { ResourceType } from '#scim/resource-type.ts';
import { ENTERPRISE, parsed, shippedType } from './shipped.ts';

const STORED: JsonObject = {
  userName: 'kim',
  givenName: 'Kim',
  sn: 'Lee',
  mail: 'kim@example.com',
  accountStatus: 'active',
  city: 'Bern',
};

/** What a PATCH leaves to be changed of the stored object. */
async function patched(...Operations: readonly JsonObject[]) {
  return patchedAs(await shippedType('User'), Operations);
}

async function patchedAs(type: ResourceType, Operations: readonly JsonObject[]) {
  const addresses = { types: [type], base: 'http://x/scim/v2' };
  const before = represent(type, { id: '42', revision: '0', content: STORED }, addresses);
  const operations = readPatchBody({ Operations: [...Operations] });
  const { resource } = await patchResource(type, before, operations, new Budget());
  return changesTo(STORED, readContent(type, resource));
}

const replaced = (name: string, value: JsonValue) => [{ operation: 'replace', field: [name], value }];
const removed = (name: string) => [{ operation: 'remove', field: [name] }];

describe('a PATCH of a user', () => {
  it.each<[string, JsonObject, unknown]>([
    ['replaces an attribute', { op: 'replace', path: 'userName', value: 'lee' }, replaced('userName', 'lee')],
    ['adds a part', { op: 'add', path: 'name.givenName', value: 'K' }, replaced('givenName', 'K')],
    [
      'adds parts together',
      { op: 'add', path: 'name', value: { givenName: 'K' } },
      replaced('givenName', 'K'),
    ],
    ['changes nothing that is so already', { op: 'replace', path: 'userName', value: 'kim' }, []],
    ['removes an attribute', { op: 'remove', path: 'addresses' }, removed('city')],
    ['removes a flag that it names', { op: 'remove', path: 'active' }, removed('accountStatus')],
    ['removes an element', { op: 'remove', path: 'addresses[type eq "work"]' }, removed('city')],
    [
      'removes what is listed',
      { op: 'remove', path: 'addresses', value: [{ locality: 'Bern' }] },
      removed('city'),
    ],
    ['removes no other', { op: 'remove', path: 'emails', value: [{ value: 'x' }] }, []],
    [
      'replaces the value of an element',
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'k@x.org' },
      replaced('mail', 'k@x.org'),
    ],
    [
      'makes the element that is not there (Entra)',
      { op: 'Replace', path: 'phoneNumbers[type eq "work"].value', value: '1' },
      replaced('telephoneNumber', '1'),
    ],
    [
      'takes names of operations in any case, and booleans as texts (Entra)',
      { op: 'Replace', path: 'active', value: 'False' },
      replaced('accountStatus', 'inactive'),
    ],
    [
      'takes a list of one in the place of a value (Entra)',
      { op: 'Replace', path: 'userName', value: [{ $ref: null, value: 'lee' }] },
      replaced('userName', 'lee'),
    ],
    [
      'takes keys that are paths (Entra)',
      { op: 'replace', value: { 'name.familyName': 'L', [`${ENTERPRISE}:department`]: 'Sales' } },
      [...replaced('sn', 'L'), ...replaced('department', 'Sales')],
    ],
    [
      'takes an extension as an object',
      { op: 'add', value: { [ENTERPRISE]: { department: 'Sales' } } },
      replaced('department', 'Sales'),
    ],
    [
      'takes a whole extension by its path',
      { op: 'add', path: ENTERPRISE, value: { department: 'Sales' } },
      replaced('department', 'Sales'),
    ],
    [
      'passes over the id that it has, and what nothing is known of (Okta)',
      { op: 'replace', value: { id: '42', active: false, locale: 'de' } },
      replaced('accountStatus', 'inactive'),
    ],
    [
      'sets a manager by the id alone (Entra)',
      { op: 'add', path: `${ENTERPRISE}:manager`, value: '7' },
      replaced('manager', { _ref: 'managed/user/7' }),
    ],
    [
      'means what was added last where there is one place',
      { op: 'add', path: 'emails', value: [{ type: 'work', value: 'new@x.org' }] },
      replaced('mail', 'new@x.org'),
    ],
    [
      'means the element that there is by the primary one (Entra)',
      { op: 'Replace', path: 'emails[primary eq true].value', value: 'k@x.org' },
      replaced('mail', 'k@x.org'),
    ],
    [
      'makes it where there is none',
      { op: 'Add', path: 'phoneNumbers[primary eq true].value', value: '1' },
      replaced('telephoneNumber', '1'),
    ],
    ['removes nothing where no element is meant', { op: 'remove', path: 'emails[value eq "x"]' }, []],
    [
      'takes its own names whatever their case',
      { OP: 'replace', Path: 'USERNAME', VALUE: 'lee' },
      replaced('userName', 'lee'),
    ],
    [
      'passes over the extensions of other services, and elements without a place, in a resource',
      {
        op: 'add',
        value: {
          'urn:x:Other': { tag: 'x' },
          'urn:x:Other:tag': 'x',
          'no name': 'x',
          'emails[type eq "home"].value': 'x',
          userName: 'lee',
        },
      },
      replaced('userName', 'lee'),
    ],
    [
      'sets a manager',
      { op: 'add', path: `${ENTERPRISE}:manager`, value: { value: '7' } },
      replaced('manager', { _ref: 'managed/user/7' }),
    ],
  ])('%s', async (_title, operation, expected) => {
    expect(await patched(operation)).toEqual(expected);
  });

  it('may take away what is required and say it anew', async () => {
    const away = { op: 'remove', path: 'emails' };
    const anew = { op: 'add', path: 'emails', value: [{ type: 'work', value: 'k@x.org' }] };
    expect(await patched(away, anew)).toEqual(replaced('mail', 'k@x.org'));
  });

  it.each<[string, JsonObject, string]>([
    ['an operation that there is not', { op: 'move', path: 'userName', value: 'x' }, 'SCIM_BAD_SYNTAX'],
    ['an attribute that there is not', { op: 'add', path: 'nickName', value: 'x' }, 'SCIM_BAD_PATH'],
    ['a path that is none', { op: 'add', path: 'emails[', value: 'x' }, 'SCIM_BAD_PATH'],
    ['what is read-only', { op: 'add', path: 'groups', value: [{ value: 'x' }] }, 'SCIM_NOT_MUTABLE'],
    ['another id', { op: 'replace', value: { id: '43' } }, 'SCIM_NOT_MUTABLE'],
    [
      'a part that is read-only',
      { op: 'replace', path: `${ENTERPRISE}:manager.displayName`, value: 'x' },
      'SCIM_NOT_MUTABLE',
    ],
    ['meta', { op: 'replace', path: 'meta.version', value: 'x' }, 'SCIM_NOT_MUTABLE'],
    ['to remove what is required', { op: 'remove', path: 'userName' }, 'SCIM_NOT_MUTABLE'],
    ['to remove a part that is', { op: 'remove', path: 'name.givenName' }, 'SCIM_NOT_MUTABLE'],
    ['to remove an element that is', { op: 'remove', path: 'emails[type eq "work"]' }, 'SCIM_NOT_MUTABLE'],
    ['to remove its value', { op: 'remove', path: 'emails[type eq "work"].value' }, 'SCIM_NOT_MUTABLE'],
    [
      'a list of two in the place of a value',
      { op: 'add', path: 'userName', value: ['a', 'b'] },
      'SCIM_BAD_VALUE',
    ],
    ['a removal of nothing', { op: 'remove' }, 'SCIM_NO_TARGET'],
    [
      'an element that cannot be made',
      { op: 'replace', path: 'emails[value co "zzz"].type', value: 'home' },
      'SCIM_NO_TARGET',
    ],
    [
      'an element without a place',
      { op: 'add', path: 'emails[type eq "home"].value', value: 'x' },
      'SCIM_NO_TARGET',
    ],
    [
      'an element that is said to hold what it does not',
      { op: 'replace', path: 'emails[type eq "work" and value eq "old"].value', value: 'x' },
      'SCIM_NO_TARGET',
    ],
    [
      'to look for a part that no element has',
      { op: 'replace', path: 'emails[bogus eq "work"].value', value: 'x' },
      'SCIM_BAD_FILTER',
    ],
    ['an extension of another service', { op: 'add', path: 'urn:x:Other:tag', value: 'x' }, 'SCIM_BAD_PATH'],
    ['a value of another type', { op: 'replace', path: 'active', value: 'perhaps' }, 'SCIM_BAD_VALUE'],
    ['a text that is an object', { op: 'replace', path: 'userName', value: { a: 1 } }, 'SCIM_BAD_VALUE'],
  ])('refuses %s', async (_title, operation, id) => {
    await expect(patched(operation)).rejects.toMatchObject({ code: 400, detail: { id } });
  });
});

describe('a PATCH of what is not kept, where scim.json ignores that', () => {
  const ignoring = async (...operations: readonly JsonObject[]) =>
    patchedAs({ ...(await shippedType('User')), ignoresUnmapped: true }, operations);

  it('changes what is kept, and nothing else', async () => {
    const unknown = [
      'title',
      'name.formatted',
      'addresses[type eq "work"].formatted',
      'phoneNumbers[type eq "mobile"].value',
      `${ENTERPRISE}:employeeNumber`,
      'urn:x:Other:tag',
    ].map((path) => ({ op: 'Add', path, value: 'x' }));
    const off = { op: 'Replace', path: 'active', value: 'False' };
    expect(await ignoring(...unknown, off)).toEqual(replaced('accountStatus', 'inactive'));
  });

  it.each<[string, JsonObject, string]>([
    ['a path that is none', { op: 'add', path: 'emails[', value: 'x' }, 'SCIM_BAD_PATH'],
    ['what is read-only', { op: 'add', path: 'groups', value: [{ value: 'x' }] }, 'SCIM_NOT_MUTABLE'],
    [
      'an element that is not there',
      { op: 'replace', path: 'emails[value co "zzz"].type', value: 'home' },
      'SCIM_NO_TARGET',
    ],
  ])('refuses %s all the same', async (_title, operation, id) => {
    await expect(ignoring(operation)).rejects.toMatchObject({ code: 400, detail: { id } });
  });
});

describe('a value that nobody has named', () => {
  const status = async (accountStatus: string, resource: (before: JsonObject) => JsonObject) => {
    const type = await shippedType('User');
    const stored = { ...STORED, accountStatus };
    const before = represent(type, { id: '42', revision: '0', content: stored }, { types: [type], base: '' });
    return changesTo(stored, readContent(type, resource(before)), { keepsFlags: true });
  };

  it.each(['inactive', 'suspended'])('leaves an account %s', async (accountStatus) => {
    const { active: _, ...rest } = STORED;
    expect(await status(accountStatus, ({ active: _active, ...before }) => ({ ...rest, ...before }))).toEqual(
      [],
    );
    expect(
      await status(accountStatus, (before) => ({ ...before, name: { givenName: 'K', familyName: 'Lee' } })),
    ).toEqual(replaced('givenName', 'K'));
  });
});

describe('a PATCH that looks at too much', () => {
  const elements = (count: number, value: string) =>
    Array.from({ length: count }, (_, n) => ({ type: 'home', value: `${value}${n}` }));
  const adding = (...lists: readonly JsonObject[][]) =>
    readPatchBody({ Operations: lists.map((value) => ({ op: 'add', path: 'emails', value })) });

  it('ends before it does', async () => {
    const type = await shippedType('User');
    const budget = new Budget({ ...REQUEST_ALLOWANCE, nodes: 500_000 });
    const operations = adding(elements(1_000, 'a'), elements(1_000, 'b'), elements(1_000, 'c'));
    await expect(patchResource(type, { id: '42' }, operations, budget)).rejects.toMatchObject({
      detail: { id: 'BUDGET_SPENT', expense: 'nodes' },
    });
  });

  it('is paid for by each of the attributes that one operation names', async () => {
    const type = await shippedType('User');
    const budget = new Budget({ ...REQUEST_ALLOWANCE, operations: 1_000 });
    const names = Array.from({ length: 2_000 }, (_, n) => [`nobodys${n}.part`, n] as const);
    const operations = readPatchBody({ Operations: [{ op: 'add', value: Object.fromEntries(names) }] });
    await expect(patchResource(type, { id: '42' }, operations, budget)).rejects.toMatchObject({
      detail: { id: 'BUDGET_SPENT', expense: 'operations' },
    });
  });

  it('leaves the thread to others meanwhile, and pays for the time', async () => {
    const type = await shippedType('User');
    const budget = new Budget();
    const filter = Array.from({ length: 190 }, (_, n) => `value co "z${n}"`).join(' or ');
    const looking = readPatchBody({
      Operations: [{ op: 'remove', path: `emails[${filter}]` }],
    });
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await patchResource(type, { id: '42' }, [...adding(elements(500, 'a')), ...looking], budget);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
    expect(budget.spent.busyMs).toBeGreaterThan(0);
    expect(budget.spent.operations).toBe(2);
  });

  it.each([
    ['add', 6_000],
    ['remove', 1],
  ])('compares what thousands %s with no more than what is like it', async (op, left) => {
    const type = await shippedType('User');
    const values = [...elements(2_999, 'b'), { type: 'home', value: 'a0' }];
    const later = readPatchBody({ Operations: [{ op, path: 'emails', value: values }] });
    const startedAt = process.threadCpuUsage();
    const { resource } = await patchResource(
      type,
      { id: '42' },
      [...adding(elements(3_000, 'a')), ...later],
      new Budget(),
    );
    expect(process.threadCpuUsage(startedAt).user).toBeLessThan(500_000);
    expect(resource['emails']).toHaveLength(op === 'add' ? left - 1 : 3_000 - left);
  });

  it('pays for each condition of a filter, and for the texts that it reads', async () => {
    const type = await shippedType('User');
    const filter = Array.from({ length: 190 }, (_, n) => `value co "z${n}"`).join(' or ');
    const operations = readPatchBody({
      Operations: [
        { op: 'replace', path: 'emails', value: [{ type: 'work', value: 'x'.repeat(600_000) }] },
        { op: 'remove', path: `emails[${filter}]` },
      ],
    });
    await expect(patchResource(type, { id: '42' }, operations, new Budget())).rejects.toMatchObject({
      detail: { id: 'BUDGET_SPENT', expense: 'nodes' },
    });
  });
});

describe('a PATCH of a group', () => {
  async function edges(...Operations: readonly JsonObject[]) {
    const type = await shippedType('Group');
    const before = represent(
      type,
      { id: 'g', revision: '0', content: { name: 'G' } },
      { types: [type], base: '' },
    );
    const operations = readPatchBody({ Operations: [...Operations] });
    const patch = await patchResource(type, before, operations, new Budget());
    const { all, added, removed: gone } = patch.edges.get('members') ?? { all: null, added: [], removed: [] };
    return { all, added: [...added], removed: [...gone] };
  }
  const ref = (id: string) => `managed/user/${id}`;

  it.each<[string, JsonObject[], object]>([
    [
      'adds members',
      [{ op: 'add', path: 'members', value: [{ value: 'a' }, { value: 'b' }] }],
      { added: [ref('a'), ref('b')] },
    ],
    [
      'adds one by its address alone',
      [{ op: 'add', path: 'members', value: [{ $ref: 'https://id.example.com/scim/v2/Users/a%2Fb' }] }],
      { added: [ref('a%2Fb')] },
    ],
    [
      'passes over spaces around a path',
      [{ op: 'remove', path: ' members[value eq "a"] ' }],
      { removed: [ref('a')] },
    ],
    ['removes one by its value', [{ op: 'remove', path: 'members[value eq "a"]' }], { removed: [ref('a')] }],
    [
      'removes the listed ones (Entra)',
      [{ op: 'Remove', path: 'members', value: [{ value: 'a', $ref: null }] }],
      { removed: [ref('a')] },
    ],
    [
      'replaces one by another',
      [{ op: 'replace', path: 'members[value eq "a"]', value: { value: 'b' } }],
      { added: [ref('b')], removed: [ref('a')] },
    ],
    [
      'replaces one by its value',
      [{ op: 'replace', path: 'members[value eq "a"].value', value: 'b' }],
      { added: [ref('b')], removed: [ref('a')] },
    ],
    ['removes all of them', [{ op: 'remove', path: 'members' }], { all: [] }],
    ['clears by replacing with none (Okta)', [{ op: 'replace', path: 'members', value: [] }], { all: [] }],
    [
      'leaves them alone where it does not name them (Okta)',
      [{ op: 'replace', value: { id: 'g', displayName: 'H' } }],
      { all: null },
    ],
    [
      'replaces them in a resource (Okta)',
      [{ op: 'replace', value: { members: [{ value: 'a' }] } }],
      { all: [ref('a')] },
    ],
    [
      'means the last of what it says of one',
      [
        { op: 'add', path: 'members', value: [{ value: 'a' }] },
        { op: 'remove', path: 'members[value eq "a"]' },
      ],
      { added: [], removed: [ref('a')] },
    ],
  ])('%s', async (_title, operations, expected) => {
    expect(await edges(...operations)).toMatchObject(expected);
  });

  it.each<[string, string[]]>([
    ['value eq "a" or value eq "b"', ['a', 'b']],
    ['value eq "a" and type eq "user"', ['a']],
    ['type eq "User" and (value eq "a" or value eq "b")', ['a', 'b']],
    ['(value eq "a" or value eq "b") and not (value eq "a")', ['b']],
    ['value eq "a" and type eq "Group"', []],
    ['value eq "a" and value eq "A"', []],
  ])('removes the members that are meant by %s', async (filter, ids) => {
    const { all, removed } = await edges({ op: 'remove', path: `members[${filter}]` });
    expect([all, removed]).toEqual([null, ids.map(ref)]);
  });

  it.each([
    'display eq "Kim"',
    'value pr',
    'value sw "a"',
    'value ne "a"',
    'not (value eq "a")',
    'type eq "User"',
    'value eq "a" or type eq "User"',
    '$ref eq "../Users/a"',
  ])('refuses to look at all members for %s', async (filter) => {
    await expect(edges({ op: 'remove', path: `members[${filter}]` })).rejects.toMatchObject({
      code: 400,
      detail: { id: 'SCIM_BAD_FILTER' },
    });
  });
});

describe('a PATCH of a list of plain values', () => {
  const CORE = 'urn:example:Thing';
  const [type] = compileResourceTypes(
    parsed(scimConfig, {
      resourceTypes: [
        {
          name: 'Thing',
          endpoint: '/Things',
          managed: 'managed/thing',
          schema: CORE,
          attributes: [
            { scim: 'name', managed: '/name' },
            { scim: 'tags', managed: '/tags' },
          ],
        },
      ],
    }),
    parsed(managedConfig, {
      objects: [
        {
          name: 'thing',
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
          },
        },
      ],
    }),
  ).types;
  const tags = async (operation: JsonObject) => {
    if (type === undefined) throw new Error('there is no Thing');
    const before = { schemas: [CORE], id: '1', name: 'x', tags: ['a', 'b', 'c'] };
    const operations = readPatchBody({ Operations: [operation] });
    return (await patchResource(type, before, operations, new Budget())).resource['tags'];
  };

  it.each([
    ['value eq "b"', ['a', 'c']],
    ['value eq "b" or value eq "c"', ['a']],
    ['value eq "none"', ['a', 'b', 'c']],
  ])('removes what is meant by %s', async (filter, expected) => {
    expect(await tags({ op: 'remove', path: `tags[${filter}]` })).toEqual(expected);
  });

  it('replaces what is meant, and refuses a part that plain values do not have', async () => {
    expect(await tags({ op: 'replace', path: 'tags[value eq "b"]', value: 'x' })).toEqual(['a', 'x', 'c']);
    await expect(tags({ op: 'remove', path: 'tags[type eq "b"]' })).rejects.toMatchObject({
      code: 400,
      detail: { id: 'SCIM_BAD_FILTER' },
    });
  });
});
