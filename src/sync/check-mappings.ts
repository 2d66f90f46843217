import {
  type ConfigStore,
  type MappingConfig,
  managedConfig,
  mappingConfig,
  type Objection,
  provisionerConfig,
  RECONCILIATION_KEYS,
  syncConfig,
  writtenJson,
} from '#config/index.ts';
import { BadRequestError, didYouMean, factsOf, nearest } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Inspection } from '#platform/index.ts';
import {
  elementsAt,
  inspectPlaces,
  type Path,
  placeAt,
  type ScriptInspector,
  type ScriptPlace,
} from '#script/index.ts';
import { isTree } from './correlate.ts';
import { doubtfulProperties } from './doubtful-properties.ts';
import { compileMapping, isReachable, type Mapping } from './mapping.ts';
import { isOutside } from './outside.ts';
import { USE } from './sync-uses.ts';

/** `sync.json` and `mapping-<name>.json`. */
export function checkMappings({ config, scripts }: Inspection): void {
  const inFiles = (but?: string) =>
    config
      .list(mappingConfig)
      .filter(({ alias }) => `mapping/${alias}` !== but)
      .map(({ value }) => value);
  config.addCheck(syncConfig, async (value, _id, previous) => {
    const { mappings } = writtenJson(value);
    const written = Array.isArray(mappings) ? mappings.filter(isObject) : [];
    const others = inFiles();
    const all = [...value.mappings, ...others];
    const own = new Set<unknown>(value.mappings.map(({ name }) => name));
    const objections: Objection[] = [];
    for (const [index, mapping] of written.entries()) {
      const found = await inspect({ config, scripts, mapping, all });
      // What another file lacks keeps no node from its start: the mapping is left out by itself.
      const isOfOther = previous === undefined && !own.has(mapping['links']);
      for (const one of found) {
        const field = `/mappings/${index}${one.field}`;
        const isWarning = one.isWarning === true || (isOfOther && one.id === 'SYNC_BAD_LINKS');
        objections.push({ ...one, field, isWarning });
      }
    }
    // Files that change together are taken one by one: only of a change that is asked for it is known that it comes alone.
    if (previous === undefined) return objections;
    return [...objections, ...broken(others, [...previous.mappings, ...others], all)];
  });
  config.addCheck(mappingConfig, async (value, id, previous) => {
    const all = [...config.get(syncConfig).mappings, ...inFiles(id)];
    const twin = all.find(({ name }) => name === value.name);
    if (twin !== undefined) {
      const message = `there is a mapping '${value.name}' in another file`;
      return [{ id: 'SYNC_DUPLICATE_MAPPING', field: '/name', message }];
    }
    const found = await inspect({ config, scripts, mapping: writtenJson(value), all: [...all, value] });
    return previous === undefined ? found : [...found, ...broken(all, [...all, previous], [...all, value])];
  });
  config.removals.add(mappingConfig, (id) => {
    const { mappings } = config.get(syncConfig);
    const others = [...mappings, ...inFiles(id)];
    return broken(others, [...mappings, ...inFiles()], others);
  });
}

interface Inspected {
  readonly config: ConfigStore;
  readonly scripts: ScriptInspector;
  readonly mapping: JsonObject;
  readonly all: readonly MappingConfig[];
}

async function inspect({ config, scripts, mapping, all }: Inspected): Promise<readonly Objection[]> {
  const own = all.find(({ name }) => name === mapping['name']);
  // What its schema has refused is told of by that.
  if (own === undefined) return [];
  const outside = (['source', 'target'] as const).find((end) => !isReachable(end, own[end]));
  if (outside !== undefined) return [unreachable(own, outside)];
  const compiled = compiledOrNot(own, all);
  if (!('name' in compiled)) return [compiled];
  return [
    ...slips(mapping),
    ...idleKeys(own),
    ...unknownSets(config, compiled),
    ...doubtfulProperties(config, compiled, all),
    ...heardTooEarly(config, compiled),
    ...(await inspectPlaces(scripts, scriptPlaces(mapping, compiled))),
  ];
}

