import type { Database, Db } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Queue } from '#queue/index.ts';
import type { Context, RequestSink } from '#resource/index.ts';
import type { Scripts } from '#script/index.ts';
import type { Definitions } from './definition/definitions.ts';
import type { CompileOptions, NextCron } from './engine/index.ts';
import type { HistoryLevel } from './history/history-level.ts';

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
  readonly cron: CronReader;
  /** What is looked at in a process file besides the file itself. */
  readonly checks: Pick<CompileOptions, 'hasDelegate' | 'checkScript'>;
  /** What `workflow.json` says now. @throws ResourceError while workflow is inactive */
  readonly settings: () => WorkflowSettings;
}

export interface WorkflowSettings {
  readonly history: HistoryLevel;
  /** What is submitted must fit the form. */
  readonly validatesForms: boolean;
}

export interface CronReader {
  readonly next: NextCron;
  /** The mistake in an expression, or undefined. */
  readonly check: (text: string) => string | undefined;
}

/** Where statements of a request go: its unit of work, or the pool when it has none. */
export async function dbOf({ database }: Pick<WorkflowPlatform, 'database'>, context: Context): Promise<Db> {
  return context.unitOfWork === null ? database.db : context.unitOfWork.db();
}
