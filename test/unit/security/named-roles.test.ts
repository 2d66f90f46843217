import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { namesIn } from '../../../src/security/access/named-roles.ts';

const SHIPPED = readFileSync(new URL('../../../script/access.js', import.meta.url), 'utf8');

describe('the roles that script/access.js names beside those of its rules', () => {
  it.each([
    `hasRole('boss')`,
    `var rules = [{ pattern: '*', roles: '*', methods: '*', customAuthz: "ownDataOnly() || hasRole(\\"Boss\\")" }];`,
    'function mayAct() { return isOneOf(context, "clerk,boss"); }',
    'const HEADS = [`boss`, `deputy`];',
  ])('are those in quotes: %s', (text) => {
    expect(namesIn([text]).has('boss')).toBe(true);
  });

  it.each([
    `{ pattern: 'boss', roles: "boss", methods: 'boss', actions: 'boss' }`,
    `// hasRole('boss')`,
    `/* Of 'boss' there is\n none. */`,
    `onlyEditableManagedObjectProperties('boss', [])`,
  ])('are none of those for which there is another meaning: %s', (text) => {
    expect(namesIn([text]).has('boss')).toBe(false);
  });

  it('are in the shipped file none that somebody may have called a role', () => {
    const names = [...namesIn([SHIPPED])].filter((name) => /^[a-z][\w-]*$/.test(name));
    expect(names).toEqual([]);
  });
});
