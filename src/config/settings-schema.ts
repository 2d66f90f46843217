import { z } from 'zod';
import { didYouMean } from '#errors/index.ts';

export const NODE_ROLES = ['api', 'worker'] as const;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

/** Builds the schema of the start contract; what depends on the machine is handed in. */
export function settingsSchema(defaults: { nodeId: string; scriptThreads: number }) {
  return z.object({
    PORT: wholeNumber(0, 65_535).default(8080),
    SVC_HOST: z.string().default('127.0.0.1'),
    DATABASE_URL: databaseUrl().optional(),
    SVC_DATA_DIR: z.string().optional(),
    SVC_PROJECT: z.string().optional(),
    SVC_NODE_ID: z
      .string()
      .regex(/^[\w.:-]{1,100}$/, 'must be 1 to 100 letters, digits, dots, colons, dashes or underscores')
      .default(defaults.nodeId),
    SVC_ROLES: roles().default([...NODE_ROLES]),
    SVC_ADMIN_PASSWORD: z.string().optional(),
    SVC_LOG_LEVEL: logLevel().default('info'),
    SVC_SCRIPT_THREADS: wholeNumber(1, 256).default(defaults.scriptThreads),
    SVC_BODY_LIMIT: wholeNumber(1024, 2 ** 30).default(2 ** 20),
    SVC_DATABASE_POOL: wholeNumber(1, 1000).default(10),
    SVC_DATABASE_PREPARE: yesOrNo().default(true),
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

function databaseUrl() {
  return z.string().refine((text) => {
    const protocol = URL.parse(text)?.protocol;
    return protocol === 'postgres:' || protocol === 'postgresql:';
  }, 'must look like postgres://user:password@host:5432/database');
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

function logLevel() {
  return z.string().transform((text, check) => {
    const level = text.trim().toLowerCase();
    if (isOneOf(LOG_LEVELS, level)) return level;
    check.addIssue({
      code: 'custom',
      message: `must be one of ${LOG_LEVELS.join(', ')}`,
      params: { hint: didYouMean(level, LOG_LEVELS) },
    });
    return z.NEVER;
  });
}

function isOneOf<const T extends string>(words: readonly T[], word: string): word is T {
  return (words as readonly string[]).includes(word);
}
