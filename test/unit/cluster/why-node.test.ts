import { describe, expect, test } from 'vitest';
import type { ReportedNode } from '../../../src/cluster/node-report-repository.ts';
import { whyNode } from '../../../src/cluster/why-node.ts';

const AT = new Date('2027-01-01T00:00:00Z');
const REPORT = {
  version: '0.1.0',
  migration: '',
  parts: [{ name: 'database', ok: true }],
  figures: {},
  clockSkewMs: 0,
  configuration: 'abc',
  refused: [],
  drained: false,
};
const node = (name: string, changes: Partial<ReportedNode> = {}): ReportedNode => ({
  name,
  state: 'running',
  roles: ['api', 'worker'],
  epoch: 1,
  seen_at: AT,
  drained_at: null,
  drained_by: null,
  keys: { 'svc-sym-default': ['k1'] },
  reported_at: AT,
  report: REPORT,
  ...changes,
});
const outcome = (changes: Partial<ReportedNode>, other: Partial<ReportedNode> = {}) => {
  const one = node('a', changes);
  return whyNode(one, [one, node('b', other)], []);
};

describe('why a node works, or does not', () => {
  test.each<[string, Partial<ReportedNode>, Partial<ReportedNode>]>([
    ['working', {}, {}],
    ['idle', { roles: ['api'] }, {}],
    ['down', { state: 'down' }, {}],
    ['lost', { state: 'lost', drained_at: AT }, {}],
    ['drained', { drained_at: AT, drained_by: 'ada' }, {}],
    ['notReady', { report: { ...REPORT, parts: [{ name: 'keys', ok: false, detail: 'none' }] } }, {}],
    ['lacksKeys', {}, { keys: { 'svc-sym-default': ['k2', 'k1'] } }],
    ['working', { keys: { 'svc-sym-default': ['k1', 'k2'] } }, { keys: { 'svc-sym-default': ['k2'] } }],
    ['working', {}, { keys: { 'svc-sym-default': ['k2'] }, state: 'down' }],
    [
      'refusesConfiguration',
      { report: { ...REPORT, refused: [{ id: 'managed', since: AT.toISOString(), findings: ['broken'] }] } },
      {},
    ],
    ['otherConfiguration', {}, { report: { ...REPORT, configuration: 'def' } }],
    ['working', {}, { report: { ...REPORT, configuration: 'def' }, state: 'lost' }],
  ])('is %s with %j beside %j', (expected, changes, other) => {
    expect(outcome(changes, other).outcome).toBe(expected);
  });

  test('has all reasons in the chain, and the first of them in the sentence', () => {
    const { why, chain } = outcome(
      { drained_at: AT, drained_by: 'ada' },
      { report: { ...REPORT, configuration: 'def' } },
    );
    expect(why).toBe('It was drained by ada, and claims nothing until it is resumed');
    expect(chain).toEqual([
      { at: AT.toISOString(), text: 'it claims nothing since then', ref: 'cluster/a' },
      { at: AT.toISOString(), text: 'its configuration is not that of b', ref: 'cluster/a' },
    ]);
  });
});
