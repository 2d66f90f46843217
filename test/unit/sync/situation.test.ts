import { describe, expect, it } from 'vitest';
import { SITUATIONS, SYNC_ACTIONS } from '#config/index.ts';
import { planAction, type Scene } from '#sync/action.ts';
import { assess, DEFAULT_ACTION, type Facts } from '#sync/situation.ts';

const NOTHING: Facts = {
  hasSource: false,
  isValid: false,
  isLinked: false,
  hasTarget: false,
  isTargetValid: false,
  correlated: 0,
  isTaken: false,
};
const there = { hasSource: true, isValid: true };
const linked = { isLinked: true, hasTarget: true };

/** The table of the field: row, what was found out, what that is, and what is done about it. */
const ROWS: readonly [row: string, facts: Partial<Facts>, situation: string, action: string][] = [
  ['1 gone, linked', { ...linked, isTargetValid: true }, 'SOURCE_MISSING', 'EXCEPTION'],
  ['2 gone, linked, not to be touched', linked, 'TARGET_IGNORED', 'REPORT'],
  ['3 gone, linked to nothing', { isLinked: true }, 'LINK_ONLY', 'EXCEPTION'],
  ['4 gone, and nothing is like it', { isValid: true }, 'ALL_GONE', 'NOREPORT'],
  ['5 gone, was valid, one is like it', { isValid: true, correlated: 1 }, 'UNASSIGNED', 'EXCEPTION'],
  ['6 gone, was not valid, one is like it', { correlated: 1 }, 'TARGET_IGNORED', 'REPORT'],
  ['7 gone, was valid, two are like it', { isValid: true, correlated: 2 }, 'AMBIGUOUS', 'EXCEPTION'],
  ['7 gone, was not valid, two are like it', { correlated: 2 }, 'UNQUALIFIED', 'DELETE'],
  ['8 there, linked', { ...there, ...linked }, 'CONFIRMED', 'UPDATE'],
  ['8 there, linked to nothing', { ...there, isLinked: true }, 'MISSING', 'EXCEPTION'],
  ['9 there, nothing is like it', there, 'ABSENT', 'CREATE'],
  ['10 there, one is like it', { ...there, correlated: 1 }, 'FOUND', 'UPDATE'],
  [
    '10 there, one is like it and somebody else’s',
    { ...there, correlated: 1, isTaken: true },
    'FOUND_ALREADY_LINKED',
    'EXCEPTION',
  ],
  ['11 there, two are like it', { ...there, correlated: 2 }, 'AMBIGUOUS', 'EXCEPTION'],
  ['12 there, not valid, linked', { hasSource: true, ...linked }, 'UNQUALIFIED', 'DELETE'],
  ['12 there, not valid, one is like it', { hasSource: true, correlated: 1 }, 'UNQUALIFIED', 'DELETE'],
  ['13 there, not valid, nothing is like it', { hasSource: true }, 'SOURCE_IGNORED', 'REPORT'],
];

describe('a situation', () => {
  it.each(ROWS)('is what the field calls it: %s', (_row, facts, situation, action) => {
    const found = assess({ ...NOTHING, ...facts });
    expect([found, DEFAULT_ACTION[found]]).toEqual([situation, action]);
  });

  it('of each kind is met by a row', () => {
    expect([...new Set(ROWS.map(([, , situation]) => situation))].sort()).toEqual([...SITUATIONS].sort());
  });
});

