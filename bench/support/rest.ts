import { startChild } from './child.ts';
import { type LoadResult, type LoadTask, startLoadGenerator } from './load.ts';
import type { PlainServerKind, PlainServerTask } from './plain-server.ts';
import { createBenchDatabase } from './postgres.ts';
import { profileService } from './profile-service.ts';
import { interleave } from './rounds.ts';
import { createProject, type Service, startService } from './service.ts';
import { ROUND_MS, ROUNDS, WARM_UP_MS } from './settings.ts';
import { fillUsers, USER_TYPE, USERS } from './users.ts';

export type Request = Omit<LoadTask, 'url' | 'connections' | 'ms'>;

export interface RestBenchOptions {
  readonly users?: number;
  /** Files of the project location; default: users without hooks. */
  readonly project?: Readonly<Record<string, unknown>>;
  readonly connections: number;
}

/** A database with users, nodes of ours and plain servers on it, and a client that loads them. */
export interface RestBench {
  readonly databaseUrl: string;
  /** Starts a node of ours that has no schedules to run. @returns its address */
  startOurs(environment?: Readonly<Record<string, string>>): Promise<string>;
  /** The same, with its process. */
  startNode(environment?: Readonly<Record<string, string>>): Promise<Pick<Service, 'url' | 'pid'>>;
  startPlain(kind: PlainServerKind, body?: string): Promise<string>;
  load(url: string, request: Request, ms: number): Promise<LoadResult>;
  /** Warms up, and then measures the contenders in turn. */
  measure<Name extends string>(
    contenders: Readonly<Record<Name, (ms: number) => Promise<LoadResult>>>,
  ): Promise<Record<Name, LoadResult[]>>;
  /** Says where the threads of a node spend their time under such a load. */
  profile(request: Request): Promise<void>;
}

export async function openRestBench(
  scope: AsyncDisposableStack,
  { users = USERS, project: files = USER_TYPE, connections }: RestBenchOptions,
): Promise<RestBench> {
  const { url: databaseUrl } = scope.use(await createBenchDatabase());
  await fillUsers(databaseUrl, users);
  const project = scope.use(await createProject(files));
  const generator = scope.use(await startLoadGenerator());
  const options = { databaseUrl, project: project.location };
  let nodes = 0;
  const bench: RestBench = {
    databaseUrl,
    startOurs: async (environment) => (await bench.startNode(environment)).url,
    async startNode(environment = {}) {
      const name = `bench-${++nodes}`;
      const service = await startService({
        ...options,
        name,
        environment: { SVC_ROLES: 'api', ...environment },
      });
      return scope.use(service);
    },
    async startPlain(kind, body = '') {
      const child = await startChild<PlainServerTask, string>('./plain-server.ts', {
        BENCH_DATABASE_URL: databaseUrl,
      });
      return scope.use(child).ask({ kind, body });
    },
    load: (url, request, ms) => generator.ask({ ...request, url, connections, ms }),
    async measure(contenders) {
      const within = (ms: number) => mapValues(contenders, (contender) => () => contender(ms));
      await interleave(1, within(WARM_UP_MS));
      return interleave(ROUNDS, within(ROUND_MS));
    },
    async profile(request) {
      const environment = { SVC_ROLES: 'api' };
      await profileService({ ...options, environment }, (url) => bench.load(url, request, 15_000));
    },
  };
  return bench;
}

function mapValues<Name extends string, From, To>(
  record: Readonly<Record<Name, From>>,
  map: (value: From) => To,
): Record<Name, To> {
  const entries = (Object.entries(record) as [Name, From][]).map(([name, value]) => [name, map(value)]);
  return Object.fromEntries(entries) as Record<Name, To>;
}
