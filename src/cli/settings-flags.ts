import { SECRET_VARIABLES, SETTING_FLAGS } from '#config/index.ts';
import type { Command } from './command.ts';

const FLAG_WIDTH = 24;

/** The start contract as command line options. */
export const settingsOptions: Command['options'] = Object.fromEntries(
  Object.values(SETTING_FLAGS).map((flag) => [flag, { type: 'string' }]),
);

/** What each means, and what counts without it. */
const MEANING: Readonly<Record<keyof typeof SETTING_FLAGS, string>> = {
  PORT: 'where it listens; 8080',
  SVC_HOST: 'the address that it listens at; 127.0.0.1',
  SVC_DATA_DIR: 'the embedded Postgres and keys.json; .svc in the project',
  SVC_PROJECT: 'conf/, script/, workflow/ and service/; this folder',
  SVC_NODE_ID: 'unique among live nodes; host name and a random part',
  SVC_ROLES: 'api serves requests, worker fires and runs; api,worker',
  SVC_LOG_LEVEL: 'trace, debug, info, warn or error; info',
  SVC_SCRIPT_THREADS: 'threads in which scripts run; cores - 1, at least 2',
  SVC_HTTP_THREADS: 'threads that listen for HTTP; 0: the main thread does',
  SVC_BODY_LIMIT: 'bytes of a request body; 1048576',
  SVC_ANSWER_LIMIT: 'bytes of an answer, and of what is read for it at once; 67108864',
  SVC_QUERY_TIMEOUT: 'seconds for which the database works on a query of a caller; 10',
  SVC_READ_STALENESS: 'seconds by which what standbys answer may be old; 5',
  SVC_DATABASE_POOL: 'connections of each thread; 10',
  SVC_DATABASE_PREPARE: 'whether statements are prepared; unless there is a pooler',
  SVC_REQUEST_TIMEOUT: 'seconds for a client to send a request; 60',
  SVC_REQUEST_DEADLINE: 'seconds that a request waits for the database; 15',
  SVC_TRUSTED_PROXIES: 'addresses and networks of proxies; none',
  SVC_PUBLIC_URL: 'what clients call the server; none',
  SVC_PUBLIC_PATH: 'the path at which a proxy has it; that of the URL above',
  SVC_TRUST_TRANSACTION_ID: 'whether a request may bring its id; false',
  SVC_EGRESS_ALLOW: 'networks besides public ones for requests to others; none',
  SVC_EGRESS_ONLY: 'the only hosts and networks for requests to others; any',
  SVC_EXPOSED_ENV: 'further variables that &{…} may read; none',
  SVC_RATE_LIMIT: 'requests a minute of one client; off',
  SVC_DIAGNOSTICS: 'who sees metrics: open, local or admin; local',
  SVC_CONSOLE: 'whether /console is served: on or off; on',
  SVC_ENVIRONMENT: 'what the console says of where it is, such as Production; nothing',
};

/** The whole start contract. Secrets have no flag: a command line can be read by every user of the machine. */
export const settingsHelp = [
  ...(Object.keys(SETTING_FLAGS) as (keyof typeof SETTING_FLAGS)[]).flatMap((variable) => [
    line(`--${SETTING_FLAGS[variable]}`, variable),
    line('', `  ${MEANING[variable]}`),
  ]),
  ...SECRET_VARIABLES.flatMap((variable) => [line('', variable), line('', `${variable}_FILE`)]),
  line('', 'SVC_DATABASE_PASSWORD_FILE'),
  line('', 'SVC_DATABASE_PASSWORD_COMMAND'),
].join('\n');

const OF_THE_PROJECT = ['SVC_PROJECT', 'SVC_DATA_DIR'] as const;

/** What a command reads that looks at a project, and perhaps its database and its keys. */
export function projectHelp(...secrets: readonly (typeof SECRET_VARIABLES)[number][]): string {
  return [
    ...OF_THE_PROJECT.map((variable) =>
      line(`--${SETTING_FLAGS[variable]}`, `${variable}: ${MEANING[variable]}`),
    ),
    ...secrets.map((variable) => line('', `${variable}, or a file of it in ${variable}_FILE`)),
  ].join('\n');
}

/** Why there is no such flag, when somebody would give a secret in one. */
export function secretFlagHint(message: string): string | undefined {
  const flag = /'--([\w-]+)/.exec(message)?.[1];
  const variable = SECRET_VARIABLES.find(
    (name) => name.replace(/^SVC_/, '').toLowerCase().replaceAll('_', '-') === flag,
  );
  if (variable === undefined) return undefined;
  return `Everybody on the machine can read a command line: set ${variable}, or ${variable}_FILE to a file that holds it.`;
}

function line(flag: string, variable: string): string {
  return `  ${flag.padEnd(FLAG_WIDTH)}${variable}`;
}
