import type { HistoryLevel, WorkflowConfig } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import type { Database } from '#database/index.ts';
import type { AddressGuard } from '#egress/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Queue } from '#queue/index.ts';
import type { RequestSink, Router } from '#resource/index.ts';
import type { Scripts } from '#script/index.ts';
import type { Definitions } from './definition/definitions.ts';
import type { Delegates } from './delegate/project-delegates.ts';
import type { DiagramPainter } from './diagram/index.ts';
import type { RunEnded } from './job/run-ended.ts';
import type { MailQueue } from './mail/index.ts';

/** What workflow needs of the house. */
export interface WorkflowPlatform {
  readonly database: Database;
  /** Where `svc` in processes leads. */
  readonly resources: RequestSink & Pick<Router, 'requireScriptRight'>;
  readonly scripts: Scripts;
  readonly observe: Observe;
  readonly queue: Queue;
  readonly runEnded: RunEnded;
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
  /** What processes may call `svc`, too. */
  readonly furtherName?: string | undefined;
  /** A property of the identity server. */
  readonly getProperty: (name: string) => JsonValue | undefined;
  /** What `workflow.json` says now. @throws ResourceError while workflow is inactive */
  readonly settings: () => WorkflowSettings;
}

/** The settings of a node with a process engine. */
export interface WorkflowSettings
  extends Pick<WorkflowConfig, 'forms' | 'scripts' | 'maxOpenInstances' | 'maxCalledInstances'> {
  readonly history: HistoryLevel;
}
