import { asJson, type JsonObject } from '#json/index.ts';
import type { ReportedNode } from './node-report-repository.ts';

/** Figures of a node under the names that clients know; in the metrics they have their own. */
const FIGURES = {
  firings: 'svc_firings_running',
  firingSlots: 'svc_firing_slots',
  jobs: 'svc_jobs_running',
  scriptsBusy: 'svc_script_threads_busy',
  scriptsWaiting: 'svc_script_waiting',
  poolSize: 'svc_db_pool_size',
  poolWaiting: 'svc_db_pool_waiting',
  lockWaits: 'svc_db_lock_waiting',
  lockWaitSeconds: 'svc_db_lock_wait_seconds',
  auditWaiting: 'svc_audit_waiting',
  auditLost: 'svc_audit_lost',
  residentBytes: 'process_resident_memory_bytes',
} as const;

/** What a node says of itself; of one that is down, its last word. */
export function reportView(node: ReportedNode | undefined): JsonObject {
  if (node === undefined) return {};
  const { roles, epoch, seen_at, drained_at, drained_by, keys, reported_at, report } = node;
  const facts = {
    roles: [...roles],
    epoch,
    seenAt: seen_at.toISOString(),
    keys: (keys ?? {}) as JsonObject,
    ...(drained_at === null ? {} : { drained: { since: drained_at.toISOString(), by: drained_by ?? '' } }),
  };
  if (report === null || reported_at === null) return facts;
  const { version, parts, figures, clockSkewMs, configuration, refused, drained } = report;
  const isIdle = figures[FIGURES.firings] === 0 && figures[FIGURES.jobs] === 0;
  return {
    ...facts,
    ...(drained_at === null ? {} : { drained: { ...facts.drained!, isDone: drained && isIdle } }),
    reportedAt: reported_at.toISOString(),
    version,
    configuration,
    clockSkewMs,
    ready: parts.every(({ ok }) => ok),
    parts: parts.map((part) => ({ ...part })),
    refused: asJson(refused),
    figures: Object.fromEntries(
      Object.entries(FIGURES).map(([name, metric]) => [name, figures[metric] ?? null]),
    ),
  };
}
