import { startServer } from '#app';
import { readSettings } from '#config/index.ts';
import { type Database, openDatabase } from '#database/index.ts';
import type { Observation } from '#observability/index.ts';
import type { ObservationKind } from '#observability/observation.ts';
import type { OpenHttpThread } from '../../src/app/http-thread.ts';
import { ADMIN_PASSWORD, type Api, apiOf } from './api.ts';
import { openKeptThread } from './kept-threads.ts';
import { COMMON_RING } from './key-ring.ts';
import { createSchemaDatabase } from './migrated-database.ts';
import { databaseEnvironment, type TestDatabase } from './postgres.ts';
import { createProject, type TestProject } from './project.ts';
import { createStartedDatabase } from './started-database.ts';

/** Of servers that are not asked for others: what is tested behind the door of the main thread is to hold behind theirs. */
export const HTTP_THREADS = process.env['SVC_TEST_HTTP_THREADS'] ?? '0';

/** A whole server in this process, on a database and a project of its own. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly api: Api;
  readonly project: TestProject;
  readonly database: Database;
  /** Resolves with the next observation of the kind that fits, or with one that was made already. */
  observed<K extends ObservationKind>(
    kind: K,
    fits?: (observation: Extract<Observation, { kind: K }>) => boolean,
  ): Promise<Extract<Observation, { kind: K }>>;
  readonly observations: readonly Observation[];
}

export interface TestServerOptions {
  readonly files?: Record<string, unknown>;
  readonly environment?: Record<string, string>;
  /** What other nodes may be on, too: then this one has the ring that all of them have. */
  readonly database?: TestDatabase;
  /** Script threads; default 1, because each costs nearly a second of CPU. */
  readonly threads?: number;
  /** Take a restored or copied database for what it is. */
  readonly asItIs?: boolean;
  /** How often the directory of process files is looked at. */
  readonly deploymentIntervalMs?: number;
  /** How HTTP threads are had. */
  readonly openHttpThread?: OpenHttpThread;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  // Whatever stops the start, nothing of it stays.
  await using scope = new AsyncDisposableStack();
  const test = options.database ?? scope.use(await databaseFor(options));
  const project = scope.use(await createProject(options.files));
  const environment = {
    ...databaseEnvironment(test.url),
    SVC_PROJECT: project.location,
    SVC_ADMIN_PASSWORD: ADMIN_PASSWORD,
    SVC_SCRIPT_THREADS: String(options.threads ?? 1),
    SVC_HTTP_THREADS: HTTP_THREADS,
    SVC_DATABASE_POOL: '5',
    // A machine that is busy with other tests is no database that does not answer.
    SVC_REQUEST_DEADLINE: '60',
    PORT: '0',
    ...(options.database === undefined ? {} : { SVC_KEYS: COMMON_RING }),
    ...options.environment,
  };
  const observations: Observation[] = [];
  const listeners = new Set<(observation: Observation) => void>();
  const server = await startServer({
    settings: readSettings(environment),
    environment,
    observe: (observation) => {
      observations.push(observation);
      for (const listener of listeners) listener(observation);
    },
    migrate: false,
    openThread: openKeptThread,
    asItIs: options.asItIs === true,
    ...(options.openHttpThread === undefined ? {} : { openHttpThread: options.openHttpThread }),
    ...(options.deploymentIntervalMs === undefined
      ? {}
      : { deploymentIntervalMs: options.deploymentIntervalMs }),
  });
  scope.defer(() => server.stop('test ended'));
  const database = openDatabase({ url: test.url, poolSize: 3, applicationName: 'test' });
  scope.defer(() => database.close());
  const opened = scope.move();
  return {
    url: server.url,
    api: apiOf(server.url),
    project,
    database,
    observations,
    observed: (kind, fits = () => true) =>
      new Promise((resolve) => {
        const look = (observation: Observation) => {
          if (observation.kind !== kind || !fits(observation as never)) return;
          listeners.delete(look);
          resolve(observation as never);
        };
        for (const observation of observations) look(observation);
        listeners.add(look);
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A project that may have names of its own for roles makes them, and the administrator who has them, itself. */
function databaseFor({ files = {} }: TestServerOptions): Promise<TestDatabase> {
  const mayRename = Object.entries(files).some(
    ([path, text]) => path.endsWith('.properties') && /role|compat/.test(String(text)),
  );
  return mayRename ? createSchemaDatabase() : createStartedDatabase();
}
