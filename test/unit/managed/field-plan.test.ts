import { describe, expect, it } from 'vitest';
import { parsePointer } from '#json/index.ts';
import { compileType } from '../../../src/managed/managed-type.ts';
import { planFields, selectPlanned } from '../../../src/managed/retrieve/field-plan.ts';

const user = compileType({
  name: 'user',
  schema: {
    properties: {
      mail: { type: 'string' },
      secret: { type: 'string', scope: 'private' },
      roles: { type: 'array', items: { type: 'relationship' } },
      manager: { type: 'relationship' },
      home: { type: 'relationship', returnByDefault: true },
    },
  },
});
const plan = (...fields: string[]) => {
  const { hasDefaults, named, references } = planFields(user, fields.map(parsePointer));
  return {
    hasDefaults,
    named: named.map((pointer) => pointer.join('/')),
    references: Object.fromEntries(
      [...references].map(([name, { fields: pointers, index }]) => [
        name,
        [pointers.map((pointer) => pointer.join('/')), index],
      ]),
    ),
  };
};

describe('_fields of a managed object', () => {
  it.each<[string[], object]>([
    [[], { hasDefaults: true, named: [], references: { home: [[], null] } }],
    [['*'], { hasDefaults: true, named: [], references: { home: [[], null] } }],
    [['mail', 'a/b'], { hasDefaults: false, named: ['mail', 'a/b'], references: {} }],
    [
      ['*_ref'],
      {
        hasDefaults: false,
        named: [],
        references: { roles: [[], null], manager: [[], null], home: [[], null] },
      },
    ],
    [['roles'], { hasDefaults: false, named: [], references: { roles: [[], null] } }],
    [['roles/*'], { hasDefaults: false, named: [], references: { roles: [['*'], null] } }],
    [
      ['roles/*/name', 'roles/*/x'],
      { hasDefaults: false, named: [], references: { roles: [['name', 'x'], null] } },
    ],
    [['roles/name'], { hasDefaults: false, named: [], references: { roles: [['name'], null] } }],
    [['roles/0'], { hasDefaults: false, named: [], references: { roles: [[], 0] } }],
    [['roles/0', 'roles'], { hasDefaults: false, named: [], references: { roles: [[], null] } }],
    [['manager/mail'], { hasDefaults: false, named: [], references: { manager: [['mail'], null] } }],
    [
      ['manager/_ref', 'manager/_refProperties/_id'],
      { hasDefaults: false, named: [], references: { manager: [[], null] } },
    ],
    [['*', 'roles'], { hasDefaults: true, named: [], references: { roles: [[], null], home: [[], null] } }],
  ])('%j', (fields, expected) => {
    expect(plan(...fields)).toEqual(expected);
  });

  it('select by the last token, references by their property, and nothing private from outside', () => {
    const object = { mail: 'm', secret: 's', name: { given: 'g' }, manager: { _ref: 'x/y' } };
    const select = (isExternal: boolean, ...fields: string[]) =>
      selectPlanned(user, planFields(user, fields.map(parsePointer)), object, {
        isExternal,
        isSealed: isExternal,
        isNested: false,
      });
    expect(select(true, 'name/given', 'manager/mail', 'secret', 'nothing')).toEqual({
      given: 'g',
      manager: { _ref: 'x/y' },
    });
    expect(select(true, '*')).toEqual({ mail: 'm', name: { given: 'g' } });
    expect(select(false, 'secret')).toEqual({ secret: 's' });
  });
});
