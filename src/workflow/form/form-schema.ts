import { isSecretName, type JsonObject, type JsonValue } from '#json/index.ts';
import { JSON_SCHEMA_DRAFT } from '#resource/index.ts';
import type { FormProperty } from '../engine/index.ts';
import { DATE_PATTERN } from './form-value.ts';

/** Types of form properties, as schemas call them; those of project files are told as they are. */
const TYPES: Readonly<Record<string, string>> = {
  long: 'integer',
  double: 'number',
  enum: 'string',
  date: 'string',
};

/**
 * A form in the words of `/schema/managed/<type>`.
 *
 * @param values what `readForm` shows
 */
export function formSchema(
  properties: readonly FormProperty[],
  values: readonly Readonly<Record<string, string | null>>[],
): JsonObject {
  const shown = new Map(values.flatMap((value) => Object.entries(value)));
  return {
    order: properties.map(({ id }) => id),
    properties: Object.fromEntries(
      properties.map((property) => [
        property.id,
        {
          ...typeOf(property),
          title: property.name ?? property.id,
          ...choicesOf(property),
          ...(property.type === 'date'
            ? { format: 'date', datePattern: property.datePattern ?? DATE_PATTERN }
            : {}),
          ...(property.isRequired ? { required: true } : {}),
          ...(property.isReadable ? {} : { viewable: false }),
          ...(property.isWritable ? { userEditable: true } : {}),
          ...(isSecret(property)
            ? { private: true }
            : shown.has(property.id)
              ? { value: shown.get(property.id) ?? null }
              : {}),
        },
      ]),
    ),
  };
}

/** What may be submitted, as a schema of draft 2020-12. A date is a text in the pattern of its property. */
export function formAsJsonSchema(title: string, properties: readonly FormProperty[]): JsonObject {
  const required = properties.filter(({ isRequired, isWritable }) => isRequired && isWritable);
  return {
    $schema: JSON_SCHEMA_DRAFT,
    title,
    type: 'object',
    properties: Object.fromEntries(
      properties.map((property) => [
        property.id,
        {
          ...typeOf(property),
          title: property.name ?? property.id,
          ...(property.type === 'enum' ? { enum: property.values.map(({ id }) => id) } : {}),
          ...(property.type === 'date' ? { description: property.datePattern ?? DATE_PATTERN } : {}),
          ...(property.isWritable ? {} : { readOnly: true }),
          ...(isSecret(property) ? { format: 'password', writeOnly: true } : {}),
        },
      ]),
    ),
    ...(required.length === 0 ? {} : { required: required.map(({ id }) => id) }),
  };
}

/** The types of the field have none for a secret: as everywhere, its name says that it is one. */
function isSecret({ id, type }: FormProperty): boolean {
  return (type === undefined || type === 'string') && isSecretName(id);
}

function typeOf({ type }: FormProperty): { readonly type?: string } {
  return type === undefined ? {} : { type: TYPES[type] ?? type };
}

function choicesOf({ type, values }: FormProperty): Record<string, JsonValue> {
  if (type !== 'enum') return {};
  return {
    enum: values.map(({ id }) => id),
    enumTitles: Object.fromEntries(values.map(({ id, name }) => [id, name])),
  };
}
