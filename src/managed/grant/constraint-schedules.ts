import { NotFoundError } from '#errors/index.ts';
import { equalJson, type JsonObject, type JsonValue } from '#json/index.ts';
import { Connection } from '#resource/index.ts';
import { isInstant } from '#time/index.ts';
import type { Exchange } from '../exchange.ts';
import { parseTemporalConstraints } from './temporal-constraint.ts';

const SCRIPT = 'roles/apply-temporal-constraint.js';
/** A role may have very many members. */
const TIMEOUT_MS = 600_000;
/** Time spans end between two instants; a moment later nobody doubts on which side we are. */
const MARGIN_MS = 1_000;

/**
 * Plans the two moments at which something begins and ceases to be in effect, or takes them off the schedule again.
 * What follows from it is checked then, by `triggerSyncCheck` on those it concerns.
 *
 * @param name of the schedules: `<name>-temporalConstraint-0-start` and `-end`
 * @param input what the shipped script is told; null when nothing is to be planned
 */
export async function planConstraint(
  exchange: Exchange,
  name: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  input: JsonObject | null,
): Promise<void> {
  if (equalJson(before ?? null, after ?? null)) return;
  const connection = new Connection(exchange.platform.resources, { ...exchange.context, survivable: true });
  if (hasConstraints(before)) {
    for (const when of ['start', 'end']) await remove(connection, scheduleName(name, when));
  }
  const span = parseTemporalConstraints(after, 'grant');
  if (span === null || input === null) return;
  const moments = { start: span.startAt, end: span.endAt };
  for (const [when, at] of Object.entries(moments)) {
    // What ends with the last of all years is meant for ever.
    if (at <= Date.now() || !isInstant(at + MARGIN_MS)) continue;
    await connection.create('scheduler/job', scheduleName(name, when), {
      type: 'simple',
      persisted: true,
      startTime: new Date(at + MARGIN_MS).toISOString().slice(0, 19),
      timeZone: 'UTC',
      invokeService: 'script',
      invokeContext: { script: { type: 'text/javascript', file: SCRIPT, timeout: TIMEOUT_MS }, input },
    });
  }
}

function scheduleName(name: string, when: string): string {
  return `${name}-temporalConstraint-0-${when}`;
}

function hasConstraints(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** It may have fired, and be gone. */
async function remove(connection: Connection, name: string): Promise<void> {
  try {
    await connection.delete(`scheduler/job/${encodeURIComponent(name)}`, null);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}
