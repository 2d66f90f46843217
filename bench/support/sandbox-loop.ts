/** Runs scripts in the sandboxes of one thread, with host calls that are answered from memory. */
import { SandboxPool } from '../../src/script/javascript/index.ts';
import { answerParent } from './child.ts';
import { answerFromMemory, SCRIPT_OBJECT } from './script-samples.ts';

export interface SandboxLoopTask {
  readonly source: string;
  readonly ms: number;
  /** Runs under way at once. */
  readonly parallel: number;
}

const pool = await SandboxPool.create();

/** @returns runs a second */
answerParent(async ({ source, ms, parallel }: SandboxLoopTask): Promise<number> => {
  let count = 0;
  const startedAt = performance.now();
  const run = async () => {
    while (performance.now() < startedAt + ms) {
      await pool.run({
        script: { name: 'bench.js', source },
        bindings: { object: SCRIPT_OBJECT },
        host: async (operation, args) => answerFromMemory(operation, args),
        timeoutMs: 10_000,
      });
      count++;
    }
  };
  await Promise.all(Array.from({ length: parallel }, run));
  return count / ((performance.now() - startedAt) / 1000);
});