/** What is there in a situation: source, the one target, a link. */
const SCENES: Readonly<Record<string, Pick<Scene, 'hasSource' | 'hasTarget' | 'isLinked'>>> = {
  SOURCE_MISSING: { hasSource: false, hasTarget: true, isLinked: true },
  TARGET_IGNORED: { hasSource: false, hasTarget: true, isLinked: true },
  LINK_ONLY: { hasSource: false, hasTarget: false, isLinked: true },
  ALL_GONE: { hasSource: false, hasTarget: false, isLinked: false },
  UNASSIGNED: { hasSource: false, hasTarget: true, isLinked: false },
  AMBIGUOUS: { hasSource: true, hasTarget: false, isLinked: false },
  UNQUALIFIED: { hasSource: true, hasTarget: true, isLinked: true },
  CONFIRMED: { hasSource: true, hasTarget: true, isLinked: true },
  MISSING: { hasSource: true, hasTarget: false, isLinked: true },
  ABSENT: { hasSource: true, hasTarget: false, isLinked: false },
  FOUND: { hasSource: true, hasTarget: true, isLinked: false },
  FOUND_ALREADY_LINKED: { hasSource: true, hasTarget: true, isLinked: false },
  SOURCE_IGNORED: { hasSource: true, hasTarget: false, isLinked: false },
};

// What is done with target / link; a dash for nothing, an exclamation mark for a refusal. REPORT stands for NOREPORT, ASYNC and IGNORE.
// biome-ignore format: a table
const PLANS: Readonly<Record<string, readonly string[]>> = {
  //                      CREATE         UPDATE         LINK       DELETE           UNLINK      EXCEPTION  REPORT
  SOURCE_MISSING:       [ '!',           '!',           '!',       'delete/remove', '-/remove', '!',       '-/-' ],
  TARGET_IGNORED:       [ '!',           '!',           '!',       'delete/remove', '-/remove', '!',       '-/-' ],
  LINK_ONLY:            [ '!',           '!',           '!',       '-/remove',      '-/remove', '!',       '-/-' ],
  ALL_GONE:             [ '!',           '!',           '!',       '-/-',           '-/-',      '!',       '-/-' ],
  UNASSIGNED:           [ '!',           '!',           '!',       'delete/-',      '-/-',      '!',       '-/-' ],
  AMBIGUOUS:            [ 'create/make', '!',           '!',       '-/-',           '-/-',      '!',       '-/-' ],
  UNQUALIFIED:          [ '!',           'update/-',    '-/-',     'delete/remove', '-/remove', '!',       '-/-' ],
  CONFIRMED:            [ '!',           'update/-',    '-/-',     'delete/remove', '-/remove', '!',       '-/-' ],
  MISSING:              [ 'create/move', '!',           '!',       '-/remove',      '-/remove', '!',       '-/-' ],
  ABSENT:               [ 'create/make', '!',           '!',       '-/-',           '-/-',      '!',       '-/-' ],
  FOUND:                [ '!',           'update/make', '-/make',  'delete/-',      '-/-',      '!',       '-/-' ],
  FOUND_ALREADY_LINKED: [ '!',           'update/make', '-/make',  'delete/-',      '-/-',      '!',       '-/-' ],
  SOURCE_IGNORED:       [ 'create/make', '!',           '!',       '-/-',           '-/-',      '!',       '-/-' ],
};

describe('an action', () => {
  const shown = (action: (typeof SYNC_ACTIONS)[number], scene: Scene) => {
    const plan = planAction(action, scene);
    if (plan.does === 'refuse') return '!';
    return `${plan.does === 'nothing' ? '-' : plan.does}/${plan.link === 'keep' ? '-' : plan.link}`;
  };

  it.each(SITUATIONS)('does in the situation %s what the table says, each of the ten', (situation) => {
    const scene = SCENES[situation];
    const plans = SYNC_ACTIONS.map((action) => shown(action, { keepsLinks: true, ...scene } as Scene));
    const [create, update, link, remove, unlink, exception, report] = PLANS[situation] ?? [];
    expect(plans).toEqual([create, update, link, remove, unlink, exception, report, report, report, report]);
  });

  it('keeps no links where the mapping wants none', () => {
    const scene = { hasSource: true, hasTarget: false, isLinked: false, keepsLinks: false };
    expect(shown('CREATE', scene)).toBe('create/-');
    expect(shown('UPDATE', { ...scene, hasTarget: true })).toBe('update/-');
  });
});
