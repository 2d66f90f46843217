import { reachAllNodes } from '#cluster/index.ts';
import type { Database } from '#database/index.ts';
import { BadRequestError, ServiceUnavailableError, TooManyRequestsError } from '#errors/index.ts';
import { lastOf } from '#json/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { SecurityContext } from '#resource/index.ts';
import { countSilent, findKept, noteListening, readBatches } from './event-repository.ts';
import { type EventOutlet, EventStream, type Judged } from './event-stream.ts';
import type { ToldEvent } from './told-event.ts';
import type { Topic } from './topic.ts';
import { touchesCaller } from './touches-caller.ts';

const MOST_OF_CALLER = 6;
const MOST_OF_NODE = 500;
/** Batches that a client that comes back is told of: what is more may not be told to any client, and is read for each. */
const MOST_TOLD_AGAIN = 200;
const BEAT_MS = 15_000;
/** A node without wake-ups looks so often, as long as somebody listens. */
const POLL_MS = 100;
const WOKEN_POLL_MS = 1_000;
/** Nodes go on telling for so long after the last stream ended: a client that comes back by then misses nothing. */
const LINGER_MS = 60_000;
/** How long a node may take to notice that somebody listens; after that a gap says that it may have told nothing. */
const LONGEST_WAIT_MS = 5_000;

/** A caller who listens. */
export interface EventCaller {
  /** Callers with the same account share the bound on streams. */
  readonly account: string;
  /** What the client has seen last, of an earlier stream. */
  readonly lastEventId: string | undefined;
  readonly topics: readonly Topic[];
  readonly security: SecurityContext;
  /** Tells who the caller is now. Rejects when it may not come in any more. */
  readonly identify: () => Promise<SecurityContext>;
}

export interface EventStreamsOptions {
  readonly database: Database;
  readonly nodeId: number;
  /** Whether this node is woken, or has to look by itself. */
  readonly isWoken: boolean;
  /** What of it the caller may know. Rejects when it may not listen to one of the topics any more. */
  readonly judge: (
    security: SecurityContext,
    events: readonly ToldEvent[],
    topics: readonly Topic[],
  ) => Promise<Judged>;
  /** Has all nodes look whether somebody listens. */
  readonly wakeAll: () => void;
  /** Says to all who listen anywhere that something may not have been told. */
  readonly tellGap: () => void;
  readonly observe: Observe;
}

