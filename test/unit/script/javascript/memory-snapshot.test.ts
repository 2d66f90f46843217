import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { chooseEngine, loadEngineModule } from '../../../../src/script/javascript/index.ts';
import { findBreakAddress, SandboxMemory } from '../../../../src/script/javascript/memory-snapshot.ts';
import { QuickJsContext } from '../../../../src/script/javascript/quickjs-context.ts';
import { createQuickJs } from '../../../../src/script/javascript/quickjs-module.ts';
import { ENGINES } from './support.ts';
import '../../../support/takes-long.ts';

const C_STACK_BYTES = 2_097_152;

describe.each(ENGINES)('the build of QuickJS (%s)', (kind) => {
  it('has its host call and the end of its heap where they are looked for', async () => {
    const engine = await loadEngineModule(kind);
    expect(findBreakAddress(await createQuickJs(kind, engine.module, 1024))).toBe(engine.breakAddress);
    expect(engine.breakAddress % 4).toBe(0);
  });

  it('is byte for byte as before after a snapshot is restored, except for the C stack', async () => {
    const engine = await loadEngineModule(kind);
    const quickjs = await createQuickJs(kind, engine.module, 1024);
    const memory = new SandboxMemory(quickjs, engine.breakAddress);
    const limits = { memoryBytes: 33_554_432, stackBytes: 65_536 };
    const context = new QuickJsContext(kind, quickjs, limits);
    context.evaluate('globalThis.kept = { a: [1, 2, 3] }', 'before.js');
    const snapshot = memory.takeSnapshot();
    const heapStart = quickjs._malloc(1) - C_STACK_BYTES;
    snapshot.restore(quickjs.HEAPU8);
    const heapEnd = new Uint32Array(quickjs.HEAPU8.buffer)[engine.breakAddress >>> 2]!;
    const before = Buffer.from(quickjs.HEAPU8.slice(0, heapEnd));
    for (const dirt of [
      'var all = []; for (var i = 0; i < 50000; i++) all.push({ i: i, s: "text " + i }); all.length',
      'try { new ArrayBuffer(1e9) } catch (e) {} new Date().toString() + Math.random() + /a+/.exec("aaa")',
      'function f() { f() } try { f() } catch (e) {} new Map([[1, 2]]); "ß".normalize("NFD"); 10n ** 100n; 1.5e300 + ""',
    ]) {
      context.evaluate(dirt, 'dirt.js');
      snapshot.restore(quickjs.HEAPU8);
      const after = Buffer.from(quickjs.HEAPU8.subarray(0, heapEnd));
      const dataEnd = heapStart - C_STACK_BYTES;
      expect(after.subarray(0, dataEnd).equals(before.subarray(0, dataEnd))).toBe(true);
      const heap = heapStart + C_STACK_BYTES;
      expect(after.subarray(heap - (heap % 4096)).equals(before.subarray(heap - (heap % 4096)))).toBe(true);
    }
    expect(snapshot.bytes).toBeLessThan(600_000);
    expect(context.getString(context.evaluate('JSON.stringify(kept)', 'after.js'))).toBe('{"a":[1,2,3]}');
  });

  it('can be kept as what a few scripts have changed, and restored in a copy', async () => {
    const engine = await loadEngineModule(kind);
    const limits = { memoryBytes: 33_554_432, stackBytes: 65_536 };
    const quickjs = await createQuickJs(kind, engine.module, 1024);
    const memory = new SandboxMemory(quickjs, engine.breakAddress);
    const context = new QuickJsContext(kind, quickjs, limits);
    context.evaluate('globalThis.kept = []', 'before.js');
    const base = memory.takeSnapshot();
    const deltas = ['one', 'two', 'x'.repeat(300_000)].map((text) => {
      memory.restore(base);
      context.evaluate(`kept.push("${text}", function () { return kept[0] })`, 'added.js');
      return [text, memory.takeDelta(base)] as const;
    });
    const copy = await createQuickJs(kind, engine.module, 1024);
    const copied = new SandboxMemory(copy, engine.breakAddress, memory);
    copied.restore(base);
    const other = new QuickJsContext(kind, copy, limits, context);
    for (let round = 0; round < 2; round++) {
      for (const [text, delta] of deltas) {
        other.evaluate('kept.length = 0; for (var i = 0; i < 30000; i++) kept.push({ i: i })', 'dirt.js');
        copied.restore(delta);
        expect(other.getString(other.evaluate('kept[1]()', 'after.js'))).toBe(text);
        copied.restore(base);
        expect(other.getString(other.evaluate('String(kept.length)', 'after.js'))).toBe('0');
      }
    }
    expect(deltas[0]![1].ownBytes).toBeLessThan(20_000);
  });

  it('can be shared with other threads', async () => {
    const workerData = { module: await loadEngineModule(kind) };
    const entry = new URL('../../../../src/script/javascript/index.ts', import.meta.url);
    const source = `
      import { parentPort, workerData } from 'node:worker_threads';
      const { SandboxPool } = await import(${JSON.stringify(entry.href)});
      const pool = await SandboxPool.create({ module: workerData.module });
      const host = async () => 41;
      const script = { name: 's', source: 'svc.read("x") + 1' };
      parentPort.postMessage(await pool.run({ script, bindings: {}, host, timeoutMs: 120_000 }));`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { workerData });
    const answer = await new Promise((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
    });
    await worker.terminate();
    expect(answer).toEqual({ value: 42, bindings: {} });
  });
});

describe('the choice of the engine', () => {
  it('follows what is asked for and falls back to what there is', () => {
    expect(chooseEngine('asyncify')).toBe('asyncify');
    expect(chooseEngine('jspi')).toBe('jspi');
  });
});