/** The mapping, or what keeps it from being one. */
function compiledOrNot(mapping: MappingConfig, all: readonly MappingConfig[]): Mapping | Objection {
  try {
    return compileMapping(mapping, writtenJson(mapping), all);
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    const { id = 'SYNC_BAD_MAPPING', field = '', hint } = factsOf(error);
    return { id, field, message: error.message, ...(hint === undefined ? {} : { hint }) };
  }
}

/** What speaks against a change: mappings of other files that work without it, and would not with it. */
function broken(
  others: readonly MappingConfig[],
  before: readonly MappingConfig[],
  after: readonly MappingConfig[],
): readonly Objection[] {
  return others.filter(isInside).flatMap((other) => {
    const now = compiledOrNot(other, after);
    if ('name' in now || !('name' in compiledOrNot(other, before))) return [];
    return [
      {
        id: 'SYNC_BREAKS_MAPPING',
        field: '',
        message: `the mapping '${other.name}' of another file would not work any more: ${now.message}`,
        hint: `Change '${other.name}' first, or have both in sync.json`,
      },
    ];
  });
}

function isInside({ source, target }: MappingConfig): boolean {
  return isReachable('source', source) && isReachable('target', target);
}

function unreachable({ name, ...mapping }: MappingConfig, end: 'source' | 'target'): Objection {
  return {
    id: 'SYNC_OUTSIDE',
    field: `/${end}`,
    message: `the mapping '${name}' is passed over: its ${end} '${mapping[end]}' is not available`,
    hint: 'Mappings lead from managed/<type> or system/<name>/<type> to these, or to repo/<path>',
    isWarning: true,
  };
}

