import { BadRequestError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import {
  bodyOf,
  type Context,
  namesOf,
  parseQueryFilter,
  type QueryFilter,
  questionReaderOf,
  refuseUnknownField,
  textMember,
} from '#resource/index.ts';
import { refusalOf } from '../engine/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { countRefused, FILTERED, listStandings, MOST_PLANNED } from './migration-repository.ts';
import { MAPPED_ELEMENTS, readMembers, readVersions } from './migration-target.ts';

/** What is planned. */
export const MIGRATION_PLAN = bodyOf(
  {
    to: textMember('The version that they are to go on by'),
    mapping: MAPPED_ELEMENTS,
    queryFilter: textMember('Which instances'),
  },
  'to',
);
const MEMBERS = namesOf(MIGRATION_PLAN);

/**
 * What would come of it if the instances of a definition moved to another version: for each element where some stand whether
 * they can, and how many of the instances could as a whole. Changes nothing.
 *
 * @param body `{to, mapping?, queryFilter?}`
 */
export async function planMigration(
  platform: WorkflowPlatform,
  context: Context,
  from: string,
  body: JsonValue,
): Promise<JsonObject> {
  const { to, mapping, queryFilter } = readMembers(body, MEMBERS);
  const db = await questionReaderOf(platform, context);
  const versions = await readVersions(platform, db, from, { to, field: 'to', mapping });
  const { source, target } = versions;
  const filter = filterOf(queryFilter);
  const standings = (await listStandings(db, from, filter)).map(({ instances, ...standing }) => {
    const refusal = refusalOf(standing, {
      source: source.process,
      target: target.process,
      mapping: versions.mapping,
    });
    return { standing, instances, refusal };
  });
  const refused = standings.flatMap(({ standing, refusal }) => (refusal === undefined ? [] : [standing]));
  const count = await countRefused(db, from, filter, refused);
  return {
    from,
    to: target.row.id,
    instances: count.instances,
    ok: count.instances - count.refused,
    refused: count.refused,
    elements: standings.map(({ standing: { at, is }, instances, refusal }) => ({
      element: at,
      name: source.process.nodes.get(at)?.name ?? null,
      to: Object.hasOwn(versions.mapping, at) ? (versions.mapping[at] ?? at) : at,
      doing: is ?? null,
      instances,
      isOk: refusal === undefined,
      ...(refusal === undefined ? {} : { reason: refusal }),
    })),
    ...(count.isCut ? { truncated: true, mostInstances: MOST_PLANNED } : {}),
  };
}

function filterOf(given: JsonValue | undefined = 'true'): QueryFilter {
  if (typeof given !== 'string') {
    throw new BadRequestError(`queryFilter must be a text, not ${JSON.stringify(given).slice(0, 100)}`, {
      id: 'WORKFLOW_BAD_FIELD',
      field: '/queryFilter',
      hint: 'Such as \'startUserId eq "ada"\'',
    });
  }
  const filter = parseQueryFilter(given);
  refuseUnknownField({ filter, sortKeys: [] }, FILTERED);
  return filter;
}
