import { describe, expect, it } from 'vitest';
import { compileRules, propertyName, rulesRunScripts } from '../../../src/managed/policy/property-rules.ts';

const named = (properties: Record<string, object>, required: string[] = []) =>
  Object.fromEntries(
    compileRules(JSON.parse(JSON.stringify(properties)), required).map(({ path, rules }) => [
      propertyName(path),
      rules.map(({ policyId }) => policyId),
    ]),
  );

describe('the rules of a schema', () => {
  it('come in the order of the protocol, before those that are configured', () => {
    const property = {
      type: ['string'],
      minLength: 2,
      pattern: '^a',
      policies: [{ policyId: 'unique' }, { params: {} }],
    };
    expect(named({ name: property }, ['name'])).toEqual({
      name: ['required', 'not-empty', 'minimum-length', 'regexpMatches', 'valid-type', 'unique'],
    });
  });

  it('ask for no content where null is a type, and for no length where none is given', () => {
    expect(named({ a: { type: ['string', 'null'] }, b: { type: 'string', minLength: 0 }, c: {} })).toEqual({
      a: ['valid-type'],
      b: ['minimum-length', 'valid-type'],
      c: [],
    });
  });

  it('go into objects and arrays, and know both ways to say required', () => {
    const address = { type: 'object', properties: { city: { type: 'string', required: true } } };
    const tags = { type: 'array', items: { type: 'object', required: ['name'], properties: { name: {} } } };
    expect(named({ address, tags })).toEqual({
      address: ['valid-type'],
      'address/city': ['required', 'valid-type'],
      tags: ['valid-type'],
      'tags[]': ['valid-type'],
      'tags[]/name': ['required'],
    });
  });

  it('let null clear a relationship, and do not look into references', () => {
    const items = { type: 'relationship', properties: { _ref: { type: 'string' } } };
    const rules = compileRules({ roles: { type: 'array', items }, boss: { type: 'relationship' } }, []);
    expect(rules.map(({ path, rules: [rule] }) => [path[0], rule!.params['types']])).toEqual([
      ['roles', ['array', 'null']],
      ['boss', ['object', 'null']],
    ]);
  });

  it('ask for required names that nobody describes', () => {
    expect(named({}, ['ghost'])).toEqual({ ghost: ['required'] });
  });

  it('run scripts when a policy is none of the catalogue, or depends on a condition', () => {
    const rules = (property: object) => compileRules({ p: JSON.parse(JSON.stringify(property)) }, []);
    expect(rulesRunScripts(rules({ policies: [{ policyId: 'unique' }] }))).toBe(false);
    expect(rulesRunScripts(rules({ policies: [{ policyId: 'mine' }] }))).toBe(true);
    const condition = { type: 'text/javascript', source: 'true' };
    expect(rulesRunScripts(rules({ conditionalPolicies: [{ condition, policies: [] }] }))).toBe(true);
  });
});
