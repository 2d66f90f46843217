import { readSettings } from '#config/index.ts';
import { findEmbeddedUrl, openDatabase } from '#database/index.ts';
import { ResourceError } from '#errors/index.ts';
import { type Explanation, explainFiring } from '#scheduler/index.ts';
import { type Command, EXIT } from './command.ts';
import { settingsHelp, settingsOptions } from './settings-flags.ts';

/** `svc why schedule <id> --at <time>`: tells why a schedule did, or did not, fire. */
export const why: Command = {
  name: 'why',
  summary: 'tell why a schedule did, or did not, fire at a time',
  help: `
svc why schedule <id> --at <time>

  --at <time>         the planned time, such as 2026-08-02T02:00:00Z; default: now
  --json              the causal chain as JSON

Reads the ledger in the database; no node needs to be running.

${settingsHelp}

Example: svc why schedule nightly-recon --at 2026-08-02T00:00:00Z
`,
  options: { ...settingsOptions, at: { type: 'string' }, json: { type: 'boolean' } },
  arguments: ['schedule', '<id>'],

  async run(flags, [kind, id]) {
    const at = typeof flags['at'] === 'string' ? Date.parse(flags['at']) : Date.now();
    if (kind !== 'schedule' || id === undefined || Number.isNaN(at)) {
      console.error("svc why: expected 'svc why schedule <id> --at <time>' with an ISO time");
      return EXIT.USAGE;
    }
    const settings = readSettings(process.env, flags);
    const url = settings.databaseUrl ?? (await findEmbeddedUrl(settings.dataDirectory));
    if (url === undefined) {
      console.error(`There is no embedded database in ${settings.dataDirectory}: start a node first.`);
      return EXIT.FINDING;
    }
    const database = openDatabase({ url, poolSize: 1 });
    try {
      const explanation = await explainFiring(database.db, { id, at });
      console.log(flags['json'] === true ? JSON.stringify(explanation, null, 2) : inSentences(explanation));
      return EXIT.OK;
    } catch (error) {
      if (!(error instanceof ResourceError)) throw error;
      console.error(`svc why: ${error.message}`);
      return EXIT.FINDING;
    } finally {
      await database.close();
    }
  },
};

function inSentences({ schedule, time, why: verdict, chain }: Explanation): string {
  return [
    `Schedule ${schedule} at ${time}`,
    `${verdict}.`,
    '',
    ...chain.map(({ at, text }) => `${at}  ${text}`),
  ].join('\n');
}
