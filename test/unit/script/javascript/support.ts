import { afterAll, beforeAll, describe } from 'vitest';
import type { JsonValue } from '#json/index.ts';
import {
  type EngineKind,
  SandboxPool,
  type SandboxPoolOptions,
  type SandboxResult,
  type SandboxRun,
} from '../../../../src/script/javascript/index.ts';

export type Host = SandboxRun['host'];

export interface Runner {
  readonly pool: SandboxPool;
  run(source: string, request?: Partial<SandboxRun>): Promise<SandboxResult>;
  value(source: string, request?: Partial<SandboxRun>): Promise<JsonValue>;
  /** What the run rejects with. */
  failure(source: string, request?: Partial<SandboxRun>): Promise<unknown>;
}

export const ENGINES: readonly EngineKind[] = ['jspi', 'asyncify'];

/** Answers with what it was asked. */
export const echo: Host = async (operation, args) => ({ operation, args });

export function runnerOf(pool: SandboxPool): Runner {
  const run: Runner['run'] = (source, request = {}) =>
    pool.run({
      script: { name: 'test.js', source },
      bindings: {},
      host: echo,
      timeoutMs: 120_000,
      ...request,
    });
  return {
    pool,
    run,
    value: async (source, request) => (await run(source, request)).value,
    failure: (source, request) =>
      run(source, request).then(
        (result) => {
          throw new Error(`Expected a failure, got ${JSON.stringify(result)}`);
        },
        (error: unknown) => error,
      ),
  };
}

/** The same contract for every engine; each has one pool for all of its tests. */
export function describeEngines(
  title: string,
  body: (runner: () => Runner, engine: EngineKind) => void,
  options: SandboxPoolOptions = {},
): void {
  describe.each(ENGINES)(`${title} (%s)`, (engine) => {
    let runner: Runner | undefined;
    beforeAll(async () => {
      runner = runnerOf(await SandboxPool.create({ ...options, engine }));
    });
    afterAll(() => runner?.pool.close());
    body(() => runner!, engine);
  });
}
