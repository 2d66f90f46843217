import {
  type Client,
  ConflictError,
  createClient,
  NotAllowedError,
  NotFoundError,
  SvcError,
  UnavailableError,
  UnreachableError,
} from '#client/index.ts';
import { type Command, EXIT } from '../command.ts';
import { tellError } from '../tell-error.ts';
import { UsageError } from '../usage-error.ts';
import { connectionOf, type Flags, textOf } from './connection.ts';
import { type Form, readForm } from './output.ts';

export const remoteOptions: Command['options'] = {
  url: { type: 'string' },
  profile: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  utc: { type: 'boolean' },
};

export const remoteHelp = `  -o, --output <form> table, wide, json, yaml or name (ids alone); default: table on a terminal, else json
  --utc               times in UTC, those that are given as well; default: of tables, those of this machine
  --url <url>         SVC_URL: a node; default: that of the profile, else http://127.0.0.1:$PORT (8080)
  --profile <name>    SVC_PROFILE, or .svcrc in this folder: what svc login has kept; default: that in use
  --password-stdin    the password is the first line of the input
                      SVC_USER (svc-admin) with SVC_PASSWORD, or SVC_API_KEY; or a file of it in SVC_PASSWORD_FILE or
                      SVC_API_KEY_FILE

Exits 0 when it is done, 1 when it was refused, 2 when called wrongly, 3 not allowed, 4 not found, 5 changed by somebody
else or there already, 6 when no node answers.`;

/** What a command works with. */
export interface Asked {
  /** Made when it is first taken: not every command asks a node. */
  readonly client: Client;
  readonly form: Form;
  /** JSON was asked for by its name, so errors are JSON as well. */
  readonly isMachineRead: boolean;
  readonly flags: Flags;
}

/** Does what a command does at a node, and tells what went wrong in the words of the node. @returns the exit code */
export async function atNode(
  name: string,
  flags: Flags,
  work: (asked: Asked) => Promise<unknown>,
): Promise<number> {
  const isMachineRead = flags['output'] === 'json';
  try {
    // What is shown and what is given, such as 02:00, is of the same clock then.
    if (flags['utc'] === true) process.env['TZ'] = 'UTC';
    const form = readForm(textOf(flags, 'output'));
    let client: Client | undefined;
    const code = await work({
      form,
      isMachineRead,
      flags,
      get client() {
        client ??= createClient(connectionOf(flags));
        return client;
      },
    });
    return typeof code === 'number' ? code : EXIT.OK;
  } catch (error) {
    // A TypeError is of the client: an address or an id that cannot be asked for.
    if (error instanceof UsageError || error instanceof TypeError) {
      tellError(isMachineRead, { message: `svc ${name}: ${error.message}` });
      return EXIT.USAGE;
    }
    if (error instanceof SvcError) {
      const { id, message, requestId: request, body } = error;
      const hint = hintOf(error);
      const further = { ...body, ...(hint === error.hint ? {} : { hint }), requestId: request };
      tellError(isMachineRead, { message: `svc ${name}: ${message}`, hint, id, request }, further);
    } else if (error instanceof UnreachableError) {
      tellError(isMachineRead, {
        message: `svc ${name}: ${error.message}`,
        hint: 'SVC_URL or --url names a node',
      });
    } else throw error;
    return exitOf(error);
  }
}

function hintOf({ code, hint }: SvcError): string | undefined {
  if (code !== 401) return hint;
  return 'Set SVC_USER and SVC_PASSWORD (or SVC_PASSWORD_FILE), or SVC_API_KEY; or svc login';
}

/** What stands beside `managed/` and has no slash in it. */
export const TOP_LEVEL: ReadonlySet<string> = new Set([
  'config',
  'taskscanner',
  'operation',
  'apikey',
  'session',
  'log',
]);

/** A managed type by its name, anything else by its path. */
export function pathOf(type: string): string {
  return type.includes('/') || TOP_LEVEL.has(type) ? type : `managed/${type}`;
}

function exitOf(error: Error): number {
  if (error instanceof NotAllowedError) return EXIT.NOT_ALLOWED;
  if (error instanceof NotFoundError) return EXIT.NOT_FOUND;
  if (error instanceof ConflictError) return EXIT.CONFLICT;
  if (error instanceof UnavailableError || error instanceof UnreachableError) return EXIT.UNREACHABLE;
  return EXIT.FINDING;
}
