import { z } from 'zod';
import { isDestination, parseNetwork } from '#egress/index.ts';
import { didYouMean } from '#errors/index.ts';
import { readDatabaseTargets } from './database-targets.ts';

// Configuration is read now and then: to compile a schema into a function costs more than it ever saves.
z.config({ jitless: true });

export const NODE_ROLES = ['api', 'worker'] as const;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

export const DIAGNOSTICS = ['open', 'local', 'admin'] as const;

/** Builds the schema of the start contract; what depends on the machine is handed in. */
export function settingsSchema(defaults: { nodeId: string; scriptThreads: number }) {
  return z.object({
    PORT: wholeNumber(0, 65_535).default(8080),
    SVC_HOST: z.string().default('127.0.0.1'),
    DATABASE_URL: databaseUrl().optional(),
    SVC_DATABASE_DIRECT_URL: databaseUrl().optional(),
    SVC_DATABASE_READ_URL: databaseUrl(true).optional(),
    SVC_READ_STALENESS: wholeNumber(2, 60).default(5),
    SVC_DATA_DIR: z.string().optional(),
    SVC_PROJECT: z.string().optional(),
    SVC_NODE_ID: z
      .string()
      .regex(/^[\w.:-]{1,100}$/, 'must be 1 to 100 letters, digits, dots, colons, dashes or underscores')
      .default(defaults.nodeId),
    SVC_ROLES: roles().default([...NODE_ROLES]),
    SVC_ADMIN_PASSWORD: z.string().optional(),
    SVC_LOG_LEVEL: oneOf(LOG_LEVELS).default('info'),
    SVC_SCRIPT_THREADS: wholeNumber(1, 256).default(defaults.scriptThreads),
    SVC_HTTP_THREADS: wholeNumber(0, 32).default(0),
    SVC_BODY_LIMIT: wholeNumber(1024, 2 ** 30).default(2 ** 20),
    SVC_ANSWER_LIMIT: wholeNumber(2 ** 20, 2 ** 28).default(2 ** 26),
    SVC_QUERY_TIMEOUT: wholeNumber(1, 3600).default(10),
    SVC_DATABASE_POOL: wholeNumber(1, 1000).default(10),
    SVC_DATABASE_PREPARE: yesOrNo().optional(),
    SVC_REQUEST_TIMEOUT: wholeNumber(1, 3600).default(60),
    SVC_REQUEST_DEADLINE: wholeNumber(1, 3600).default(15),
    SVC_TRUSTED_PROXIES: networks().default([]),
    SVC_PUBLIC_URL: publicUrl().optional(),
    SVC_PUBLIC_PATH: publicPath().optional(),
    SVC_TRUST_TRANSACTION_ID: yesOrNo().default(false),
    SVC_EGRESS_ALLOW: networks().default([]),
    SVC_EGRESS_ONLY: destinations().optional(),
    SVC_EXPOSED_ENV: variables().default([]),
    SVC_RATE_LIMIT: wholeNumber(1, 1_000_000).optional(),
    SVC_DIAGNOSTICS: oneOf(DIAGNOSTICS).default('local'),
    SVC_CONSOLE: oneOf(['on', 'off']).default('on'),
    SVC_ENVIRONMENT: z.string().trim().max(40, 'must have 40 characters at most').optional(),
  });
}

function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\s*\d+\s*$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message);
}

function yesOrNo() {
  const message = 'must be true or false';
  return z
    .string()
    .regex(/^(?:true|false)$/i, message)
    .transform((text) => text.toLowerCase() === 'true');
}

/** @param isForReading whether a standby may be asked for */
function databaseUrl(isForReading = false) {
  const message = 'must look like postgres://user:password@host:5432/database';
  return z.string().superRefine((text, check) => {
    try {
      const targets = readDatabaseTargets(text);
      const urls = targets === undefined ? [text] : targets.addresses.map(targets.urlOf);
      if (!urls.every(isPostgresUrl)) check.addIssue(message);
      if (targets?.wants === 'standby' && !isForReading)
        check.addIssue('has a target_session_attrs of a standby, which takes no changes');
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      check.addIssue(error.message);
    }
  });
}

function isPostgresUrl(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === 'postgres:' || protocol === 'postgresql:';
}

function publicUrl() {
  return z.string().refine((text) => {
    const url = URL.parse(text);
    return url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash + url.username === '';
  }, 'must look like https://id.example.com');
}

function publicPath() {
  const segments = /^(?:\/[A-Za-z0-9_~.-]+)+$/;
  return z
    .string()
    .refine((text) => segments.test(text) && !text.split('/').some(isDots), 'must look like /identity');
}

function isDots(segment: string): boolean {
  return segment === '.' || segment === '..';
}

function roles() {
  return z.string().transform((text, check) => {
    const named = [...new Set(text.split(',').map((role) => role.trim()))].filter((role) => role !== '');
    for (const role of named.filter((role) => !isOneOf(NODE_ROLES, role))) {
      check.addIssue({
        code: 'custom',
        message: `must be a list of ${NODE_ROLES.join(' and ')}`,
        params: { hint: didYouMean(role, NODE_ROLES) },
      });
    }
    if (named.length === 0) check.addIssue(`must name at least one of ${NODE_ROLES.join(' and ')}`);
    return named.filter((role) => isOneOf(NODE_ROLES, role));
  });
}

function oneOf<const T extends string>(words: readonly T[]) {
  return z.string().transform((text, check) => {
    const word = text.trim().toLowerCase();
    if (isOneOf(words, word)) return word;
    check.addIssue({
      code: 'custom',
      message: `must be one of ${words.join(', ')}`,
      params: { hint: didYouMean(word, words) },
    });
    return z.NEVER;
  });
}

/** Names of variables, separated by commas; a star at the end stands for the rest of a name. */
function variables() {
  return z.string().transform((text, check) => {
    const named = text.split(',').map((entry) => entry.trim());
    const wrong = named.find((entry) => !/^[A-Za-z_]\w*\*?$/.test(entry));
    if (wrong !== undefined) {
      check.addIssue({
        code: 'custom',
        message: 'must be a list of names of variables',
        params: { hint: `'${wrong}' is none; such as MAIL_HOST,SITE_*` },
      });
    }
    return named;
  });
}

function networks() {
  return listOf(
    'addresses and networks',
    (entry) => parseNetwork(entry) !== undefined,
    '10.0.0.7,10.1.0.0/16,fd00::/8',
  );
}

function destinations() {
  return listOf(
    'hosts, domains, addresses and networks',
    isDestination,
    'id.example.com,.example.org,10.1.0.0/16',
  );
}

/** Separated by commas. */
function listOf(what: string, fits: (entry: string) => boolean, example: string) {
  return z.string().transform((text, check) => {
    const named = text.split(',').map((entry) => entry.trim());
    const wrong = named.find((entry) => !fits(entry));
    if (wrong !== undefined) {
      check.addIssue({
        code: 'custom',
        message: `must be a list of ${what}`,
        params: { hint: `'${wrong}' is none of them; such as ${example}` },
      });
    }
    return named;
  });
}

function isOneOf<const T extends string>(words: readonly T[], word: string): word is T {
  return words.some((known) => known === word);
}
