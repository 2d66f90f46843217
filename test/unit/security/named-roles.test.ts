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
    `var rule = { pattern: 'managed/*', roles: '*', methods: '*' }; function isIt() { return has('boss'); } /* That is all. */`,
    "function isIt() { return has('boss'); } // It's `one` of \"them",
    `var url = 'https://example.com'; has('boss');`,
    `var groups = [{ roles: 'boss', area: 'reports' }];`,
    `var rule = { pattern: 'x', roles: 'clerk,boss', methods: 'read' };`,
    'var level = { clerk: 1, boss: 2 };',
    `has('\\u0062oss')`,
    `has(' Ｂoss ')`,
    '/^(?:boss|deputy)$/.test(role)',
  ])('are those in quotes: %s', (text) => {
    expect(namesIn([text]).has('boss')).toBe(true);
  });

  it.each([
    `var rule = { pattern: 'boss', roles: "*", methods: 'boss', actions: 'boss', excludePatterns: 'boss' };`,
    `// hasRole('boss')`,
    `/* Of 'boss' there is\n none. */`,
    `onlyEditableManagedObjectProperties('boss', [])`,
  ])('are none of those for which there is another meaning: %s', (text) => {
    expect(namesIn([text]).has('boss')).toBe(false);
  });

  it('are in the shipped file none that somebody may have called a role', () => {
    const names = [...namesIn([SHIPPED])].filter((name) => /^(?!svc-)[a-z][\w-]*$/.test(name));
    expect(names).toEqual([]);
  });
});
