import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { systemContext } from '#resource/index.ts';
import { CATALOGUE } from '../../../src/managed/policy/catalogue.ts';
import type { PolicyInput } from '../../../src/managed/policy/policy.ts';

const place = {
  collection: 'managed/user',
  id: null,
  db: () => Promise.reject(new Error('asks no database')),
  stored: async () => ({ sn: 'Vogel' }),
  isBinding: false,
  matches: async () => false,
  tellsOfOthers: true,
  mappings: () => ['toDirectory'],
};

const context = systemContext();

/** Somebody who comes in over REST. */
const somebody = (authorization: JsonObject) => ({
  ...context,
  client: { ...context.client, isExternal: true },
  security: {
    authenticationId: 'jane',
    authorization: { id: 'jane', component: 'managed/user', roles: ['svc-authorized'], ...authorization },
  },
});

async function failures(
  policyId: string,
  value: JsonValue | undefined,
  params: JsonObject = {},
  more: Partial<PolicyInput> = {},
) {
  const policy = CATALOGUE.get(policyId)!;
  if (policy.skipsAbsent && value === undefined) return [];
  return policy.check({ value, params, property: 'p', object: {}, failed: [], place, context, ...more });
}

const NAMED = {
  properties: [{ name: 'name', policies: [{ policyId: 'required' }, { policyId: 'not-empty' }] }],
};

const requirement = (policyRequirement: string, params?: JsonObject) => [
  { policyRequirement, ...(params === undefined ? {} : { params }) },
];

