import { parseArgs } from 'node:util';
import { ActivationError, didYouMean, formatFinding } from '#errors/index.ts';
import { apiKey } from './api-key.ts';
import { type Command, EXIT } from './command.ts';
import { configCheck } from './config-check.ts';
import { databaseUrl } from './database-url.ts';
import { health } from './health.ts';
import { keys } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { scan } from './scan.ts';
import { start } from './start.ts';
import { why } from './why.ts';

const COMMANDS: readonly Command[] = [
  start,
  migrateCommand,
  databaseUrl,
  configCheck,
  health,
  why,
  scan,
  keys,
  apiKey,
];

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

/** The `svc` command line. @returns the exit code */
export async function run(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(overview());
    return name === undefined ? EXIT.USAGE : EXIT.OK;
  }
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) {
    const names = COMMANDS.map((each) => each.name);
    console.error(`svc: there is no command '${name}'. ${didYouMean(name, names) ?? "See 'svc --help'."}`);
    return EXIT.USAGE;
  }
  return runCommand(command, rest);
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
    console.error(`svc ${command.name}: ${(error as Error).message}`);
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
    if (!(error instanceof ActivationError)) throw error;
    for (const finding of error.findings) console.error(formatFinding(finding));
    const count = error.findings.length;
    console.error(`${count} ${count === 1 ? 'error' : 'errors'}. Nothing was started.`);
    return EXIT.FINDING;
  }
}

function overview(): string {
  const width = Math.max(...COMMANDS.map((command) => command.name.length)) + 2;
  const lines = COMMANDS.map((command) => `  ${command.name.padEnd(width)}${command.summary}`);
  return [
    'svc — managed objects, scripts, schedules and workflow on Postgres',
    '',
    'Usage: svc <command> [options]',
    '',
    ...lines,
    '',
    'Each command explains itself: svc <command> --help. Options can also be environment variables; an option wins.',
  ].join('\n');
}
