import { join } from 'node:path';
import { beginHistory, fenceNodes, findPlace, listUnstopped, noteIncident } from '#cluster/index.ts';
import { readSettings } from '#config/index.ts';
import { type Database, inspectSchema, readMigrations, runUnitOfWork } from '#database/index.ts';
import { holdQueues } from '#queue/index.ts';
import { setPaused } from '#scheduler/index.ts';
import { countApiKeys, endEveryApiKey, endEverySession } from '#security/index.ts';
import { type Command, EXIT } from './command.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';
import { tell, toldHelp, toldOptions } from './told.ts';
import { complain } from './typed-name.ts';
import { withDatabase } from './with-database.ts';

const NAME = 'svc restore-fence';

interface Fenced {
  readonly nodes: number;
  readonly sessions: number;
  readonly apiKeys: number;
  readonly jobsHeld: number;
}

/** `svc restore-fence`: to be run on a restored database before the first node. */
export const restoreFence: Command = {
  name: 'restore-fence',
  summary: 'make a restored database safe to start nodes on',
  help: `
A restored database takes for undone what was done after the moment that it was put back to. Before the first node starts, this
  raises the epoch of every node, so that what one of before still writes is refused
  ends all sessions: one that was logged out of since would live again
  pauses all schedules, and holds all queues (mail, deliveries, steps of processes, operations)
  writes down that it was done (svc_incident)

Look then at what waits, and let it go, kind by kind: svc release.

  --api-keys          also delete the keys made through /apikey: one that was revoked since would live again
  --dry-run           say what would be done, and keep nothing
${toldHelp}

${projectHelp('DATABASE_URL')}

Example: svc restore-fence --dry-run
`,
  options: {
    ...settingsOptions,
    ...toldOptions,
    'api-keys': { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },

  async run(flags) {
    const settings = readSettings(process.env, flags);
    const dryRun = flags['dry-run'] === true;
    return withDatabase(settings, NAME, async (database) => {
      const { pending } = await inspectSchema(
        database.db,
        await readMigrations(join(settings.installLocation, 'migrations')),
      );
      if (pending.length > 0) {
        complain(`The database lacks the migrations ${pending.join(', ')}: run 'svc migrate' before.`);
        return EXIT.FINDING;
      }
      const alive = (await listUnstopped(database.db)).filter(({ isAlive }) => isAlive);
      if (alive.length > 0) {
        complain(`Nodes are at work on it: stop ${alive.map(({ name }) => name).join(', ')} before.`);
        return EXIT.FINDING;
      }
      const endsKeys = flags['api-keys'] === true;
      const fenced = await fence(database, endsKeys, dryRun);
      tell(flags, { dryRun, ...fenced }, () => inLines(fenced, endsKeys, dryRun));
      return EXIT.OK;
    });
  },
};

/** Fences as a whole or not at all. */
async function fence(database: Database, endsKeys: boolean, dryRun: boolean): Promise<Fenced> {
  const place = await findPlace(database);
  return runUnitOfWork(database, { dryRun }, async (unitOfWork) => {
    const db = await unitOfWork.db();
    await beginHistory(db, place);
    await setPaused(db, true, NAME);
    const fenced = {
      nodes: await fenceNodes(db),
      sessions: await endEverySession(db),
      apiKeys: endsKeys ? await endEveryApiKey(db) : await countApiKeys(db),
      jobsHeld: await holdQueues(db),
    };
    await noteIncident(db, 'restored', NAME, { ...fenced, apiKeysDeleted: endsKeys });
    return fenced;
  });
}

function inLines({ nodes, sessions, apiKeys, jobsHeld }: Fenced, endsKeys: boolean, dryRun: boolean): string {
  const keys = endsKeys
    ? `${apiKeys} API keys deleted`
    : `${apiKeys} API keys are left: revoke those that were revoked since, or run it again with --api-keys`;
  return [
    `${nodes} nodes fenced, ${sessions} sessions ended`,
    keys,
    `schedules paused, ${jobsHeld} jobs held`,
    dryRun ? 'Nothing of it was kept.' : 'Nodes may start. svc release tells what is held, and lets it go.',
  ].join('\n');
}
