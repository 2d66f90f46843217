import type { Crypto } from '#crypto/index.ts';
import type { Database, DatabaseClock } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Synchronizer } from '#platform/index.ts';
import type {
  Context,
  PredefinedQueries,
  ReadRequest,
  Request,
  RequestSink,
  Response,
} from '#resource/index.ts';
import type { Scripts } from '#script/index.ts';
import type { KnownRoles, RoleGrants } from '#security/index.ts';
import type { ManagedTypes } from './managed-types.ts';
import type { PolicyBook } from './policy/policy-book.ts';

/** What managed objects need of the house. */
export interface ManagedPlatform {
  readonly database: Database;
  readonly clock: DatabaseClock;
  readonly scripts: Scripts;
  readonly crypto: Crypto;
  /** The types now in force. */
  readonly types: ManagedTypes;
  /** Further queries by name. */
  readonly queries: () => PredefinedQueries;
  readonly policies: () => PolicyBook;
  /** False switches the rules off; `/policy` goes on answering. */
  readonly enforcesPolicies: () => boolean;
  /** The text of a file in the script sources. */
  readonly readScript: (path: string) => Promise<string>;
  readonly resources: Resources;
  readonly knownRoles: Pick<KnownRoles, 'warnings'>;
  /** What callers may grant of the roles that accounts log in with. */
  readonly roleGrants: Pick<
    RoleGrants,
    'linkAt' | 'propertiesAt' | 'require' | 'requireAccount' | 'waysInAt'
  >;
  /** The role in which password plugins come in, beside administrators. */
  readonly certificateRole: () => string;
  readonly synchronizer: Synchronizer;
  readonly observe: Observe;
}

/** The router, as far as managed objects ask it. */
export interface Resources extends RequestSink {
  /** Throws what the filters in front of the resources say against the request. */
  admit(context: Context, request: Request): Promise<void>;
  /** The same of a read; where a filter looks at the answer it is read, so that it hides by a 404 as well as by a 403. */
  admitRead(context: Context, request: ReadRequest): Promise<void>;
  mayAsk(context: Context, request: Request): Promise<boolean>;
  /** Whether the caller may evaluate scripts; then nothing that scripts say is kept from it. */
  maySeeScripts(context: Context): Promise<boolean>;
  /** Throws unless the caller may have the server run what stands at the JSON pointer. */
  requireScriptRight(context: Context, field: string): Promise<void>;
  /** Whether it may take a script to say if one of these requests is admitted. */
  judgesByScript(requests: readonly Request[]): boolean;
  /** Whether a filter looks at the answer to the request, and may change it. */
  judgesAnswer(request: Request): boolean;
  /** What the filters leave of an answer to the request. Throws what they say against it. */
  judged(context: Context, request: Request, answer: Response): Promise<Response>;
  /** The same; undefined where they would not let it pass. */
  shown(context: Context, request: Request, answer: Response): Promise<Response | undefined>;
}
