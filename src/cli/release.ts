import { readSettings } from '#config/index.ts';
import { type Db, runUnitOfWork } from '#database/index.ts';
import { nearest } from '#errors/index.ts';
import { buryHeldJobs, type HeldQueue, listHeldQueues, releaseQueue } from '#queue/index.ts';
import { isPaused, setPaused } from '#scheduler/index.ts';
import { type Command, EXIT } from './command.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';
import { tell, toldHelp, toldOptions } from './told.ts';
import { complain } from './typed-name.ts';
import { withDatabase } from './with-database.ts';

const NAME = 'svc release';
const SCHEDULES = 'schedules';
const WHY = { message: 'It was due before the database was restored, and given up by svc release --discard' };

/** `svc release [<what>…]`: lets go what `svc restore-fence` holds. */
export const release: Command = {
  name: 'release',
  summary: 'let go what svc restore-fence holds, kind by kind',
  help: `
svc release                      what is held, and how much of it
svc release <kind>…              let it go: schedules, or the name of a queue, such as workflow-mail or sync
svc release <kind>… --discard    of a queue: without the jobs that were due before, which become dead letters

Nodes may run meanwhile. What was given up is in svc_dead_letter.

  --all               all that is held
  --discard           give up what was due before: it may have been done already
  --dry-run           say what would be done, and keep nothing
${toldHelp}

${projectHelp('DATABASE_URL')}

Example: svc release workflow-mail --discard --dry-run
`,
  options: {
    ...settingsOptions,
    ...toldOptions,
    all: { type: 'boolean' },
    discard: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },
  arguments: ['[<kind>…]'],

  async run(flags, named) {
    const dryRun = flags['dry-run'] === true;
    const discards = flags['discard'] === true;
    if (flags['all'] === true && named.length > 0) {
      complain(`svc release: expected names or --all, and has both`);
      return EXIT.USAGE;
    }
    return withDatabase(readSettings(process.env, flags), NAME, async (database) => {
      const held = await listHeld(database.db);
      const kinds = flags['all'] === true ? held.map(({ kind }) => kind) : named;
      if (kinds.length === 0) {
        tell(flags, { held }, () => listed(held));
        return EXIT.OK;
      }
      const known = held.map(({ kind }) => kind);
      const unknown = kinds.find((kind) => !known.includes(kind));
      if (unknown !== undefined) {
        const meant = nearest(unknown, known);
        complain(
          `Nothing is held as '${unknown}'${meant === undefined ? '' : `; did you mean '${meant}'?`} Held: ${known.join(', ') || 'nothing'}`,
        );
        return EXIT.FINDING;
      }
      const released = await runUnitOfWork(database, { dryRun }, async (unitOfWork) => {
        const db = await unitOfWork.db();
        const done: { kind: string; discarded: number }[] = [];
        for (const kind of kinds) done.push({ kind, discarded: await letGo(db, kind, discards) });
        return done;
      });
      tell(flags, { dryRun, released }, () => told(released, dryRun));
      return EXIT.OK;
    });
  },
};

interface Held {
  readonly kind: string;
  /** Jobs that are due; null of schedules. */
  readonly due: number | null;
}

async function listHeld(db: Db): Promise<readonly Held[]> {
  const queues = await listHeldQueues(db);
  const held = queues.map(({ queue, due }: HeldQueue): Held => ({ kind: queue, due }));
  return (await isPaused(db)) ? [{ kind: SCHEDULES, due: null }, ...held] : held;
}

/** @returns how many jobs were given up */
async function letGo(db: Db, kind: string, discards: boolean): Promise<number> {
  if (kind === SCHEDULES) {
    await setPaused(db, false, NAME);
    return 0;
  }
  const discarded = discards ? await buryHeldJobs(db, kind, WHY) : 0;
  await releaseQueue(db, kind);
  return discarded;
}

function listed(held: readonly Held[]): string {
  if (held.length === 0) return 'Nothing is held.';
  return held.map(({ kind, due }) => (due === null ? kind : `${kind}  ${due} due`)).join('\n');
}

function told(released: readonly { kind: string; discarded: number }[], dryRun: boolean): string {
  const lines = released.map(({ kind, discarded }) =>
    discarded === 0 ? `released ${kind}` : `released ${kind}, ${discarded} jobs are dead letters`,
  );
  return [...lines, ...(dryRun ? ['Nothing of it was kept.'] : [])].join('\n');
}
