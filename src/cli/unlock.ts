import { readSettings } from '#config/index.ts';
import { unlock as forget } from '#security/index.ts';
import { type Command, EXIT } from './command.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';
import { tell, toldHelp, toldOptions } from './told.ts';
import { complain } from './typed-name.ts';
import { withDatabase } from './with-database.ts';

/** `svc unlock <user name>`, `svc unlock --address <address>`: forgets failed logins. */
export const unlock: Command = {
  name: 'unlock',
  summary: 'let an account, or an address, log in again after too many failures',
  help: `
svc unlock <user name>
svc unlock --address <address>

Works on the database, also when no administrator can log in. Over REST: POST /svc/authentication/lockout?_action=unlock

${toldHelp}

${projectHelp('DATABASE_URL')}

Example: svc unlock svc-admin
`,
  options: { ...settingsOptions, ...toldOptions, address: { type: 'string' } },
  arguments: ['[<user name>]'],

  async run(flags, [userName]) {
    const address = typeof flags['address'] === 'string' ? flags['address'] : undefined;
    if ((userName === undefined) === (address === undefined)) {
      complain("svc unlock: expected 'svc unlock <user name>' or 'svc unlock --address <address>'");
      return EXIT.USAGE;
    }
    const settings = readSettings(process.env, flags);
    return withDatabase(settings, 'svc unlock', async (database) => {
      const forgotten = await forget(
        database.db,
        userName === undefined ? { address: address! } : { userName },
      );
      tell(flags, { unlocked: userName ?? address, forgotten }, () =>
        forgotten === 0 ? 'No login has failed there of late.' : `${userName ?? address} may log in.`,
      );
      return EXIT.OK;
    });
  },
};
