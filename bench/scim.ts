/** What SCIM costs beside the REST interface: the same users made, found, read and changed over both, in turn. */
import { type LoadTask, NUMBER } from './support/load.ts';
import { openRestBench } from './support/rest.ts';
import { compare } from './support/row.ts';
import { AUTHORIZATION } from './support/service.ts';
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
const node = await bench.startOurs();
for (const [quantity, { scim, rest }] of Object.entries(PAIRS)) {
  const rounds = await bench.measure({
    ours: (ms) => bench.load(node, { ...scim, headers }, ms),
    rest: (ms) => bench.load(node, { ...rest, headers }, ms),
  });
  const rates = (name: keyof typeof rounds) => rounds[name].map(({ perSecond }) => perSecond);
  const row = { bench: BENCH, quantity, unit: 'requests/s', ours: rates('ours') };
  // At most 1.3 of the cost.
  compare({ ...row, goal: { atLeast: 1 / 1.3 } }, 'the same over /managed', rates('rest'));
}
