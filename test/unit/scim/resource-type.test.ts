/** What `scim.json` may map, and what is said of the rest. */
import { describe, expect, it } from 'vitest';
import { managedConfig, type ScimAttributeConfig, scimConfig } from '#config/index.ts';
import { isObject } from '#json/index.ts';
import { compileResourceTypes } from '#scim/compile-resource-type.ts';
import { schemaAnswers } from '#scim/schema-answer.ts';
import { parsed } from './shipped.ts';

const PROPERTIES = {
  userName: { type: 'string' },
  password: { type: 'string', secureHash: { algorithm: 'ARGON2ID' } },
  badge: { type: 'string', encryption: { purpose: 'x' } },
  note: { type: 'string', scope: 'private' },
  mail: { type: 'string' },
  age: { type: 'integer' },
  boss: { type: 'relationship', resourceCollection: [{ path: 'managed/person' }] },
};

function compiled(attributes: readonly Partial<ScimAttributeConfig>[], managed = 'managed/person') {
  const scim = {
    resourceTypes: [{ name: 'User', endpoint: '/Users', managed, schema: 'urn:x:User', attributes }],
  };
  const types = { objects: [{ name: 'person', schema: { properties: PROPERTIES, required: ['userName'] } }] };
  return compileResourceTypes(parsed(scimConfig, scim), parsed(managedConfig, types));
}

describe('a resource type', () => {
  it('knows types and what is required from the managed one', () => {
    const { types, faults } = compiled([
      { scim: 'userName', managed: '/userName', uniqueness: 'server' },
      { scim: 'age', managed: '/age' },
      { scim: 'emails[type eq "work"].value', managed: '/mail' },
      { scim: 'password', managed: '/password', returned: 'never' },
    ]);
    expect(faults).toEqual([]);
    expect(types[0]?.attributes).toMatchObject([
      { name: 'userName', type: 'string', required: true, caseExact: false, uniqueness: 'server' },
      { name: 'age', type: 'integer', required: false },
      { name: 'emails', type: 'complex', multiValued: true },
      { name: 'password', mutability: 'writeOnly', returned: 'never' },
    ]);
  });

  it.each<[string, Partial<ScimAttributeConfig>, object]>([
    ['a property that there is not', { scim: 'x', managed: '/nobody' }, { isMissing: true }],
    ['a hash', { scim: 'password', managed: '/password' }, { message: "'/password' is a secret" }],
    ['what is encrypted', { scim: 'badge', managed: '/badge' }, { message: "'/badge' is a secret" }],
    ['what is private', { scim: 'note', managed: '/note' }, { message: "'/note' is a secret" }],
    ['no property', { scim: 'userName' }, { message: "'userName' names no managed property" }],
    [
      'a path that is none',
      { scim: 'a.b.c', managed: '/mail' },
      { message: "'a.b.c' is no path of an attribute" },
    ],
    [
      'any element',
      { scim: 'emails[value pr].value', managed: '/mail' },
      { hint: 'Such as emails[type eq "work"].value' },
    ],
    [
      'what the service says itself',
      { scim: 'meta.version', managed: '/mail' },
      { message: "'meta.version' is what the service says of each resource" },
    ],
    ['the id', { scim: 'ID', managed: '/mail' }, { field: '/resourceTypes/0/attributes/1' }],
    [
      'a part of a relationship',
      { scim: 'boss', managed: '/boss/mail' },
      { message: "'/boss/mail' is a part of a relationship" },
    ],
    [
      'a relationship in the place of a part',
      { scim: 'emails[type eq "home"].value', managed: '/boss' },
      { message: "'/boss' is a relationship, and no part of 'emails'" },
    ],
    [
      'what stands there already',
      { scim: 'emails[type eq "work"].display', managed: '/mail' },
      { message: `'emails[type eq "work"].display' stands here twice` },
    ],
    ['the whole of what has parts', { scim: 'emails', managed: '/mail' }, {}],
  ])('leaves out %s, and says so', (_title, attribute, fault) => {
    const work = { scim: 'emails[type eq "work"].display', managed: '/userName' };
    const { faults } = compiled([work, attribute]);
    expect(faults).toEqual([expect.objectContaining(fault)]);
    expect(faults[0]?.field).toMatch(/^\/resourceTypes\/0\/attributes\/1/);
  });

  it.each([
    ['/Me', 'Own', 'endpoint', "'/Me' is a place of the service itself"],
    ['/Schemas', 'Own', 'endpoint', "'/Schemas' is a place of the service itself"],
    ['/Users', 'Own', 'endpoint', "'/Users' is that of another resource type"],
    ['/Others', 'user', 'name', "'user' is that of another resource type"],
  ])(
    'is left out at %s by the name %s, where clients would not find it',
    (endpoint, name, member, message) => {
      const type = { managed: 'managed/person', attributes: [] };
      const resourceTypes = [
        { ...type, name: 'User', endpoint: '/Users', schema: 'urn:x:User' },
        { ...type, name, endpoint, schema: 'urn:x:Own' },
      ];
      const managed = { objects: [{ name: 'person', schema: { properties: PROPERTIES } }] };
      const { types, faults } = compileResourceTypes(
        parsed(scimConfig, { resourceTypes }),
        parsed(managedConfig, managed),
      );
      expect(types.map((one) => one.endpoint)).toEqual(['Users']);
      expect(faults).toEqual([{ field: `/resourceTypes/1/${member}`, message }]);
    },
  );

  it('is left out where its type is not there', () => {
    const { types, faults } = compiled([], 'managed/nobody');
    expect([types, faults]).toEqual([[], [expect.objectContaining({ isMissing: true })]]);
  });

  it('has elements that are written and shown as their parts are', () => {
    const element = (more: Partial<ScimAttributeConfig>) => {
      const { types, faults } = compiled([{ scim: 'ims[type eq "x"].value', managed: '/note', ...more }]);
      return [faults, types[0]?.attributes.map(({ mutability, returned }) => [mutability, returned])];
    };
    expect(element({ returned: 'never' })).toEqual([[], [['writeOnly', 'never']]]);
    expect(element({ managed: '/mail', mutability: 'readOnly' })).toEqual([[], [['readOnly', 'default']]]);
  });

  it('shares an extension with another one, which has the attributes of both', () => {
    const schema = 'urn:x:Extension';
    const type = (name: string, attributes: readonly string[]) => ({
      name,
      endpoint: `/${name}s`,
      managed: 'managed/person',
      schema: `urn:x:${name}`,
      extensions: [{ schema }],
      attributes: attributes.map((scim) => ({ scim: `${schema}:${scim}`, managed: `/${scim}` })),
    });
    const { types } = compileResourceTypes(
      parsed(scimConfig, {
        resourceTypes: [type('One', ['userName', 'age']), type('Other', ['userName', 'mail'])],
      }),
      parsed(managedConfig, { objects: [{ name: 'person', schema: { properties: PROPERTIES } }] }),
    );
    const answers = schemaAnswers(types, '').map(({ id, attributes }) => [
      id,
      Array.isArray(attributes) ? attributes.map((one) => (isObject(one) ? one['name'] : one)) : attributes,
    ]);
    expect(answers).toEqual([
      ['urn:x:One', []],
      [schema, ['userName', 'age', 'mail']],
      ['urn:x:Other', []],
    ]);
  });
});
