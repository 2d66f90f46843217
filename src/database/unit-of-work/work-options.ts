import type { Asker } from '../pool/connection-turns.ts';
import type { Transaction } from '../pool/database.ts';

/** How a unit of work goes about it. */
export interface WorkOptions {
  /** It keeps nothing. */
  readonly dryRun?: boolean;
  /** False writes each row at once, and says at once whether it could be. Default true. */
  readonly mayGroup?: boolean;
  /** False ends the work where it would need a transaction of its own. Default true. */
  readonly mayOpen?: boolean;
  /** Open units of work that wait for the end of this one. */
  readonly callers?: number;
  /** The caller that it is for. Default the server. */
  readonly asker?: Asker | undefined;
  /** Told of each statement; may refuse it by throwing. */
  readonly onStatement?: () => void;
  /** What has to be done before it has a transaction. */
  readonly beforeOpen?: (() => Promise<void>) | undefined;
  /** Told of its transaction. */
  readonly onOpen?: (transaction: Transaction) => void;
}
