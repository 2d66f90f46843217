/**
 * The same files and the same requests, by the same client, on the same Postgres: processes beside Flowable, users beside Keycloak. The
 * servers of others come from Maven Central and are kept with the packages; where there is no Java this says so and ends.
 * Theirs have no trail of audit and no rules of access, ours has both.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createBenchDatabase, onServer, openBenchServer, shareBenchServer } from './support/postgres.ts';
import { postgresCpuMs, processCpuMs } from './support/processor.ts';
import { interleave } from './support/rounds.ts';
import { compare, remark } from './support/row.ts';
import {
  type Both,
  CHANGE_USER,
  createUser,
  DELETE_USER,
  FIND_BY_DEPARTMENT,
  FIND_BY_MAIL,
  idsOf,
  PROCESS_FILES,
  READ_USER,
  said,
  startTimed,
  throughInstance,
} from './support/servers/asked.ts';
import { type ConversationResult, type Step, startConversations } from './support/servers/conversation.ts';
import { deployToFlowable, startFlowable } from './support/servers/flowable.ts';
import { type PeerServer, whyNoJava } from './support/servers/java.ts';
import { startKeycloak } from './support/servers/keycloak.ts';
import { AUTHORIZATION, call, createProject, startService } from './support/service.ts';
import { isQuick } from './support/settings.ts';

const BENCH = 'peers';
const ROUNDS = isQuick ? 1 : 3;
const ROUND_MS = isQuick ? 1_500 : 4_000;
const WARM_UP_MS = isQuick ? 2_000 : 6_000;
const SEEDED = isQuick ? 200 : 1_000;
const TIMERS = isQuick ? 200 : 2_000;
/** Until then all instances with a timer have been started. */
const TIMERS_IN_MS = isQuick ? 8_000 : 30_000;
const LOOK_MS = 20;

const NOTHING: Both<readonly string[]> = { ours: [], theirs: [] };
/** Instances with a timer, and at Flowable all others that are under way. */
const LEFT: Both<string> = {
  ours: "select count(*)::int as left from workflow_instance where definition_key = 'timed' and ended_at is null",
  theirs: 'select count(*)::int as left from act_ru_execution where parent_id_ is null',
};

const why = whyNoJava();
if (why !== undefined) {
  remark(BENCH, `left out: ${why}`);
  process.exit(0);
}

type Server = Omit<PeerServer, typeof Symbol.asyncDispose>;

await using scope = new AsyncDisposableStack();
await shareBenchServer(scope);
const postgres = scope.use(await openBenchServer()).url;
const client = scope.use(await startConversations());

await besideFlowable();
await besideKeycloak();

async function besideFlowable(): Promise<void> {
  await using own = new AsyncDisposableStack();
  const { server: ours, databaseUrl } = await startOurs(own);
  const empty = await emptyDatabase(own);
  const theirs = own.use(await startFlowable(empty));
  for (const [key, content] of Object.entries(PROCESS_FILES)) {
    const name = `${key}.bpmn20.xml`;
    await call(ours.url, 'POST', 'workflow/deployment?_action=deploy', { name, content });
    await deployToFlowable(theirs.url, name, content);
  }
  const servers = { ours, theirs };
  for (const clients of isQuick ? [8] : [1, 8, 32]) {
    const run = (what: string, steps: Both<readonly Step[]>) =>
      measure({ quantity: `${what}, ${clients} clients`, servers, clients, atLeast: 3, steps });
    await run('a user task, started, found and completed', throughInstance('oneTask', 1));
    await run('three service tasks', throughInstance('threeServices', 0));
    if (clients > 1) await run('two tasks at once, one of them with a timer', throughInstance('forked', 2));
  }
  await measureTimers(servers, { ours: databaseUrl, theirs: empty });
}

async function besideKeycloak(): Promise<void> {
  await using own = new AsyncDisposableStack();
  const { server: ours } = await startOurs(own);
  const theirs = own.use(await startKeycloak(await emptyDatabase(own)));
  const servers = { ours, theirs };
  const numbers = Array.from({ length: SEEDED }, (_, n) => String(n + 1));
  const seed = createUser(`seed${said('about')}`);
  for (const at of ['ours', 'theirs'] as const)
    await client.ask({
      ...addressOf(servers[at]),
      steps: [seed[at]],
      clients: 8,
      ms: 0,
      about: numbers,
      eachOnce: true,
    });
  const ids = await idsOf(ours.url, theirs);
  const of = { ours: numbers, theirs: numbers };
  const run = (
    quantity: string,
    { ours, theirs }: Both<Step>,
    about?: Both<readonly string[]>,
    eachOnce = false,
  ) =>
    measure({
      quantity,
      servers,
      clients: 32,
      atLeast: 1.5,
      steps: { ours: [ours], theirs: [theirs] },
      ...(about === undefined ? {} : { about }),
      eachOnce,
    });
  await run('a new user', createUser(`new${said('number')}`));
  await run('a user by id', READ_USER, ids);
  await run('a user by mail', FIND_BY_MAIL, of);
  await run('a user by another property', FIND_BY_DEPARTMENT, of);
  await run('a changed property', CHANGE_USER, ids);
  await run('a user deleted', DELETE_USER, ids, true);
}

