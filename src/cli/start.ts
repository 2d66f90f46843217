import { flushCompileCache } from 'node:module';
import { misspeltVariables, overlayFlags, readSettings, takeEnvironment } from '#config/index.ts';
import { createLogSink } from '#observability/index.ts';
import { type Command, EXIT } from './command.ts';
import { tellServiceManager } from './service-manager.ts';
import { settingsHelp, settingsOptions } from './settings-flags.ts';

/** `svc start`: runs this node until it is told to stop. */
export const start: Command = {
  name: 'start',
  summary: 'run this node: HTTP interface and workers',
  help: `
Runs a node until SIGTERM or SIGINT, then drains: takes no new work, finishes what runs, hands back the rest.
Without DATABASE_URL it runs a Postgres of its own in the data folder. Secrets have no flag; a variable that ends in
_FILE names a file that holds one.

Options and their environment variables:
${settingsHelp}
  --migrate               upgrade an existing database schema first
  --as-it-is              take a restored or copied database for what it is (see svc restore-fence)

Example: DATABASE_URL=postgres://svc@db/svc svc start --port 8080 --roles api,worker
`,
  options: { ...settingsOptions, migrate: { type: 'boolean' }, 'as-it-is': { type: 'boolean' } },

  async run(flags) {
    const given = takeEnvironment();
    const settings = readSettings(given, flags);
    const sink = createLogSink({ level: settings.logLevel, nodeId: settings.nodeId });
    for (const message of misspeltVariables(given)) sink.observe({ kind: 'config.warned', message });
    const stopSignal = nextSignal();
    const { startServer } = await import('#app');
    const server = await startServer({
      settings,
      environment: overlayFlags(given, flags),
      observe: sink.observe,
      migrate: flags['migrate'] === true,
      asItIs: flags['as-it-is'] === true,
    });
    // Now, because a process that is killed keeps nothing for the next start.
    flushCompileCache();
    await tellServiceManager('READY');
    const reason = await stopSignal;
    await tellServiceManager('STOPPING');
    await server.stop(reason);
    sink.flush();
    return EXIT.OK;
  },
};

/** A signal to a process group reaches us twice: from the terminal, and handed on by whoever started us. */
const ECHO_MS = 1_000;

/** The first signal asks to stop; one that comes while we stop, and is no echo, ends the process at once. */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const take = (signal: NodeJS.Signals) => {
      const now = performance.now();
      firstAt ??= now;
      if (now - firstAt > ECHO_MS) process.exit(EXIT.FINDING);
      resolve(signal);
    };
    process.on('SIGTERM', take);
    process.on('SIGINT', take);
  });
}
