import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { assign, assignmentsFor, attributesOf, unassign, unassignments } from '#sync/assignment/assign.ts';
import { operationNamed } from '#sync/assignment/operation.ts';

const first = { isFollowing: false, existing: null, target: null };

describe('an operation of assignments', () => {
  // Operation, the target in work, what is stored, the value, whether another one came before, what comes of it.
  const table: readonly [string, JsonValue, JsonValue, JsonValue, boolean, JsonValue][] = [
    ['replaceTarget', ['old'], ['old'], ['a'], false, ['a']],
    ['replaceTarget', ['a'], ['old'], ['b', 'a'], true, ['a', 'b']],
    ['replaceTarget', ['a'], null, 'b', true, ['a', 'b']],
    ['replaceTarget', { a: 1 }, null, { b: 2 }, true, { a: 1, b: 2 }],
    ['replaceTarget', 'x', 'x', 'y', true, 'y'],
    ['mergeWithTarget', null, null, ['a', 'a'], false, ['a']],
    ['mergeWithTarget', ['kept'], ['kept'], ['a'], false, ['kept', 'a']],
    ['mergeWithTarget', ['kept', 'a'], ['kept'], ['a', 'b'], true, ['kept', 'a', 'b']],
    ['mergeWithTarget', { a: 1 }, { a: 1 }, { a: 2, b: 3 }, false, { a: 2, b: 3 }],
    ['mergeWithTarget', ['ab'], ['ab'], 'cd', false, ['ab', 'cd']],
    ['removeFromTarget', ['a', 'b'], null, ['b'], false, ['a']],
    ['removeFromTarget', [{ a: 1 }, { b: 2 }], null, { b: 2 }, false, [{ a: 1 }]],
    ['removeFromTarget', { a: 1, b: 2 }, null, { b: 9 }, false, { a: 1 }],
    ['removeFromTarget', 'x', null, 'x', false, null],
    ['noOp', ['as it is'], null, ['a'], false, ['as it is']],
  ];

  it.each(table)(
    '%s of %j over %j with %j (following: %j) is %j',
    (name, target, existing, value, isFollowing, result) => {
      expect(operationNamed(name)({ target, existing, value, isFollowing })).toEqual(result);
    },
  );

  it('of another name is refused with the one that was meant', () => {
    expect(() => operationNamed('replaceTargets')).toThrow("Assignments know no operation 'replaceTargets'");
  });

  it('never spreads a text into its characters', () => {
    expect(operationNamed('mergeWithTarget')({ ...first, existing: ['x'], value: 'abc' })).toEqual([
      'x',
      'abc',
    ]);
  });
});

describe('assignments', () => {
  const crm: JsonObject = {
    _id: 'crm',
    mapping: 'users_crm',
    attributes: [{ name: 'groups', value: ['sales'], assignmentOperation: 'mergeWithTarget' }],
  };
  const test: JsonObject = { ...crm, _id: 'test', linkQualifiers: ['test'] };
  const other: JsonObject = { ...crm, _id: 'other', mapping: 'users_other' };

  it('count for their mapping and their link qualifiers', () => {
    expect(assignmentsFor([crm, test, other], 'users_crm', 'default')).toEqual([crm]);
    expect(assignmentsFor([crm, test, other], 'users_crm', 'test')).toEqual([crm, test]);
    expect(assignmentsFor(undefined, 'users_crm', 'default')).toEqual([]);
  });

  it('are taken back when they are gone, and as far as they have changed', () => {
    const changed = { ...crm, attributes: [{ name: 'groups', value: ['sales', 'staff'] }] };
    expect(unassignments([crm], [crm])).toEqual([]);
    expect(unassignments([crm], []).map(({ isGone }) => isGone)).toEqual([true]);
    expect(unassignments([crm], [changed])).toMatchObject([
      { isGone: false, attributes: [{ name: 'groups' }] },
    ]);
  });

  it('leave what others have put there', () => {
    const targets = { target: { groups: ['own', 'sales'] }, existing: { groups: ['own', 'sales'] } };
    unassign(targets, attributesOf(crm));
    expect(targets).toEqual({ target: { groups: ['own'] }, existing: { groups: ['own'] } });
    const given = new Set<string>();
    assign(targets, attributesOf(crm), given);
    assign(targets, [{ ...attributesOf(crm)[0]!, value: ['staff'] }], given);
    expect(targets.target).toEqual({ groups: ['own', 'sales', 'staff'] });
  });
});
