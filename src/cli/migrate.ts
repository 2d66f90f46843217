import { join } from 'node:path';
import { readSettings } from '#config/index.ts';
import {
  inspectSchema,
  migrate,
  openDatabase,
  readMigrations,
  refuseNewerBreakingSchema,
  refuseOldPostgres,
  startEmbeddedServer,
} from '#database/index.ts';
import { type Command, EXIT } from './command.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';
import { tell, toldHelp, toldOptions } from './told.ts';
import { findRunning } from './with-database.ts';

/** `svc migrate`: brings the database schema up to date. */
export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'bring the database schema up to date',
  help: `
Applies the migrations that the database lacks, all or none. Nodes may go on running meanwhile unless a migration
is marked as breaking, which --dry-run shows.

  --dry-run           list what would be applied, change nothing
${toldHelp}

${projectHelp('DATABASE_URL', 'SVC_DATABASE_DIRECT_URL')}

Example: DATABASE_URL_FILE=/run/secrets/database-url svc migrate --dry-run
`,
  options: { ...settingsOptions, ...toldOptions, 'dry-run': { type: 'boolean' } },

  async run(flags) {
    const settings = readSettings(process.env, flags);
    await using scope = new AsyncDisposableStack();
    let url = settings.databaseDirectUrl ?? settings.databaseUrl;
    if (url === undefined) url = await findRunning(settings.dataDirectory);
    if (url === undefined) {
      const server = await startEmbeddedServer({ dataDir: settings.dataDirectory });
      scope.defer(() => server.stop());
      url = server.url;
    }
    const database = openDatabase({ url, poolSize: 1 });
    scope.defer(() => database.close());
    await refuseOldPostgres(database.db);
    const migrations = await readMigrations(join(settings.installLocation, 'migrations'));
    const state = await inspectSchema(database.db, migrations);
    refuseNewerBreakingSchema(state);
    if (state.pending.length === 0) {
      tell(
        flags,
        { applied: [], pending: [] },
        () => `The schema is up to date (${state.applied.length} migrations).`,
      );
      return EXIT.OK;
    }
    if (flags['dry-run'] === true) {
      const pending = migrations
        .filter(({ name }) => state.pending.includes(name))
        .map(({ name, breaking = null }) => ({ name, breaking }));
      tell(flags, { applied: [], pending }, () =>
        pending
          .map(({ name, breaking }) =>
            breaking === null ? `would apply ${name}` : `would apply ${name}  BREAKING: ${breaking}`,
          )
          .join('\n'),
      );
      return EXIT.FINDING;
    }
    const applied = await migrate(database.db, migrations, (waitsFor) => console.error(`waits: ${waitsFor}`));
    tell(flags, { applied, pending: [] }, () => applied.map((name) => `applied ${name}`).join('\n'));
    return EXIT.OK;
  },
};
