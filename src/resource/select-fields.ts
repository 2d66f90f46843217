import { getAt, isObject, type JsonObject, type Pointer, setMember } from '#json/index.ts';
import type { Resource } from './response.ts';

/**
 * `_fields`: the response keeps one member per pointer, under the pointer's last token (of two with the same
 * one the later wins). Pointers without a value are dropped, an empty pointer means the whole content.
 */
export function selectFields(resource: Resource, fields: readonly Pointer[]): Resource {
  if (fields.length === 0 || resource.fieldsSelected === true || !isObject(resource.content)) return resource;
  if (fields.some((field) => field.length === 0)) return resource;
  const whole: JsonObject = {
    ...(resource.id === null ? {} : { _id: resource.id }),
    ...(resource.revision === null ? {} : { _rev: resource.revision }),
    ...resource.content,
  };
  const selected: JsonObject = {};
  for (const field of fields) {
    const value = getAt(whole, field);
    if (value !== undefined && field.length > 0) setMember(selected, field.at(-1)!, value);
  }
  const { _id, _rev, ...content } = selected;
  return { ...resource, content };
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
