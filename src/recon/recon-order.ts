import { readThresholds, THRESHOLDS } from '#config/index.ts';
import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { type Mapping, questionOf, thresholdsOf } from '#sync/index.ts';
import type { ReconMode, ReconParameters } from './recon-run.ts';
import { asksForAll } from './side.ts';

/** Sources that may be named one by one. */
const MOST_IDS = 10_000;

/** What is asked for: parameters of the request, and what a body, or the context of a schedule, says beside them. */
export interface ReconOrder {
  readonly mode: ReconMode;
  readonly parameters: ReconParameters;
  /** It is done though the file of a system is another one than the last time. */
  readonly isForced: boolean;
}

const KEYS = [
  'sourceQuery',
  'targetQuery',
  'sourceQueryFullEntry',
  'targetQueryFullEntry',
  'runTargetPhase',
  'allowEmptySourceSet',
  'thresholds',
  'persistAssociations',
  'force',
  'ids',
];

/**
 * @param action `recon`, or `reconById` with `ids`
 * @param given what the body says; it stands above the mapping
 * @throws BadRequestError `RECON_BAD_ORDER` with the field
 */
export function readOrder(
  mapping: Mapping,
  action: 'recon' | 'reconById',
  given: JsonObject,
  { ids, mode }: { readonly ids?: string | undefined; readonly mode?: string | undefined },
): ReconOrder {
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw badOrder(
      `There is no '${unknown.slice(0, 100)}'`,
      `/${unknown}`,
      didYouMean(unknown, KEYS) ?? `There are ${KEYS.join(', ')}`,
    );
  }
  const isById = action === 'reconById';
  const sourceQuery = queryAt(mapping, given, 'sourceQuery');
  const targetQuery = queryAt(mapping, given, 'targetQuery');
  return {
    mode: modeOf(mode),
    isForced: flagOf(given['force'] ?? false, 'force'),
    parameters: {
      ...(sourceQuery === undefined ? {} : { sourceQuery }),
      ...(targetQuery === undefined ? {} : { targetQuery }),
      ...(isById ? { sourceIds: idsOf(ids ?? given['ids'] ?? null) } : {}),
      runTargetPhase: flagAt(mapping, given, 'runTargetPhase', !isById),
      allowEmptySourceSet: flagAt(mapping, given, 'allowEmptySourceSet', false),
      keepsAll: flagAt(mapping, given, 'persistAssociations', false),
      ...limitsOf(mapping, given),
    },
  };
}

function modeOf(mode: string | undefined): ReconMode {
  if (mode === undefined || mode === 'apply') return 'apply';
  if (mode === 'plan') return 'plan';
  throw badOrder(`There is no mode '${mode.slice(0, 100)}'`, 'mode', "There are 'apply' and 'plan'");
}

function queryAt(
  { written }: Mapping,
  given: JsonObject,
  key: 'sourceQuery' | 'targetQuery',
): JsonObject | undefined {
  const query = given[key] ?? written[key] ?? null;
  if (query === null) return undefined;
  if (!isObject(query))
    throw badOrder(`'${key}' is no object`, `/${key}`, 'Such as {"_queryFilter": "city eq \\"Bern\\""}');
  if (asksForAll(query)) return undefined;
  const { resourceName, ...asked } = query;
  try {
    questionOf(asked);
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    throw badOrder(error.message, `/${key}`, 'Give one of _queryFilter, _queryId and _queryExpression');
  }
  return query;
}

/** Each of them limits what is done besides taking away, so it must be known before anything is. */
const OF_PLANS = ['unlink', 'create', 'update', 'clear', 'failure'] as const;

function limitsOf(mapping: Mapping, given: JsonObject): Pick<ReconParameters, 'thresholds' | 'plansFirst'> {
  const own = given['thresholds'];
  const read = own === undefined ? undefined : readThresholds(own);
  if (own !== undefined && read === undefined) {
    const form = `{"create": {"percent": 10, "atLeast": 20}}, with ${THRESHOLDS.join(', ')}`;
    throw badOrder("'thresholds' are none", '/thresholds', `Such as ${form}; or false`);
  }
  const limits = read === undefined ? mapping.thresholds : thresholdsOf(read);
  return {
    ...(read === undefined ? {} : { thresholds: read }),
    plansFirst: OF_PLANS.some((kind) => limits?.[kind] !== undefined),
  };
}

function flagAt({ written }: Mapping, given: JsonObject, key: string, otherwise: boolean): boolean {
  return flagOf(given[key] ?? written[key] ?? otherwise, key);
}

function flagOf(value: JsonValue, key: string): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw badOrder(`'${key}' is neither true nor false`, `/${key}`);
}

/** A list, or a text with commas; a comma in an id is written `\,`. */
function idsOf(given: JsonValue): readonly string[] {
  const list =
    typeof given === 'string' ? given.split(/(?<!\\),/).map((id) => id.replaceAll('\\,', ',').trim()) : given;
  if (!Array.isArray(list) || list.length === 0 || !list.every((id) => typeof id === 'string' && id !== '')) {
    throw badOrder("'ids' names no sources", 'ids', 'Give ids=… with commas, or a list of texts');
  }
  if (list.length > MOST_IDS) {
    throw badOrder(`${list.length} ids are more than ${MOST_IDS}`, 'ids', 'Ask with a sourceQuery');
  }
  return [...new Set(list.map(String))];
}

function badOrder(message: string, field: string, hint?: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'RECON_BAD_ORDER',
    field,
    ...(hint === undefined ? {} : { hint }),
  });
}
