import type { HeldStatement } from './transaction-statements.ts';

/** What leaves with the next statement of a transaction, and why something that left could not be done. */
export class HeldStatements {
  #waiting: HeldStatement[] = [];
  #failure: { readonly error: unknown } | undefined;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Whether the answer to one of them may be a reason not to commit. */
  get hasChecks(): boolean {
    return this.#waiting.some(({ check }) => check !== undefined);
  }

  add(...statements: readonly HeldStatement[]): void {
    this.#waiting.push(...statements);
  }

  take(): readonly HeldStatement[] {
    return this.#waiting.splice(0);
  }

  /** Whoever asked next is told as well, and may be a script, which makes of it what it likes. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** @throws why one of them could not be done */
  requireDone(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** @returns a function that forgets what has come and failed since */
  mark(): () => void {
    const before = this.#failure;
    return () => {
      this.#waiting = [];
      this.#failure = before;
    };
  }
}