function addressOf({ url, headers }: Server): Pick<Server, 'url' | 'headers'> {
  return { url, headers };
}

async function startOurs(own: AsyncDisposableStack): Promise<{ server: Server; databaseUrl: string }> {
  const { url: databaseUrl } = own.use(await createBenchDatabase());
  const project = own.use(await createProject({}));
  const { url, pid } = own.use(await startService({ databaseUrl, project: project.location }));
  return { server: { name: 'ours', url, pid, headers: { Authorization: AUTHORIZATION } }, databaseUrl };
}

/** For a server that makes its own tables. */
async function emptyDatabase(own: AsyncDisposableStack): Promise<string> {
  const name = `peer_${process.pid}_${Date.now()}`;
  await onServer(postgres, `create database ${name}`);
  own.defer(async () => void (await onServer(postgres, `drop database if exists ${name} with (force)`)));
  return new URL(`/${name}`, postgres).href;
}

interface Measurement {
  readonly quantity: string;
  readonly servers: Both<Server>;
  readonly clients: number;
  /** The goal for the ratio of the rates. */
  readonly atLeast: number;
  readonly steps: Both<readonly Step[]>;
  readonly about?: Both<readonly string[]>;
  readonly eachOnce?: boolean;
}

/** Both in turn: rate, latency, and what of the processor a conversation costs the server and Postgres. */
async function measure(asked: Measurement): Promise<void> {
  const { quantity, servers, clients, atLeast, steps, about = NOTHING, eachOnce = false } = asked;
  const share = Math.floor(Math.min(about.ours.length, about.theirs.length) / ROUNDS);
  const done = { ours: 0, theirs: 0 };
  const spentMs = async (at: keyof Both<Server>) =>
    (processCpuMs(servers[at].pid) ?? 0) + ((await postgresCpuMs(postgres)) ?? 0);
  const within = (at: keyof Both<Server>, ms: number) => async () => {
    const from = eachOnce ? done[at]++ * share : 0;
    const subjects = about[at].slice(from, eachOnce ? from + share : undefined);
    const before = await spentMs(at);
    const address = addressOf(servers[at]);
    const result = await client.ask({ ...address, steps: steps[at], clients, ms, about: subjects, eachOnce });
    return { ...result, cpuMs: ((await spentMs(at)) - before) / result.count };
  };
  const both = (ms: number) => ({ ours: within('ours', ms), theirs: within('theirs', ms) });
  if (!eachOnce) await interleave(1, both(WARM_UP_MS));
  const { ours, theirs } = await interleave(ROUNDS, both(ROUND_MS));
  const row = (unit: string, of: (result: ConversationResult & { cpuMs: number }) => number, goal?: number) =>
    compare(
      {
        bench: BENCH,
        quantity,
        unit,
        ours: ours.map(of),
        lessIsBetter: unit !== '/s',
        ...(goal === undefined ? {} : { goal: { atLeast: goal } }),
      },
      servers.theirs.name,
      theirs.map(of),
    );
  row('/s', ({ perSecond }) => perSecond, atLeast);
  row('ms of a processor', ({ cpuMs }) => cpuMs, 1);
  row('p99, ms', ({ p99Ms }) => p99Ms);
}

/** How many instances a second go on whose timers are all due at once, as their databases tell. */
async function measureTimers(servers: Both<Server>, databases: Both<string>): Promise<void> {
  const rates: Record<keyof Both<Server>, number[]> = { ours: [], theirs: [] };
  const about = Array.from({ length: TIMERS }, (_, n) => String(n));
  for (let round = 0; round < ROUNDS; round++) {
    for (const at of ['ours', 'theirs'] as const) {
      const left = async () => (await onServer<{ left: number }>(databases[at], LEFT[at]))[0]?.left ?? 0;
      const others = await left();
      const dueAt = Date.now() + TIMERS_IN_MS;
      const steps = [startTimed(new Date(dueAt).toISOString())[at]];
      await client.ask({ ...addressOf(servers[at]), steps, clients: 8, ms: 0, about, eachOnce: true });
      if (Date.now() > dueAt) throw new Error(`${TIMERS} instances were not started in ${TIMERS_IN_MS} ms`);
      await delay(dueAt - Date.now());
      while ((await left()) > others) await delay(LOOK_MS);
      rates[at].push(TIMERS / ((Date.now() - dueAt) / 1_000));
    }
  }
  const quantity = `timers that are due at once, ${TIMERS}`;
  compare(
    { bench: BENCH, quantity, unit: '/s', ours: rates.ours, goal: { atLeast: 3 } },
    servers.theirs.name,
    rates.theirs,
  );
}
