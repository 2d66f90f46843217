import { z } from 'zod';
import { didYouMean } from '#errors/index.ts';
import { defineConfig, defineConfigFactory } from '../config-definition.ts';
import { filledText, flag, json, jsonObject, wholeNumber } from './scalar-schema.ts';
import { scriptReference } from './script-reference-schema.ts';

/** What is found out about a source object and its target, in the order of the table in `docs/synchronisation.md`. */
export const SITUATIONS = [
  'SOURCE_MISSING',
  'TARGET_IGNORED',
  'LINK_ONLY',
  'ALL_GONE',
  'UNASSIGNED',
  'AMBIGUOUS',
  'UNQUALIFIED',
  'CONFIRMED',
  'MISSING',
  'ABSENT',
  'FOUND',
  'FOUND_ALREADY_LINKED',
  'SOURCE_IGNORED',
] as const;
export type Situation = (typeof SITUATIONS)[number];

/** What is done in a situation. */
export const SYNC_ACTIONS = [
  'CREATE',
  'UPDATE',
  'LINK',
  'DELETE',
  'UNLINK',
  'EXCEPTION',
  'REPORT',
  'NOREPORT',
  'ASYNC',
  'IGNORE',
] as const;
export type SyncAction = (typeof SYNC_ACTIONS)[number];

const script = () => scriptReference().nullish();
/** A query filter, or a script. */
const condition = () =>
  z.union([z.string(), scriptReference()], 'must be a query filter or a script').nullish();

/** The word of a list that is given; another one may be a slip. */
function knownWord<Word extends string>(
  given: string,
  words: readonly Word[],
  check: { readonly addIssue: z.core.$RefinementCtx['addIssue'] },
): Word {
  const known = words.find((one) => one === given);
  if (known !== undefined) return known;
  check.addIssue({
    code: 'custom',
    message: `must be one of ${words.join(', ')}`,
    params: { hint: didYouMean(given, words) ?? didYouMean(given.toUpperCase(), words) },
  });
  return z.NEVER;
}

const property = z.looseObject({
  /** Pointer into the target. */
  target: filledText(),
  /** Pointer into the source; empty for all of it. */
  source: z.string().optional(),
  transform: script(),
  default: json().optional(),
  condition: condition(),
});

const policy = z.looseObject({
  situation: z.string().transform((given, check) => knownWord(given, SITUATIONS, check)),
  action: z
    .union([z.string(), scriptReference()], 'must be the name of an action or a script')
    .transform((given, check) => (typeof given === 'string' ? knownWord(given, SYNC_ACTIONS, check) : given)),
  condition: condition(),
  postAction: script(),
});

/** Keys that say how two sides are compared as a whole. */
const reconciliation = {
  onRecon: script(),
  result: script(),
  sourceQuery: jsonObject().optional(),
  targetQuery: jsonObject().optional(),
  sourceQueryFullEntry: flag().optional(),
  targetQueryFullEntry: flag().optional(),
  reconSourceQueryPaging: flag().optional(),
  reconSourceQueryPageSize: wholeNumber({ min: 1 }).optional(),
  prefetchLinks: flag().optional(),
  taskThreads: wholeNumber().optional(),
  feedSize: wholeNumber({ min: 1 }).optional(),
  runTargetPhase: flag().optional(),
  allowEmptySourceSet: flag().optional(),
  correlateEmptyTargetSet: flag().optional(),
  clusteredSourceReconEnabled: flag().optional(),
};

/** Keys that a mapping may have for reconciliations. */
export const RECONCILIATION_KEYS = Object.keys(reconciliation);

/** What a run may do before somebody has looked at it. */
export const THRESHOLDS = ['delete', 'unlink', 'create', 'update', 'clear', 'failure', 'shrink'] as const;
export type ThresholdKind = (typeof THRESHOLDS)[number];

const threshold = (percent: number) =>
  z
    .strictObject({
      percent: wholeNumber({ min: 0, max: 100 }).default(percent),
      atLeast: wholeNumber({ min: 0 }).default(20),
    })
    .optional();

const thresholds = z.strictObject({
  delete: threshold(10),
  unlink: threshold(10),
  create: threshold(10),
  update: threshold(10),
  clear: threshold(20),
  failure: threshold(5),
  shrink: threshold(30),
});
const anyThresholds = z.union([z.literal(false), thresholds], 'must be false, or an object');
export type ThresholdsConfig = z.output<typeof anyThresholds>;

