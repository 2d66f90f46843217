import { isConflict, isUnavailable } from '../pool/sql-state.ts';
import type { Actor, Change } from './change.ts';
import type { Effect, Wake } from './effect.ts';
import { rootOf } from './work-failure.ts';

/** What a unit of work has to tell: what it changes, what is to happen once that is committed, and what the database said. */
export class WorkNotes {
  changes: Change[] = [];
  effects: Effect[] = [];
  /** Why the database could not do its part. */
  failure: unknown;

  sign(since: number, actor: Actor): void {
    for (let at = since; at < this.changes.length; at++) {
      const change = this.changes[at]!;
      if (change.actor === undefined) this.changes[at] = { ...change, actor };
    }
  }

  add(what: string, does: Effect['run'] | Wake, options: Pick<Effect, 'isTold'>): void {
    const effect = typeof does === 'function' ? { run: does } : { run: does.run, wake: does };
    this.effects.push({ what, ...effect, ...options });
  }

  /** @returns a function that forgets what has come since */
  mark(): () => void {
    const [changes, effects] = [this.changes.length, this.effects.length];
    return () => {
      this.changes = this.changes.slice(0, changes);
      this.effects = this.effects.slice(0, effects);
    };
  }

  noteFailure(error: unknown): void {
    const root = rootOf(error);
    if (isConflict(root) || isUnavailable(root)) this.failure = root;
  }
}
