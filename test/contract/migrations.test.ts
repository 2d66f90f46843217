import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findStalls, type StallRule } from '../support/migration-stalls.ts';

const folder = new URL('../../migrations/', import.meta.url);
/** The files of the first release make everything anew. */
const FIRST_CHANGE = '0012';
/** `-- stalls <rule>: <why that is bearable>` in a migration. */
const BORNE = /^-- stalls ([\w-]+): \S.*$/gm;

/** Files that were released before there was this test, and why what they hold up is short, or what it costs. */
const RELEASED: Readonly<Record<string, { readonly rules: readonly StallRule[]; readonly why: string }>> = {
  '0015_finding': {
    rules: ['index-not-concurrent'],
    why: 'ends of firings wait while the ledger is read once',
  },
  '0019_firing_count': {
    rules: ['index-not-concurrent'],
    why: 'a brin index reads the ledger once and writes little',
  },
  '0020_scan_retry': {
    rules: ['constraint-scans-table', 'index-not-concurrent'],
    why: 'runs of scans are thousands',
  },
  '0022_workflow_inbox': {
    rules: ['index-not-concurrent'],
    why: 'new tasks wait while links of open ones are read once',
  },
  '0026_operation': { rules: ['index-not-concurrent'], why: 'runs of scans are thousands' },
  '0027_firing_count_day': {
    rules: ['constraint-scans-table', 'rows-changed-at-once'],
    why: 'counts are few',
  },
  '0029_items_of_keys': { rules: ['rows-changed-at-once'], why: 'only what API keys keep is deleted' },
  '0031_lists': {
    rules: ['index-not-concurrent'],
    why: 'the audit waits in memory of the nodes while months are read',
  },
  '0033_laps': {
    rules: ['table-rewritten', 'constraint-scans-table', 'index-not-concurrent'],
    why: 'what is due and what runs are thousands of rows',
  },
  '0037_firing_counts_of_all': { rules: ['taken-away'], why: 'the old name stays, as a table of partitions' },
  '0038_sync_causes': {
    rules: ['index-not-concurrent'],
    why: 'the outbox is short; writes of mapped objects wait while links are read once',
  },
  '0039_after_fail_over': { rules: ['table-rewritten'], why: 'failed logins are forgotten within a day' },
};

function rulesOf(text: string): readonly StallRule[] {
  return [...new Set(findStalls(text).map(({ rule }) => rule))];
}

describe('A migration', () => {
  const changes = readdirSync(folder)
    .filter((name) => name.endsWith('.sql') && name >= FIRST_CHANGE)
    .map((name) => [name.slice(0, -4), readFileSync(new URL(name, folder), 'utf8')] as const);

  it('has a number of its own, by which all are in one order', () => {
    const numbers = changes.map(([name]) => name.slice(0, 4));
    expect(numbers).toEqual([...new Set(numbers)]);
  });

  it.each(changes)('holds up no cluster that works, or says why that is bearable: %s', (name, text) => {
    const borne = RELEASED[name]?.rules ?? [...text.matchAll(BORNE)].map(([, rule = '']) => rule);
    expect(rulesOf(text).toSorted()).toEqual([...borne].toSorted());
  });

  it('is there for each that is excused', () => {
    const names = changes.map(([name]) => name);
    expect(Object.keys(RELEASED).filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each<[string, readonly StallRule[]]>([
    ['create index x on managed_object (id)', ['index-not-concurrent']],
    ['create unique index x on managed_object (id)', ['index-not-concurrent']],
    ['create index concurrently x on managed_object (id)', []],
    [
      'create table t (a int); create index on t (a); alter table t add check (a > 0); update t set a = 1',
      [],
    ],
    ['create index x on cluster_node (name)', []],
    ['alter table audit_event add column a int', []],
    ["alter table audit_event add column a int not null default 0, add column b text default 'x'", []],
    ['alter table audit_event add column a timestamptz default clock_timestamp()', ['table-rewritten']],
    ['alter table audit_event add column a bigint generated always as identity', ['table-rewritten']],
    ['alter table audit_event add column a bigserial', ['table-rewritten']],
    ['alter table audit_event alter column topic type varchar', ['table-rewritten']],
    ['ALTER TABLE audit_event\n  ALTER topic SET NOT NULL', ['constraint-scans-table']],
    ['alter table audit_event add check (topic is not null)', ['constraint-scans-table']],
    ['alter table audit_event add constraint c check (topic is not null) not valid', []],
    ['alter table audit_event validate constraint c', []],
    ['alter table audit_event add foreign key (id) references managed_object', ['constraint-scans-table']],
    ['alter table audit_event add column a uuid references managed_object', ['constraint-scans-table']],
    ['alter table audit_event add constraint k unique using index k', []],
    ['update managed_object set revision = 1', ['rows-changed-at-once']],
    ['delete from managed_object', ['rows-changed-at-once']],
    ['alter table audit_event drop column topic', ['taken-away']],
    ['alter table audit_event rename topic to kind', ['taken-away']],
    ['-- breaking: nodes before ask for the topic\nalter table audit_event drop column topic', []],
    ['-- update managed_object\nselect 1', []],
    ['create function f() returns void language plpgsql as $$ begin delete from managed_object; end $$', []],
  ])('is judged by what it does: %s', (text, rules) => {
    expect(rulesOf(text)).toEqual(rules);
  });
});