/** A key that nobody reads would leave out what it was meant to guard. */
function slips(mapping: JsonObject): readonly Objection[] {
  const known = [...KEYS, ...RECONCILIATION_KEYS];
  return Object.keys(mapping)
    .filter((key) => !known.includes(key) && !/^[#_$]/.test(key))
    .flatMap((key): Objection[] => {
      const meant = nearest(key, known);
      if (meant === undefined || mapping[meant] !== undefined) return [];
      const message = `a mapping has no key "${key}"`;
      return [{ id: 'SYNC_UNKNOWN_KEY', field: `/${key}`, message, hint: `Did you mean "${meant}"?` }];
    });
}

const KEYS = [
  ...['name', 'source', 'target', 'links', 'sourceIdsCaseSensitive', 'targetIdsCaseSensitive', 'enableSync'],
  ...['enableLinking', 'linkQualifiers', 'validSource', 'validTarget', 'sourceCondition', 'correlationQuery'],
  ...[
    'correlationScript',
    'properties',
    'policies',
    'onCreate',
    'onUpdate',
    'onDelete',
    'onLink',
    'onUnlink',
  ],
  ...['defaultMapping', 'postMapping', 'queuedSync', 'delivery', 'thresholds'],
  ...['displayName', 'icon', 'category'],
];

/** Keys of the field that nothing here asks for. */
const IDLE = RECONCILIATION_KEYS.filter(
  (key) =>
    ![
      ...['sourceQuery', 'targetQuery', 'runTargetPhase', 'allowEmptySourceSet'],
      'onRecon',
      'result',
    ].includes(key),
);

function idleKeys(mapping: MappingConfig): readonly Objection[] {
  const of = writtenJson(mapping);
  const idle = IDLE.filter((key) => (of[key] ?? null) !== null);
  if (idle.length === 0) return [];
  const named = idle.map((key) => `"${key}"`).join(', ');
  return [
    {
      id: 'SYNC_IDLE_KEYS',
      field: `/${idle[0]}`,
      message: `${named} of the mapping '${mapping.name}' ${idle.length === 1 ? 'has' : 'have'} no effect: how a reconciliation divides its work it finds out itself, and what is inside is delivered at once`,
      isWarning: true,
    },
  ];
}

/** Types may come with a change of managed.json. */
function unknownSets(config: ConfigStore, mapping: Mapping): readonly Objection[] {
  const ofSystems = config
    .list(provisionerConfig)
    .flatMap(({ value }) => Object.keys(value.objectTypes).map((type) => `system/${value.name}/${type}`));
  const types = [...config.get(managedConfig).objects.map(({ name }) => `managed/${name}`), ...ofSystems];
  return (['source', 'target'] as const)
    .filter((end) => !mapping[end].startsWith('repo/') && !types.includes(mapping[end]))
    .map((end) => ({
      id: 'SYNC_UNKNOWN_TYPE',
      field: `/${end}`,
      message: `the mapping '${mapping.name}' will fail: no file declares a type for '${mapping[end]}'`,
      hint: didYouMean(mapping[end], types) ?? `There are ${types.join(', ')}`,
      isWarning: true,
    }));
}

/** A hook that looks for what has come of a delivery, and is run before it. */
function heardTooEarly(
  config: ConfigStore,
  { name, source, target, ...mapping }: Mapping,
): readonly Objection[] {
  const type = config.get(managedConfig).objects.find((one) => `managed/${one.name}` === source);
  const hook = JSON.stringify(type?.onSync ?? null);
  const isLate = mapping.enableSync && isOutside(target) && !mapping.delivery.isAttached;
  if (!isLate || !/syncResults|compensate/.test(hook)) return [];
  return [
    {
      id: 'SYNC_HEARD_TOO_EARLY',
      field: '/delivery',
      message: `the onSync of '${source}' sees nothing of what comes of '${name}', which delivers after the commit (QUEUED)`,
      hint: 'With "delivery": "attached" it is asked before, and the hook can refuse the change',
      isWarning: true,
    },
  ];
}

const SCRIPT_KEYS = Object.keys(USE).filter((key) => [...KEYS, ...RECONCILIATION_KEYS].includes(key));

/** Where a mapping names scripts that are run. */
function scriptPlaces(written: JsonValue, mapping: Mapping): readonly ScriptPlace[] {
  const scriptAt = (path: Path) => placeAt(written, path).filter(({ reference }) => isObject(reference));
  const trees = new Set(mapping.correlations.filter(isTree).map(({ reference }) => reference.file));
  const isRun = ({ reference }: ScriptPlace) => {
    const file = isObject(reference) ? reference['file'] : undefined;
    return typeof file !== 'string' || !(trees.has(file) || isOfServer(file));
  };
  const correlations = (['correlationQuery', 'correlationScript'] as const).flatMap((key) => {
    const list = elementsAt(written, [key]);
    return (list.length === 0 ? [[key]] : list).flatMap(scriptAt);
  });
  return [
    ...SCRIPT_KEYS.flatMap((key) => scriptAt([key])),
    ...correlations.map(withoutQualifier),
    ...elementsAt(written, ['properties']).flatMap((path) =>
      ['transform', 'condition'].flatMap((key) => scriptAt([...path, key])),
    ),
    ...elementsAt(written, ['policies']).flatMap((path) =>
      ['action', 'condition', 'postAction'].flatMap((key) => scriptAt([...path, key])),
    ),
  ].filter(isRun);
}

function withoutQualifier(place: ScriptPlace): ScriptPlace {
  if (!isObject(place.reference)) return place;
  const { linkQualifier, ...reference } = place.reference;
  return { ...place, reference };
}

/** What the server does itself in place of scripts of the field. */
function isOfServer(file: string): boolean {
  return /^(?:bin\/defaults\/script\/)?roles\/(?:default(?:Mapping|PostMapping)|onRecon)(?:\.js|\.groovy)?$/.test(
    file,
  );
}
