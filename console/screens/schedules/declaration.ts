import type { Call, JsonObject } from '#client/index.ts';
import type { Values } from '../../form/form.tsx';
import { parsedMembers } from '../../form/members.ts';

/** Members that a schedule is read with and not declared by. */
const SHOWN = [
  '_id',
  '_rev',
  'words',
  'nodeId',
  'triggers',
  'nextRunDate',
  'previousRunDate',
  'warnings',
] as const;

const TIMING = [
  'type',
  'schedule',
  'timeZone',
  'startTime',
  'endTime',
  'repeatInterval',
  'repeatCount',
] as const;

const EMPTY: JsonObject = {
  enabled: true,
  persisted: true,
  type: 'cron',
  schedule: '0 0 2 * * ?',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  misfirePolicy: 'fireAndProceed',
  concurrentExecution: false,
  invokeService: 'script',
  invokeContext: { script: { type: 'text/javascript', source: '' } },
};

/** What a scan of objects is begun with. */
const SCAN: JsonObject = {
  waitForCompletion: false,
  scan: {
    object: 'managed/user',
    _queryFilter: 'accountStatus eq "inactive"',
    taskState: { started: '/example/started', completed: '/example/completed' },
    recovery: { timeout: '10m' },
  },
  task: { script: { type: 'text/javascript', source: '' } },
};

/** Services that there is a form for, or a beginning. */
export const SERVICES = ['script', 'taskscanner'] as const;

export function contextFor(service: string): JsonObject {
  if (service === 'taskscanner') return SCAN;
  return service === 'script' ? { ...Object(EMPTY['invokeContext']) } : {};
}

/** A schedule as it is declared: as it is stored, and what was typed over that. */
export function declarationOf(stored: JsonObject | undefined, typed: Values): JsonObject {
  const declared: JsonObject = { ...(stored ?? EMPTY), ...typed };
  const { name: _, contextText: __, ...others } = declared;
  const left = new Set<string>([...SHOWN, ...(declared['type'] === 'simple' ? ['schedule'] : [])]);
  const isSaid = ([member, value]: [string, unknown]) => !left.has(member) && value !== undefined;
  return Object.fromEntries(Object.entries(others).filter(isSaid));
}

export function isGoodContext(text: string | undefined): boolean {
  return text === undefined || parsedMembers(text) !== undefined;
}

/** Only when it fires. */
export function timingOf(declaration: JsonObject): JsonObject {
  return Object.fromEntries(
    TIMING.flatMap((member) => (declaration[member] === undefined ? [] : [[member, declaration[member]]])),
  );
}

export function shortService(name: unknown): string {
  return String(name).replace(/^svc\.service\./, '');
}

/** What tries what the schedule does, without one: undefined where only its service knows. */
export function rehearsalOf({ invokeService, invokeContext }: JsonObject): Call | undefined {
  const context: JsonObject = { ...Object(invokeContext) };
  const parameters = { _dryRun: 'true' };
  switch (shortService(invokeService)) {
    case 'script': {
      const { script, ...variables } = context;
      const body = { ...variables, ...Object(script) };
      return { method: 'POST', path: ['script'], parameters: { ...parameters, _action: 'eval' }, body };
    }
    case 'taskscanner':
      return {
        method: 'POST',
        path: ['taskscanner'],
        parameters: { ...parameters, _action: 'execute' },
        body: context,
      };
    default:
      return undefined;
  }
}