/** The streams of this node. While it has one, it reads what the nodes tell; while there is none anywhere, nobody tells. */
export class EventStreams implements Service {
  readonly name = 'event streams';
  /** Streams end together with the HTTP door, which waits for them. */
  readonly drains = true;
  readonly #options: EventStreamsOptions;
  readonly #streams = new Map<EventStream, string>();
  readonly #ticker: Ticker;
  #beating: NodeJS.Timeout | undefined;
  #lingering: NodeJS.Timeout | undefined;
  #opening: Promise<boolean> | undefined;
  #isStopped = true;
  /** The last batch that was handed on. */
  #at = 0;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#ticker = new Ticker({
      name: this.name,
      intervalMs: options.isWoken ? WOKEN_POLL_MS : POLL_MS,
      runOnce: () => this.#look(),
      observe: options.observe,
    });
  }

  async start(): Promise<void> {
    this.#isStopped = false;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#beating);
    clearTimeout(this.#lingering);
    this.closeAll();
    await this.#ticker.stop();
  }

  get size(): number {
    return this.#streams.size;
  }

  closeAll(): void {
    for (const stream of this.#streams.keys()) stream.close();
  }

  /** There is something to read. */
  wake(): void {
    if (this.#streams.size > 0) this.#ticker.wake();
  }

  /**
   * Admits a caller to a stream.
   *
   * @returns what begins it, once its answer has been
   * @throws TooManyRequestsError, ServiceUnavailableError, BadRequestError for an id that was never one of ours
   */
  async admit(caller: EventCaller): Promise<(outgoing: EventOutlet) => void> {
    const since = lastSeen(caller.lastEventId);
    this.#requireRoom(caller.account);
    const isSure = await this.#listen();
    const { database } = this.#options;
    const { first, last } = await findKept(database.db);
    const isBehind = since !== undefined && (since < last - MOST_TOLD_AGAIN || since < first - 1);
    const isMissing = since !== undefined && (since > last || (since < last && isBehind));
    const from = since === undefined || isMissing ? last : since;
    // What the others have been told, this one may have to hear, too.
    const before = from < this.#at ? await this.#readAll(from, this.#at) : [];
    this.#requireRoom(caller.account);
    return (outgoing) => {
      const stream = this.#open(caller, outgoing);
      stream.open(from, isMissing || !isSure);
      for (const batch of before) stream.take(batch);
      this.#ticker.wake();
    };
  }

  #open(caller: EventCaller, outgoing: EventOutlet): EventStream {
    let { security } = caller;
    const stream: EventStream = new EventStream({
      outgoing,
      topics: caller.topics,
      judge: async (events, topics) => {
        security = await caller.identify();
        return this.#options.judge(security, events, topics);
      },
      touchesCaller: (event) => touchesCaller(event, security),
      onEnd: () => this.#leave(stream),
    });
    this.#streams.set(stream, caller.account);
    this.#beating ??= setInterval(() => {
      for (const one of this.#streams.keys()) one.beat(this.#at);
    }, BEAT_MS);
    return stream;
  }

  #requireRoom(account: string): void {
    if (this.#isStopped)
      throw new ServiceUnavailableError('The server is stopping', { id: 'SERVER_STOPPING' });
    const own = [...this.#streams.values()].filter((of) => of === account).length;
    if (own < MOST_OF_CALLER && this.#streams.size < MOST_OF_NODE) return;
    throw new TooManyRequestsError('Too many streams of events are open', {
      id: 'EVENTS_TOO_MANY',
      hint: `A caller has ${MOST_OF_CALLER} on a node, a node ${MOST_OF_NODE}; name several topics in one`,
      detail: { retryAfterSeconds: 5 },
    });
  }

  /** Has all nodes tell. @returns whether all of them do */
  #listen(): Promise<boolean> {
    clearTimeout(this.#lingering);
    this.#lingering = undefined;
    this.#opening ??= this.#beginListening().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #beginListening(): Promise<boolean> {
    const { database, nodeId, wakeAll, tellGap } = this.#options;
    const { db } = database;
    const isFirst = await noteListening(db, nodeId, true);
    wakeAll();
    const isSure = await reachAllNodes(() => countSilent(db), LONGEST_WAIT_MS);
    if (isFirst) tellGap();
    this.#at = (await findKept(db)).last;
    await this.#ticker.start();
    return isSure;
  }

  #leave(stream: EventStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0 || this.#isStopped) return;
    clearInterval(this.#beating);
    this.#beating = undefined;
    this.#lingering ??= setTimeout(() => void this.#endListening(), LINGER_MS);
  }

  async #endListening(): Promise<void> {
    const { database, nodeId, wakeAll, observe } = this.#options;
    this.#opening = undefined;
    await this.#ticker.stop();
    await noteListening(database.db, nodeId, false).catch((error: unknown) =>
      observe({ kind: 'loop.failed', loop: this.name, error }),
    );
    wakeAll();
  }

  async #look(): Promise<number | undefined> {
    const batches = await readBatches(this.#options.database.db, this.#at);
    for (const batch of batches) {
      // Batches are kept for a while only: some may be gone.
      const isGap = batch.is_gap || (this.#at > 0 && batch.id > this.#at + 1);
      this.#at = batch.id;
      for (const stream of this.#streams.keys()) stream.take({ ...batch, is_gap: isGap });
    }
    return batches.length > 0 ? 0 : undefined;
  }

  async #readAll(from: number, to: number) {
    const batches = [];
    for (let at = from; at < to; ) {
      const next = await readBatches(this.#options.database.db, at);
      if (next.length === 0) break;
      batches.push(...next.filter(({ id }) => id <= to));
      at = lastOf(next).id;
    }
    return batches;
  }
}

function lastSeen(id: string | undefined): number | undefined {
  if (id === undefined || id === '') return undefined;
  if (/^\d{1,15}$/.test(id)) return Number(id);
  throw new BadRequestError(`'${id.slice(0, 50)}' is no id of an event`, {
    id: 'EVENTS_BAD_ID',
    field: 'Last-Event-ID',
    hint: 'Send the last id that a stream had, or none',
  });
}
