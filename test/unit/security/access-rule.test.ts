import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../../src/security/access/access-condition.ts';
import { fitsPattern, fitsRule, parseAccessRules } from '../../../src/security/access/access-rule.ts';

const rule = (members: object) =>
  parseAccessRules({ configs: [{ pattern: '*', roles: '*', methods: '*', ...members }] })[0]!;
const question = { path: 'managed/user/u1', roles: ['svc-authorized'], method: 'read', action: null };

describe('an access rule', () => {
  it.each([
    ['*', 'managed/user/u1', true],
    ['managed/user', 'managed/user', true],
    ['managed/user', 'managed/user/u1', false],
    ['managed/user/*', 'managed/user/u1', true],
    ['managed/user/*', 'managed/user/u1/roles/r1', true],
    ['managed/user/*', 'managed/user', false],
    ['managed/user/*', 'managed/user2/u1', false],
    ['managed/user*', 'managed/user/u1', false],
  ])('with the pattern %s, and the path %s, fits: %s', (pattern, path, fits) => {
    expect(fitsPattern(pattern, path)).toBe(fits);
  });

  it('compares roles, methods and actions without regard to case, and does not trim them', () => {
    expect(fitsRule(rule({ roles: 'SVC-Authorized', methods: 'READ,query' }), question)).toBe(true);
    expect(fitsRule(rule({ roles: 'svc-admin, svc-authorized' }), question)).toBe(false);
    expect(fitsRule(rule({ methods: 'update,patch' }), question)).toBe(false);
  });

  it('looks at actions of action requests only', () => {
    const complete = { ...question, method: 'action', action: 'Complete' };
    expect(fitsRule(rule({ actions: 'claim' }), question)).toBe(true);
    expect(fitsRule(rule({ actions: 'claim' }), complete)).toBe(false);
    expect(fitsRule(rule({ actions: 'claim,complete' }), complete)).toBe(true);
    expect(fitsRule(rule({}), complete)).toBe(false);
  });

  it('leaves out what it excludes', () => {
    expect(fitsRule(rule({ excludePatterns: 'repo/*,managed/user/*' }), question)).toBe(false);
    expect(fitsRule(rule({ excludePatterns: 'repo/*, managed/user/* ' }), question)).toBe(false);
    expect(fitsRule(rule({ excludePatterns: 'repo/*' }), question)).toBe(true);
    expect(fitsRule(rule({ excludePatterns: 'repo/*, ' }), question)).toBe(true);
  });

  it.each([
    [{}, 'has no list'],
    [{ configs: ['x'] }, 'is no object'],
    [{ configs: [{ roles: '*', methods: '*' }] }, 'no pattern'],
    [{ configs: [{ pattern: 'a/b', methods: '*' }] }, "'a/b' has no roles"],
    [
      { configs: [{ pattern: 'a/b', roles: '*', methods: '*', excludePatterns: ['a/b/c'] }] },
      "excludePatterns of the rule for 'a/b' is no text",
    ],
    [
      { configs: [{ pattern: 'a/b', roles: '*', methods: '*', customAuthz: true }] },
      "customAuthz of the rule for 'a/b' is no text",
    ],
  ])('is refused by name when it is none: %j', (config, message) => {
    expect(() => parseAccessRules(config as never)).toThrow(message);
  });
});

describe('a condition', () => {
  it.each([
    ['ownDataOnly()', { kind: 'call', name: 'ownDataOnly', args: [] }],
    [
      `restrictPatchToFields(['password', "mail"])`,
      { kind: 'call', name: 'restrictPatchToFields', args: [['password', 'mail']] },
    ],
    [
      '!isMyTask() && (ownDataOnly() || canUpdateTask())',
      {
        kind: 'and',
        of: [
          { kind: 'not', of: { kind: 'call', name: 'isMyTask', args: [] } },
          {
            kind: 'or',
            of: [
              { kind: 'call', name: 'ownDataOnly', args: [] },
              { kind: 'call', name: 'canUpdateTask', args: [] },
            ],
          },
        ],
      },
    ],
  ])('of known functions is data: %s', (source, parsed) => {
    expect(parseCondition(source)).toEqual(parsed);
  });

  it('binds && closer than ||', () => {
    expect(parseCondition('ownDataOnly() || isMyTask() && canUpdateTask()')).toMatchObject({ kind: 'or' });
  });

  it.each([
    'request.content.amount < 100',
    'ownDataOnly() && request.action == "x"',
    'unknownFunction()',
    'ownDataOnly',
    'ownDataOnly(',
    'ownDataOnly() isMyTask()',
    'ownDataOnly(function () {})',
    'restrictPatchToFields([request.x])',
    "restrictPatchToFields(['a\\'b'])",
    'constructor()',
    '__proto__()',
    '',
    '((((',
  ])('of anything else is a script: %s', (source) => {
    expect(parseCondition(source)).toEqual({ kind: 'script', source });
  });
});
