import { describe, expect, it } from 'vitest';
import { HOOK_NAMES, hookOf } from '../../src/managed/hook.ts';
import { DONE, HOOKS, runsAt } from './hooks.ts';

describe('the hooks that the console tells of', () => {
  it('are those of the server, and run when it runs them', () => {
    expect(HOOKS).toEqual(HOOK_NAMES);
    for (const name of HOOKS) {
      const hook = { name, property: undefined, script: undefined };
      const requests = new Set(hookOf(name).on.map((kind) => (/update|patch/.test(kind) ? 'change' : kind)));
      expect(DONE.filter((done) => runsAt(hook, done))).toEqual([...requests]);
    }
  });
});
