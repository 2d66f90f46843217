import type { JsonObject } from '#client/index.ts';
import { complain } from '../typed-name.ts';
import { isTable, say, showObject } from './output.ts';
import { isRecord } from './profiles.ts';
import type { Asked } from './remote-command.ts';

/** Something that happened to an instance. */
interface Step {
  readonly at: string;
  readonly text: string;
}

/** `svc process replay <id>`: its events where the history has them, and where it went. */
export async function replayProcess({ client, form }: Asked, id: string): Promise<void> {
  const instance = await client
    .resource('workflow/processinstance/history')
    .read(id, { fields: ['*', 'events', 'activities'] });
  if (!isTable(form)) return showObject(instance, form);
  const { processDefinitionId, startTime, startUserId, endTime, deleteReason } = instance;
  say(`Process ${processDefinitionId} ${id}`);
  const steps: Step[] = [
    { at: String(startTime), text: `started by ${startUserId ?? 'nobody'}` },
    ...listOf(instance['events']).map(eventInWords),
    ...listOf(instance['activities']).flatMap(activityInWords),
    ...(endTime === null || endTime === undefined
      ? []
      : [{ at: String(endTime), text: `ended: ${deleteReason ?? 'done'}` }]),
  ];
  // Steps of the same time stay in the order in which they were told.
  steps.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  for (const { at, text } of steps) say(`${at}  ${text}`);
  for (const hint of ['eventsHint', 'activitiesHint']) {
    if (instance[hint] !== undefined) complain(String(instance[hint]));
  }
}

function eventInWords({ at, userId, stimulus, effects }: JsonObject): Step {
  const { kind, ...more } = isRecord(stimulus) ? stimulus : {};
  const facts = Object.entries(more).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const count = Array.isArray(effects) ? effects.length : 0;
  const who = typeof userId === 'string' ? ` by ${userId}` : '';
  const had = count === 0 ? '' : `  (${count === 1 ? '1 effect' : `${count} effects`})`;
  return { at: String(at), text: [`${kind}${who}`, ...facts].join(' ') + had };
}

function activityInWords({ element, name, entered, left, reason }: JsonObject): readonly Step[] {
  const called = typeof name === 'string' && name !== element ? `${element} '${name}'` : String(element);
  const why = typeof reason === 'string' ? ` (${reason})` : '';
  return [
    ...(typeof entered === 'string' ? [{ at: entered, text: `→ ${called}` }] : []),
    ...(typeof left === 'string' && left !== entered ? [{ at: left, text: `← ${called}${why}` }] : []),
  ];
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
