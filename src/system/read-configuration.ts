import { didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  type ConfigurationOf,
  type ConfigurationProblem,
  type ConfigurationProperties,
  type ConfigurationProperty,
  type ConnectorKind,
  Secret,
} from './contract.ts';

type Value = ConfigurationOf<ConfigurationProperties>[string];

export interface ReadConfiguration {
  readonly values: ConfigurationOf<ConfigurationProperties>;
  readonly problems: readonly ConfigurationProblem[];
  /** Properties that are passed over. */
  readonly doubts: readonly ConfigurationProblem[];
}

/**
 * `configurationProperties` as the connector takes them. Texts stand for numbers and flags, too: values of boot properties are texts.
 *
 * @param properties with secrets in the clear
 */
export function readConfiguration(kind: ConnectorKind, properties: JsonObject): ReadConfiguration {
  const values: Record<string, Value> = {};
  const problems: ConfigurationProblem[] = [];
  for (const [property, rule] of Object.entries(kind.properties)) {
    const written = properties[property] ?? null;
    const given = isNothing(written) ? (rule.default ?? null) : written;
    const isLacking = given === null;
    if (isLacking && rule.isRequired === true) {
      problems.push({ property, message: `'${property}' is missing`, hint: rule.does });
    }
    if (isLacking) continue;
    const value = readValue(rule, given);
    if (value === undefined) {
      const shown = rule.type === 'secret' ? 'what stands there' : JSON.stringify(given);
      problems.push({ property, message: `'${property}' is ${shown}, not ${WORDS[rule.type]}` });
    } else values[property] = value;
  }
  if (problems.length === 0) problems.push(...(kind.check?.(values) ?? []));
  return { values, problems, doubts: doubtsOf(kind, properties) };
}

/** What `configurationProperties` of a new system begin with. */
export function configurationTemplate({ properties }: ConnectorKind): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { default: given = null }]): [string, JsonValue] => [
      name,
      typeof given === 'object' && given !== null ? [...given] : given,
    ]),
  );
}

/** The names of properties that are secrets. */
export function secretProperties({ properties }: ConnectorKind): readonly string[] {
  return Object.keys(properties).filter((name) => properties[name]?.type === 'secret');
}

const WORDS = {
  text: 'a text',
  number: 'a whole number',
  flag: 'true or false',
  list: 'a list of texts',
  secret: 'a text',
} as const satisfies Record<ConfigurationProperty['type'], string>;

function readValue({ type }: ConfigurationProperty, given: unknown): Value {
  switch (type) {
    case 'text':
      return typeof given === 'string' || typeof given === 'number' ? String(given) : undefined;
    case 'secret':
      return typeof given === 'string' || typeof given === 'number' ? new Secret(String(given)) : undefined;
    case 'number': {
      const number = typeof given === 'string' ? Number(given) : given;
      return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
    }
    case 'flag':
      return given === true || given === 'true'
        ? true
        : given === false || given === 'false'
          ? false
          : undefined;
    case 'list': {
      const list = typeof given === 'string' ? [given] : given;
      return Array.isArray(list) && list.every((one) => typeof one === 'string')
        ? list.map(String).filter((one) => one !== '')
        : undefined;
    }
  }
}

function isNothing(given: unknown): boolean {
  return given === null || given === '' || (Array.isArray(given) && given.length === 0);
}

function doubtsOf(kind: ConnectorKind, properties: JsonObject): ConfigurationProblem[] {
  const known = Object.keys(kind.properties);
  const silent = new Set([...known, ...(kind.ignored ?? [])]);
  return Object.entries(properties).flatMap(([property, given]) => {
    if (silent.has(property) || property.startsWith('_') || property.startsWith('#') || isNothing(given))
      return [];
    if (isObject(given) && Object.keys(given).length === 0) return [];
    const hint = didYouMean(property, known) ?? `The connector '${kind.id}' knows ${known.join(', ')}`;
    return [{ property, message: `'${property}' changes nothing`, hint }];
  });
}