/** @returns undefined for what are none */
export function readThresholds(given: unknown): ThresholdsConfig | undefined {
  const read = anyThresholds.safeParse(given);
  return read.success ? read.data : undefined;
}

/**
 * How changes reach targets in other systems: some time after the commit; right after it, before the answer; or before it, so that a hook can
 * refuse the change.
 */
const DELIVERY_MODES = ['queued', 'waited', 'attached'] as const;

const deliveryMode = () => z.string().transform((given, check) => knownWord(given, DELIVERY_MODES, check));
const delivery = z.union(
  [
    deliveryMode(),
    z.strictObject({
      mode: deliveryMode().optional(),
      /** Mappings from the same source that have to have delivered an object before this one does. */
      after: z.array(filledText()).optional(),
    }),
  ],
  `must be ${DELIVERY_MODES.map((mode) => `"${mode}"`).join(' or ')}, or an object with mode and after`,
);

const mapping = z.looseObject({
  name: filledText(),
  source: filledText(),
  target: filledText(),
  /** Another mapping, whose links are these. */
  links: filledText().optional(),
  sourceIdsCaseSensitive: flag().prefault(true),
  targetIdsCaseSensitive: flag().prefault(true),
  enableSync: flag().prefault(true),
  enableLinking: flag().prefault(true),
  linkQualifiers: z
    .union([z.array(filledText()).min(1), scriptReference()], 'must be a list of names or a script')
    .optional(),
  validSource: script(),
  validTarget: script(),
  sourceCondition: condition(),
  correlationQuery: z
    .union([z.array(scriptReference()), scriptReference()], 'must be a script, or a list of such')
    .nullish(),
  correlationScript: z
    .union([z.array(scriptReference()), scriptReference()], 'must be a script, or a list of such')
    .nullish(),
  properties: z.array(property).default([]),
  policies: z.array(policy).default([]),
  onCreate: script(),
  onUpdate: script(),
  onDelete: script(),
  onLink: script(),
  onUnlink: script(),
  defaultMapping: script(),
  postMapping: script(),
  /** What a delivery of all, or a reconciliation, may do; false: all there is. */
  thresholds: anyThresholds.optional(),
  /** How, and behind which other mappings, a change is delivered. */
  delivery: delivery.optional(),
  queuedSync: jsonObject().optional(),
  ...reconciliation,
  /** For those who read the configuration. */
  displayName: z.string().optional(),
  icon: z.string().nullish(),
  category: z.unknown().optional(),
});

export type MappingConfig = z.output<typeof mapping>;

/** A mapping that stands in no file. @returns what is wrong with it, and where, for one that is none */
export function readMapping(
  given: unknown,
): { readonly mapping: MappingConfig } | { readonly field: string; readonly message: string } {
  const read = mapping.safeParse(given);
  if (read.success) return { mapping: read.data };
  const [issue] = read.error.issues;
  const field = (issue?.path ?? []).map((token) => `/${String(token)}`).join('');
  return { field, message: issue?.message ?? 'is no mapping' };
}

const schema = z.looseObject({ mappings: z.array(mapping).superRefine(refuseTwins).default([]) });

/** Beside these there are the variables of scripts, which are anybody's. */
const unread = {
  where: (path: readonly PropertyKey[]) =>
    path.length === 0 || (typeof path.at(-1) === 'number' && !String(path.at(-2)).startsWith('correlation')),
};

/** `sync.json`: mappings, in the order in which a change is told to them. */
export const syncConfig = defineConfig({ id: 'sync', schema, unread });

/** `mapping-<name>.json`: one mapping, behind those of `sync.json`. */
export const mappingConfig = defineConfigFactory({ id: 'mapping', schema: mapping, unread });

function refuseTwins(mappings: readonly { readonly name: string }[], check: z.core.$RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { name }] of mappings.entries()) {
    if (seen.has(name)) {
      check.addIssue({
        code: 'custom',
        path: [index, 'name'],
        message: 'twin',
        params: { id: 'SYNC_DUPLICATE_MAPPING', statement: `the mapping "${name}" stands here twice` },
      });
    }
    seen.add(name);
  }
}
