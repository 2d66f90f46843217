/**
 * How soon, and how many: a change of a managed object is seen in a directory (slapd), changes in a directory with a log become changes
 * of managed objects, and deliveries to a system that is a script which does nothing, by three nodes. Next to the first two the same
 * library by itself: a modify, and a loop that reads the log and the entries it tells of.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Attribute, Change, Client } from 'ldapts';
import { SLAPD, startSlapd } from '../test/support/slapd.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { compare, remark, report } from './support/row.ts';
import { call, createProject, startService } from './support/service.ts';
import { isQuick } from './support/settings.ts';

const BENCH = 'livesync';
const PATCHES = isQuick ? 50 : 300;
const CHANGES = isQuick ? 1_000 : 10_000;
const DELIVERIES = isQuick ? 1_000 : 10_000;
const PEOPLE = 'ou=people,dc=example,dc=com';
const CONTACTS = 'ou=groups,dc=example,dc=com';

if (SLAPD === undefined) remark(BENCH, 'No slapd is installed, so that nothing was measured.');
else await measure();

async function measure(): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const slapd = scope.use(await startSlapd(undefined, { log: true }));
  const client = new Client({ url: `ldap://127.0.0.1:${slapd.port}` });
  await client.bind(slapd.principal, slapd.password);
  scope.defer(() => client.unbind());
  const { url } = scope.use(await createBenchDatabase());
  const script = (source: string) => ({ type: 'text/javascript', source });
  const directory = (name: string, base: string) => ({
    name,
    connectorRef: { connectorName: 'org.identityconnectors.ldap.LdapConnector' },
    configurationProperties: {
      host: '127.0.0.1',
      port: slapd.port,
      principal: slapd.principal,
      credentials: slapd.password,
      baseContexts: [base],
      changes: 'accesslog',
    },
    objectTypes: {
      account: {
        nativeType: '__ACCOUNT__',
        properties: {
          dn: { type: 'string', nativeName: '__NAME__', required: true },
          ...Object.fromEntries(['uid', 'cn', 'sn', 'l'].map((one) => [one, { type: 'string' }])),
        },
      },
    },
  });
  const same = ['uid', 'cn', 'sn', 'l'].map((one) => ({ source: one, target: one }));
  const name = { source: 'uid', target: 'dn', transform: script(`"uid=" + source + ",${CONTACTS}"`) };
  const project = scope.use(
    await createProject({
      'conf/managed.json': { objects: ['person', 'contact', 'ghost'].map((one) => ({ name: one })) },
      'conf/sync.json': {
        mappings: [
          { name: 'inwards', source: 'system/people/account', target: 'managed/person', properties: same },
          {
            name: 'outwards',
            source: 'managed/contact',
            target: 'system/contacts/account',
            properties: [...same, name],
          },
          {
            name: 'nowhere',
            source: 'managed/ghost',
            target: 'system/nothing/account',
            enableSync: false,
            properties: [{ source: 'uid', target: 'uid' }],
          },
        ],
      },
      'conf/provisioner.openicf-people.json': directory('people', PEOPLE),
      'conf/provisioner.openicf-contacts.json': directory('contacts', CONTACTS),
      'conf/provisioner.openicf-nothing.json': {
        name: 'nothing',
        connectorRef: { connectorName: 'svc.scripted' },
        configurationProperties: { file: 'nothing.js', allow: ['http://127.0.0.1:1'] },
        objectTypes: { account: { nativeType: '__ACCOUNT__', properties: { uid: { type: 'string' } } } },
      },
    }),
  );
  await writeScript(project.location);
  const options = {
    databaseUrl: url,
    project: project.location,
    environment: { SVC_EGRESS_ALLOW: '127.0.0.1' },
  };
  const node = scope.use(await startService({ ...options, name: 'bench-a' }));

  const entry = `uid=c1,${CONTACTS}`;
  await call(node.url, 'PUT', 'managed/contact/c1', { uid: 'c1', cn: 'C', sn: 'C', l: 'nowhere' });
  const seen = async (city: string) => {
    for (;;) {
      const found = await client
        .search(entry, { scope: 'base', attributes: ['l'] })
        .catch(() => ({ searchEntries: [] }));
      if (found.searchEntries[0]?.['l'] === city) return;
    }
  };
  await seen('nowhere');
  const [ours, bare] = [[], []] as [number[], number[]];
  for (let at = 0; at < PATCHES; at++) {
    const city = `city ${at}`;
    const change = [{ operation: 'replace', field: '/l', value: city }];
    await call(node.url, 'PATCH', 'managed/contact/c1', change);
    ours.push(await timed(() => seen(city)));
    const modification = new Attribute({ type: 'l', values: [city] });
    bare.push(await timed(() => client.modify(entry, new Change({ operation: 'replace', modification }))));
    await delay(20);
  }
  const at = (all: readonly number[], share: number) =>
    all.toSorted((one, other) => one - other)[Math.floor(all.length * share)] ?? 0;
  for (const [share, goal] of [
    [0.5, 15],
    [0.99, 100],
  ] as const) {
    compare(
      {
        bench: BENCH,
        quantity: `from the answer to a PATCH until the directory shows it, p${share * 100}`,
        unit: 'ms',
        ours: [at(ours, share) * 1_000],
        lessIsBetter: true,
        goal: { atMost: goal, of: 'ours' },
      },
      'a modify by itself',
      [at(bare, share) * 1_000],
    );
  }

  const follow = () => call(node.url, 'POST', 'system/people/account?_action=liveSync');
  await follow();
  const entries = Array.from(
    { length: CHANGES },
    (_, n) =>
      `dn: uid=p${n},${PEOPLE}\nobjectClass: inetOrgPerson\nuid: p${n}\ncn: ${n}\nsn: ${n}\nl: Bern\n`,
  );
  await slapd.add(entries.join('\n'));
  const seconds = await timed(follow);
  const [{ count } = { count: 0 }] = await onServer<{ count: number }>(
    url,
    `select count(*)::int as count from managed_object where type = 'person'`,
  );
  if (count !== CHANGES) throw new Error(`${count} of ${CHANGES} changes have arrived`);
  const reading = await timed(async () => {
    const uuids: string[] = [];
    const log = {
      scope: 'sub',
      timeLimit: 0,
      attributes: ['reqEntryUUID'],
      filter: '(reqType=add)',
      paged: { pageSize: 1_000 },
    } as const;
    for await (const { searchEntries } of client.searchPaginated('cn=accesslog', {
      ...log,
      attributes: [...log.attributes],
    }))
      uuids.push(...searchEntries.map((one) => String(one['reqEntryUUID'])));
    for (let from = 0; from < uuids.length; from += 100) {
      const filter = `(|${uuids
        .slice(from, from + 100)
        .map((one) => `(entryUUID=${one})`)
        .join('')})`;
      await client.search(PEOPLE, { scope: 'sub', timeLimit: 0, filter });
    }
  });
  compare(
    {
      bench: BENCH,
      quantity: `${CHANGES.toLocaleString('en')} changes of a directory become managed objects`,
      unit: 'changes/s',
      ours: [CHANGES / seconds],
      goal: { atLeast: 2_000, of: 'ours' },
    },
    'reading the log and the entries',
    [CHANGES / reading],
  );

  for (const other of ['bench-b', 'bench-c']) scope.use(await startService({ ...options, name: other }));
  await onServer(
    url,
    `insert into managed_object (type, id, data) select 'ghost', 'g' || n, jsonb_build_object('uid', 'g' || n) from generate_series(1, ${DELIVERIES}) n`,
  );
  const delivering = await timed(async () => {
    await call(node.url, 'POST', 'sync?_action=deliverAll&mapping=nowhere', {});
    for (;;) {
      const [{ done } = { done: 0 }] = await onServer<{ done: number }>(
        url,
        `select count(*)::int as done from sync_link where link_type = 'nowhere'`,
      );
      if (done === DELIVERIES) return;
      await delay(100);
    }
  });
  report({
    bench: BENCH,
    quantity: 'deliveries to a script that does nothing, three nodes',
    unit: 'deliveries/s',
    ours: [DELIVERIES / delivering],
    goal: { atLeast: 3_000 },
  });
}

async function writeScript(location: string): Promise<void> {
  await mkdir(`${location}/script`, { recursive: true });
  await writeFile(
    `${location}/script/nothing.js`,
    `exports.test = () => {};
exports.create = ({ attributes }) => attributes.uid[0];
exports.get = ({ id }) => ({ id, name: id, attributes: { uid: id } });
exports.update = () => {};
exports.remove = () => {};
exports.search = () => ({ entries: [] });
`,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}
