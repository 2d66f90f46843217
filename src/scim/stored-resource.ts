import { PreconditionFailedError } from '#errors/index.ts';
import { getMember, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Resource } from '#resource/index.ts';
import type { ResourceType } from './resource-type.ts';

export function contentOf({ content }: Resource): JsonObject {
  return isObject(content) ? content : {};
}

/** What a write has answered, with the references that were read before it. */
export function withReferences({ attributes }: ResourceType, answer: Resource, before: Resource): Resource {
  const references = attributes.flatMap(({ binding }): [string, JsonValue][] => {
    const value = binding.kind === 'reference' ? getMember(contentOf(before), binding.property) : undefined;
    return binding.kind !== 'reference' || value === undefined ? [] : [[binding.property, value]];
  });
  return { ...answer, content: { ...contentOf(answer), ...Object.fromEntries(references) } };
}

/**
 * @param wanted revisions with commas between, of which it is to have one; null for any
 * @returns the one that it has, where it is to have one
 * @throws PreconditionFailedError `OBJECT_REVISION`
 */
export function requireRevision(
  { name }: Pick<ResourceType, 'name'>,
  { id, revision }: Resource,
  wanted: string | null,
): string | null {
  if (wanted === null) return null;
  if (revision !== null && wanted.split(',').includes(revision)) return revision;
  throw new PreconditionFailedError(`Revision '${wanted}' of the ${name} '${id}' is not the current one`, {
    id: 'OBJECT_REVISION',
    hint: `Read it again: it is at revision '${revision}' now`,
  });
}
