import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEntry, Run } from '../../src/scheduler/run/run.ts';
import { A, type JobStoreHarness, openJobStore, T0, type Trigger } from '../support/job-store-harness.ts';

/** What can happen to a trigger; often what it was made for. */
const STEPS = [
  'pause',
  'resume',
  'pause all',
  'resume all',
  'run now',
  ...Array.from({ length: 4 }, () => 'claim' as const),
  ...Array.from({ length: 6 }, () => 'start' as const),
  'end',
  'lose the node',
  'park',
  'switch concurrency',
  'disable',
  'enable',
] as const;
type Step = (typeof STEPS)[number];

const MAX_ATTEMPTS = 10;

/** A trigger by the words of its states, told from its beginning, and not by what is stored of it. */
class Walk {
  readonly #h: JobStoreHarness;
  #isPaused = false;
  #areAllPaused = false;
  #isParked = false;
  #isEnabled = true;
  #isConcurrent = false;
  #generation = 1;
  #asked = 0;
  #claimed: Run[] = [];
  #started: Run[] = [];
  #state = -1;
  #previous = -1;

  constructor(h: JobStoreHarness) {
    this.#h = h;
  }

  async begin(): Promise<void> {
    await this.#h.clear();
    await this.#put();
    this.#note();
  }

  /** What is to be seen of it. */
  get trigger(): Trigger | undefined {
    if (this.#state === -1) return undefined;
    const acquired = this.#isAcquired;
    return {
      state: this.#state,
      previous_state: this.#previous,
      acquired,
      nodeId: acquired ? 'a' : null,
    };
  }

  /** Takes one of the steps that mean something now. @returns which */
  async take(choice: number): Promise<Step> {
    const possible = STEPS.filter((step) => this.#isPossible(step));
    const step = possible[choice % possible.length]!;
    await this.#steps[step]();
    this.#note();
    return step;
  }

  #isPossible(step: Step): boolean {
    const [run] = this.#started;
    switch (step) {
      case 'pause':
      case 'resume':
        return (this.#isPaused || this.#isParked) === (step === 'resume');
      case 'pause all':
      case 'resume all':
        return this.#areAllPaused === (step === 'resume all');
      case 'run now':
        return this.#asked < 2;
      case 'claim':
        return !this.#areAllPaused && this.#claimed.length === 0 && (this.#isConcurrent || !this.#isAcquired);
      case 'start':
        return this.#claimed.length > 0;
      case 'end':
      case 'lose the node':
        return run !== undefined;
      case 'park':
        return (
          this.#stateNow() === (this.#isConcurrent ? 0 : 4) &&
          run?.kind === 'planned' &&
          run.generation === this.#generation &&
          this.#started.length === 1 &&
          this.#claimed.length + this.#asked === 0 &&
          this.#isEnabled &&
          !(this.#isPaused || this.#areAllPaused)
        );
      case 'switch concurrency':
        return !this.#isAcquired;
      case 'disable':
      case 'enable':
        return this.#isEnabled === (step === 'disable');
    }
  }

  readonly #steps: Readonly<Record<Step, () => Promise<unknown>>> = {
    pause: () => this.#h.pause('j', true).then(() => (this.#isPaused = true)),

    resume: async () => {
      await this.#h.pause('j', false);
      this.#isPaused = false;
      if (this.#isParked) this.#retime();
      this.#isParked = false;
    },

    'pause all': () => this.#h.pauseAll(true).then(() => (this.#areAllPaused = true)),
    'resume all': () => this.#h.pauseAll(false).then(() => (this.#areAllPaused = false)),
    'run now': () => this.#h.trigger('j').then(() => (this.#asked += 1)),

    claim: async () => {
      const { runs } = await this.#h.store.claim({ holder: A, limit: 1, lookAheadMs: 0, watermark: 0 });
      this.#claimed.push(...runs);
      this.#asked -= runs.filter(({ kind }) => kind === 'manual').length;
    },

    start: async () => {
      const run = this.#claimed.shift()!;
      const mayStart = run.kind === 'manual' || !(this.#isPaused || this.#areAllPaused || this.#isParked);
      const started = await this.#h.store.start(A, [run]);
      expect(started.length).toBe(mayStart ? 1 : 0);
      if (mayStart) this.#started.push(run);
    },

    end: async () => {
      const run = this.#started.shift()!;
      const next = run.kind === 'planned' ? run.fireAt + 1000 : null;
      await this.#h.store.complete(A, [{ run, next, entries: [entryOf(run)] }]);
    },

    'lose the node': async () => {
      const run = this.#started.shift()!;
      await this.#h.store.release(A, 'b', { only: run, isSuspect: false });
      if (run.kind === 'manual' && run.generation === this.#generation) this.#asked += 1;
    },

    park: async () => {
      for (let { attempt } = this.#started[0]!; attempt < MAX_ATTEMPTS; attempt++) {
        await this.#steps['lose the node']();
        this.#note();
        await this.#steps.claim();
        await this.#steps.start();
        this.#note();
      }
      await this.#steps['lose the node']();
      this.#isParked = true;
    },

    'switch concurrency': async () => {
      this.#isConcurrent = !this.#isConcurrent;
      const wasParked = this.#isParked;
      await this.#put();
      if (wasParked) this.#retime();
      this.#isParked = false;
    },

    disable: () => this.#switch(false),
    enable: () => this.#switch(true),
  };

  get #isAcquired(): boolean {
    return this.#claimed.length + this.#started.length > 0;
  }

  #put(): Promise<void> {
    const fields = { concurrentExecution: this.#isConcurrent, enabled: this.#isEnabled };
    return this.#h.put('j', fields, T0 - 1);
  }

  async #switch(isEnabled: boolean): Promise<void> {
    this.#isEnabled = isEnabled;
    await this.#put();
    this.#retime();
    this.#isParked = false;
  }

  /** Takes back all that has not begun. */
  #retime(): void {
    this.#generation += 1;
    this.#claimed = [];
    this.#asked = 0;
  }

  #note(): void {
    const state = this.#stateNow();
    if (state === this.#state) return;
    this.#previous = this.#state;
    this.#state = state;
  }

  #stateNow(): number {
    const runs = this.#started.length > 0;
    if (!this.#isEnabled && !runs) return -1;
    if (this.#isParked) return 3;
    if (runs && !this.#isConcurrent) return 4;
    return this.#isPaused || this.#areAllPaused ? 1 : 0;
  }
}

function entryOf(run: Run): LedgerEntry {
  return {
    jobId: 'j',
    node: 'a',
    outcome: run.kind === 'manual' ? 'manual' : 'fired',
    plannedAt: run.fireAt,
    startedAt: run.fireAt,
    lateMs: 0,
    error: null,
    log: null,
    why: null,
  };
}

describe.each([
  ['that is persisted', true, 12],
  ['in memory', false, 8],
])('the trigger of a schedule %s', (_where, persisted, numRuns) => {
  let h: JobStoreHarness;
  beforeAll(async () => {
    h = await openJobStore(persisted);
  });
  afterAll(() => h[Symbol.asyncDispose]());

  it('shows at every moment what it is, and what it was before, whatever has happened to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { minLength: 15, maxLength: 40, size: 'max' }), async (choices) => {
        const walk = new Walk(h);
        await walk.begin();
        const taken: Step[] = [];
        for (const choice of choices) {
          taken.push(await walk.take(choice));
          expect(await h.triggerOf('j'), taken.join(', ')).toEqual(walk.trigger);
        }
      }),
      { numRuns, endOnFailure: true },
    );
  });
});
