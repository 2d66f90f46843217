import type { Crypto } from '#crypto/index.ts';
import type { Database } from '#database/index.ts';
import type { AddressGuard } from '#egress/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Queue } from '#queue/index.ts';
import type { RequestSink } from '#resource/index.ts';
import type { Scripts } from '#script/index.ts';
import type { Definitions } from './definition/definitions.ts';
import type { Delegates } from './delegate/project-delegates.ts';
import type { DiagramPainter } from './diagram/index.ts';
import type { HistoryLevel } from './history/history-level.ts';
import type { MailQueue } from './mail/index.ts';

/** What workflow needs of the house. */
export interface WorkflowPlatform {
  readonly database: Database;
  /** Where `svc` in processes leads. */
  readonly resources: RequestSink;
  readonly scripts: Scripts;
  readonly observe: Observe;
  readonly queue: Queue;
  /** Epoch ms by the database's clock. */
  readonly now: () => number;
  readonly definitions: Definitions;
  readonly painter: DiagramPainter;
  readonly crypto: Crypto;
  readonly delegates: Delegates;
  readonly mail: MailQueue;
  /** Where http tasks may go. */
  readonly addressGuard: () => AddressGuard;
  /** What `script.json` binds in every script. */
  readonly scriptProperties: () => JsonObject;
  /** A property of the identity server. */
  readonly getProperty: (name: string) => JsonValue | undefined;
  /** What `workflow.json` says now. @throws ResourceError while workflow is inactive */
  readonly settings: () => WorkflowSettings;
}

export interface WorkflowSettings {
  readonly history: HistoryLevel;
  /** What is submitted to a process with that key must fit the form. */
  readonly validatesForms: (key: string) => boolean;
  /** A script that does not compile keeps its process from being deployed; otherwise it fails when it is reached. */
  readonly refusesBadScripts: boolean;
  /** Instances that one caller may have under way at once. */
  readonly maxOpenInstances: number;
  /** Instances under way that those of one caller may have called. */
  readonly maxCalledInstances: number;
  /** Keys of processes that take any variables from their callers. */
  readonly acceptAny: ReadonlySet<string>;
}
