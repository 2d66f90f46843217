/**
 * Reconciliations with other systems: a directory (slapd) and a table of another database (Postgres), each with as many managed objects.
 * What stands there is planned to become objects, becomes objects, is looked at again when nothing has changed, and when a hundredth
 * has; then the other way round, into the system. Ten properties are mapped, two of them by scripts. Next to them a bare loop with the
 * same library that lists the same entries page by page, or writes the same ones one by one, and does nothing else. The memory of
 * the node is looked at all the while.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Attribute, Change, Client } from 'ldapts';
import pg from 'pg';
import { SLAPD, startSlapd } from '../test/support/slapd.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { compare, remark, report } from './support/row.ts';
import { call, createProject, type Service, startService } from './support/service.ts';
import { isQuick } from './support/settings.ts';

const BENCH = 'connectors';
const OBJECTS = isQuick ? 10_000 : 100_000;
const PAGE = 500;
/** By the names of a person; what a directory calls them. */
const NAMES: Readonly<Record<string, string>> = {
  uid: 'uid',
  cn: 'cn',
  sn: 'sn',
  givenName: 'givenName',
  mail: 'mail',
  title: 'title',
  city: 'l',
  phone: 'telephoneNumber',
  unit: 'departmentNumber',
  note: 'description',
};
const PROPERTIES = Object.keys(NAMES);
/** Where people are. */
const BASE = 'ou=people,dc=example,dc=com';
const script = (source: string) => ({ type: 'text/javascript', source });
const textFor = (property: string, n: number) =>
  property === 'uid' ? `p${n}` : property === 'phone' ? `+41 ${1_000_000 + n}` : `${property} of ${n}`;

interface Place extends AsyncDisposable {
  readonly name: string;
  readonly provisioner: unknown;
  /** Of a mapping into it: what an object needs besides its ten properties. */
  readonly key: readonly unknown[];
  /** Lists all with their properties. @returns how many */
  readonly list: () => Promise<number>;
  /** Writes one property of each of these. */
  readonly change: (ns: readonly number[], city: string) => Promise<void>;
}

await using scope = new AsyncDisposableStack();
const places = [await table(), ...(SLAPD === undefined ? [] : [await directory()])];
if (SLAPD === undefined) remark(BENCH, 'No slapd is installed, so that no directory was asked.');
for (const place of places) await using(place);

