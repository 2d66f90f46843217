import type { HealthPart } from '#lifecycle/index.ts';
import type { Observation } from '#observability/index.ts';
import { news, question } from '#thread/index.ts';
import type { HttpFoundation } from './thread-data.ts';

/** What the main thread asks of an HTTP thread. */
export const HTTP_THREAD = {
  /** Builds all that answers, on what it stands on. */
  build: question<HttpFoundation, void>('build'),
  /** Listens, and says on which port. */
  listen: question<number, number>('listen'),
  /** Takes no new connections; is answered when what was under way is over. */
  drain: question<null, void>('drain'),
  stop: question<null, void>('stop'),
  /** Reads its configuration again. */
  reload: question<null, void>('reload'),
  /** Stands on something else from here on, beside the rest. */
  found: question<Partial<HttpFoundation>, void>('found'),
};

/** What an HTTP thread asks of the main thread. */
export const MAIN_THREAD = {
  isStarted: question<null, boolean>('is started'),
  health: question<null, readonly HealthPart[]>('health'),
  metrics: question<null, string>('metrics'),
  log: question<null, readonly { readonly number: number; readonly text: string }[]>('log'),
  /** Puts the configuration in force in all threads of the node. */
  follow: question<null, void>('follow'),
};

/** What was observed in one turn of the loop of an HTTP thread. */
export const OBSERVED = news<readonly Observation[]>('observed');
/** The loop of an HTTP thread turns. */
export const BEATEN = news<null>('beaten');
/** Whether the node has started, and is not stopping. */
export const IS_UP = news<boolean>('is up');
/** A run of a process has ended somewhere, for which somebody may wait. */
export const RUN_ENDED = news<null>('run ended');
/** Where the reads of the replica and of the primary stand in the words in which all HTTP threads count them. */
export const READ_BY = ['replica', 'primary'] as const;
