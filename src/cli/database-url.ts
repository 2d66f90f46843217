import { readSettings, urlWithPassword } from '#config/index.ts';
import { findEmbeddedUrl } from '#database/index.ts';
import { type Command, EXIT } from './command.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';
import { tell, toldHelp, toldOptions } from './told.ts';
import { complain } from './typed-name.ts';

/** `svc database-url`: where the database is, for psql and for further nodes. */
export const databaseUrl: Command = {
  name: 'database-url',
  summary: 'print the URL of the database, also of the embedded one',
  help: `
Prints DATABASE_URL, or the URL of the embedded Postgres that a node runs in the data folder, password included.

${toldHelp}

${projectHelp('DATABASE_URL')}

Example: psql "$(./bin/svc.js database-url)"
`,
  options: { ...settingsOptions, ...toldOptions },

  async run(flags) {
    const settings = readSettings(process.env, flags);
    const url = settings.databaseUrl ?? (await findEmbeddedUrl(settings.dataDirectory));
    if (url === undefined) {
      complain(`There is no embedded database in ${settings.dataDirectory}: start a node first.`);
      return EXIT.FINDING;
    }
    const whole = await urlWithPassword(url);
    tell(flags, { url: whole }, () => whole);
    return EXIT.OK;
  },
};