async function using(place: Place): Promise<void> {
  await using own = new AsyncDisposableStack();
  own.use(place);
  const { url } = own.use(await createBenchDatabase());
  const system = `system/${place.name}/account`;
  const properties = PROPERTIES.map((one) => ({
    source: one,
    target: one,
    ...(one === 'sn' || one === 'mail' ? { transform: script('source.toLowerCase()') } : {}),
  }));
  const inwards = {
    name: 'inwards',
    source: system,
    target: 'managed/person',
    enableSync: false,
    properties,
  };
  const outwards = {
    name: 'outwards',
    source: 'managed/person',
    target: system,
    enableSync: false,
    correlationQuery: script('({ _queryFilter: "uid eq " + JSON.stringify(source.uid) })'),
    properties: [...properties, ...place.key],
  };
  const project = own.use(
    await createProject({
      'conf/managed.json': { objects: [{ name: 'person' }] },
      'conf/sync.json': { mappings: [inwards, outwards] },
      [`conf/provisioner.openicf-${place.name}.json`]: place.provisioner,
    }),
  );
  const service = own.use(
    await startService({
      databaseUrl: url,
      project: project.location,
      environment: { SVC_EGRESS_ALLOW: '127.0.0.1' },
    }),
  );
  await place.list();
  const listing = await timed(async () => {
    const count = await place.list();
    if (count !== OBJECTS) throw new Error(`The bare loop found ${count} and not ${OBJECTS}`);
  });
  const memory = watchMemory(service.pid);
  const what = place.name === 'ldap' ? 'of a directory' : 'of a table';
  const measure = (quantity: string, ours: number, goal: number, against: string, baseline: number) =>
    compare(
      {
        bench: BENCH,
        quantity: `${OBJECTS.toLocaleString('en')} entries ${what}: ${quantity}`,
        unit: 's',
        ours: [ours],
        lessIsBetter: true,
        ...(isQuick ? {} : { goal: { atMost: goal, of: 'ours' as const } }),
      },
      against,
      [baseline],
    );
  const isDirectory = place.name === 'ldap';
  const plan = await reconcile(service, 'inwards', 'plan', { ABSENT: OBJECTS });
  measure('a plan', plan, 40, 'listing them', listing);
  const first = await reconcile(service, 'inwards', 'apply', { ABSENT: OBJECTS });
  measure('become objects', first, 150, 'listing them', listing);
  await reconcile(service, 'inwards', 'apply', { CONFIRMED: OBJECTS });
  const again = await timed(() => place.list());
  const none = await reconcile(service, 'inwards', 'apply', { CONFIRMED: OBJECTS });
  measure('nothing has changed', none, isDirectory ? 8 : 5, 'listing them', again);
  const some = Array.from({ length: OBJECTS / 100 }, (_, at) => at * 100 + 1);
  await place.change(some, 'Bern');
  const changed = await reconcile(service, 'inwards', 'apply', { CONFIRMED: OBJECTS });
  measure('a hundredth has changed', changed, 15, 'listing them', await timed(() => place.list()));
  const linked = await reconcile(service, 'outwards', 'apply', { FOUND: OBJECTS });
  measure('are found for as many objects', linked, 150, 'listing them', again);
  await reconcile(service, 'outwards', 'apply', { CONFIRMED: OBJECTS });
  await onServer(
    url,
    `update managed_object set rev = rev + 1, data = data || '{"city": "Basel"}'
     where type = 'person' and data ->> 'uid' = any (select 'p' || (n * 100 + 1) from generate_series(0, ${some.length - 1}) n)`,
  );
  const written = await reconcile(service, 'outwards', 'apply', { CONFIRMED: OBJECTS });
  const bare = await timed(async () => {
    await place.list();
    await place.change(some, 'Chur');
  });
  measure('a hundredth is written there', written, 15, 'listing them and writing these', bare);
  const { before, most } = memory.stop();
  report({
    bench: BENCH,
    quantity: `growth of a node's memory meanwhile, ${what}`,
    unit: 'MB',
    ours: [most - before],
    ...(isQuick ? {} : { goal: { atMost: 200 } }),
  });
}

