import { parseArgs } from 'node:util';
import { ActivationError, didYouMean, type Finding, formatFinding, nearest, wordsOf } from '#errors/index.ts';
import { type Command, EXIT } from './command.ts';
import { COMMANDS, OTHER_NAMES, remoteHalf } from './commands.ts';
import { tellError } from './tell-error.ts';
import { asTyped, complain } from './typed-name.ts';
import { UsageError } from './usage-error.ts';

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

/** The `svc` command line. @returns the exit code */
export async function run(argv: readonly string[]): Promise<number> {
  // svc help get is svc get --help
  const [typed, ...rest] = argv[0] === 'help' && argv.length > 1 ? [...argv.slice(1), '--help'] : argv;
  const name = OTHER_NAMES[typed ?? ''] ?? typed;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(asTyped(await overview()));
    return name === undefined ? EXIT.USAGE : EXIT.OK;
  }
  if (name === '--version' || name === '-v') return runCommand((await import('./version.ts')).version, rest);
  if (name === '__complete') {
    const { completionsOf } = await import('./complete.ts');
    // Nobody types what steers a terminal, and a line is a word.
    for (const word of await completionsOf(rest))
      if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word)) console.log(word);
    return EXIT.OK;
  }
  if (!Object.hasOwn(COMMANDS, name)) {
    const near = didYouMean(name, Object.keys(COMMANDS));
    const message = `svc: there is no command '${name}'. ${near ?? "See 'svc --help'."}`;
    tellError(isMachineRead(rest), { message });
    return EXIT.USAGE;
  }
  const half = remoteHalf(name, rest);
  return runCommand(await (half ?? COMMANDS[name]!)(), rest);
}

type Flags = Parameters<Command['run']>[0];

/** A time such as -10m, or a sort key such as -sn, is the value of the flag before it, and no flag. */
function withValues(argv: readonly string[], options: Command['options']): string[] {
  const letters = new Set(['h', ...Object.values(options).map(({ short }) => short)]);
  const args: string[] = [];
  for (const given of argv) {
    const flag = args.at(-1)?.match(/^--([\w-]+)$/)?.[1];
    const takesValue = flag !== undefined && options[flag]?.type === 'string';
    const letter = /^-(\w)/.exec(given)?.[1];
    if (takesValue && letter !== undefined && !letters.has(letter))
      args[args.length - 1] = `--${flag}=${given}`;
    else args.push(given);
  }
  return args;
}

async function runCommand(command: Command, argv: readonly string[]): Promise<number> {
  let flags: Flags;
  let positionals: readonly string[];
  try {
    const parsed = parseArgs({
      args: withValues(argv, command.options),
      options: { ...command.options, ...HELP },
      allowPositionals: command.arguments !== undefined,
    });
    flags = parsed.values;
    positionals = parsed.positionals;
  } catch (error) {
    // What Node advises further is about arguments that begin with a dash.
    const message = wordsOf(error).replace(/\. To specify a positional argument .*$/s, '');
    const { secretFlagHint } = await import('./settings-flags.ts');
    const hint = secretFlagHint(message) ?? nearestFlag(message, Object.keys(command.options));
    const said = [`svc ${command.name}: ${message}`, hint ?? []].flat().join('\n');
    tellError(isMachineRead(argv), { message: said });
    return EXIT.USAGE;
  }
  if (flags['help'] === true) {
    const usage = ['svc', command.name, ...(command.arguments ?? []), '[options]'].join(' ');
    console.log(asTyped(`Usage: ${usage}\n\n${command.help.replace(/^\n+|\s+$/g, '')}`));
    return EXIT.OK;
  }
  try {
    return await command.run(flags, positionals);
  } catch (error) {
    const isJson = flags['output'] === 'json' || flags['json'] === true;
    if (error instanceof UsageError) {
      tellError(isJson, { message: `svc ${command.name}: ${error.message}` });
      return EXIT.USAGE;
    }
    const findings = await findingsOf(error, flags);
    if (findings.length === 0) return unexpected(command, error, isJson);
    if (isJson) {
      const message = `svc ${command.name}: ${findings.map((each) => each.message).join('; ')}`;
      tellError(true, { message }, { message, findings });
      return EXIT.FINDING;
    }
    for (const finding of findings) complain(formatFinding(finding));
    const count = findings.length;
    complain(
      `${count} ${count === 1 ? 'error' : 'errors'}. Nothing was ${command.name === 'start' ? 'started' : 'changed'}.`,
    );
    return EXIT.FINDING;
  }
}

/** Whether a program reads what is said; asked before the options of the command are read. */
function isMachineRead(argv: readonly string[]): boolean {
  return /(?:^| )(?:--json|-o ?json|--output[ =]json)(?: |$)/.test(argv.join(' '));
}

/** A mistake of ours. Where it is in the code helps nobody but us; a node, whose log others read later, tells it always. */
function unexpected({ name }: Command, error: unknown, isJson: boolean): number {
  if (name === 'start' || /^(?:debug|trace)$/.test(process.env['SVC_LOG_LEVEL'] ?? '')) throw error;
  tellError(isJson, {
    message: `svc ${name}: ${wordsOf(error)}`,
    hint: 'This is a mistake of svc itself; with SVC_LOG_LEVEL=debug it says where',
  });
  return EXIT.FINDING;
}

function nearestFlag(message: string, flags: readonly string[]): string | undefined {
  const flag = /'--([\w-]+)/.exec(message)?.[1];
  const near = flag === undefined ? undefined : nearest(flag, flags);
  return near === undefined ? undefined : `Did you mean '--${near}'?`;
}

/** What an operator can mend; none for errors of ours. */
async function findingsOf(error: unknown, flags: Flags): Promise<readonly Finding[]> {
  if (error instanceof ActivationError) return error.findings;
  const { connectionFinding } = await import('#database/index.ts');
  const finding = connectionFinding(error, await databaseRole(flags));
  return finding === undefined ? [] : [finding];
}

/** The role as which the database is asked; undefined where the URL does not say it, or there is none. */
async function databaseRole(flags: Flags): Promise<string | undefined> {
  const { readSettings } = await import('#config/index.ts');
  try {
    const { databaseDirectUrl, databaseUrl } = readSettings(process.env, flags);
    return decodeURIComponent(new URL(databaseDirectUrl ?? databaseUrl ?? '').username) || undefined;
  } catch {
    return undefined;
  }
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
    'In the folder of the service it is called as ./bin/svc.js or npx svc. svc --version says which one this is.',
    'Each command explains itself: svc <command> --help. Options can also be environment variables; an option wins.',
  ].join('\n');
}
