import { type Database, LockSession } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import { countSessions, listNodes, type NodeRow } from './node-repository.ts';
import { sessionName } from './session-name.ts';

/** A cut session is not a dead node, as long as it has others: it has this long to take its lock back. */
const SESSION_GRACE_MS = 250;
const SESSION_CHECK_MS = 5;

export interface SuccessorWatchOptions {
  readonly database: Database;
  readonly sessionUrl: string;
  readonly nodeId: number;
  readonly observe: Observe;
  /** The successor's process has ended, and this node has its lock. */
  readonly onEnd: (node: NodeRow) => Promise<void>;
  /** There may be another successor now. */
  readonly onOver: () => void;
}

/**
 * Waits for the lock of the next live node in the ring of ids, which Postgres gives away when that node's process ends. Nodes
 * that hold none, behind a pooler, are not in the ring: their lock is free while they live.
 */
export class SuccessorWatch {
  readonly #options: SuccessorWatchOptions;
  #watch: { readonly session: LockSession; readonly target: number } | undefined;
  #following: Promise<void> | undefined;
  #stopped = false;

  constructor(options: SuccessorWatchOptions) {
    this.#options = options;
  }

  get session(): LockSession | undefined {
    return this.#watch?.session;
  }

  /** Opening a connection may take long where much is going on; the heartbeat does not wait for it. */
  follow(nodes: readonly NodeRow[]): void {
    this.#following ??= this.#follow(nodes)
      .catch((error: unknown) => this.#noteFailure(error))
      .finally(() => {
        this.#following = undefined;
      });
  }

  /** Resolves when nothing of it is under way; `close` ends the watch itself. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#following;
  }

  async close(): Promise<void> {
    await this.#watch?.session.close();
  }

  async #follow(nodes: readonly NodeRow[]): Promise<void> {
    const { sessionUrl, nodeId } = this.#options;
    const ring = nodes.filter((node) => node.state === 'running' && node.holds_session && node.id !== nodeId);
    const successor = ring.find((node) => node.id > nodeId) ?? ring[0];
    if (this.#watch?.session.isOpen === true && this.#watch.target === successor?.id) return;
    await this.#watch?.session.close();
    this.#watch = undefined;
    if (successor === undefined || this.#stopped) return;
    const session = await LockSession.open(sessionUrl, sessionName(nodeId), () => undefined);
    const watch = { session, target: successor.id };
    this.#watch = watch;
    session.waitForEndOf(successor.id).then(
      () => this.#sessionEnded(watch),
      () => undefined,
    );
  }

  async #sessionEnded(watch: { readonly session: LockSession; readonly target: number }): Promise<void> {
    const { database, onEnd, onOver } = this.#options;
    try {
      if (this.#stopped || this.#watch !== watch) return;
      const nodes = await listNodes(database.db);
      const node = nodes.find((other) => other.id === watch.target);
      if (node === undefined || node.state === 'down' || !node.holds_session) return;
      await this.#awaitEndOfSessions(node);
      if (!(await watch.session.tryHold(watch.target))) return;
      await watch.session.close();
      await onEnd(node);
    } catch (error) {
      this.#noteFailure(error);
    } finally {
      await watch.session.close();
      if (this.#watch === watch) this.#watch = undefined;
      onOver();
    }
  }

  /** Waits until the kernel has closed all its sockets, which takes milliseconds, or its grace is over. */
  async #awaitEndOfSessions(node: NodeRow): Promise<void> {
    const { db } = this.#options.database;
    const until = performance.now() + SESSION_GRACE_MS;
    while ((await countSessions(db, sessionName(node.id))) > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, SESSION_CHECK_MS));
    }
  }

  #noteFailure(error: unknown): void {
    this.#options.observe({ kind: 'loop.failed', loop: 'liveness watch', error });
  }
}