async function table(): Promise<Place> {
  const { url } = scope.use(await createBenchDatabase());
  await onServer(
    url,
    `create table person (uid text primary key, ${PROPERTIES.slice(1).map((one) => `"${one}" text`)});
     insert into person select 'p' || n, ${PROPERTIES.slice(1).map((one) => (one === 'phone' ? `'+41 ' || 1000000 + n` : `'${one.toLowerCase()} of ' || n`))}
     from generate_series(0, ${OBJECTS - 1}) n; analyze person`,
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    name: 'sql',
    key: [],
    provisioner: {
      name: 'sql',
      connectorRef: { connectorName: 'org.identityconnectors.databasetable.DatabaseTableConnector' },
      configurationProperties: {
        jdbcUrlTemplate: `jdbc:postgresql://${hostname}:${port === '' ? 5432 : port}${pathname}`,
        user: decodeURIComponent(username),
        password: decodeURIComponent(password) || 'none',
        ssl: false,
        table: 'person',
        keyColumn: 'uid',
      },
      objectTypes: { account: { nativeType: '__ACCOUNT__', properties: typesOf((one) => one) } },
    },
    async list() {
      let count = 0;
      for (let last = ''; ; ) {
        const { rows } = await client.query('select * from person where uid > $1 order by uid limit $2', [
          last,
          PAGE,
        ]);
        count += rows.length;
        if (rows.length < PAGE) return count;
        last = rows.at(-1).uid;
      }
    },
    async change(ns, city) {
      for (const n of ns) await client.query('update person set city = $1 where uid = $2', [city, `p${n}`]);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function directory(): Promise<Place> {
  await using own = new AsyncDisposableStack();
  const slapd = own.use(await startSlapd());
  const name = (n: number) => `uid=p${n},${BASE}`;
  for (let at = 0; at < OBJECTS; at += 10_000) {
    const entries = Array.from({ length: Math.min(10_000, OBJECTS - at) }, (_, place) => {
      const values = PROPERTIES.map((one) => `${NAMES[one]}: ${textFor(one.toLowerCase(), at + place)}`);
      return `dn: ${name(at + place)}\nobjectClass: inetOrgPerson\n${values.join('\n')}\n`;
    });
    await slapd.add(entries.join('\n'));
  }
  const client = new Client({ url: `ldap://127.0.0.1:${slapd.port}` });
  await client.bind(slapd.principal, slapd.password);
  own.defer(() => client.unbind());
  const kept = own.move();
  return {
    name: 'ldap',
    key: [{ source: 'uid', target: 'dn', transform: script(`"uid=" + source + ",${BASE}"`) }],
    provisioner: {
      name: 'ldap',
      connectorRef: { connectorName: 'org.identityconnectors.ldap.LdapConnector' },
      configurationProperties: {
        host: '127.0.0.1',
        port: slapd.port,
        principal: slapd.principal,
        credentials: slapd.password,
        baseContexts: [BASE],
      },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            dn: { type: 'string', nativeName: '__NAME__', required: true },
            ...typesOf((one) => NAMES[one] ?? one),
          },
        },
      },
    },
    async list() {
      let count = 0;
      const options = {
        scope: 'sub',
        timeLimit: 0,
        attributes: [...Object.values(NAMES), 'entryUUID'],
        filter: '(objectClass=inetOrgPerson)',
        paged: { pageSize: PAGE },
      } as const;
      for await (const { searchEntries } of client.searchPaginated(BASE, {
        ...options,
        attributes: [...options.attributes],
      })) {
        count += searchEntries.length;
      }
      return count;
    },
    async change(ns, city) {
      const modification = new Attribute({ type: 'l', values: [city] });
      for (const n of ns) await client.modify(name(n), new Change({ operation: 'replace', modification }));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function typesOf(nativeName: (property: string) => string) {
  return Object.fromEntries(PROPERTIES.map((one) => [one, { type: 'string', nativeName: nativeName(one) }]));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

/** @returns how many seconds it took by its own record */
async function reconcile(
  { url }: Service,
  mapping: string,
  mode: string,
  expected: Readonly<Record<string, number>>,
): Promise<number> {
  const started = (await call(url, 'POST', `recon?_action=recon&mapping=${mapping}&mode=${mode}`, {})) as {
    readonly _id: string;
  };
  for (;;) {
    const run = (await call(url, 'GET', `recon/${started._id}`)) as {
      readonly state: string;
      readonly duration: number;
      readonly situationSummary: Readonly<Record<string, number>>;
      readonly statusSummary: { readonly FAILURE: number };
    };
    if (run.state === 'ACTIVE') {
      await delay(200);
      continue;
    }
    for (const [situation, count] of Object.entries(expected)) {
      if (
        run.state === 'SUCCESS' &&
        run.situationSummary[situation] === count &&
        run.statusSummary.FAILURE === 0
      )
        continue;
      throw new Error(`A reconciliation ended as ${JSON.stringify(run)}, and not with ${count} ${situation}`);
    }
    return run.duration / 1_000;
  }
}

/** The resident memory of a process, in megabytes, from now on. */
function watchMemory(pid: number) {
  const resident = () => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  };
  const before = resident();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, resident());
  }, 200);
  return {
    stop() {
      clearInterval(timer);
      return { before, most };
    },
  };
}
