import { statSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';
import { resolve } from 'node:path';
import { ActivationError, type Finding, nearest } from '#errors/index.ts';
import { PASSWORD_SOURCES } from './password-source.ts';
import { isSecretVariable, SECRET_VARIABLES, withSecretFiles } from './secret-variables.ts';
import { type DIAGNOSTICS, type LOG_LEVELS, type NODE_ROLES, settingsSchema } from './settings-schema.ts';

/** How a node starts: the start contract after checking. Locations are absolute paths. */
export interface Settings {
  readonly port: number;
  readonly host: string;
  /** Absent: an embedded server in `dataDirectory`. */
  readonly databaseUrl?: string;
  /** Past the pooler that `databaseUrl` leads to: for migrations, wake-ups and the locks of nodes. */
  readonly databaseDirectUrl?: string;
  /** Standbys that may answer what is only read. */
  readonly databaseReadUrl?: string;
  /** How old what they answer may be for whoever has written nothing, ms. */
  readonly readStalenessMs: number;
  readonly databasePoolSize: number;
  /** Whether statements are prepared. Absent: unless a pooler is found, which may know no prepared statements. */
  readonly databasePrepares?: boolean;
  /** Default: `.svc` in the project location, so that each project has its own embedded database. */
  readonly dataDirectory: string;
  readonly installLocation: string;
  readonly projectLocation: string;
  readonly workingLocation: string;
  /** Default: host name and a random part, so that two nodes never share an id by accident. */
  readonly nodeId: string;
  readonly roles: readonly NodeRole[];
  /** Absent: one is generated at the first start. */
  readonly adminPassword?: string;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly scriptThreads: number;
  /** Threads that listen for HTTP; 0: the main thread does. */
  readonly httpThreads: number;
  readonly bodyLimitBytes: number;
  /** The most bytes of an answer, and of what a statement reads for one. */
  readonly answerLimitBytes: number;
  /** For how long the database works on a query that a caller sends. */
  readonly queryTimeoutMs: number;
  /** How long a client may take to send a whole request. */
  readonly requestTimeoutMs: number;
  /** How long a request waits for the database in all. */
  readonly requestDeadlineMs: number;
  /** Addresses and networks whose `X-Forwarded-For` and `X-Forwarded-Proto` count. */
  readonly trustedProxies: readonly string[];
  /** Scheme, host, port and perhaps a path that clients know the server by. */
  readonly publicUrl?: string;
  /** The path below which a proxy has the server, such as `/identity`; empty: it has the whole host. */
  readonly publicPath: string;
  /** Addresses and networks that requests of this server may go to though they are not public. */
  readonly allowedNetworks: readonly string[];
  /** Hosts, domains, addresses and networks that they may go to at all; undefined: wherever an address is open. */
  readonly onlyDestinations: readonly string[] | undefined;
  /** Variables of the environment, and beginnings of such with a star, that `&{…}` may read. */
  readonly exposedVariables: readonly string[];
  /** Whether the transaction id that a request brings is taken over. */
  readonly trustsTransactionId: boolean;
  /** Requests a minute that one client may make of this node; undefined: as many as it likes. */
  readonly requestsPerMinute: number | undefined;
  /** Who sees metrics and the parts of readiness. */
  readonly diagnostics: (typeof DIAGNOSTICS)[number];
  readonly servesConsole: boolean;
  /** What the console says of where it is, such as `Production`; undefined: nothing. */
  readonly environmentName: string | undefined;
}

export type NodeRole = (typeof NODE_ROLES)[number];
export type Environment = Readonly<Record<string, string | undefined>>;
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** What the defaults depend on. */
export interface Machine {
  readonly hostName: string;
  readonly cores: number;
  readonly workingLocation: string;
  readonly installLocation: string;
  /** Some letters and digits that no other node has. */
  readonly randomPart: string;
}

/** Each variable of the start contract that is no secret, and the command line flag that says the same. */
export const SETTING_FLAGS = {
  PORT: 'port',
  SVC_HOST: 'host',
  SVC_DATA_DIR: 'data-dir',
  SVC_PROJECT: 'project',
  SVC_NODE_ID: 'node-id',
  SVC_ROLES: 'roles',
  SVC_LOG_LEVEL: 'log-level',
  SVC_SCRIPT_THREADS: 'script-threads',
  SVC_HTTP_THREADS: 'http-threads',
  SVC_BODY_LIMIT: 'body-limit',
  SVC_ANSWER_LIMIT: 'answer-limit',
  SVC_QUERY_TIMEOUT: 'query-timeout',
  SVC_READ_STALENESS: 'read-staleness',
  SVC_DATABASE_POOL: 'database-pool',
  SVC_DATABASE_PREPARE: 'database-prepare',
  SVC_REQUEST_TIMEOUT: 'request-timeout',
  SVC_REQUEST_DEADLINE: 'request-deadline',
  SVC_TRUSTED_PROXIES: 'trusted-proxies',
  SVC_PUBLIC_URL: 'public-url',
  SVC_PUBLIC_PATH: 'public-path',
  SVC_TRUST_TRANSACTION_ID: 'trust-transaction-id',
  SVC_EGRESS_ALLOW: 'egress-allow',
  SVC_EGRESS_ONLY: 'egress-only',
  SVC_EXPOSED_ENV: 'exposed-env',
  SVC_RATE_LIMIT: 'rate-limit',
  SVC_DIAGNOSTICS: 'diagnostics',
  SVC_CONSOLE: 'console',
  SVC_ENVIRONMENT: 'environment',
} as const;

type Variable = keyof typeof SETTING_FLAGS | (typeof SECRET_VARIABLES)[number];

/**
 * The environment with the flags of the start contract laid over it, and with secrets from their files. An empty value
 * counts as none.
 *
 * @throws ActivationError for a file of a secret that cannot be read
 */
export function overlayFlags(environment: Environment, flags: Flags): Environment {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(withSecretFiles(environment))) {
    if (value !== undefined && value.trim() !== '') given[name] = value;
  }
  for (const [variable, flag] of Object.entries(SETTING_FLAGS)) {
    const value = flags[flag];
    if (typeof value === 'string' && value.trim() !== '') given[variable] = value;
  }
  return given;
}

