import { type Database, type Db, LockSession } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { Heartbeat } from './heartbeat.ts';
import { nameInUse, numberLost } from './node-refused.ts';
import {
  endSession,
  endStrayWatchers,
  getNodeId,
  type KeyIds,
  listLiveSessions,
  listNodes,
  type NodeRow,
  noteAlone,
  registerNode,
  signOff,
} from './node-repository.ts';
import { Recovery, type ReleaseClaims } from './recovery.ts';
import { sessionName } from './session-name.ts';
import { SuccessorWatch } from './successor-watch.ts';

const BEAT_INTERVAL_MS = 750;
/** A node that is silent for so long by the database's clock is lost; as `svc_node_state` has it. */
const LEASE_MS = 3_000;
/** A pause between two looks at a node that is silent for longer and not yet lost. */
const SOONEST_LOOK_MS = 25;
/** Postgres is asked so often whether it still has the sessions that hold locks. */
const SESSION_PROBE_MS = 3_000;
/** Others may hold the lock of a node for a moment, when they have waited for its end. */
const WATCHER_PATIENCE_MS = 1_000;
/** How long a node waits for the sessions of its own earlier life to end. */
const NAME_RELEASE_MS = 5_000;

export interface MembershipOptions {
  readonly database: Database;
  /**
   * For the two sessions that hold locks: a direct connection. Undefined where there is only a pooler, which lends
   * sessions for a transaction: then the heartbeat alone decides whether this node lives, and its row says so.
   */
  readonly sessionUrl: string | undefined;
  readonly nodeName: string;
  /** As `identify` gave it. */
  readonly nodeId: number;
  readonly roles: readonly string[];
  /** The ids of its keys, for the others. */
  readonly keys?: KeyIds;
  readonly observe: Observe;
  /** Called once after the node has joined; if it throws, the node leaves again and its start fails. */
  readonly admit?: () => Promise<void>;
}

/**
 * This node's place in the cluster. It holds an advisory lock for as long as it lives, waits for the lock of
 * its successor in the ring, beats its heartbeat, and takes over from nodes that died. Two ways of dying:
 *
 *   killed:  kernel closes the socket → Postgres drops the lock → the neighbour wakes (milliseconds)
 *   hung:    no heartbeat for 3 s by the database's clock → any node sees it
 */
