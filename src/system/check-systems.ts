import { type Objection, PROPERTY_FLAGS, type ProvisionerConfig, provisionerConfig } from '#config/index.ts';
import { didYouMean, nearest } from '#errors/index.ts';
import { isSecretValue } from '#json/index.ts';
import type { Inspection } from '#platform/index.ts';
import type { ScriptInspector } from '#script/index.ts';
import { findKind, isScripted } from './connector-kinds.ts';
import { PROPERTY_TYPES } from './object-type.ts';
import { readConfiguration, secretProperties } from './read-configuration.ts';

const KEYS = [
  'name',
  'enabled',
  'connectorRef',
  'configurationProperties',
  'poolConfigOption',
  'operationTimeout',
  'resultsHandlerConfig',
  'syncFailureHandler',
  'objectTypes',
  'operationOptions',
  'systemActions',
  'producerBufferSize',
  'connectorPoolingSupported',
];

/** `provisioner.openicf-<name>.json`. What is wrong with one that is disabled is a warning. */
export function checkSystems({ config, scripts }: Inspection): void {
  config.addCheck(provisionerConfig, async (value, id) => {
    const others = config
      .list(provisionerConfig)
      .filter(({ alias }) => `${provisionerConfig.id}/${alias}` !== id);
    const objections = [
      ...twinOf(
        value,
        others.map((one) => one.value),
      ),
      ...inspect(value),
      ...(await inspectScript(scripts, value)),
    ];
    return value.enabled ? objections : objections.map((one) => ({ ...one, isWarning: true }));
  });
}

/** The file of one that is a script. */
async function inspectScript(
  scripts: ScriptInspector,
  { connectorRef, configurationProperties }: ProvisionerConfig,
): Promise<readonly Objection[]> {
  const { file } = configurationProperties;
  if (!isScripted(connectorRef.connectorName) || typeof file !== 'string' || !file.endsWith('.js')) return [];
  const faults = await scripts.inspectFile(file);
  return faults.map((fault) => ({ ...fault, field: '/configurationProperties/file' }));
}

/** What takes the place of the Groovy files of a connector, each by the property that names it. */
const INSTEAD: Readonly<Record<string, string>> = {
  authenticate: 'authenticate',
  create: 'create',
  customizer: 'allow and authenticationMethod of configurationProperties',
  delete: 'remove',
  resolveUsername: 'search',
  schema: 'schema',
  search: 'search and get',
  sync: 'changes',
  test: 'test',
  update: 'update',
};

function filesOfField({ configurationProperties }: ProvisionerConfig): Objection[] {
  return Object.entries(configurationProperties).flatMap(([property, file]) => {
    const [, what = ''] = /^(\w+)ScriptFileName$/.exec(property) ?? [];
    if (what === '' || typeof file !== 'string' || file === '') return [];
    const instead = INSTEAD[what];
    return [
      {
        id: 'SYSTEM_FIELD_SCRIPT',
        field: `/configurationProperties/${property}`,
        message: `'${file.slice(0, 200)}' is not run: connectors are no Groovy here`,
        hint:
          instead === undefined
            ? 'Nothing takes its place'
            : `In the JavaScript file of svc.scripted it is ${instead}`,
        isWarning: true,
      },
    ];
  });
}

function twinOf({ name }: ProvisionerConfig, others: readonly ProvisionerConfig[]): Objection[] {
  if (!others.some((other) => other.name === name)) return [];
  return [{ id: 'SYSTEM_DUPLICATE', field: '/name', message: `there is a system '${name}' in another file` }];
}