/** Read by the command line, and no setting of a node. */
const FURTHER_VARIABLES = ['SVC_URL', 'SVC_USER', 'SVC_PROFILE'];

/**
 * What to say of variables that are near to one of the start contract and none of it. Others that begin with `SVC_` are for
 * `&{…}` in configuration.
 */
export function misspeltVariables(environment: Environment): readonly string[] {
  const secrets: readonly string[] = [...SECRET_VARIABLES, 'SVC_PASSWORD', 'SVC_API_KEY'];
  const known = [
    ...Object.keys(SETTING_FLAGS),
    ...FURTHER_VARIABLES,
    ...secrets,
    ...secrets.map((name) => `${name}_FILE`),
    ...PASSWORD_SOURCES,
  ];
  const letters = (name: string) => name.toUpperCase().replace(/^SVC_/, '').replaceAll('_', '');
  const byLetters = new Map(
    known.filter((name) => name.startsWith('SVC_')).map((name) => [letters(name), name]),
  );
  return Object.keys(environment).flatMap((name) => {
    if (!/^svc_/i.test(name) || known.includes(name)) return [];
    const near = nearest(letters(name), byLetters.keys());
    if (near === undefined) return [];
    return [`${name} is no setting of this server. Did you mean '${byLetters.get(near)}'?`];
  });
}

/**
 * Reads the start contract; a flag wins over the environment. Flags that are not part of it are left to the
 * command line.
 *
 * @throws ActivationError with every wrong value at once
 */
