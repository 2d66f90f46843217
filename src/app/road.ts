import type { ConfigAgreement } from '#administration/index.ts';
import type { ConfigStore, Settings } from '#config/index.ts';
import type { Database, ReplicaReads } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import { inRightThread } from '#platform/index.ts';
import {
  type Filter,
  inUnitOfWork,
  isWrite,
  passing,
  type RequestSink,
  type Road,
  type Router,
  refuseEnvelopes,
  sealAnswers,
} from '#resource/index.ts';
import { bulkRoom } from '#scim/index.ts';
import { routerFilters, type Scripts, type ScriptWork } from '#script/index.ts';
import { type AccessRules, authorize, hideReferences } from '#security/index.ts';

export interface RoadParts {
  readonly database: Database;
  readonly config: ConfigStore;
  readonly observe: Observe;
  readonly answerLimitBytes: number;
  readonly access: AccessRules;
  readonly scripts: () => Scripts;
  /** Absent where no standby is asked. */
  readonly replica?: ReplicaReads | undefined;
}

/** Objects are looked at; what else is asked for is about work that is under way. */
const READ_ELSEWHERE = new Set(['managed', 'repo']);

/** Has a standby answer what somebody outside reads, once it is known that they may. */
function fromReplica(replica: ReplicaReads | undefined): Filter {
  return (context, request, next) => {
    const { client, unitOfWork, seen } = context;
    const mayLag = client.isExternal && unitOfWork === null && seen !== 'everything' && !isWrite(request);
    if (replica === undefined || !mayLag || !READ_ELSEWHERE.has(request.path[0] ?? ''))
      return next(context, request);
    const reader = replica.readerFor(seen);
    return next(reader === undefined ? context : { ...context, replica: reader }, request);
  };
}

/**
 * What every request meets on its way to its handler, in this order, whoever makes it: clients, scripts, jobs, the server itself.
 * The router hands it on behind the last.
 */
export function roadOf(parts: RoadParts): (router: Router) => Road {
  const { config, access, scripts } = parts;
  const { ahead, behind } = routerFilters(config, scripts, hideReferences(access));
  return (router) => ({
    before: [sealAnswers(router), inUnitOfWork({ ...parts, router })],
    judging: [ahead, authorize(access), refuseEnvelopes(router), behind, fromReplica(parts.replica)],
  });
}

export interface EntranceParts {
  readonly router: Router;
  readonly threads: ScriptWork;
  readonly agreement: ConfigAgreement;
  /** Resolves when what a thread has changed of the configuration is in force in the main thread, too. */
  readonly settled: () => Promise<void>;
  readonly settings: Pick<Settings, 'scriptThreads' | 'httpThreads'>;
}

/**
 * What stands before the road where a request comes in from outside: it is met once, in the thread that answers HTTP. (Before a caller is asked
 * for, `ConfigAgreement.sure` has seen to it that nothing that was answered before is missing here.)
 */
export function entranceOf(parts: EntranceParts): RequestSink {
  const { router, threads, agreement, settled, settings } = parts;
  // Threads that answer HTTP share them.
  const half = settings.scriptThreads / 2 / Math.max(1, settings.httpThreads);
  const bulks = bulkRoom(Math.max(1, Math.floor(half)));
  const before = [agreement.everywhere, bulks, inRightThread(router, threads, settled)];
  return { handle: passing(before, router.handle) };
}
