import { describe, expect, it } from 'vitest';
import { loadEngineModule } from '../../../../src/script/javascript/engine-module.ts';
import {
  NOBODY,
  QuickJsContext,
  QuickJsException,
} from '../../../../src/script/javascript/quickjs-context.ts';
import { createQuickJs } from '../../../../src/script/javascript/quickjs-module.ts';
import { ENGINES } from './support.ts';
import '../../../support/takes-long.ts';

const LIMITS = { memoryBytes: 16_777_216, stackBytes: 65_536 };

describe.each(ENGINES)('a running script (%s)', (kind) => {
  async function contextOf(): Promise<QuickJsContext> {
    const { module, fields } = await loadEngineModule(kind);
    expect(fields?.interruptCounter).toBeGreaterThan(0);
    return new QuickJsContext(kind, await createQuickJs(kind, module, 1024), { ...LIMITS, fields });
  }

  /** Calls `source`, a function, which is over as soon as it has been asked so often. */
  async function askedOf(source: string, most: number): Promise<number> {
    const context = await contextOf();
    const fn = context.evaluate(`(${source})`, 'test.js');
    let asked = 0;
    context.user = { ...NOBODY, shouldInterrupt: () => ++asked > most };
    await context.callSuspendable(fn, []).catch((error: unknown) => {
      expect(error).toBeInstanceOf(QuickJsException);
    });
    return asked;
  }

  // With a fixed number of steps between them these would take minutes.
  it.each([
    'function f() { try { return f() } finally { f() } }',
    'function () { for (;;) "x".repeat(1e4).split("").sort().join() }',
  ])('is asked often whether it must end, however dear its steps are: %s', async (source) => {
    expect(await askedOf(source, 100)).toBeGreaterThan(100);
  });

  it('is not asked at every turn of a loop', async () => {
    const asked = await askedOf('function () { for (var i = 0; i < 100000; i++); }', Infinity);
    expect(asked).toBeLessThan(10_000);
  });

  it('is asked at every step once it is over, whatever swallows the interrupt', async () => {
    const endless = 'function () { async function f() { for (;;) {} } for (;;) f() }';
    expect(await askedOf(endless, 5)).toBeGreaterThan(6);
  });
});
