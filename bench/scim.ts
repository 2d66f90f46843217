/** What SCIM costs beside the REST interface: the same users made, found, read and changed over both, in turn. */
import { type LoadTask, NUMBER } from './support/load.ts';
import { openCostMeter } from './support/request-cost.ts';
import { openRestBench } from './support/rest.ts';
import { interleave } from './support/rounds.ts';
import { compare } from './support/row.ts';
import { AUTHORIZATION } from './support/service.ts';
import { ROUND_MS, ROUNDS, WARM_UP_MS } from './support/settings.ts';
import { USER_PATHS } from './support/users.ts';

const BENCH = 'scim';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const headers = { Authorization: AUTHORIZATION };
const ids = USER_PATHS.map((path) => path.slice(path.lastIndexOf('/') + 1));
const user = { userName: `user-${NUMBER}`, givenName: 'Kim', sn: 'Lee', mail: 'kim@example.com' };
const resource = {
  schemas: [CORE],
  userName: `scim-${NUMBER}`,
  name: { givenName: 'Kim', familyName: 'Lee' },
  emails: [{ type: 'work', value: 'kim@example.com' }],
};

/** More rounds, and shorter ones: what disturbs the machine for a while disturbs some of them. */
const SHORTER = 4;
/** Until their paths have been compiled, also where others use the machine. */
const LONGER = 3;

type Asked = Pick<LoadTask, 'method' | 'paths' | 'body'>;
const PAIRS: Readonly<Record<string, { readonly scim: Asked; readonly rest: Asked }>> = {
  'a new user': {
    scim: { method: 'POST', paths: ['/scim/v2/Users'], body: JSON.stringify(resource) },
    rest: { method: 'POST', paths: ['/svc/managed/user'], body: JSON.stringify(user) },
  },
  'a user by name': {
    scim: { method: 'GET', paths: ids.map((_, n) => `/scim/v2/Users?filter=userName+eq+%22user${n + 1}%22`) },
    rest: {
      method: 'GET',
      paths: ids.map(
        (_, n) =>
          `/svc/managed/user?_queryFilter=userName+eq+%22user${n + 1}%22&_pageSize=100&_totalPagedResultsPolicy=EXACT`,
      ),
    },
  },
  'a user by id': {
    scim: { method: 'GET', paths: ids.map((id) => `/scim/v2/Users/${id}`) },
    rest: { method: 'GET', paths: USER_PATHS },
  },
  'a changed property': {
    scim: {
      method: 'PATCH',
      paths: ids.map((id) => `/scim/v2/Users/${id}`),
      body: JSON.stringify({
        Operations: [
          { op: 'replace', path: 'emails[type eq "work"].value', value: `m${NUMBER}@example.com` },
        ],
      }),
    },
    rest: {
      method: 'PATCH',
      paths: USER_PATHS,
      body: JSON.stringify([{ operation: 'replace', field: '/mail', value: `m${NUMBER}@example.com` }]),
    },
  },
};

await using scope = new AsyncDisposableStack();
const bench = await openRestBench(scope, { connections: 32 });
const meter = scope.use(await openCostMeter(bench.databaseUrl));
const { url, pid } = await bench.startNode();
const at = process.argv.indexOf('--only');
const only = at < 0 ? '' : (process.argv[at + 1] ?? '');
for (const [quantity, { scim, rest }] of Object.entries(PAIRS).filter(([name]) => name.includes(only))) {
  const cost = (asked: Asked) => (ms: number) => async () => {
    let rate = 0;
    const { node, Postgres } = await meter.measure(pid, async () => {
      const { perSecond } = await bench.load(url, { ...asked, headers }, ms);
      rate = perSecond;
      return { requests: (perSecond * ms) / 1_000 };
    });
    return { rate, cost: node + Postgres };
  };
  const within = (ms: number) => ({ ours: cost(scim)(ms), rest: cost(rest)(ms) });
  // Both as in a server that has been up for a while.
  await interleave(5, within(WARM_UP_MS * LONGER));
  const { ours, rest: theirs } = await interleave(ROUNDS * SHORTER, within(ROUND_MS / 2));
  const next = 'the same over /managed';
  const row = { bench: BENCH, quantity };
  compare(
    // At most 1.3 of the cost.
    {
      ...row,
      quantity: `${quantity}, node and Postgres`,
      unit: 'µs',
      lessIsBetter: true,
      ours: ours.map(({ cost }) => cost),
      goal: { atLeast: 1 / 1.3 },
    },
    next,
    theirs.map(({ cost }) => cost),
  );
  compare(
    { ...row, unit: 'requests/s', ours: ours.map(({ rate }) => rate) },
    next,
    theirs.map(({ rate }) => rate),
  );
}
