/** Filters of SCIM: what they say, and that stored objects are found by them as resources meet them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { managedConfig, scimConfig } from '#config/index.ts';
import type { JsonObject } from '#json/index.ts';
import { KNOWN_AS, otherEndsOf } from '#resource/index.ts';
import { compileFilter } from '#resource/query/query-filter-match.ts';
import { compileResourceTypes } from '#scim/compile-resource-type.ts';
import { OPERATORS, parseScimFilter, type ScimFilter, type ScimValue } from '#scim/filter.ts';
import { meetsFilter } from '#scim/filter-match.ts';
import { toQueryFilter } from '#scim/filter-query.ts';
import { represent } from '#scim/representation.ts';
import type { ResourceType } from '#scim/resource-type.ts';
import '../../support/property-seed.ts';
import { runs } from '../../support/long.ts';
import { ENTERPRISE, parsed, shippedType } from './shipped.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';

const path = (name: string, sub: string | null = null, schema: string | null = null) => ({
  schema,
  name,
  sub,
});
const compare = (name: string, operator: string, value: ScimValue, sub: string | null = null) => ({
  kind: 'compare',
  path: path(name, sub),
  operator,
  value,
});

describe('a filter', () => {
  it.each([
    ['userName eq "kim"', compare('userName', 'eq', 'kim')],
    ['USERNAME EQ "kim"', compare('USERNAME', 'eq', 'kim')],
    ['name.familyName co "O\'Malley"', compare('name', 'co', "O'Malley", 'familyName')],
    ['title pr', { kind: 'present', path: path('title') }],
    ['active eq True', compare('active', 'eq', true)],
    ['x eq null', compare('x', 'eq', null)],
    ['n gt -1.5e3', compare('n', 'gt', -1500)],
    ['t eq "a\\"b\\u00e9"', compare('t', 'eq', 'a"bé')],
    [
      `${ENTERPRISE}:department eq "x"`,
      { ...compare('department', 'eq', 'x'), path: path('department', null, ENTERPRISE) },
    ],
    ['not (a pr)', { kind: 'not', filter: { kind: 'present', path: path('a') } }],
    [
      'a pr or b pr and c pr',
      {
        kind: 'or',
        filters: [
          { kind: 'present', path: path('a') },
          {
            kind: 'and',
            filters: [
              { kind: 'present', path: path('b') },
              { kind: 'present', path: path('c') },
            ],
          },
        ],
      },
    ],
    [
      'emails[type eq "work" and value co "@"]',
      {
        kind: 'element',
        path: path('emails'),
        filter: { kind: 'and', filters: [compare('type', 'eq', 'work'), compare('value', 'co', '@')] },
      },
    ],
    [
      'emails[type eq "work"].value eq "x"',
      {
        kind: 'element',
        path: path('emails'),
        filter: { kind: 'and', filters: [compare('type', 'eq', 'work'), compare('value', 'eq', 'x')] },
      },
    ],
  ])('says %s', (text, expected) => {
    expect(parseScimFilter(text, [ENTERPRISE])).toEqual(expected);
  });

  it.each([
    '',
    'userName',
    'userName eq',
    'userName eq kim',
    'userName eq "kim',
    'userName like "x"',
    '(a pr',
    'a pr)',
    'a pr and',
    'emails[type eq "work"',
    'a.b.c pr',
    'urn:other:User:x pr',
    `${'('.repeat(40)}a pr${')'.repeat(40)}`,
    Array(300).fill('a pr').join(' or '),
    `a eq "${'x'.repeat(9_000)}"`,
  ])('that is none is refused: %s', (text) => {
    expect(() => parseScimFilter(text, [ENTERPRISE])).toThrow(expect.objectContaining({ code: 400 }));
  });

  const texts = fc.constantFrom(
    'kim',
    'Kim',
    'lee',
    'kim@example.com',
    'KIM@example.com',
    'work',
    '',
    'a',
    'ä',
  );
  const content = fc.record(
    {
      userName: texts,
      givenName: texts,
      sn: texts,
      mail: texts,
      telephoneNumber: fc.oneof(texts, fc.constant(null)),
      accountStatus: fc.constantFrom('active', 'inactive', 'other'),
      department: fc.oneof(texts, fc.constant(null)),
      postalAddress: texts,
      city: texts,
      manager: fc.constantFrom('42', 'r1'),
      roles: fc.uniqueArray(fc.constantFrom('42', 'r1', 'r2'), { minLength: 1 }),
      externalId: texts,
    },
    { requiredKeys: [] },
  );
  const places = fc.constantFrom(
    path('id'),
    path('userName'),
    path('name', 'givenName'),
    path('name', 'familyName'),
    path('emails', 'value'),
    path('emails', 'type'),
    path('emails'),
    path('phoneNumbers', 'value'),
    path('addresses', 'locality'),
    path('department', null, ENTERPRISE),
    path('manager', 'value', ENTERPRISE),
    path('groups'),
    path('groups', 'value'),
    path('groups', 'type'),
    path('externalId'),
    path('schemas'),
  );
  const values = fc.oneof(texts, fc.constantFrom('42', 'r1', 'Group', USER, ENTERPRISE));
  const condition = fc.oneof(
    fc.record({ kind: fc.constant('present'), path: places }),
    fc.record({
      kind: fc.constant('compare'),
      path: places,
      operator: fc.constantFrom(...OPERATORS),
      value: values,
    }),
    fc.record({
      kind: fc.constant('compare'),
      path: fc.constant(path('active')),
      operator: fc.constantFrom('eq', 'ne'),
      value: fc.boolean(),
    }),
  );
  const inner = fc.record({
    kind: fc.constant('compare'),
    path: fc.constantFrom(path('value'), path('type')),
    operator: fc.constantFrom(...OPERATORS),
    value: texts,
  });
  const ofEnds = fc.record({
    kind: fc.constant('compare'),
    path: fc.constant(path('value')),
    operator: fc.constantFrom(...OPERATORS.filter((one) => one !== 'ne')),
    value: fc.constantFrom('42', 'r', 'r1'),
  });
  const ofName = fc.record({
    kind: fc.constant('compare'),
    path: fc.constantFrom(path('givenName'), path('familyName')),
    operator: fc.constantFrom(...OPERATORS),
    value: texts,
  });
  const filters = fc.letrec<{ filter: ScimFilter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      condition,
      fc.record({
        kind: fc.constant('element'),
        path: fc.constantFrom(path('emails'), path('phoneNumbers'), path('schemas')),
        filter: fc.oneof(
          inner,
          fc.record({ kind: fc.constantFrom('and', 'or'), filters: fc.tuple(inner, inner) }),
          fc.record({ kind: fc.constant('not'), filter: inner }),
        ),
      }),
      fc.record({
        kind: fc.constant('element'),
        path: fc.constantFrom(path('groups'), path('manager', null, ENTERPRISE)),
        filter: fc.oneof(ofEnds, fc.record({ kind: fc.constant('or'), filters: fc.tuple(ofEnds, ofEnds) })),
      }),
      fc.record({
        kind: fc.constant('element'),
        path: fc.constant(path('name')),
        filter: fc.oneof(ofName, fc.record({ kind: fc.constant('not'), filter: ofName })),
      }),
      fc.record({ kind: fc.constant('not'), filter: tie('filter') }),
      fc.record({
        kind: fc.constantFrom('and', 'or'),
        filters: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
      }),
    ) as fc.Arbitrary<ScimFilter>,
  })).filter;

  it('finds an object exactly where its resource meets it', async () => {
    const types = await Promise.all(['User', 'Group'].map(shippedType));
    const [type] = types as [ResourceType];
    const isExact = ({ name, sub }: { readonly name: string; readonly sub?: string | null }) =>
      ['id', 'externalId'].includes(name) || (['groups', 'manager'].includes(name) && sub !== 'type');
    fc.assert(
      fc.property(content, filters, (stored, filter) => {
        const { manager, roles, externalId, ...own } = stored;
        const object: JsonObject = { _id: '42', ...own };
        const content: JsonObject = {
          ...object,
          ...(manager === undefined ? {} : { manager: { _ref: `managed/user/${manager}` } }),
          ...(roles === undefined ? {} : { roles: roles.map((id) => ({ _ref: `managed/role/${id}` })) }),
        };
        const resource = represent(
          type,
          { id: '42', revision: '0', content, ...(externalId === undefined ? {} : { externalId }) },
          { types, base: 'http://x/scim/v2' },
        );
        // As the table has it, where nothing could be looked up before.
        const row: JsonObject = {
          ...object,
          ...(manager === undefined ? {} : { [otherEndsOf('manager')]: [manager] }),
          ...(roles === undefined ? {} : { [otherEndsOf('roles')]: roles }),
          ...(externalId === undefined ? {} : { [KNOWN_AS]: externalId }),
        };
        const isOfAll = false;
        const found = compileFilter(toQueryFilter({ type, isOfAll }, filter, () => null))(row);
        expect(found).toBe(meetsFilter(filter, resource, isExact));
      }),
      { numRuns: runs(2_000) },
    );
  });

  const asked = async (name: string, text: string) => {
    const type = await shippedType(name);
    const schemas = [type.schema, ...type.extensions.map(({ schema }) => schema)];
    return toQueryFilter({ type, isOfAll: false }, parseScimFilter(text, schemas), ({ value }) => [
      `of ${value}`,
    ]);
  };
  const ALL = { kind: 'literal', value: true };
  const NONE = { kind: 'literal', value: false };

  it.each([
    [`${USER}:id eq "42"`, { kind: 'compare', pointer: ['_id'], operator: 'eq', value: '42' }],
    [`schemas eq "${USER}"`, ALL],
    [`schemas co "CORE:2.0:USER"`, ALL],
    [`schemas eq "urn:x"`, { kind: 'or', filters: [] }],
    ['active eq "True"', { kind: 'compare', pointer: ['accountStatus'], operator: 'eq', value: 'active' }],
    ['meta pr', ALL],
    ['meta.version pr', ALL],
    ['meta.resourceType eq "user"', ALL],
    ['meta.resourceType eq "Group"', NONE],
    ['meta[resourceType eq "User"]', ALL],
    [`schemas[value eq "${USER}"]`, ALL],
    [`schemas.value sw "urn:x"`, { kind: 'or', filters: [] }],
    ['manager pr', { kind: 'present', pointer: ['_otherEnds/manager'] }],
    ['groups.$ref pr', { kind: 'present', pointer: ['_otherEnds/roles'] }],
    ['groups.type ne "Group"', { kind: 'not', filter: { kind: 'present', pointer: ['_otherEnds/roles'] } }],
    ['groups eq "42"', { kind: 'in', pointer: ['_id'], values: ['of 42'] }],
    ['externalId eq "x"', { kind: 'in', pointer: ['_id'], values: ['of x'] }],
    ['externalId sw "x"', { kind: 'compare', pointer: ['_knownAs'], operator: 'sw', value: 'x' }],
    ['emails.primary eq true', { kind: 'or', filters: [NONE] }],
  ])('asks the database for %s', async (text, expected) => {
    expect(await asked('User', text)).toEqual(expected);
  });

  it.each([
    ['members[value eq "42"]', { kind: 'in', pointer: ['_id'], values: ['of 42'] }],
    ['members[value eq "42" and type eq "USER"]', { kind: 'in', pointer: ['_id'], values: ['of 42'] }],
    ['members[type eq "Group" and value eq "42"]', NONE],
    ['members[type eq "User"]', { kind: 'present', pointer: ['_otherEnds/members'] }],
    [
      'members[value eq "1" or value sw "2"]',
      {
        kind: 'or',
        filters: [
          { kind: 'in', pointer: ['_id'], values: ['of 1'] },
          { kind: 'compare', pointer: ['_otherEnds/members'], operator: 'sw', value: '2' },
        ],
      },
    ],
  ])('of members is %s', async (text, expected) => {
    expect(await asked('Group', text)).toEqual(expected);
  });

  it.each([
    ['User', 'meta.bogus pr'],
    ['User', 'meta.version eq "1"'],
    ['User', 'id.value eq "1"'],
    ['User', 'externalId.value eq "1"'],
    ['User', 'userName[value eq "x"]'],
    ['User', 'manager.displayName eq "x"'],
    ['User', 'manager.type eq "User"'],
    ['User', 'active eq "constructor"'],
    ['User', 'active gt true'],
    ['Group', 'members[value eq "1" and value eq "2"]'],
    ['Group', 'members[value ne "1"]'],
    ['Group', 'members.display eq "x"'],
  ])('cannot ask for a %s by %s', async (name, text) => {
    await expect(asked(name, text)).rejects.toMatchObject({ code: 400, detail: { id: 'SCIM_BAD_FILTER' } });
  });

  it('tells nothing of what is shown to nobody', () => {
    const { types } = compileResourceTypes(
      parsed(scimConfig, {
        resourceTypes: [
          {
            name: 'User',
            endpoint: '/Users',
            managed: 'managed/person',
            schema: USER,
            extensions: [{ schema: ENTERPRISE }],
            attributes: [
              { scim: 'password', managed: '/pin', returned: 'never' },
              { scim: 'entitlements[type eq "pin"].value', managed: '/pin', returned: 'never' },
              { scim: `${ENTERPRISE}:pin`, managed: '/pin', returned: 'never' },
            ],
          },
        ],
      }),
      parsed(managedConfig, {
        objects: [{ name: 'person', schema: { properties: { pin: { type: 'string', scope: 'private' } } } }],
      }),
    );
    const ask = (text: string) =>
      toQueryFilter({ type: types[0]!, isOfAll: false }, parseScimFilter(text, [USER, ENTERPRISE]), () => []);
    for (const text of [
      'password sw "1"',
      'password pr',
      'entitlements.value sw "1"',
      'entitlements[value sw "1"]',
      'entitlements[type eq "pin"].value sw "1"',
      `${ENTERPRISE}:pin pr`,
    ]) {
      expect(() => ask(text), text).toThrow(
        expect.objectContaining({ detail: expect.objectContaining({ id: 'SCIM_SENSITIVE' }) }),
      );
    }
    expect(ask(`schemas eq "${ENTERPRISE}"`)).toEqual({ kind: 'or', filters: [{ kind: 'or', filters: [] }] });
  });
});
