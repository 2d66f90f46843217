import { ConfigStore, readSettings, type Settings, scheduleConfig } from '#config/index.ts';
import { didYouMean, factsOf, ResourceError } from '#errors/index.ts';
import { explainFiring } from '#scheduler/index.ts';
import { type Command, EXIT } from './command.ts';
import { readTime } from './remote/time-argument.ts';
import { WHY_OF_NODES } from './remote/why-kinds.ts';
import { firingInSentences, userInSentences } from './remote/why-words.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';
import { tell, toldHelp, toldOptions } from './told.ts';
import { complain } from './typed-name.ts';
import { whyUser } from './why-user.ts';
import { withDatabase } from './with-database.ts';

const EXPECTED = "'svc why schedule <id> --at <time>' or 'svc why user <id> [role <id>]'";

/** `svc why schedule <id> --at <time>` tells why a schedule did, or did not, fire, `svc why user <id>` where roles come from. */
export const why: Command = {
  name: 'why',
  summary: 'tell why a schedule fired or did not, a user has a role, a process waits, a node stands still',
  help: `
svc why schedule <id> --at <time> [--node <name>]
svc why user <id> [role <id>]
svc why process|task|node|request <id>    asks a node, and has a help of its own: svc why process --help

  --node <name>       the schedule of that id in the memory of the node; default: the persisted one, if there is one
  --at <time>         the planned time: 2026-08-02T02:00:00Z, -10m, 02:00, yesterday 02:00; default: now
${toldHelp}

Reads the ledger, or the grants and the audit trail, in the database; no node needs to be running. Where --url or --profile
names a node, or SVC_URL or SVC_PROFILE one and nothing a database, it asks that. Of a user it tells all roles, or of one
why it is, or is not, there.

${projectHelp('DATABASE_URL')}

Example: svc why schedule nightly-recon --at 2026-08-02T00:00:00Z
         svc why user avo role auditor
`,
  options: {
    ...settingsOptions,
    at: { type: 'string' },
    node: { type: 'string' },
    ...toldOptions,
  },
  arguments: ['schedule|user', '<id>', '[role <id>]'],

  async run(flags, [kind, id, ...said]) {
    // As one says it: why user avo has role auditor.
    const more = kind === 'user' && said[0] === 'has' ? said.slice(1) : said;
    const given = flags['at'];
    const at = typeof given === 'string' ? readTime(given, Date.now()) : Date.now();
    const wrong = whatIsWrong(kind, id, more, Number.isNaN(at) ? String(given) : undefined);
    if (wrong !== undefined || id === undefined) {
      complain(`svc why: ${wrong}; expected ${EXPECTED}`);
      return EXIT.USAGE;
    }
    const settings = readSettings(process.env, flags);
    return withDatabase(settings, 'svc why', async ({ db }) => {
      try {
        if (kind === 'user') {
          const answer = await whyUser(settings, db, { id, role: more[1] });
          tell(flags, answer, () => userInSentences(id, answer));
          return EXIT.OK;
        }
        const explanation = await explainFiring(db, {
          id,
          at,
          ...(typeof flags['node'] === 'string' ? { nodeName: flags['node'] } : {}),
        });
        tell(flags, explanation, () => firingInSentences(explanation));
        return EXIT.OK;
      } catch (error) {
        if (!(error instanceof ResourceError)) throw error;
        const configured = kind === 'schedule' ? await inTheConfiguration(settings, id) : undefined;
        const { hint } = factsOf(error);
        const said = hint === undefined ? error.message : `${error.message}. ${hint}`;
        complain(`svc why: ${configured ?? said}`);
        return EXIT.FINDING;
      }
    });
  },
};

function whatIsWrong(
  kind: string | undefined,
  id: string | undefined,
  more: readonly string[],
  time: string | undefined,
) {
  if (kind === undefined) return 'it is not said of what';
  if (kind !== 'schedule' && kind !== 'user') {
    const kinds = ['schedule', 'user', ...WHY_OF_NODES];
    return `nothing is known of a '${kind}'. ${didYouMean(kind, kinds) ?? `There are ${kinds.join(', ')}`}`;
  }
  if (id === undefined) return `the id of the ${kind} is missing`;
  const takes = kind === 'user' && more[0] === 'role' && more.length === 2;
  if (more.length > 0 && !takes) return `'${more.join(' ')}' says nothing`;
  if (time === undefined) return undefined;
  return `'${time}' is no time such as 2026-08-02T02:00:00Z, -10m, 02:00 or yesterday`;
}

/** What the database does not know: a schedule in the memory of nodes is there while one of them runs. */
async function inTheConfiguration(settings: Settings, id: string): Promise<string | undefined> {
  const config = await ConfigStore.open({ settings, environment: process.env, report: () => {} });
  const schedules = config.list(scheduleConfig);
  const schedule = schedules.find(({ alias }) => alias === id)?.value;
  if (schedule === undefined) {
    const near = didYouMean(
      id,
      schedules.map(({ alias }) => alias),
    );
    return near === undefined ? undefined : `There is no schedule '${id}'. ${near}`;
  }
  if (schedule.persisted) return undefined;
  const state = schedule.enabled ? 'it has not fired yet' : 'it is disabled, so it never fires';
  return `'${id}' is in the memory of nodes ("persisted": false), none of which runs, and ${state}`;
}
