/**
 * What others notice while somebody guesses: 1,000 wrong logins a second from 1,000 addresses, each for another account.
 * Meanwhile users log in whose password must be compared, from where they came in before; users log in whom the node
 * has seen; others read; and schedules fire. Next to the same node a moment before, unharmed.
 */
import { hashPassword } from '#crypto/index.ts';
import { startChild } from './support/child.ts';
import type { PacedResult, PacedTask, Stream } from './support/paced-load.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { compare, remark, report } from './support/row.ts';
import { createProject, PASSWORD, startService } from './support/service.ts';
import { isQuick } from './support/settings.ts';
import { fillUsers, USER_TYPE } from './support/users.ts';

const BENCH = 'logins';
const ROUNDS = isQuick ? 1 : 3;
const ROUND_MS = isQuick ? 4_000 : 12_000;
const WRONG_PER_SECOND = 1_000;
const ADDRESSES = 1_000;
const COMPARED_PER_SECOND = 3;
const KNOWN_PER_SECOND = 50;
const OTHERS_PER_SECOND = 100;
const SCHEDULES = 20;
const GOAL = { atMost: 250, of: 'ours' } as const;
const HOME = '198.51.100.1';

const schedule = {
  enabled: true,
  persisted: true,
  type: 'cron',
  schedule: '* * * * * ?',
  invokeService: 'script',
  invokeContext: { script: { type: 'text/javascript', source: '1' } },
};
const project = {
  ...USER_TYPE,
  ...Object.fromEntries(
    Array.from({ length: SCHEDULES }, (_, n) => [`conf/schedule-beat${n}.json`, schedule]),
  ),
};

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
const perRound = Math.ceil((COMPARED_PER_SECOND * ROUND_MS) / 1_000);
const users = perRound * 2 * (ROUNDS + 1) + 1;
await fillUsers(databaseUrl, users);
// One hash for all: to make as many would take longer than to measure.
await onServer(
  databaseUrl,
  `update managed_object set data = data || jsonb_build_object('password', '${JSON.stringify(await hashPassword(PASSWORD))}'::jsonb);
   insert into login_address (account, network)
   select login_account(data ->> 'userName'), '${HOME}' from managed_object`,
);
const { location } = scope.use(await createProject(project));
const service = scope.use(
  await startService({ databaseUrl, project: location, environment: { SVC_TRUSTED_PROXIES: '127.0.0.0/8' } }),
);
const sender = scope.use(
  await startChild<PacedTask, Record<'compared' | 'known' | 'others' | 'wrong', PacedResult>>(
    './paced-load.ts',
  ),
);

const logIn = (user: string, password: string, address: string) =>
  format('POST', '/svc/authentication?_action=login', {
    'X-Svc-Username': user,
    'X-Svc-Password': password,
    'X-Forwarded-For': address,
  });
let compared = 1;
let guesses = 0;

/** Users whom the node has not seen, each once. */
function newcomers(): Stream {
  const requests = Array.from({ length: perRound }, () => logIn(`user${++compared}`, PASSWORD, HOME));
  return { perSecond: COMPARED_PER_SECOND, requests };
}

function wrong(): Stream {
  const requests = Array.from({ length: (WRONG_PER_SECOND * ROUND_MS) / 1_000 }, () => {
    const guess = ++guesses;
    const address = guess % ADDRESSES;
    return logIn(`somebody${guess}`, 'wrong', `203.0.${address >> 8}.${address & 255}`);
  });
  return { perSecond: WRONG_PER_SECOND, requests };
}

async function measure(withAttack: boolean) {
  const [{ now }] = (await onServer<{ now: Date }>(databaseUrl, 'select clock_timestamp() as now')) as [
    { now: Date },
  ];
  const result = await sender.ask({
    url: service.url,
    ms: ROUND_MS,
    streams: {
      compared: newcomers(),
      known: { perSecond: KNOWN_PER_SECOND, requests: [logIn('user1', PASSWORD, HOME)] },
      others: {
        perSecond: OTHERS_PER_SECOND,
        requests: [
          format('GET', '/svc/managed/user/user-1', {
            'X-Svc-Username': 'svc-admin',
            'X-Svc-Password': PASSWORD,
          }),
        ],
      },
      ...(withAttack ? { wrong: wrong() } : {}),
    },
  });
  const [late] = await onServer<{ p50: number; p99: number }>(
    databaseUrl,
    `select percentile_cont(0.5) within group (order by late_ms)::float8 as p50,
            percentile_cont(0.99) within group (order by late_ms)::float8 as p99
     from svc_firing where planned_at >= $1`,
    [now],
  );
  for (const name of ['compared', 'known', 'others'] as const) {
    const failed = Object.entries(result[name].statuses).filter(([status]) => status !== '200');
    if (failed.length > 0) throw new Error(`${name} were answered ${JSON.stringify(result[name].statuses)}`);
  }
  return { ...result, late: { p50Ms: late!.p50, p99Ms: late!.p99 } };
}

await measure(false);
const quiet: Awaited<ReturnType<typeof measure>>[] = [];
const attacked: Awaited<ReturnType<typeof measure>>[] = [];
for (let round = 0; round < ROUNDS; round++) {
  quiet.push(await measure(false));
  attacked.push(await measure(true));
}
const kinds = {
  compared: 'log-in, password compared',
  known: 'log-in, password seen before',
  others: 'GET by id',
  late: 'lateness of firings',
} as const;
for (const [kind, title] of Object.entries(kinds) as [keyof typeof kinds, string][]) {
  for (const which of ['p50Ms', 'p99Ms'] as const) {
    compare(
      {
        bench: BENCH,
        quantity: `${title} while 1,000 wrong ones a second come, ${which.slice(0, 3)}`,
        unit: 'ms',
        lessIsBetter: true,
        ours: attacked.map((round) => round[kind][which]),
        ...(which === 'p99Ms' ? { goal: GOAL } : {}),
      },
      'without them',
      quiet.map((round) => round[kind][which]),
    );
  }
}
report({
  bench: BENCH,
  quantity: 'a wrong log-in is answered, p50',
  unit: 'ms',
  ours: attacked.map(({ wrong }) => wrong.p50Ms),
});
report({
  bench: BENCH,
  quantity: 'a wrong log-in is answered, p99',
  unit: 'ms',
  ours: attacked.map(({ wrong }) => wrong.p99Ms),
});
const shares = attacked.map(({ wrong: { statuses } }) => JSON.stringify(statuses)).join(', ');
remark(BENCH, `wrong log-ins by status and round: ${shares}`);

function format(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({
    Host: new URL(service.url).host,
    ...headers,
    ...(method === 'POST' ? { 'Content-Length': '0' } : {}),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
