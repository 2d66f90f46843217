import type { AuditConfig } from '#config/index.ts';
import { beforeCommit, type Database, LostRows, sqlStateOf, type UnitOfWork } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observation, Observe } from '#observability/index.ts';
import { activityOf } from './activity.ts';
import { type AuditEvent, auditEvent } from './audit-event.ts';
import { auditInserts, insertEntries } from './audit-repository.ts';
import type { SignEntry, SignedEntry } from './signed-entry.ts';

const FLUSH_INTERVAL_MS = 250;
const FLUSH_AT = 500;
/** What waits for a database that does not answer; the oldest go first beyond it. */
const MAX_WAITING = 20_000;

export interface AuditTrailOptions {
  readonly database: Database;
  readonly config: () => AuditConfig;
  readonly sign: SignEntry;
  readonly observe: Observe;
}

/** Records changes in the unit of work that makes them: they are stored together or not at all. */
export function recordChanges(options: Pick<AuditTrailOptions, 'database' | 'config' | 'sign'>): void {
  const { database, config, sign } = options;
  beforeCommit(database, async (unitOfWork: UnitOfWork) => {
    const { actor = SYSTEM_ACTOR, changes } = unitOfWork;
    const { eventTopics } = config();
    const events = changes.flatMap((change) => activityOf(change, change.actor ?? actor, eventTopics) ?? []);
    if (events.length > 0) unitOfWork.writeAtCommit(auditInserts, events.map(sign));
  });
}

const SYSTEM_ACTOR = { userId: 'system', transactionId: 'system' } as const;

/**
 * Records requests and logins as they are observed, gathered for a moment. Nobody waits for it: what the server says
 * of a request must not fail the request.
 */
export class AuditTrail implements Service {
  readonly name = 'audit trail';
  readonly #options: AuditTrailOptions;
  readonly #flusher: Ticker;
  #waiting: AuditEvent[] = [];
  #lost = 0;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
    this.#flusher = new Ticker({
      name: this.name,
      intervalMs: FLUSH_INTERVAL_MS,
      runOnce: () => this.flush(),
      observe: options.observe,
    });
  }

  start(): Promise<void> {
    return this.#flusher.start();
  }

  async stop(): Promise<void> {
    await this.#flusher.stop();
    await this.flush().catch(() => undefined);
  }

  /** How many entries were given up because the database took none of them, or not this one. */
  get lost(): number {
    return this.#lost;
  }

  /** How many entries are not stored yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** A sink of observations. */
  readonly observe: Observe = (said) => {
    const event = this.#eventOf(said);
    if (event === undefined) return;
    this.#waiting.push(event);
    this.#giveUpOldest();
    if (this.#waiting.length === FLUSH_AT) this.#flusher.wake();
  };

  async flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, FLUSH_AT);
      try {
        await this.#store(batch.map(this.#options.sign));
      } catch (error) {
        this.#waiting.unshift(...batch);
        this.#giveUpOldest();
        throw error;
      }
    }
  }

  /** An entry that cannot be stored must not hold up the others: it is found by trying halves, and given up. */
  async #store(entries: readonly SignedEntry[]): Promise<void> {
    try {
      await insertEntries(this.#options.database.db, entries);
    } catch (error) {
      if (!isDataError(error)) throw error;
      if (entries.length === 1) {
        this.#lost += 1;
        this.#options.observe({ kind: 'loop.failed', loop: this.name, error });
        return;
      }
      const half = Math.ceil(entries.length / 2);
      await this.#store(entries.slice(0, half));
      await this.#store(entries.slice(half));
    }
  }

  #giveUpOldest(): void {
    const tooMany = this.#waiting.length - MAX_WAITING;
    if (tooMany <= 0) return;
    this.#waiting.splice(0, tooMany);
    this.#lost += tooMany;
  }

  #eventOf(said: Observation): AuditEvent | undefined {
    const { eventTopics } = this.#options.config();
    if (said.kind === 'login.attempted') {
      const { result, principal, address, module, requestId } = said;
      if (!eventTopics.authentication.enabled) return undefined;
      const entry = { moduleId: module ?? null, result, info: {} };
      return auditEvent(
        'authentication',
        { transactionId: requestId, userId: principal },
        { result, principal: [principal], context: { ipAddress: address }, entries: [entry] },
      );
    }
    if (said.kind === 'trigger.completed' || said.kind === 'trigger.failed') {
      return eventTopics.access.enabled ? runEvent(said) : undefined;
    }
    if (said.kind !== 'http.answered' || said.request === undefined) return undefined;
    if (!isRecorded(said, eventTopics)) return undefined;
    const { operation, resource, action, userId, roles, client, message, error, refused } = said.request;
    const failed = said.status >= 400;
    return auditEvent(
      'access',
      { transactionId: said.requestId, userId },
      {
        client,
        request: {
          protocol: 'CREST',
          operation: operation.toUpperCase(),
          detail: action === null ? null : { action },
        },
        ...(typeof message === 'function' ? message() : message),
        response: {
          status: failed ? 'FAILED' : 'SUCCESSFUL',
          ...(failed ? { statusCode: String(said.status), detail: error } : {}),
          ...(refused.length > 0 ? { refused: [...refused] } : {}),
          elapsedTime: Math.round(said.ms),
          elapsedTimeUnits: 'MILLISECONDS',
        },
        roles: [...roles],
      },
      resource,
    );
  }
}

/** Whether a request and its answer become an entry of the audit of access. */
export function isRecorded(
  { status, request }: Extract<Observation, { kind: 'http.answered' }>,
  { access: { enabled, filter } }: AuditConfig['eventTopics'],
): boolean {
  if (request === undefined || !enabled) return false;
  const { operation, resource, refused } = request;
  if (status >= 400 || refused.length > 0) return true;
  // Whoever follows the trail need not follow how it is followed.
  const isReading = resource.startsWith('audit/') && (operation === 'read' || operation === 'query');
  return !isReading && filter.actions.includes(operation);
}

/** Whether it is about the values, and not about the database: the classes of data and of constraints, and triggers. */
function isDataError(error: unknown): boolean {
  return error instanceof LostRows || /^(?:2[23]|54)/.test(sqlStateOf(error) ?? '');
}

/** A scheduled run, as the audit of access tells of it. The ledger knows more. */
function runEvent(said: Extract<Observation, { kind: 'trigger.completed' | 'trigger.failed' }>): AuditEvent {
  const failed = said.kind === 'trigger.failed';
  return auditEvent(
    'access',
    { transactionId: said.transaction, userId: said.invoker },
    {
      request: {
        protocol: 'CREST',
        operation: 'ScheduledTask',
        detail: { taskName: `scheduler-service-group.${said.schedule}`, firing: said.run },
      },
      response: {
        status: failed ? 'FAILED' : 'SUCCESSFUL',
        elapsedTime: Math.round(said.ms),
        elapsedTimeUnits: 'MILLISECONDS',
        ...(failed ? { detail: { code: 500, reason: 'Internal Server Error', message: said.error } } : {}),
      },
    },
    `scheduler/job/${said.schedule}`,
  );
}
