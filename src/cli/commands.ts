import type { Command } from './command.ts';
import { WHY_OF_NODES } from './remote/why-kinds.ts';

type Load = () => Promise<Command>;

/** Each is loaded when it is called: a probe of a container, ten times a minute, has no use for the whole server. */
export const COMMANDS: Readonly<Record<string, Load>> = {
  start: async () => (await import('./start.ts')).start,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  'database-url': async () => (await import('./database-url.ts')).databaseUrl,
  'config-check': async () => (await import('./config-check.ts')).configCheck,
  doctor: async () => (await import('./doctor.ts')).doctor,
  health: async () => (await import('./health.ts')).health,
  'restore-fence': async () => (await import('./restore-fence.ts')).restoreFence,
  release: async () => (await import('./release.ts')).release,
  unlock: async () => (await import('./unlock.ts')).unlock,
  why: async () => (await import('./why.ts')).why,
  import: async () => (await import('./import.ts')).importCommand,
  keys: async () => (await import('./keys.ts')).keys,
  audit: async () => (await import('./audit.ts')).audit,
  'api-key': async () => (await import('./api-key.ts')).apiKey,
  login: async () => (await import('./remote/session.ts')).login,
  logout: async () => (await import('./remote/session.ts')).logout,
  profile: async () => (await import('./remote/session.ts')).profile,
  whoami: async () => (await import('./remote/whoami.ts')).whoami,
  may: async () => (await import('./remote/may.ts')).may,
  get: async () => (await import('./remote/get.ts')).get,
  query: async () => (await import('./remote/get.ts')).query,
  create: async () => (await import('./remote/change.ts')).create,
  set: async () => (await import('./remote/change.ts')).set,
  patch: async () => (await import('./remote/change.ts')).patch,
  delete: async () => (await import('./remote/change.ts')).remove,
  edit: async () => (await import('./remote/edit.ts')).edit,
  grant: async () => (await import('./remote/grant.ts')).grant,
  revoke: async () => (await import('./remote/grant.ts')).revoke,
  apply: async () => (await import('./remote/apply/apply.ts')).apply,
  diff: async () => (await import('./remote/apply/apply.ts')).diff,
  export: async () => (await import('./remote/apply/export.ts')).exportObjects,
  plan: async () => (await import('./remote/plan.ts')).plan,
  schedule: async () => (await import('./remote/schedule.ts')).schedule,
  scan: async () => (await import('./remote/scan.ts')).scan,
  operation: async () => (await import('./remote/operation.ts')).operation,
  system: async () => (await import('./remote/system.ts')).system,
  recon: async () => (await import('./remote/recon.ts')).recon,
  sync: async () => (await import('./remote/sync.ts')).sync,
  queue: async () => (await import('./remote/queue.ts')).queue,
  link: async () => (await import('./remote/link.ts')).link,
  process: async () => (await import('./remote/process.ts')).processes,
  task: async () => (await import('./remote/task.ts')).task,
  'dead-letter': async () => (await import('./remote/task.ts')).deadLetter,
  node: async () => (await import('./remote/node.ts')).node,
  logs: async () => (await import('./remote/logs.ts')).logs,
  events: async () => (await import('./remote/events.ts')).events,
  undo: async () => (await import('./remote/audit.ts')).undo,
  script: async () => (await import('./remote/script.ts')).script,
  explain: async () => (await import('./remote/explain.ts')).explain,
  api: async () => (await import('./remote/api.ts')).api,
  client: async () => (await import('./remote/client-types.ts')).clientTypes,
  version: async () => (await import('./version.ts')).version,
  completion: async () => (await import('./completion.ts')).completion,
};

/** What people type as well. */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  schedules: 'schedule',
  scans: 'scan',
  operations: 'operation',
  recons: 'recon',
  links: 'link',
  processes: 'process',
  tasks: 'task',
  'dead-letters': 'dead-letter',
  nodes: 'node',
  log: 'logs',
  profiles: 'profile',
  scripts: 'script',
  'api-keys': 'api-key',
  update: 'set',
};

/** The verbs that ask a node, of commands that otherwise work on the database or without any. */
export const REMOTE_HALVES: Readonly<
  Record<
    string,
    {
      readonly verbs: readonly string[];
      /** Verbs that ask a node where one is named, else the database. */
      readonly either?: readonly string[];
      readonly load: Load;
    }
  >
> = {
  audit: {
    verbs: ['list', 'tree'],
    load: async () => (await import('./remote/audit.ts')).auditTrail,
  },
  why: {
    verbs: WHY_OF_NODES,
    either: ['schedule', 'user'],
    load: async () => (await import('./remote/why.ts')).whyWaiting,
  },
  'api-key': {
    verbs: ['list', 'create', 'revoke'],
    load: async () => (await import('./remote/api-keys.ts')).apiKeys,
  },
};

/** The part of a command that asks a node, where it is that. @param args behind its name */
export function remoteHalf(name: string, args: readonly string[]): Load | undefined {
  const half = REMOTE_HALVES[name];
  const [verb] = args;
  if (half === undefined || verb === undefined) return undefined;
  const asks = half.verbs.includes(verb) || (half.either?.includes(verb) === true && namesNode(args));
  return asks ? half.load : undefined;
}

/** Whether a node is named rather than a database. */
function namesNode(args: readonly string[]): boolean {
  const has = (...flags: readonly string[]) =>
    args.some((each) => flags.some((flag) => each === flag || each.startsWith(`${flag}=`)));
  const isSet = (...names: readonly string[]) => names.some((name) => (process.env[name] ?? '') !== '');
  if (has('--url', '--profile')) return true;
  const isLocal = has('--project', '--data-dir') || isSet('DATABASE_URL', 'DATABASE_URL_FILE');
  return !isLocal && isSet('SVC_URL', 'SVC_PROFILE');
}
