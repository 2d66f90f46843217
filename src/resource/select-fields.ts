import { answerTooLarge, BadRequestError } from '#errors/index.ts';
import {
  cloneJson,
  fitsWritten,
  formatPointer,
  getAt,
  getMember,
  isObject,
  type JsonObject,
  type JsonValue,
  lastOf,
  type Pointer,
  parsePointer,
  setMember,
} from '#json/index.ts';
import type { Resource } from './response.ts';

const MOST_FIELDS = 500;
/** The most bytes of an object whose parts are asked for more than once. */
const MOST_REPEATED_BYTES = 8_388_608;

type Look = (whole: JsonObject, field: Pointer) => JsonValue | undefined;

/** Reads `_fields`. Each row of an answer is looked at for each of them. @throws BadRequestError */
export function parseFields(texts: readonly string[]): Pointer[] {
  if (texts.length <= MOST_FIELDS) return texts.map((text) => parsePointer(text.trim()));
  throw new BadRequestError(`${texts.length} fields are asked for; ${MOST_FIELDS} are allowed`, {
    id: 'FIELDS_TOO_MANY',
    field: '_fields',
    hint: "Ask for all of them with '*'",
  });
}

/**
 * `_fields`: the response keeps one member per pointer, under the pointer's last token (of two with the same
 * one the later wins). Pointers without a value are dropped; an empty pointer, and `*`, mean the whole content.
 *
 * @param look finds the value of a pointer
 */
export function selectFields(
  resource: Resource,
  fields: readonly Pointer[],
  isNested = false,
  look: Look = getAt,
): Resource {
  if (fields.length === 0 || resource.fieldsSelected === true || !isObject(resource.content)) return resource;
  if (fields.some((field) => field.length === 0 || (field.length === 1 && field[0] === '*'))) return resource;
  const whole: JsonObject = {
    ...(resource.id === null ? {} : { _id: resource.id }),
    ...(resource.revision === null ? {} : { _rev: resource.revision }),
    ...resource.content,
  };
  const selected: JsonObject = {};
  placeFields(selected, whole, fields, isNested, look);
  const { _id, _rev, ...content } = selected;
  return { ...resource, content };
}

/**
 * Puts all that is asked for into an answer. Where parts keep their places, one that lies in another is there with that; where each
 * part stands by itself, it is there once more, as long as all of them together have room.
 *
 * @throws PayloadTooLargeError `ANSWER_TOO_LARGE`
 */
export function placeFields(
  selected: JsonObject,
  whole: JsonObject,
  fields: readonly Pointer[],
  isNested: boolean,
  look: Look = getAt,
): void {
  const outer = outermost(fields);
  for (const field of isNested ? outer : fields) {
    const value = look(whole, field);
    if (value !== undefined) placeField(selected, field, value, isNested);
  }
  const isRepeated = !isNested && outer.length < fields.length;
  if (isRepeated && !fitsWritten(selected, MOST_REPEATED_BYTES)) {
    throw answerTooLarge(MOST_REPEATED_BYTES, 'Ask for each part once, or with _nestedFields=true');
  }
}

/** The outermost of the fields that are asked for, by the list of all; it is the same list for all rows of an answer. */
const OUTERMOST = new WeakMap<readonly Pointer[], readonly Pointer[]>();

/** The fields without those that lie in others. */
function outermost(fields: readonly Pointer[]): readonly Pointer[] {
  if (fields.length < 2) return fields;
  const known = OUTERMOST.get(fields);
  if (known !== undefined) return known;
  const asked = new Set(fields.map(formatPointer));
  const isHeld = (field: Pointer) =>
    field.some((_, depth) => depth > 0 && asked.has(formatPointer(field.slice(0, depth))));
  const outer = new Map<string, Pointer>();
  for (const field of fields) if (!isHeld(field)) outer.set(formatPointer(field), field);
  const found = [...outer.values()];
  OUTERMOST.set(fields, found);
  return found;
}

/** Puts a selected value where it was, or under the last token of its pointer. */
function placeField(selected: JsonObject, field: Pointer, value: JsonValue, isNested: boolean): void {
  if (!isNested) {
    setMember(selected, lastOf(field), value);
    return;
  }
  let parent = selected;
  for (const token of field.slice(0, -1)) {
    const child = getMember(parent, token);
    if (isObject(child)) {
      parent = child;
    } else {
      const made: JsonObject = {};
      setMember(parent, token, made);
      parent = made;
    }
  }
  setMember(parent, lastOf(field), cloneJson(value));
}

/** The resource as one object: `_id` first, then `_rev`, then the content. */
export function resourceBody(resource: Resource): Resource['content'] {
  if (!isObject(resource.content)) return resource.content;
  const { _id, _rev, ...content } = resource.content;
  return {
    ...(resource.id === null ? (_id === undefined ? {} : { _id }) : { _id: resource.id }),
    ...(resource.revision === null ? (_rev === undefined ? {} : { _rev }) : { _rev: resource.revision }),
    ...content,
  };
}