export class Membership implements Service {
  readonly name = 'membership';
  readonly #options: MembershipOptions;
  readonly #ticker: Ticker;
  readonly #recovery: Recovery;
  readonly #fenced: (() => void)[] = [];
  readonly #returned: (() => void)[] = [];
  readonly #drained: ((isDrained: boolean) => void)[] = [];
  readonly #looks: ((nodes: readonly NodeRow[]) => Promise<void>)[] = [];
  #own: LockSession | undefined;
  #watch: SuccessorWatch | undefined;
  #stopped = true;
  #probedAt = 0;
  #beatenAt = 0;
  /** Until then nobody is given up for being silent. */
  #lenientUntil = 0;
  readonly nodeId: number;
  readonly heartbeat: Heartbeat;
  epoch = 0;
  life = '';
  /** Since when this node is to claim nothing; null while it works. */
  drainedAt: Date | null = null;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.nodeId = options.nodeId;
    this.#recovery = new Recovery(options);
    this.heartbeat = new Heartbeat(options.database.db, options.nodeName, options.observe);
    this.#ticker = new Ticker({
      name: 'heartbeat',
      intervalMs: BEAT_INTERVAL_MS,
      runOnce: () => this.#runOnce(),
      observe: options.observe,
    });
  }

  /** Finds or makes the node's row, so that sessions can be named after it before the node joins. */
  static identify(db: Db, nodeName: string): Promise<number> {
    return getNodeId(db, nodeName);
  }

  /** Tells what the node does with nothing else beside it: if it ends now, that is why. */
  noteAlone(subject: string | null): Promise<void> {
    return noteAlone(this.#options.database.db, this.nodeId, subject);
  }

  /** To be told of nodes that died. Register before `start`. */
  onNodeLost(release: ReleaseClaims): void {
    this.#recovery.onNodeLost(release);
  }

  /** To be told that another node has taken over from this one, wrongly or rightly. */
  onFenced(listener: () => void): void {
    this.#fenced.push(listener);
  }

  /** To be told that this one is back after that, in a life of which nobody has anything yet. */
  onReturn(listener: () => void): void {
    this.#returned.push(listener);
  }

  /** To be told when this node is to claim nothing more, and when it may again. */
  onDrain(listener: (isDrained: boolean) => void): void {
    this.#drained.push(listener);
  }

  /** To be told of all nodes, this one too, as they are with each heartbeat. */
  onLook(listener: (nodes: readonly NodeRow[]) => Promise<void>): void {
    this.#looks.push(listener);
  }

  /** Looks at once for what was said to this node. */
  wake(): void {
    this.#ticker.wake();
  }

  async start(): Promise<void> {
    this.#stopped = false;
    this.#watch = this.#newWatch();
    try {
      await this.#join();
    } catch (error) {
      this.#stopped = true;
      await this.#own?.close();
      throw error;
    }
    await this.#ticker.start();
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    const watching = this.#watch?.stop();
    await this.#ticker.stop();
    await watching;
    const { database, nodeName, observe } = this.#options;
    await signOff(database.db, this.nodeId, this.epoch).catch(() => undefined);
    await this.#watch?.close();
    await this.#own?.close();
    observe({ kind: 'node.left', node: nodeName });
  }

  get lastBeatAt(): number {
    return this.#ticker.lastBeatAt;
  }

  async #join(): Promise<void> {
    const { database, sessionUrl, nodeName, roles, keys, observe } = this.#options;
    await this.#holdLock();
    const before = this.epoch;
    const joined = await registerNode(
      database.db,
      { id: this.nodeId, name: nodeName },
      {
        roles,
        ...(keys === undefined ? {} : { keys }),
        holdsSession: sessionUrl !== undefined,
        after: before,
        life: this.life,
      },
    );
    if (joined === undefined) throw await this.#refusal();
    this.epoch = joined.epoch;
    this.life = joined.life;
    if (before === 0) await this.#admit();
    observe({ kind: 'node.joined', node: nodeName, epoch: this.epoch });
    // What an earlier life of this node had claimed is nobody's now.
    const nodes = await listNodes(database.db);
    const alone = nodes.find(({ id }) => id === this.nodeId)?.alone ?? null;
    for (const listener of this.#looks) await listener(nodes);
    if (before === 0) await this.#recovery.release(this.nodeId, this.epoch - 1, { kind: 'ended', alone });
    else await this.#recovery.release(this.nodeId, before, { kind: 'silent', alone });
  }

  async #refusal(): Promise<Error> {
    const { database, nodeName } = this.#options;
    const known = (await listNodes(database.db)).find(({ id }) => id === this.nodeId);
    return known?.name === nodeName ? nameInUse(nodeName) : numberLost(nodeName);
  }

  /** Done as a whole or not at all: what failed on the way is done again with the next heartbeat, under the next epoch. */
  async #rejoin(): Promise<void> {
    const before = this.epoch;
    try {
      await this.#join();
    } catch (error) {
      this.epoch = before;
      throw error;
    }
    for (const listener of this.#returned) listener();
  }

  #newWatch(): SuccessorWatch | undefined {
    const { sessionUrl } = this.#options;
    if (sessionUrl === undefined) return undefined;
    return new SuccessorWatch({
      ...this.#options,
      sessionUrl,
      onEnd: (node) => this.#recovery.recover(node, 'session'),
      onOver: () => this.#ticker.wake(),
    });
  }

  async #admit(): Promise<void> {
    const { admit, database } = this.#options;
    try {
      await admit?.();
    } catch (error) {
      await signOff(database.db, this.nodeId, this.epoch);
      throw error;
    }
  }

  /** A session that Postgres has ended while the network said nothing would seem to hold its lock for ever. */
  async #dropDeadSessions(): Promise<void> {
    if (performance.now() - this.#probedAt < SESSION_PROBE_MS) return;
    const sessions = [this.#own, this.#watch?.session].flatMap((session) =>
      session?.isOpen === true ? [session] : [],
    );
    if (sessions.length === 0) return;
    const live = await listLiveSessions(
      this.#options.database.db,
      sessions.map((session) => session.number).filter((number) => number !== null),
    );
    this.#probedAt = performance.now();
    for (const session of sessions) {
      const { number } = session;
      if (number === null) continue;
      const known = live.find((one) => one.number === number);
      // A watcher waits for a lock; if its session has been given it, the answer has got lost.
      const isUntold = session === this.#watch?.session && known?.isIdle === true;
      if (known === undefined || isUntold) await this.#drop(session);
    }
  }

  /** Ends a session on both sides: Postgres may not learn for hours that its client is gone, and keep its locks. */
  async #drop(session: LockSession | undefined): Promise<void> {
    await session?.close();
    const number = session?.number ?? null;
    if (number !== null) await endSession(this.#options.database.db, sessionName(this.nodeId), number);
  }

  async #holdLock(): Promise<void> {
    const { nodeName, sessionUrl } = this.#options;
    const startedAt = performance.now();
    // A node that was given up and has no sessions waits for nobody: whoever has its name now is another process.
    const until = startedAt + (sessionUrl === undefined && this.epoch > 0 ? 0 : NAME_RELEASE_MS);
    for (;;) {
      if (await this.#tryName()) return;
      if (performance.now() - startedAt > WATCHER_PATIENCE_MS) await this.#endStrayWatchers();
      if (performance.now() > until) {
        throw nameInUse(nodeName);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #endStrayWatchers(): Promise<void> {
    const { database, sessionUrl } = this.#options;
    if (sessionUrl === undefined) return;
    await endStrayWatchers(database.db, this.nodeId, sessionName(this.nodeId));
  }

  async #tryName(): Promise<boolean> {
    const { database, sessionUrl } = this.#options;
    const known = (await listNodes(database.db)).find(({ id }) => id === this.nodeId);
    const isAlive = known?.state === 'running';
    if (sessionUrl === undefined) return !isAlive;
    // Whoever has the name without a session leaves its lock free.
    if (isAlive && !known.holds_session) return false;
    if (this.#own?.isOpen !== true) {
      await this.#drop(this.#own);
      this.#own = await LockSession.open(sessionUrl, sessionName(this.nodeId), () => this.#ticker.wake());
    }
    return this.#own.tryHold(this.nodeId);
  }

  async #runOnce(): Promise<number | undefined> {
    const { database, sessionUrl, nodeName, observe } = this.#options;
    if (this.#stopped) return undefined;
    await this.#dropDeadSessions();
    const cut = sessionUrl !== undefined && this.#own?.isOpen !== true;
    if (cut) await this.#holdLock();
    if (!(await this.heartbeat.beat(this.nodeId, this))) {
      observe({ kind: 'node.fenced', node: nodeName, epoch: this.epoch });
      for (const listener of this.#fenced) listener();
      await this.#rejoin();
      return undefined;
    }
    this.#noteBeat();
    const nodes = await listNodes(database.db);
    for (const listener of this.#looks) await listener(nodes);
    for (const node of nodes) {
      if (node.id === this.nodeId) this.#noteDrain(node);
      if (node.id === this.nodeId) continue;
      if (node.state === 'lost' && performance.now() < this.#lenientUntil) continue;
      if (node.state === 'lost') await this.#recovery.recover(node, 'heartbeat');
      else await this.#recovery.finishOther(node);
    }
    this.#watch?.follow(nodes);
    return this.#nextLook(nodes);
  }

  #noteDrain({ drained_at: at }: NodeRow): void {
    const wasDrained = this.drainedAt !== null;
    this.drainedAt = at;
    if (wasDrained !== (at !== null)) for (const listener of this.#drained) listener(at !== null);
  }

  /**
   * If this node has missed its own heartbeats, because the database was away, others probably have, too: they get one more lease before
   * they are declared lost.
   */
  #noteBeat(): void {
    const now = performance.now();
    if (this.#beatenAt !== 0 && now - this.#beatenAt > LEASE_MS) this.#lenientUntil = now + LEASE_MS;
    this.#beatenAt = now;
  }

  /** The next heartbeat, or the moment at which somebody who is silent will have been so for too long. */
  #nextLook(nodes: readonly NodeRow[]): number | undefined {
    const silent = nodes.filter(
      (node) =>
        node.state === 'running' && node.id !== this.nodeId && node.silent_ms > LEASE_MS - BEAT_INTERVAL_MS,
    );
    if (silent.length === 0) return undefined;
    return Math.max(SOONEST_LOOK_MS, LEASE_MS - Math.max(...silent.map((node) => node.silent_ms)) + 1);
  }
}
