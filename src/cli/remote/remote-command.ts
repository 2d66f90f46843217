import { readFileSync } from 'node:fs';
import {
  type Auth,
  type Client,
  ConflictError,
  createClient,
  NotAllowedError,
  NotFoundError,
  SvcError,
  UnavailableError,
  UnreachableError,
} from '#client/index.ts';
import { systemCodeOf, wordsOf } from '#errors/index.ts';
import { type Command, EXIT } from '../command.ts';
import { complain } from '../typed-name.ts';
import { type Form, printable, readForm } from './output.ts';
import { UsageError } from './usage-error.ts';

export type Flags = Parameters<Command['run']>[0];

export const remoteOptions: Command['options'] = {
  url: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  output: { type: 'string', short: 'o' },
};

export const remoteHelp = `  -o, --output <form> table, json, yaml or name (ids alone); default: table on a terminal, else json
  --url <url>         SVC_URL: a node; default http://127.0.0.1:$PORT (8080)
  --password-stdin    the password is the first line of the input
                      SVC_USER (svc-admin) with SVC_PASSWORD, or SVC_API_KEY; or a file of it in SVC_PASSWORD_FILE or
                      SVC_API_KEY_FILE

Exits 0 when it is done, 1 when it was refused, 2 when called wrongly, 3 not allowed, 4 not found, 5 changed by somebody
else or there already, 6 when no node answers.`;

/** Does what a command does at a node, and tells what went wrong in the words of the node. @returns the exit code */
export async function atNode(
  name: string,
  flags: Flags,
  work: (client: Client, form: Form) => Promise<void>,
): Promise<number> {
  let form: Form = 'json';
  try {
    form = readForm(textOf(flags, 'output'));
    await work(createClient({ url: urlOf(flags), ...authOf(flags) }), form);
    return EXIT.OK;
  } catch (error) {
    // A TypeError is of the client: an address or an id that cannot be asked for.
    if (error instanceof UsageError || error instanceof TypeError) {
      complain(printable(`svc ${name}: ${error.message}`));
      return EXIT.USAGE;
    }
    if (error instanceof SvcError && form === 'json' && flags['output'] !== undefined) {
      console.error(printable(JSON.stringify({ ...error.body, requestId: error.requestId })));
    } else if (error instanceof SvcError || error instanceof UnreachableError) {
      complain(printable(inLines(name, error)));
    } else throw error;
    return exitOf(error);
  }
}

export function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** A managed type by its name, anything else by its path. */
export function pathOf(type: string | undefined): string {
  if (type === undefined)
    throw new UsageError("the type is missing, such as 'user', or a path such as scheduler/job");
  return type.includes('/') ? type : `managed/${type}`;
}

function inLines(name: string, error: SvcError | UnreachableError): string {
  const what = `svc ${name}: ${error.message}`;
  if (error instanceof UnreachableError) return `${what}\n  hint: SVC_URL or --url names a node`;
  const { id, requestId } = error;
  const hint =
    error.code === 401 ? 'Set SVC_USER and SVC_PASSWORD (or SVC_PASSWORD_FILE), or SVC_API_KEY' : error.hint;
  const facts = Object.entries({ hint, id, request: requestId });
  return [what, ...facts.flatMap(([fact, said]) => (said === undefined ? [] : [`  ${fact}: ${said}`]))].join(
    '\n',
  );
}

function exitOf(error: Error): number {
  if (error instanceof NotAllowedError) return EXIT.NOT_ALLOWED;
  if (error instanceof NotFoundError) return EXIT.NOT_FOUND;
  if (error instanceof ConflictError) return EXIT.CONFLICT;
  if (error instanceof UnavailableError || error instanceof UnreachableError) return EXIT.UNREACHABLE;
  return EXIT.FINDING;
}

function urlOf(flags: Flags): string {
  const url =
    textOf(flags, 'url') ?? process.env['SVC_URL'] ?? `http://127.0.0.1:${process.env['PORT'] ?? '8080'}`;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new UsageError(`'${url}' is no URL of a node`);
  return url;
}

/** Nothing, where nothing is said: the node tells what is missing. */
function authOf(flags: Flags): { auth?: Auth } {
  const apiKey = secretOf('SVC_API_KEY');
  const password = flags['password-stdin'] === true ? firstLine(readInput()) : secretOf('SVC_PASSWORD');
  if (apiKey !== undefined && password !== undefined) {
    throw new UsageError('there is an API key and a password; leave one of them out');
  }
  if (apiKey !== undefined) return { auth: { apiKey } };
  if (password === undefined) return {};
  return { auth: { user: process.env['SVC_USER'] ?? 'svc-admin', password } };
}

function secretOf(variable: string): string | undefined {
  const value = process.env[variable]?.trim();
  const file = process.env[`${variable}_FILE`]?.trim();
  if (value !== undefined && value !== '') return value;
  return file === undefined || file === '' ? undefined : readText(file, `${variable}_FILE`).trim();
}

/** @throws UsageError that says what the file was for */
export function readText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `${what} names a file that cannot be read (${systemCodeOf(error) ?? wordsOf(error)}): '${file}'`,
    );
  }
}

export function readInput(): string {
  return readFileSync(0, 'utf8');
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? '';
}
