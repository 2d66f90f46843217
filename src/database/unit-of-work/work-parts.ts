import { AsyncLocalStorage } from 'node:async_hooks';
import { WorkIsOver } from './work-failure.ts';

/** Work under a savepoint. */
interface Part {
  readonly of: WorkParts;
  readonly within: Part | undefined;
  isOver: boolean;
}

const current = new AsyncLocalStorage<Part>();

/**
 * Which work of a unit still counts. Whoever gives up does not wait for what it has begun: a script whose time is over, or
 * that belongs to another node now, leaves a call behind that goes on by itself. Its next statement would be sent behind
 * the rollback that has been sent already, and stored by itself; or would belong to work that survived the failure.
 */
export class WorkParts {
  #isOver = false;

  /** Whether whoever asks was left behind by work that is over. */
  get isLeftBehind(): boolean {
    if (this.#isOver) return true;
    for (let part = current.getStore(); part !== undefined; part = part.within)
      if (part.isOver && part.of === this) return true;
    return false;
  }

  /** @throws WorkIsOver when whoever asks was left behind */
  requireGoesOn(): void {
    if (this.isLeftBehind) throw new WorkIsOver();
  }

  /** Does a part of the work, which is over when it settles. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const part: Part = { of: this, within: current.getStore(), isOver: false };
    try {
      return await current.run(part, work);
    } finally {
      part.isOver = true;
    }
  }

  /** Ends all parts. */
  end(): void {
    this.#isOver = true;
  }
}