describe('the policy', () => {
  it.each<[string, JsonValue | undefined, JsonObject]>([
    ['required', null, {}],
    ['required', '', {}],
    ['not-empty', undefined, {}],
    ['not-empty', 'x', {}],
    ['not-empty', 0, {}],
    ['not-empty', false, {}],
    ['not-empty', {}, {}],
    ['not-empty', ['x'], {}],
    ['valid-type', 1, { types: ['integer'] }],
    ['valid-type', 1.5, { types: ['number'] }],
    ['valid-type', null, { types: ['string', 'null'] }],
    ['valid-type', [], { types: ['array'] }],
    ['valid-type', {}, { types: ['object'] }],
    ['valid-type', undefined, { types: ['string'] }],
    ['valid-type', {}, { types: [] }],
    ['regexpMatches', 'abc', { regexp: '^a' }],
    ['regexpMatches', 'ABC', { regexp: '^a', flags: 'i' }],
    ['regexpMatches', '', { regexp: '^a' }],
    ['regexpMatches', 5, { regexp: '^a' }],
    ['minimum-length', '12345678', { minLength: 8 }],
    ['minimum-length', '', { minLength: 8 }],
    ['at-least-X-capitals', 'aBC', { numCaps: 2 }],
    ['at-least-X-capitals', 'Ä', { numCaps: 1 }],
    ['at-least-X-numbers', 'a1b2', { numNums: 2 }],
    ['valid-date', '2030-01-31', {}],
    ['cannot-be-common-password', 'correct horse battery', {}],
    ['valid-date', '', {}],
    ['valid-email-address-format', 'a.b@example.com', {}],
    ['valid-name-format', "Zoë O'Neil-Ångström", {}],
    ['valid-phone-format', '+49 (30) 12-34', {}],
    ['cannot-contain-characters', 'abc', { forbiddenChars: ['/'] }],
    ['cannot-contain-duplicates', ['a', 'b', 1], {}],
    ['cannot-contain-duplicates', 'aa', {}],
    ['mapping-exists', 'toDirectory', {}],
    ['max-attempts-triggers-lock-cooldown', 9, { max: 3, numMinutes: 1, dateTimeField: 'at' }],
  ])('%s is met by %j with %j', async (policyId, value, params) => {
    expect(await failures(policyId, value, params)).toEqual([]);
  });

  it.each<[string, JsonValue | undefined, JsonObject, JsonObject[]]>([
    ['required', undefined, {}, requirement('REQUIRED')],
    ['not-empty', null, {}, requirement('REQUIRED')],
    ['not-empty', '', {}, requirement('REQUIRED')],
    ['not-empty', [], {}, requirement('REQUIRED')],
    [
      'valid-type',
      1.5,
      { types: ['integer', 'null'] },
      requirement('VALID_TYPE', { invalidType: 'number', validTypes: ['integer', 'null'] }),
    ],
    [
      'valid-type',
      null,
      { types: ['string'] },
      requirement('VALID_TYPE', { invalidType: 'null', validTypes: ['string'] }),
    ],
    ['minimum-length', 'short', { minLength: 8 }, requirement('MIN_LENGTH', { minLength: 8 })],
    ['at-least-X-capitals', 'a()', { numCaps: 1 }, requirement('AT_LEAST_X_CAPITAL_LETTERS', { numCaps: 1 })],
    ['at-least-X-numbers', 'abc', { numNums: 1 }, requirement('AT_LEAST_X_NUMBERS', { numNums: 1 })],
    ['valid-date', 'tomorrow', {}, requirement('VALID_DATE')],
    ['valid-date', '2030-02-31', {}, requirement('VALID_DATE')],
    ['valid-email-address-format', 'a@b', {}, requirement('VALID_EMAIL_ADDRESS_FORMAT')],
    ['valid-email-address-format', 'a b@c.de', {}, requirement('VALID_EMAIL_ADDRESS_FORMAT')],
    ['valid-name-format', 'R2D2', {}, requirement('VALID_NAME_FORMAT')],
    ['valid-phone-format', '12a', {}, requirement('VALID_PHONE_FORMAT')],
    [
      'cannot-contain-characters',
      'a/b',
      { forbiddenChars: ['/', '%'] },
      requirement('CANNOT_CONTAIN_CHARACTERS', { forbiddenChars: '/%' }),
    ],
    [
      'cannot-contain-duplicates',
      ['a', 'b', 'a'],
      {},
      requirement('CANNOT_CONTAIN_DUPLICATES', { duplicateValue: 'a' }),
    ],
    ['mapping-exists', 'elsewhere', {}, requirement('MAPPING_EXISTS')],
  ])('%s is not met by %j with %j', async (policyId, value, params, expected) => {
    expect(await failures(policyId, value, params)).toEqual(expected);
  });

  it('regexpMatches says its parameters at both places', async () => {
    expect(await failures('regexpMatches', 'b', { regexp: '^a', flags: '' })).toEqual([
      { policyRequirement: 'MATCH_REGEXP', regexp: '^a', flags: '', params: { regexp: '^a', flags: '' } },
    ]);
  });

  it('regexpMatches does not remember where it stopped', async () => {
    const params = { regexp: 'a', flags: 'g' };
    expect(await failures('regexpMatches', 'a', params)).toEqual([]);
    expect(await failures('regexpMatches', 'a', params)).toEqual([]);
  });

  it('of a text is listed beside a missing one, so that a form can show all of them', async () => {
    const missing = { failed: ['REQUIRED'] };
    expect(await failures('minimum-length', null, { minLength: 8 }, missing)).toEqual(
      requirement('MIN_LENGTH', { minLength: 8 }),
    );
    expect(await failures('at-least-X-numbers', '', { numNums: 1 }, missing)).toHaveLength(1);
  });

  it('cannot-contain-others compares with this object, then with the stored one, as plain text', async () => {
    const params = { disallowedFields: 'userName, sn' };
    const object = { userName: 'a.c' };
    const check = (value: string) => failures('cannot-contain-others', value, params, { object });
    expect(await check('xx-a.c-xx')).toEqual(
      requirement('CANNOT_CONTAIN_OTHERS', { disallowedFields: 'userName' }),
    );
    expect(await check('xx-abc-xx')).toEqual([]);
    expect(await check('Vogel1')).toEqual(requirement('CANNOT_CONTAIN_OTHERS', { disallowedFields: 'sn' }));
  });

  it('max-attempts-triggers-lock-cooldown fails while the last of too many attempts is fresh', async () => {
    const params = { max: 3, numMinutes: 5, dateTimeField: 'at' };
    const at = (ms: number) => ({ object: { at: new Date(Date.now() - ms).toISOString() } });
    const policyId = 'max-attempts-triggers-lock-cooldown';
    expect(await failures(policyId, 4, params, at(60_000))).toHaveLength(1);
    expect(await failures(policyId, 4, params, at(600_000))).toEqual([]);
    expect(await failures(policyId, 3, params, at(60_000))).toEqual([]);
  });

  it.each<[string, JsonValue, JsonObject, string]>([
    ['valid-datetime', '2026-02-30', {}, 'VALID_DATETIME'],
    ['valid-datetime', '2026-02-30T00:00:00Z', {}, 'VALID_DATETIME'],
    ['valid-datetime', 5, {}, 'VALID_DATETIME'],
    ['valid-query-filter', 'sn eq', {}, 'VALID_QUERY_FILTER'],
    ['valid-temporal-constraints', [{ duration: 'now/later' }], {}, 'VALID_TEMPORAL_CONSTRAINTS'],
    ['valid-temporal-constraints', 'always', {}, 'VALID_TEMPORAL_CONSTRAINTS'],
    ['valid-array-items', {}, {}, 'VALID_ARRAY_ITEMS'],
    ['valid-array-items', ['text'], NAMED, 'VALID_ARRAY_ITEMS'],
    ['valid-array-items', [{ name: 'a' }, { name: '' }], NAMED, 'VALID_ARRAY_ITEMS'],
    ['valid-array-items', [{}], NAMED, 'VALID_ARRAY_ITEMS'],
  ])('%s of newer servers of the field refuses %j', async (id, value, params, expected) => {
    expect(await failures(id, value, params)).toEqual(requirement(expected));
  });

  it.each<[string, JsonValue, JsonObject]>([
    ['valid-datetime', '2026-02-03T04:05:06Z', {}],
    ['valid-query-filter', 'sn eq "Vogel"', {}],
    ['valid-temporal-constraints', [{ duration: '2026-01-01T00:00:00Z/2026-02-01T00:00:00Z' }], {}],
    ['valid-temporal-constraints', [], {}],
    ['valid-array-items', [{ name: 'a' }], NAMED],
    ['valid-array-items', [], NAMED],
    ['required-if-configured', '', {}],
    ['valid-event-scripts', [{}], {}],
  ])('%s of newer servers of the field takes %j', async (id, value, params) => {
    expect(await failures(id, value, params)).toEqual([]);
  });

  it('re-auth-required asks for the password once more: of whoever changes it from outside', async () => {
    const params = { exceptRoles: ['svc-admin'] };
    const change = (more: Partial<PolicyInput>, value: JsonValue = 'Meise') =>
      failures('re-auth-required', value, params, { property: 'sn', ...more });
    expect(await change({ context: somebody({}) })).toEqual(requirement('REAUTH_REQUIRED', params));
    expect(await change({ context: somebody({}) }, 'Vogel')).toEqual([]);
    expect(await change({ context: somebody({ reauthenticated: true }) })).toEqual([]);
    expect(await change({ context: somebody({ roles: ['svc-admin'] }) })).toEqual([]);
    expect(await change({})).toEqual([]);
    const isNew = { ...place, stored: async () => null };
    expect(await change({ context: somebody({}), place: isNew })).toEqual([]);
    const isHash = { ...place, stored: async () => ({ sn: { $crypto: {} } }), matches: async () => true };
    expect(await change({ context: somebody({}), place: isHash })).toHaveLength(1);
    const isSecret = { ...place, isSecret: () => true };
    expect(await change({ context: somebody({}), place: isSecret }, 'Vogel')).toHaveLength(1);
  });
});
