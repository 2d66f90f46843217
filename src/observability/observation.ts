import type { Finding } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { LoopNews } from '#lifecycle/index.ts';

/**
 * Everything the server has to say, as one type. Code observes; the sinks decide what becomes a log line, a
 * metric or both. To learn what the server can report, read this file.
 */
export type Observation =
  | { kind: 'server.started'; url: string; project: string; roles: readonly string[]; took: number }
  | { kind: 'server.stopping'; reason: string }
  | { kind: 'server.stopped' }
  | { kind: 'server.failed'; part: string; error: unknown }
  | { kind: 'admin.created'; username: string; password: string | null }
  | { kind: 'crypto.keysCreated'; file: string }
  | { kind: 'crypto.keysMissing'; reason: string }
  | { kind: 'crypto.keysDiffer'; node: string; alias: string }
  /** The highest number of a seal is lower than it was. */
  | { kind: 'audit.sealsMissing'; expected: number; found: number }
  | { kind: 'audit.sealingHeldUp'; seconds: number }
  | { kind: 'database.embedded'; message: string }
  | { kind: 'database.migrated'; migrations: readonly string[] }
  /** Transactions go through a pooler; `hasSessions`: there is a direct URL for what needs a session. */
  | { kind: 'database.pooled'; hasSessions: boolean }
  | { kind: 'database.retried'; reason: string; attempt: number }
  | { kind: 'database.connectionLost'; error: unknown }
  | { kind: 'index.created'; type: string; property: string }
  | { kind: 'config.changed'; id: string; change: string }
  /** Through `/config`, in whichever thread: it is in the database, and not yet in force everywhere. */
  | { kind: 'config.written' }
  | { kind: 'config.refused'; id: string; findings: readonly string[] }
  | { kind: 'config.warned'; message: string; finding?: Finding }
  | { kind: 'config.note'; message: string }
  | {
      kind: 'http.answered';
      method: string;
      path: string;
      status: number;
      ms: number;
      requestId: string;
      /** Absent for what is no request of a resource, such as one that nobody could be found for. */
      request?: AnsweredRequest;
    }
  /** A message that was turned away at the door, before anybody was asked for; `why` is the id of its error. */
  | { kind: 'http.refused'; status: number; why: string; address: string }
  | { kind: 'http.failed'; method: string; path: string; requestId: string; error: unknown }
  | {
      kind: 'login.attempted';
      result: 'SUCCESSFUL' | 'FAILED';
      principal: string;
      address: string;
      module?: string;
      requestId: string;
    }
  /** A login that was not even looked at; `why` is the id of its error. */
  | { kind: 'login.refused'; why: string; address: string }
  /** An issuer of tokens could not be asked for its keys. */
  | { kind: 'issuer.unreachable'; error: unknown }
  /** The script of a module has not let in somebody whom the module knows. */
  | {
      kind: 'login.denied';
      module: string;
      principal: string;
      how: 'refused' | 'failed';
      requestId: string;
      error: unknown;
    }
  | LoopNews
  | { kind: 'listen.connected' }
  | { kind: 'listen.lost'; error: unknown }
  /** How this node is called in all that it says from now on. */
  | { kind: 'node.named'; node: string }
  | { kind: 'node.joined'; node: string; epoch: number }
  | { kind: 'node.left'; node: string }
  | { kind: 'node.lost'; node: string; epoch: number; how: 'session' | 'heartbeat'; runs: number; ms: number }
  | { kind: 'node.fenced'; node: string; epoch: number }
  | { kind: 'node.clockSkew'; ms: number }
  | { kind: 'schedule.registered'; schedule: string; next: number | null }
  | { kind: 'schedule.removed'; schedule: string }
  | { kind: 'trigger.fired'; schedule: string; plannedAt: number; lateMs: number; run: string }
  | {
      kind: 'trigger.completed';
      schedule: string;
      /** In whose name it ran. */
      invoker: string;
      run: string;
      /** What the audit calls all that it did. */
      transaction: string;
      ms: number;
      next: number | null;
      level: LogLevel;
    }
  | {
      kind: 'trigger.failed';
      schedule: string;
      invoker: string;
      run: string;
      transaction: string;
      ms: number;
      error: string;
    }
  | { kind: 'trigger.misfired'; schedule: string; plannedAt: number; lateMs: number; policy: string }
  | { kind: 'trigger.fencedOut'; schedule: string; run: string }
  | { kind: 'trigger.parked'; schedule: string; attempts: number }
  | { kind: 'job.completed'; queue: string; job: string; ms: number }
  | { kind: 'job.failed'; queue: string; job: string; ms: number; error: string; dead: boolean }
  | { kind: 'job.fencedOut'; queue: string; job: string }
  | { kind: 'workflow.mailRejected'; job: string; recipients: number }
  | { kind: 'sync.failed'; resource: string; details: JsonValue }
  | {
      kind: 'scan.ended';
      run: string;
      /** Its schedule, or the objects it was over. */
      scan: string;
      state: string;
      total: number;
      successes: number;
      failures: number;
      skipped: number;
      ms: number;
      error: string | null;
    }
  | { kind: 'script.logged'; level: LogLevel; script: string; message: string; requestId?: string }
  | { kind: 'script.evaluated'; script: string; ms: number; outcome: 'ok' | 'thrown' | 'limit' }
  | { kind: 'script.threadStarted'; thread: number }
  | { kind: 'workflow.deployed'; file: string; definitions: readonly string[]; findings: readonly string[] }
  | { kind: 'workflow.undeployed'; file: string; outcome: 'undeployed' | 'suspended' }
  | { kind: 'workflow.deployFailed'; file: string; error: unknown }
  | { kind: 'workflow.passedOver'; file: string; message: string; hint?: string }
  | { kind: 'workflow.stuck'; instance: string; elements: readonly string[] }
  | { kind: 'workflow.messageLost'; instance: string; name: string }
  | { kind: 'workflow.deadLetter'; job: string; instance: string | null; element: string; error: string }
  | { kind: 'workflow.pruned'; instances: number }
  | { kind: 'script.threadKilled'; thread: number; reason: string };

/** What was asked for over HTTP, and by whom. */
export interface AnsweredRequest {
  /** One of the seven kinds, in lower case. */
  readonly operation: string;
  readonly resource: string;
  readonly action: string | null;
  readonly userId: string;
  readonly roles: readonly string[];
  readonly client: { readonly ip: string; readonly port: number };
  /** `{server, http}`: what the audit shows of the message; made only when it is asked for. */
  readonly message: () => JsonObject;
  /** The body of the answer when it failed. */
  readonly error: JsonValue;
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';
export type ObservationKind = Observation['kind'];
/** Says something. Never throws and never waits. */
export type Observe = (observation: Observation) => void;

/** One observer that tells all sinks. */
export function observeAll(...sinks: readonly Observe[]): Observe {
  return (observation) => {
    for (const sink of sinks) sink(observation);
  };
}
