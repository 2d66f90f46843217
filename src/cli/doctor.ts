import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { misspeltVariables, overlayFlags, readSettings, type Settings } from '#config/index.ts';
import { KeyRing, lackingKeys, openKeyRing } from '#crypto/index.ts';
import {
  type Database,
  givesOwnSession,
  inspectSchema,
  readMigrations,
  refuseOldPostgres,
} from '#database/index.ts';
import { ActivationError } from '#errors/index.ts';
import { type Command, EXIT } from './command.ts';
import {
  type Complaint,
  databaseTime,
  findBloat,
  findComplaints,
  findConnectionTrouble,
  findHeldSnapshots,
  findIndexTrouble,
  findLockTrouble,
  findStandbyTrouble,
  findVacuumTrouble,
  postgresVersion,
} from './doctor-repository.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';
import { tell, toldHelp, toldOptions } from './told.ts';
import { formatVersion } from './version.ts';
import { withDatabase } from './with-database.ts';

const MOST_SKEW_MS = 1_000;
const SECOND_LOOK_MS = 1_000;

/** What was looked at: well, as `detail` says, or not, as complaints say. */
interface Examined {
  readonly name: string;
  readonly detail?: string;
  readonly complaints: readonly Complaint[];
}

/** `svc doctor`: looks at what makes nodes slow or stop, and says what to do. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'examine database, clock, settings and keys, and say what to do',
  help: `
Looks at versions, the schema, the clock, settings, the key ring, a pooler, standbys, connections, indexes, bloat, autovacuum, locks,
snapshots, and what nodes complain of. It changes nothing, and no node needs to be running. Exits 1 when something is to be done.

${toldHelp}

${projectHelp('DATABASE_URL', 'SVC_KEYS')}

Example: svc doctor -o json
`,
  options: { ...settingsOptions, ...toldOptions },

  async run(flags) {
    const settings = readSettings(process.env, flags);
    return withDatabase(settings, 'svc doctor', async (database) => {
      const examined: Examined[] = [
        { name: 'settings', complaints: misspelt(process.env) },
        ...(await examineDatabase(settings, database, overlayFlags(process.env, flags)['SVC_KEYS'])),
      ];
      const found = examined.flatMap(({ complaints }) => complaints);
      tell(flags, { ok: found.length === 0, findings: found }, () => inLines(examined, found.length));
      return found.length === 0 ? EXIT.OK : EXIT.FINDING;
    });
  },
};

async function examineDatabase(
  settings: Settings,
  database: Database,
  variable: string | undefined,
): Promise<readonly Examined[]> {
  const { db } = database;
  await refuseOldPostgres(db);
  const migrations = await readMigrations(join(settings.installLocation, 'migrations'));
  const { applied, pending } = await inspectSchema(db, migrations);
  const version = {
    name: 'versions',
    detail: `${formatVersion()}, Postgres ${await postgresVersion(db)}`,
    complaints: [],
  };
  if (pending.length > 0) {
    const text = `lacks ${pending.length} of ${migrations.length} migrations: ${pending.slice(0, 3).join(', ')}`;
    const lacking = { id: 'SCHEMA_PENDING', subject: 'the schema', text, hint: 'svc migrate' };
    const keys = await examineKeys(settings, variable);
    return [keys, version, { name: 'schema', complaints: [lacking] }];
  }
  return [
    await examineKeys(settings, variable, database),
    version,
    { name: 'schema', detail: `${applied.length} migrations`, complaints: [] },
    { name: 'clock', complaints: skewOf(await databaseTime(db), Date.now()) },
    await examinePooler(settings),
    { name: 'standbys', complaints: await findStandbyTrouble(db) },
    { name: 'connections', complaints: await findConnectionTrouble(db) },
    { name: 'indexes', complaints: await brokenIndexes(db) },
    { name: 'bloat', complaints: await findBloat(db) },
    { name: 'autovacuum', complaints: await findVacuumTrouble(db) },
    { name: 'locks', complaints: await findLockTrouble(db) },
    { name: 'snapshots', complaints: await findHeldSnapshots(db) },
    { name: 'nodes', complaints: await findComplaints(db) },
  ];
}

/** One that is just being built is not valid for a moment, and at the second look it is. */
async function brokenIndexes(db: Database['db']): Promise<readonly Complaint[]> {
  const first = await findIndexTrouble(db);
  if (first.length === 0) return first;
  await setTimeout(SECOND_LOOK_MS);
  const second = new Set((await findIndexTrouble(db)).map(({ subject }) => subject));
  return first.filter(({ subject }) => second.has(subject));
}

