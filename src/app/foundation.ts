import { join } from 'node:path';
import {
  listOtherRings,
  Membership,
  readSeenMarker,
  requireKnownDatabase,
  requireSharedRing,
  sessionName,
} from '#cluster/index.ts';
import type { Environment, RoleNames, Settings } from '#config/index.ts';
import { KeyRing, type KeyRingText, openKeyRing, requireKeysInUse } from '#crypto/index.ts';
import {
  type Database,
  type DatabaseOptions,
  givesOwnSession,
  openDatabase,
  prepareSchema,
  ReplicaReads,
  superviseEmbeddedServer,
} from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import { createAdministrator } from '#security/index.ts';

export interface FoundationOptions {
  /** What roles are called. */
  readonly roleNames: RoleNames;
  readonly settings: Settings;
  /** The environment with the command line's flags laid over it. */
  readonly environment: Environment;
  readonly observe: Observe;
  readonly nodeName: string;
  /** Upgrade an existing schema; an empty database and the embedded one are always brought up to date. */
  readonly migrate: boolean;
  /** Take a restored or copied database for what it is. */
  readonly asItIs?: boolean;
}

/** What a node stands on before any part of it runs: a database with the right schema, keys, an identity. */
export interface Foundation {
  readonly database: Database;
  /** Sessions that keep plans, for what completes work. */
  readonly lookups: Database;
  /** Sessions that keep plans and do not wait for the disk, for claims and starts: what is lost of these is only made again. */
  readonly claims: Database;
  /** Undefined where no standby is asked. */
  readonly replica: ReplicaReads | undefined;
  readonly databaseUrl: string;
  /** How every thread of this node opens its pool. */
  readonly access: DatabaseOptions;
  /** Where sessions can be had that stay ours; undefined when there is only a pooler. */
  readonly sessionUrl: string | undefined;
  readonly keyRing: KeyRingText;
  /** Refuses the node, once it has joined, where one with another ring was faster. */
  readonly requireSharedRing: () => Promise<void>;
  readonly nodeId: number;
  /** Stands for the history of the database, which has another one after it was restored. */
  readonly history: string;
  /** The name of this node's sessions in the database. */
  readonly applicationName: string;
  close(): Promise<void>;
}

/** Two statements that complete firings may be under way, and one that plans the next of a schedule. */
const LOOKUP_SESSIONS = 3;
/** A claim of firings and one of jobs, and a start. */
const CLAIM_SESSIONS = 3;

/** Opens it; when a part fails, what has been opened is closed again. */
export async function openFoundation(options: FoundationOptions): Promise<Foundation> {
  const { settings, environment, observe } = options;
  await using scope = new AsyncDisposableStack();
  const embedded = settings.databaseUrl === undefined ? await startEmbedded(settings, observe) : undefined;
  const databaseUrl = settings.databaseUrl ?? embedded!.url;
  if (embedded !== undefined) scope.defer(() => embedded.stop());
  const directUrl = settings.databaseDirectUrl ?? databaseUrl;
  await prepareSchema({
    databaseUrl: directUrl,
    migrations: join(settings.installLocation, 'migrations'),
    upgrade: options.migrate || embedded !== undefined,
    observe,
  });
  const keys = await openKeyRing({
    variable: environment['SVC_KEYS'],
    dataDirectory: settings.dataDirectory,
  });
  if (keys.madeFile !== undefined) observe({ kind: 'crypto.keysCreated', file: keys.madeFile });
  if (keys.missing !== undefined) observe({ kind: 'crypto.keysMissing', reason: keys.missing });
  const { nodeId, applicationName, history } = await identify(directUrl, options);
  const pooled = !(await givesOwnSession(databaseUrl));
  const sessionUrl = settings.databaseDirectUrl ?? (pooled ? undefined : databaseUrl);
  if (pooled) observe({ kind: 'database.pooled', hasSessions: sessionUrl !== undefined });
  const access: DatabaseOptions = {
    url: databaseUrl,
    poolSize: settings.databasePoolSize,
    prepares: settings.databasePrepares ?? !pooled,
    pooled,
    applicationName,
    mostRowBytes: settings.answerLimitBytes,
    mostQueryMs: settings.queryTimeoutMs,
  };
  const onError = (error: unknown) => observe({ kind: 'database.connectionLost', error });
  const database = openDatabase({ ...access, onError });
  scope.defer(() => database.close());
  const lookups = openDatabase({ ...access, poolSize: LOOKUP_SESSIONS, keepsPlans: true, onError });
  scope.defer(() => lookups.close());
  const replica = openReplica(settings, access, database, onError);
  scope.defer(async () => replica?.close());
  const claims = openDatabase({
    ...access,
    poolSize: CLAIM_SESSIONS,
    keepsPlans: true,
    forgets: true,
    onError,
  });
  scope.defer(() => claims.close());
  const { ids } = new KeyRing(keys.text);
  await requireKeysInUse(database, ids, keys.place);
  await requireSharedRing(database.db, nodeId, keys, 'all');
  for (const other of await listOtherRings(database.db, nodeId, ids)) {
    observe({ kind: 'crypto.keysDiffer', ...other });
  }
  const password = await createAdministrator(database, settings.adminPassword, options.roleNames);
  if (password !== undefined) observe({ kind: 'admin.created', username: 'svc-admin', password });
  const opened = scope.move();
  return {
    database,
    lookups,
    claims,
    replica: replica?.reads,
    databaseUrl,
    access,
    sessionUrl,
    keyRing: keys.text,
    requireSharedRing: () => requireSharedRing(database.db, nodeId, keys, 'earlier'),
    nodeId,
    history,
    applicationName,
    close: () => opened.disposeAsync(),
  };
}

/** Standbys are asked by threads with a door alone: what runs scripts may write, and then has to read that. */
export function openReplica(
  { databaseReadUrl, readStalenessMs }: Pick<Settings, 'databaseReadUrl' | 'readStalenessMs'>,
  access: DatabaseOptions,
  primary: Database,
  onError: (error: unknown) => void,
) {
  if (databaseReadUrl === undefined) return undefined;
  const replica = openDatabase({ ...access, url: databaseReadUrl, pooled: false, onError });
  return { reads: new ReplicaReads(primary, replica, readStalenessMs), close: () => replica.close() };
}

async function identify(databaseUrl: string, { nodeName, settings, asItIs = false }: FoundationOptions) {
  await using scope = new AsyncDisposableStack();
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  scope.defer(() => database.close());
  const marker = await readSeenMarker(settings.dataDirectory);
  const history = await requireKnownDatabase({ database, nodeName, marker, asItIs });
  const nodeId = await Membership.identify(database.db, nodeName);
  return { nodeId, history, applicationName: sessionName(nodeId) };
}

function startEmbedded(settings: Settings, observe: Observe) {
  return superviseEmbeddedServer({
    dataDir: settings.dataDirectory,
    observe: (message) => observe({ kind: 'database.embedded', message }),
  });
}
