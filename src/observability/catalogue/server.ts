import type { Finding } from '#errors/index.ts';
import { wordsOf } from '#errors/index.ts';
import type { LoopNews } from '#lifecycle/index.ts';
import { sample } from './metric.ts';
import { errorFacts, ms, said } from './row.ts';

type News<Kind extends LoopNews['kind']> = Omit<Extract<LoopNews, { kind: Kind }>, 'kind'>;

/** What has changed, by its names. */
interface ToldChange {
  readonly topic: string;
  readonly resource: string;
  readonly operation: 'create' | 'update' | 'delete';
  readonly rev?: string;
  readonly transaction?: string;
}

/** The process, its keys, its database, its configuration. */
export const SERVER = {
  'log.lost': said<{ lines: number }>({
    level: 'warn',
    text: ({ lines }) => `${lines} lines of this log are lost: nobody read it for too long`,
    facts: ({ lines }) => ({ lines }),
  }),
  'server.started': said<{ url: string; project: string; roles: readonly string[]; took: number }>({
    level: 'info',
    text: ({ url }) => `listening on ${url}`,
    facts: ({ project, roles, took }) => ({ project, roles: roles.join(','), took: ms(took) }),
  }),
  'server.stopping': said<{ reason: string }>({
    level: 'info',
    text: () => 'stopping',
    facts: ({ reason }) => ({ reason }),
  }),
  'server.stopped': said<object>({
    level: 'info',
    text: () => 'stopped',
  }),
  'server.failed': said<{ part: string; error: unknown }>({
    level: 'error',
    text: ({ part }) => `${part} failed`,
    facts: ({ error: thrown }) => errorFacts(thrown),
    sameAs: ({ part, error }) => `${part}: ${wordsOf(error)}`,
  }),
  'admin.created': said<{ username: string; password: string | null }>({
    level: ({ password }) => (password === null ? 'info' : 'warn'),
    text: ({ username, password }) =>
      password === null
        ? `user ${username} created with the password of SVC_ADMIN_PASSWORD`
        : `user ${username} created; its password is shown this once: ${password}`,
  }),
  'crypto.keysCreated': said<{ file: string }>({
    level: 'warn',
    text: ({ file }) =>
      `a new key ring was made in ${file}; back it up, and give every other node on this database a copy`,
  }),
  'crypto.keysMissing': said<{ reason: string }>({
    level: 'warn',
    text: ({ reason }) => `no key ring, so nothing can be encrypted: SVC_KEYS is not set and ${reason}`,
  }),
  'crypto.keysDiffer': said<{ node: string; alias: string }>({
    level: 'error',
    text: ({ alias, node }) =>
      `the keys of '${alias}' are others than those of node ${node}: neither reads what the other encrypts. Give all nodes the same SVC_KEYS`,
  }),
  'audit.sealsMissing': said<{ expected: number; found: number }>({
    level: 'error',
    text: ({ expected, found }) =>
      `the audit trail was cut: its last seal was number ${expected}, and is ${found} now. See svc audit verify`,
  }),
  'audit.sealingHeldUp': said<{ seconds: number }>({
    level: 'error',
    text: ({ seconds }) =>
      `entries of the audit wait for their seal for ${Math.round(seconds)} s, because somebody else holds the lock for sealing (see pg_locks, 'advisory')`,
  }),
  'database.embedded': said<{ message: string }>({
    level: 'info',
    text: ({ message }) => message,
  }),
  'database.migrated': said<{ migrations: readonly string[] }>({
    level: 'info',
    text: () => 'database schema is up to date',
    facts: ({ migrations }) => ({ applied: migrations }),
  }),
  'database.pooled': said<{ hasSessions: boolean }>({
    level: ({ hasSessions }) => (hasSessions ? 'info' : 'warn'),
    text: ({ hasSessions }) =>
      hasSessions
        ? 'transactions go through a connection pooler, wake-ups and locks past it'
        : 'the database is behind a connection pooler: without SVC_DATABASE_DIRECT_URL nodes poll, and a killed one is noticed after 3 s',
  }),
  'database.retried': said<{ reason: string; attempt: number }>({
    level: 'debug',
    text: () => 'unit of work run again',
    facts: ({ reason, attempt }) => ({ reason, attempt }),
  }),
  'database.connectionLost': said<{ error: unknown }>({
    level: 'warn',
    text: () => 'database connection lost',
    facts: ({ error: thrown }) => errorFacts(thrown),
    sameAs: ({ error }) => wordsOf(error),
  }),
  'database.rolledBack': said<{ bytes: number; seconds: number }>({
    level: 'error',
    text: ({ bytes, seconds }) =>
      `the database that has taken over lacks at least ${bytes} bytes of what was written in the ${seconds} s before. See svc_incident`,
    facts: ({ bytes, seconds }) => ({ bytes, seconds }),
    counts: () => sample('rolledBack', {}),
  }),
  'index.created': said<{ type: string; property: string }>({
    level: 'info',
    text: ({ type, property }) => `index on ${type}${property} created`,
  }),
  'config.changed': said<{ id: string; change: string }>({
    level: 'info',
    text: ({ id, change }) => `configuration ${id} ${change}`,
    counts: () => sample('reloads', { result: 'ok' }),
  }),
  'config.written': said<object>({
    level: 'debug',
    text: () => 'configuration written',
  }),
  'config.refused': said<{ id: string; findings: readonly string[] }>({
    level: 'error',
    text: ({ id }) => `configuration ${id} has errors; the old one stays in force`,
    facts: ({ findings }) => ({ findings }),
    counts: () => sample('reloads', { result: 'refused' }),
  }),
  'config.warned': said<{ message: string; finding?: Finding }>({
    level: 'warn',
    text: ({ message }) => message,
  }),
  'config.note': said<{ message: string }>({
    level: 'debug',
    text: ({ message }) => message,
  }),
  'changes.committed': said<{ events: readonly ToldChange[] }>({
    level: 'trace',
    text: ({ events }) => `${events.length} changes are committed, and somebody listens`,
  }),
  'loop.failed': said<News<'loop.failed'>>({
    level: 'warn',
    text: ({ loop }) => `${loop}: round failed, will try again`,
    facts: ({ error: thrown }) => errorFacts(thrown),
    counts: ({ loop }) => sample('loops', { loop }),
    // What keeps one from its work mostly keeps them all, and is told by the first.
    sameAs: ({ error }) => wordsOf(error),
  }),
  'loop.recovered': said<News<'loop.recovered'>>({
    level: 'info',
    text: ({ loop, failures }) =>
      `${loop}: works again after ${failures} failed ${failures === 1 ? 'round' : 'rounds'}`,
    facts: ({ ms: span }) => ({
      took: ms(span),
    }),
  }),
  'listen.connected': said<object>({
    level: 'debug',
    text: () => 'listening for wake-ups',
    counts: () => sample('listening', {}, 1),
  }),
  'listen.lost': said<{ error: unknown }>({
    level: 'warn',
    text: () => 'wake-ups lost, polling goes on',
    facts: ({ error: thrown }) => errorFacts(thrown),
    counts: () => sample('listening', {}, 0),
    sameAs: ({ error }) => wordsOf(error),
  }),
};
