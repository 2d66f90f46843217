import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Edge, WantedEdge } from '../../../src/managed/relationship/edge.ts';
import { isEmptyPlan, planEdges } from '../../../src/managed/relationship/plan-edges.ts';
import type { Relationship } from '../../../src/managed/relationship/relationship.ts';

const target = (id: string) => ({ collection: 'managed/role', id });
const edge = (id: string, to: string, properties = {}): Edge => ({
  id,
  rev: 0,
  ownerId: 'u',
  property: 'roles',
  target: target(to),
  properties,
});
const wanted = (to: string, properties = {}, id: string | null = null): WantedEdge => ({
  id,
  target: target(to),
  properties,
});

const roles: Relationship = {
  property: 'roles',
  isArray: true,
  reverseProperty: 'members',
  validate: true,
  collections: ['managed/role'],
  conditionField: null,
  temporalField: null,
};

describe('the plan for the edges of a property', () => {
  it('is empty when all that is wanted is there, whether or not it is named', () => {
    const stored = [edge('1', 'a'), edge('2', 'b', { n: 1 })];
    expect(isEmptyPlan(planEdges(roles, stored, [wanted('b', { n: 1 }), wanted('a', {}, '1')]))).toBe(true);
  });

  it('updates what is named and says something else, makes what is new, and removes the rest', () => {
    const stored = [edge('1', 'a'), edge('2', 'b')];
    const plan = planEdges(roles, stored, [wanted('a', { n: 1 }, '1'), wanted('c')]);
    expect(plan.update.map(({ edge: { id } }) => id)).toEqual(['1']);
    expect(plan.create.map(({ target: { id } }) => id)).toEqual(['c']);
    expect(plan.remove.map(({ id }) => id)).toEqual(['2']);
  });

  it('keeps what has a reason of its own to stay', () => {
    const stored = [edge('1', 'a', { _grantType: 'conditional' })];
    expect(isEmptyPlan(planEdges(roles, stored, [], () => true))).toBe(true);
  });

  it('refuses the same twice, however it is written', () => {
    expect(() => planEdges(roles, [], [wanted('a'), wanted('a', {}, '7')])).toThrow(/Duplicate relationship/);
  });

  it('leads from anything that is stored to exactly what is wanted', () => {
    const facts = fc.uniqueArray(fc.tuple(fc.integer({ max: 4, min: 0 }), fc.integer({ max: 2, min: 0 })), {
      selector: String,
    });
    fc.assert(
      fc.property(facts, facts, fc.boolean(), (before, after, names) => {
        const stored = before.map(([to, n], index) => edge(`e${index}`, String(to), { n }));
        const want = after.map(([to, n], index) =>
          wanted(String(to), { n }, names && index < stored.length ? `e${index}` : null),
        );
        const plan = planEdges(roles, stored, want);
        const gone = new Set([...plan.remove, ...plan.update.map((change) => change.edge)]);
        const result = [
          ...stored.filter((each) => !gone.has(each)),
          ...plan.create,
          ...plan.update.map((change) => change.wanted),
        ].map((each) => JSON.stringify([each.target.id, each.properties]));
        expect(result.sort()).toEqual(
          want.map((each) => JSON.stringify([each.target.id, each.properties])).sort(),
        );
      }),
    );
  });

  it('is made in time in proportion to what is stored and wanted', () => {
    const many = Array.from({ length: 20_000 }, (_, n) => n);
    const stored = many.map((n) => edge(`e${n}`, 'same', { n }));
    const startedAt = process.threadCpuUsage();
    const plan = planEdges(
      roles,
      stored,
      many.map((n) => wanted('same', { n: n + 10_000 })),
    );
    expect([plan.create.length, plan.update.length, plan.remove.length]).toEqual([10_000, 0, 10_000]);
    const named = planEdges(
      roles,
      stored,
      many.map((n) => wanted('same', { n: -n - 1 }, `e${n}`)),
    );
    expect([named.create.length, named.update.length, named.remove.length]).toEqual([0, 20_000, 0]);
    expect(process.threadCpuUsage(startedAt).user).toBeLessThan(3_000_000);
  });
});
