import { at, debug, error, info, iso, type Lines, ms, trace, warn } from './line.ts';

/** Nodes, and what they do by themselves: schedules, jobs, scans, scripts. */
export const WORK_LINES: Lines<'node' | 'schedule' | 'trigger' | 'job' | 'scan' | 'sync' | 'script'> = {
  'node.named': ({ node }) => debug(`this node is ${node}`),
  'node.joined': ({ node, epoch }) => info(`node ${node} joined the cluster`, { epoch }),
  'node.left': ({ node }) => info(`node ${node} left the cluster`),
  'node.lost': ({ node, epoch, how, runs, ms: span }) =>
    warn(`node ${node} lost, its runs released`, { epoch, by: how, runs, took: ms(span) }),
  'node.fenced': ({ node, epoch }) =>
    error('this node was declared lost by another one; it starts again with a new epoch', {
      lostNode: node,
      epoch,
    }),
  'node.clockSkew': ({ ms: span }) => warn(`clock differs from the database's by ${ms(span)}`),

  'schedule.registered': ({ schedule, next }) => info(`schedule ${schedule} registered`, { next: iso(next) }),
  'schedule.removed': ({ schedule }) => info(`schedule ${schedule} removed`),

  'trigger.fired': ({ schedule, lateMs, run }) =>
    debug(`trigger fired       ${schedule}`, { late: ms(lateMs), run }),
  'trigger.completed': ({ level, schedule, ms: span, run, next }) =>
    at(level, `schedule ran        ${schedule}`, { took: ms(span), run, next: iso(next) }),
  'trigger.failed': ({ schedule, error: thrown, ms: span, run }) =>
    warn(`schedule failed     ${schedule}: ${thrown}`, { took: ms(span), run }),
  'trigger.misfired': ({ schedule, plannedAt, lateMs, policy }) =>
    warn(`trigger misfired    ${schedule}`, { planned: iso(plannedAt), late: ms(lateMs), policy }),
  'trigger.fencedOut': ({ schedule, run }) =>
    warn(`run of ${schedule} rolled back: it belongs to another node now`, { run }),
  'trigger.parked': ({ schedule, attempts }) =>
    error(`schedule ${schedule} parked: its run was interrupted ${attempts} times`),

  'job.completed': ({ queue, ms: span, job }) =>
    debug(`job done            ${queue}`, { took: ms(span), job }),
  'job.failed': ({ dead, queue, error: thrown, ms: span, job }) =>
    at(dead ? 'error' : 'warn', `job failed          ${queue}: ${thrown}`, {
      took: ms(span),
      job,
      next: dead ? 'dead letter' : 'another attempt',
    }),
  'job.fencedOut': ({ queue, job }) =>
    warn(`job of ${queue} rolled back: it belongs to another node now`, { job }),

  'scan.ended': ({ state, scan, error: thrown, ms: span, total, successes, failures, skipped, run }) =>
    at(
      thrown !== null || failures > 0 ? 'warn' : 'info',
      `scan ${state.toLowerCase().padEnd(15)}${scan}${thrown === null ? '' : `: ${thrown}`}`,
      { took: ms(span), total, successes, failures, skipped, run },
    ),

  'sync.failed': ({ resource, details }) => warn(`synchronization of ${resource} failed`, { details }),

  'script.logged': ({ level, message, script, requestId }) =>
    at(level, message, { script, ...(requestId === undefined ? {} : { requestId }) }),
  'script.evaluated': ({ script, outcome, ms: span }) =>
    trace(`script ${script} ${outcome}`, { took: ms(span) }),
  'script.threadStarted': ({ thread }) => debug(`script thread ${thread} started`),
  'script.threadKilled': ({ thread, reason }) => warn(`script thread ${thread} ended: ${reason}`),
};
