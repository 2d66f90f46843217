import { startServer } from '#app';
import { overlayFlags, readSettings } from '#config/index.ts';
import { createLogSink } from '#observability/index.ts';
import { type Command, EXIT } from './command.ts';
import { settingsHelp, settingsOptions } from './settings-flags.ts';

/** `svc start`: runs this node until it is told to stop. */
export const start: Command = {
  name: 'start',
  summary: 'run this node: HTTP interface and workers',
  help: `
Runs a node until SIGTERM or SIGINT, then drains: takes no new work, finishes what runs, hands back the rest.
Without DATABASE_URL it runs a Postgres of its own in the data folder.

Options and their environment variables:
${settingsHelp}
  --migrate           upgrade an existing database schema first

Example: DATABASE_URL=postgres://svc@db/svc svc start --port 8080 --roles api,worker
`,
  options: { ...settingsOptions, migrate: { type: 'boolean' } },

  async run(flags) {
    const settings = readSettings(process.env, flags);
    const sink = createLogSink({ level: settings.logLevel, nodeId: settings.nodeId });
    const stopSignal = nextSignal();
    const server = await startServer({
      settings,
      environment: overlayFlags(process.env, flags),
      observe: sink.observe,
      migrate: flags['migrate'] === true,
    });
    await server.stop(await stopSignal);
    sink.flush();
    return EXIT.OK;
  },
};

/** The first signal asks to stop; a second one of the same kind ends the process at once, as without us. */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}
