import { parseArgs } from 'node:util';
import { ActivationError, didYouMean, type Finding, formatFinding, nearest } from '#errors/index.ts';
import { type Command, EXIT } from './command.ts';

/** Each is loaded when it is called: a probe of a container, ten times a minute, has no use for the whole server. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).start,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  'database-url': async () => (await import('./database-url.ts')).databaseUrl,
  'config-check': async () => (await import('./config-check.ts')).configCheck,
  health: async () => (await import('./health.ts')).health,
  unlock: async () => (await import('./unlock.ts')).unlock,
  why: async () => (await import('./why.ts')).why,
  scan: async () => (await import('./scan.ts')).scan,
  keys: async () => (await import('./keys.ts')).keys,
  audit: async () => (await import('./audit.ts')).audit,
  'api-key': async () => (await import('./api-key.ts')).apiKey,
};

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

/** The `svc` command line. @returns the exit code */
export async function run(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(await overview());
    return name === undefined ? EXIT.USAGE : EXIT.OK;
  }
  if (name === '--version' || name === '-v' || name === 'version') {
    const { formatVersion } = await import('./version.ts');
    console.log(formatVersion());
    return EXIT.OK;
  }
  if (!Object.hasOwn(COMMANDS, name)) {
    const near = didYouMean(name, Object.keys(COMMANDS));
    console.error(`svc: there is no command '${name}'. ${near ?? "See 'svc --help'."}`);
    return EXIT.USAGE;
  }
  return runCommand(await COMMANDS[name]!(), rest);
}

async function runCommand(command: Command, argv: readonly string[]): Promise<number> {
  let flags: Record<string, string | boolean | undefined>;
  let positionals: readonly string[];
  try {
    const parsed = parseArgs({
      args: [...argv],
      options: { ...command.options, ...HELP },
      allowPositionals: command.arguments !== undefined,
    });
    flags = parsed.values as typeof flags;
    positionals = parsed.positionals;
  } catch (error) {
    const { message } = error as Error;
    const { secretFlagHint } = await import('./settings-flags.ts');
    const hint = secretFlagHint(message) ?? nearestFlag(message, Object.keys(command.options));
    console.error([`svc ${command.name}: ${message}`, hint ?? []].flat().join('\n'));
    return EXIT.USAGE;
  }
  if (flags['help'] === true) {
    console.log(
      `Usage: ${['svc', command.name, ...(command.arguments ?? [])].join(' ')} [options]\n\n${command.help.trim()}`,
    );
    return EXIT.OK;
  }
  try {
    return await command.run(flags, positionals);
  } catch (error) {
    const findings = await findingsOf(error);
    if (findings.length === 0) throw error;
    for (const finding of findings) console.error(formatFinding(finding));
    const count = findings.length;
    console.error(
      `${count} ${count === 1 ? 'error' : 'errors'}. Nothing was ${command.name === 'start' ? 'started' : 'changed'}.`,
    );
    return EXIT.FINDING;
  }
}

function nearestFlag(message: string, flags: readonly string[]): string | undefined {
  const flag = /'--([\w-]+)/.exec(message)?.[1];
  const near = flag === undefined ? undefined : nearest(flag, flags);
  return near === undefined ? undefined : `Did you mean '--${near}'?`;
}

/** What an operator can mend; none for errors of ours. */
async function findingsOf(error: unknown): Promise<readonly Finding[]> {
  if (error instanceof ActivationError) return error.findings;
  const { connectionFinding } = await import('#database/index.ts');
  const finding = connectionFinding(error);
  return finding === undefined ? [] : [finding];
}

async function overview(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const width = Math.max(...commands.map((command) => command.name.length)) + 2;
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}${command.summary}`);
  return [
    'svc — managed objects, scripts, schedules and workflow on Postgres',
    '',
    'Usage: svc <command> [options]',
    '',
    ...lines,
    '',
    'svc stands for ./bin/svc.js in the folder of the service, or npx svc. svc --version says which one this is.',
    'Each command explains itself: svc <command> --help. Options can also be environment variables; an option wins.',
  ].join('\n');
}
