import { debug, error, errorFacts, info, type Lines, ms, warn } from './line.ts';

/** The process, its keys, its database, its configuration. */
export const SERVER_LINES: Lines<
  'server' | 'admin' | 'crypto' | 'audit' | 'database' | 'index' | 'config' | 'loop' | 'listen'
> = {
  'server.started': ({ url, project, roles, took }) =>
    info(`listening on ${url}`, { project, roles: roles.join(','), took: ms(took) }),
  'server.stopping': ({ reason }) => info('stopping', { reason }),
  'server.stopped': () => info('stopped'),
  'server.failed': ({ part, error: thrown }) => error(`${part} failed`, errorFacts(thrown)),

  'admin.created': ({ username, password }) =>
    password === null
      ? info(`user ${username} created with the password of SVC_ADMIN_PASSWORD`)
      : warn(`user ${username} created; its password is shown this once: ${password}`),

  'crypto.keysCreated': ({ file }) =>
    warn(`a new key ring was made in ${file}; back it up, and give every other node on this database a copy`),
  'crypto.keysMissing': ({ reason }) =>
    warn(`no key ring, so nothing can be encrypted: SVC_KEYS is not set and ${reason}`),
  'crypto.keysDiffer': ({ alias, node }) =>
    error(
      `the keys of '${alias}' are others than those of node ${node}: neither reads what the other encrypts. Give all nodes the same SVC_KEYS`,
    ),

  'audit.sealsMissing': ({ expected, found }) =>
    error(
      `the audit trail was cut: its last seal was number ${expected}, and is ${found} now. See svc audit verify`,
    ),
  'audit.sealingHeldUp': ({ seconds }) =>
    error(
      `entries of the audit wait for their seal for ${Math.round(seconds)} s, because somebody else holds the lock for sealing (see pg_locks, 'advisory')`,
    ),

  'database.embedded': ({ message }) => info(message),
  'database.migrated': ({ migrations }) => info('database schema is up to date', { applied: migrations }),
  'database.pooled': ({ hasSessions }) =>
    hasSessions
      ? info('transactions go through a connection pooler, wake-ups and locks past it')
      : warn(
          'the database is behind a connection pooler: without SVC_DATABASE_DIRECT_URL nodes poll, and a killed one is noticed after 3 s',
        ),
  'database.retried': ({ reason, attempt }) => debug('unit of work run again', { reason, attempt }),
  'database.connectionLost': ({ error: thrown }) => warn('database connection lost', errorFacts(thrown)),

  'index.created': ({ type, property }) => info(`index on ${type}${property} created`),

  'config.changed': ({ id, change }) => info(`configuration ${id} ${change}`),
  'config.written': () => debug('configuration written'),
  'config.refused': ({ id, findings }) =>
    error(`configuration ${id} has errors; the old one stays in force`, { findings }),
  'config.warned': ({ message }) => warn(message),
  'config.note': ({ message }) => debug(message),

  'loop.failed': ({ loop, error: thrown }) =>
    warn(`${loop}: round failed, will try again`, errorFacts(thrown)),
  'loop.recovered': ({ loop, failures, ms: span }) =>
    info(`${loop}: works again after ${failures} failed ${failures === 1 ? 'round' : 'rounds'}`, {
      took: ms(span),
    }),

  'listen.connected': () => debug('listening for wake-ups'),
  'listen.lost': ({ error: thrown }) => warn('wake-ups lost, polling goes on', errorFacts(thrown)),
};
