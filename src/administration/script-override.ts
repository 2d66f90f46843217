import { isObject, type JsonValue } from '#json/index.ts';
import type { ConfigOverride } from './config-override-repository.ts';

/** No configuration has an id of three parts. */
const PREFIX = 'script/file/';

/** The id under which a script is kept that was set through REST. */
export function idOfScript(path: string): string {
  return PREFIX + path;
}

/** The script as it is kept: in the form of a configuration, so that nothing need know more of the table. */
export function overrideOf(path: string, text: string | null): ConfigOverride {
  return {
    id: idOfScript(path),
    content: text === null ? null : JSON.stringify({ content: text }),
    sealed: null,
  };
}

/** Undefined of a configuration. */
export function scriptOf({
  id,
  content,
}: ConfigOverride): { readonly path: string; readonly text: string | null } | undefined {
  if (!id.startsWith(PREFIX)) return undefined;
  const kept: JsonValue = content === null ? null : JSON.parse(content);
  const text = isObject(kept) ? kept['content'] : null;
  return { path: id.slice(PREFIX.length), text: typeof text === 'string' ? text : null };
}