export function readSettings(
  environment: Environment,
  flags: Flags = {},
  machine: Machine = thisMachine(),
): Settings {
  const given = overlayFlags(environment, flags);
  const parsed = settingsSchema({
    nodeId: `${machine.hostName.replace(/[^\w.:-]/g, '-').slice(0, 80)}-${machine.randomPart}`,
    scriptThreads: Math.max(2, machine.cores - 1),
  }).safeParse(given);
  const projectLocation = resolve(machine.workingLocation, given['SVC_PROJECT'] ?? machine.installLocation);
  const findings: Finding[] = [];
  for (const issue of parsed.error?.issues ?? []) {
    const hint = issue.code === 'custom' ? issue.params?.['hint'] : undefined;
    findings.push(finding(issue.path[0] as Variable, issue.message, hint));
  }
  if (statSync(projectLocation, { throwIfNoEntry: false })?.isDirectory() !== true) {
    findings.push(finding('SVC_PROJECT', 'must be an existing folder', 'It holds conf/ and script/'));
  }
  if (given['SVC_DATABASE_DIRECT_URL'] !== undefined && given['DATABASE_URL'] === undefined) {
    findings.push(
      finding('SVC_DATABASE_DIRECT_URL', 'needs DATABASE_URL beside it', 'It leads past a pooler'),
    );
  }
  const { SVC_PUBLIC_URL: publicUrl, SVC_PUBLIC_PATH: publicPath } = parsed.data ?? {};
  if (publicPath !== undefined && !['', publicPath].includes(pathOf(publicUrl))) {
    const hint = `SVC_PUBLIC_URL has the path '${pathOf(publicUrl)}'; one of them is enough`;
    findings.push(finding('SVC_PUBLIC_PATH', 'must be the path of SVC_PUBLIC_URL', hint));
  }
  if (given['SVC_DATABASE_READ_URL'] !== undefined && given['DATABASE_URL'] === undefined) {
    findings.push(
      finding('SVC_DATABASE_READ_URL', 'needs DATABASE_URL beside it', 'It leads to standbys of that one'),
    );
  }
  if (!parsed.success || findings.length > 0) throw new ActivationError(findings);
  const { data } = parsed;
  return {
    port: data.PORT,
    host: data.SVC_HOST,
    ...(data.DATABASE_URL === undefined ? {} : { databaseUrl: data.DATABASE_URL }),
    ...(data.SVC_DATABASE_DIRECT_URL === undefined
      ? {}
      : { databaseDirectUrl: data.SVC_DATABASE_DIRECT_URL }),
    ...(data.SVC_DATABASE_READ_URL === undefined ? {} : { databaseReadUrl: data.SVC_DATABASE_READ_URL }),
    readStalenessMs: data.SVC_READ_STALENESS * 1000,
    databasePoolSize: data.SVC_DATABASE_POOL,
    ...(data.SVC_DATABASE_PREPARE === undefined ? {} : { databasePrepares: data.SVC_DATABASE_PREPARE }),
    dataDirectory:
      data.SVC_DATA_DIR === undefined
        ? resolve(projectLocation, '.svc')
        : resolve(machine.workingLocation, data.SVC_DATA_DIR),
    installLocation: machine.installLocation,
    projectLocation,
    workingLocation: machine.workingLocation,
    nodeId: data.SVC_NODE_ID,
    roles: data.SVC_ROLES,
    ...(data.SVC_ADMIN_PASSWORD === undefined ? {} : { adminPassword: data.SVC_ADMIN_PASSWORD }),
    logLevel: data.SVC_LOG_LEVEL,
    scriptThreads: data.SVC_SCRIPT_THREADS,
    httpThreads: data.SVC_HTTP_THREADS,
    bodyLimitBytes: data.SVC_BODY_LIMIT,
    answerLimitBytes: data.SVC_ANSWER_LIMIT,
    queryTimeoutMs: data.SVC_QUERY_TIMEOUT * 1000,
    requestTimeoutMs: data.SVC_REQUEST_TIMEOUT * 1000,
    requestDeadlineMs: data.SVC_REQUEST_DEADLINE * 1000,
    trustedProxies: data.SVC_TRUSTED_PROXIES,
    ...(data.SVC_PUBLIC_URL === undefined ? {} : { publicUrl: data.SVC_PUBLIC_URL }),
    publicPath: data.SVC_PUBLIC_PATH ?? pathOf(data.SVC_PUBLIC_URL),
    allowedNetworks: data.SVC_EGRESS_ALLOW,
    onlyDestinations: data.SVC_EGRESS_ONLY,
    exposedVariables: data.SVC_EXPOSED_ENV,
    trustsTransactionId: data.SVC_TRUST_TRANSACTION_ID,
    requestsPerMinute: data.SVC_RATE_LIMIT,
    diagnostics: data.SVC_DIAGNOSTICS,
    servesConsole: data.SVC_CONSOLE === 'on',
    environmentName: data.SVC_ENVIRONMENT,
  };

  function finding(variable: Variable, message: string, hint: unknown): Finding {
    const flag = isFlagged(variable) ? SETTING_FLAGS[variable] : '';
    const name = typeof flags[flag] === 'string' && flags[flag] !== '' ? `--${flag}` : variable;
    const shown = isSecretVariable(variable) ? '' : `, not ${JSON.stringify(given[variable])}`;
    return {
      id: 'SETTING_INVALID',
      where: '',
      message: `${name} ${message}${shown}`,
      ...(typeof hint === 'string' ? { hint } : {}),
    };
  }
}

/** The path of a URL without a slash at its end; empty: none. */
function pathOf(url: string | undefined): string {
  const path = url === undefined ? '' : (URL.parse(url)?.pathname ?? '');
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function isFlagged(variable: Variable): variable is keyof typeof SETTING_FLAGS {
  return Object.hasOwn(SETTING_FLAGS, variable);
}

function thisMachine(): Machine {
  return {
    hostName: hostname(),
    cores: availableParallelism(),
    workingLocation: process.cwd(),
    installLocation: resolve(import.meta.dirname, '../..'),
    randomPart: crypto.randomUUID().slice(0, 8),
  };
}
