import type { Environment, Settings } from '#config/index.ts';
import type { KeyRingText } from '#crypto/index.ts';
import type { DatabaseOptions } from '#database/index.ts';
import type { AccessFile } from '#security/index.ts';

/** What a script thread is started with; see `workers/script-application.ts`. */
export interface ThreadData {
  readonly settings: Omit<Settings, 'adminPassword'>;
  /** Without secrets. */
  readonly environment: Environment;
  /** Shared by all threads: whether anybody in the cluster listens to events. */
  readonly listening: SharedArrayBuffer;
}

/** What it is given as soon as that is there. */
export interface ThreadFoundation {
  readonly access: DatabaseOptions;
  readonly keyRing: KeyRingText;
  /** Absent until they are known: then only administrators have any rights. */
  readonly rules?: AccessFile | undefined;
}