/** @param theirs of the database, epoch ms, as `ours` */
export function skewOf(theirs: number, ours: number): readonly Complaint[] {
  const skew = Math.round(ours - theirs);
  if (Math.abs(skew) <= MOST_SKEW_MS) return [];
  const text = `is ${Math.abs(skew)} ms ${skew > 0 ? 'ahead of' : 'behind'} that of the database`;
  return [
    {
      id: 'CLOCK_SKEW',
      subject: 'the clock of this machine',
      text,
      hint: 'have both machines keep time by NTP',
    },
  ];
}

/** A pooler that lends sessions is fine for requests; locks and wake-ups need a session that stays ours. */
async function examinePooler({ databaseUrl, databaseDirectUrl }: Settings): Promise<Examined> {
  const url = databaseDirectUrl ?? databaseUrl;
  if (url === undefined)
    return { name: 'pooler', detail: 'none: the database is the embedded one', complaints: [] };
  if (await givesOwnSession(url)) return { name: 'pooler', detail: 'none in between', complaints: [] };
  const subject = databaseDirectUrl === undefined ? 'DATABASE_URL' : 'SVC_DATABASE_DIRECT_URL';
  const text =
    'leads to a pooler that lends its sessions: nodes wake each other late and live by their heartbeat alone';
  const hint = 'set SVC_DATABASE_DIRECT_URL to Postgres itself';
  return { name: 'pooler', complaints: [{ id: 'POOLED_SESSIONS', subject, text, hint }] };
}

/** @param database one that knows under which keys something is stored */
async function examineKeys(
  { dataDirectory }: Settings,
  variable: string | undefined,
  database?: Database,
): Promise<Examined> {
  // Whoever opens a ring that is not there makes one.
  if ((variable ?? '') === '' && !existsSync(join(dataDirectory, 'keys.json'))) {
    const text = 'has no keys.json, and SVC_KEYS is not set';
    const hint = 'give this machine the key ring that the nodes have';
    return { name: 'keys', complaints: [{ id: 'NO_KEYS', subject: dataDirectory, text, hint }] };
  }
  try {
    const { text } = await openKeyRing({ variable, dataDirectory });
    const lacking = database && (await lackingKeys(database, new KeyRing(text).ids));
    if (lacking === undefined) return { name: 'keys', complaints: [] };
    const hint = 'give this machine the SVC_KEYS or keys.json of the others, or the one that was backed up';
    const subject = variable === undefined ? dataDirectory : 'SVC_KEYS';
    return { name: 'keys', complaints: [{ id: 'CRYPTO_KEY_MISSING', subject, text: lacking, hint }] };
  } catch (error) {
    if (!(error instanceof ActivationError)) throw error;
    const complaints = error.findings.map(({ id, where, message, hint }) => ({
      id,
      subject: where || 'the key ring',
      text: message,
      hint: hint ?? null,
    }));
    return { name: 'keys', complaints };
  }
}

function misspelt(environment: Parameters<typeof misspeltVariables>[0]): readonly Complaint[] {
  return misspeltVariables(environment).map((text) => ({
    id: 'UNKNOWN_SETTING',
    subject: 'the environment',
    text,
    hint: null,
  }));
}

function inLines(examined: readonly Examined[], count: number): string {
  const width = Math.max(...examined.map(({ name }) => name.length));
  const lines = examined.flatMap(({ name, detail, complaints }) => [
    `${complaints.length === 0 ? '✓' : '✗'} ${name.padEnd(width)}  ${detail ?? ''}`.trimEnd(),
    ...complaints.flatMap(({ id, subject, text, hint }) => [
      `    ${subject}: ${text} (${id})`,
      ...(hint === null ? [] : [`      ${hint}`]),
    ]),
  ]);
  const said =
    count === 0
      ? 'Nothing is to be done.'
      : `${count === 1 ? '1 thing is' : `${count} things are`} to be done.`;
  return [...lines, '', said].join('\n');
}