function inspect(config: ProvisionerConfig): Objection[] {
  const { connectorRef, configurationProperties, systemActions } = config;
  const found = findKind(connectorRef.connectorName);
  const objections: Objection[] = [...slips(config), ...typesOf(config), ...deniedOf(config)];
  if (!('kind' in found)) {
    const { message, hint } = found;
    return [
      ...objections,
      { id: 'SYSTEM_NO_CONNECTOR', field: '/connectorRef/connectorName', message, hint },
      ...filesOfField(config),
    ];
  }
  const host = connectorRef.connectorHostRef ?? '';
  if (host !== '' && host !== '#LOCAL') {
    objections.push({
      id: 'SYSTEM_REMOTE_CONNECTOR',
      field: '/connectorRef/connectorHostRef',
      message: `'${host}' is a server of connectors, and there are no remote ones: this server asks the system itself`,
      isWarning: true,
    });
  }
  if ((systemActions ?? []).length > 0) {
    const message = 'systemActions are not run: they are scripts in other systems';
    objections.push({ id: 'SYSTEM_IDLE_KEYS', field: '/systemActions', message, isWarning: true });
  }
  const secrets = new Set(secretProperties(found.kind));
  // What is encrypted is opened when the system is asked for the first time.
  const plain = Object.fromEntries(
    Object.entries(configurationProperties).map(([name, given]) =>
      secrets.has(name) && typeof given === 'object' && isSecretValue(given)
        ? [name, 'sealed']
        : [name, given],
    ),
  );
  const { problems, doubts } = readConfiguration(found.kind, plain);
  const at = ({ property, ...said }: (typeof problems)[number]) => ({
    field: `/configurationProperties/${property}`,
    ...said,
  });
  return [
    ...objections,
    ...problems.map((one) => ({ id: 'SYSTEM_BAD_CONFIGURATION', ...at(one) })),
    ...doubts.map((one) => ({ id: 'SYSTEM_IDLE_KEYS', ...at(one), isWarning: true })),
  ];
}

function slips(config: ProvisionerConfig): Objection[] {
  return Object.keys(config).flatMap((key) => {
    if (KEYS.includes(key) || key.startsWith('_') || key.startsWith('#')) return [];
    const meant = nearest(key, KEYS);
    if (meant === undefined) return [];
    const message = `"${key}" means nothing here`;
    return [
      {
        id: 'SYSTEM_UNKNOWN_KEY',
        field: `/${key}`,
        message,
        hint: `Did you mean "${meant}"?`,
        isWarning: true,
      },
    ];
  });
}

function typesOf({ objectTypes }: ProvisionerConfig): Objection[] {
  return Object.entries(objectTypes).flatMap(([name, { properties }]) =>
    Object.entries(properties).flatMap(([property, { type, flags }]) => {
      const field = `/objectTypes/${name}/properties/${property}`;
      const words = Array.isArray(type) ? type : [type];
      const strange = words.find((word) => !PROPERTY_TYPES.includes(word) && !word.startsWith('JAVA_TYPE_'));
      const unknown = (flags ?? []).filter((flag) => !PROPERTY_FLAGS.some((one) => one === flag));
      return [
        ...(strange === undefined
          ? []
          : [
              {
                id: 'SYSTEM_BAD_TYPE',
                field: `${field}/type`,
                message: `'${strange}' is no type`,
                hint: didYouMean(strange, PROPERTY_TYPES) ?? `There are ${PROPERTY_TYPES.join(', ')}`,
              },
            ]),
        ...unknown.map((flag) => ({
          id: 'SYSTEM_UNKNOWN_FLAG',
          field: `${field}/flags`,
          message: `'${flag}' is no flag of a property`,
          hint: didYouMean(flag, PROPERTY_FLAGS) ?? `There are ${PROPERTY_FLAGS.join(', ')}`,
          isWarning: true,
        })),
      ];
    }),
  );
}

/** Elsewhere such a line denies nothing. */
function deniedOf({ operationOptions }: ProvisionerConfig): Objection[] {
  return Object.entries(operationOptions).flatMap(([operation, { denied, supportedObjectTypes }]) =>
    denied === true && (supportedObjectTypes ?? []).length === 0
      ? [
          {
            id: 'SYSTEM_DENIES_ALL',
            field: `/operationOptions/${operation}/denied`,
            message: `${operation} is denied for all types; servers of the field pass over this without supportedObjectTypes`,
            isWarning: true,
          },
        ]
      : [],
  );
}
