import type { Db } from '#database/index.ts';
import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { bodyOf, listMember, namesOf } from '#resource/index.ts';
import { listLatest } from '../store/firing-repository.ts';

const MOST_SCHEDULES = 200;
const MOST_OF_ONE = 50;
const COUNT = 20;

/** Which of the latest firings are asked for. */
export const LATEST = bodyOf(
  {
    ids: listMember({ type: 'string' }, `Of which schedules, ${MOST_SCHEDULES} at most`),
    count: {
      type: 'integer',
      minimum: 1,
      maximum: MOST_OF_ONE,
      description: `How many of each; by default ${COUNT}`,
    },
  },
  'ids',
);
const MEMBERS = namesOf(LATEST);

/**
 * What became of the latest planned times of some schedules.
 *
 * @param body `{ids, count}`: up to 200 schedules, and how many of each (20 unless it says otherwise, at most 50)
 * @throws BadRequestError `SCHED_BAD_LATEST`
 */
export async function latestFirings(db: Db, body: JsonValue): Promise<JsonObject> {
  const members = isObject(body) ? body : {};
  const unknown = Object.keys(members).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    throw refuse(unknown, `There is no '${unknown}'`, didYouMean(unknown, MEMBERS) ?? MEMBERS.join(', '));
  }
  const ids = idsOf(members);
  const { count = COUNT } = members;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MOST_OF_ONE) {
    throw refuse('count', `count is ${JSON.stringify(count)}`, `A whole number from 1 to ${MOST_OF_ONE}`);
  }
  const found = Map.groupBy(await listLatest(db, { ids, count }), ({ schedule }) => schedule);
  return {
    result: [...new Set(ids)].map((schedule) => ({
      schedule,
      firings: (found.get(schedule) ?? []).map(({ schedule: _, ...firing }) => firing),
    })),
  };
}

function idsOf({ ids = null }: JsonObject): readonly string[] {
  const texts = Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  if (Array.isArray(ids) && texts.length === ids.length && ids.length <= MOST_SCHEDULES) return texts;
  throw refuse('ids', `ids is ${JSON.stringify(ids)}`, `A list of up to ${MOST_SCHEDULES} ids of schedules`);
}

function refuse(member: string, message: string, hint: string): BadRequestError {
  return new BadRequestError(message.slice(0, 300), { id: 'SCHED_BAD_LATEST', field: `/${member}`, hint });
}
