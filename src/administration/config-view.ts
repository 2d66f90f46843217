import { type ConfigStore, secretReferences, substitute } from '#config/index.ts';
import type { Database } from '#database/index.ts';
import type { Finding } from '#errors/index.ts';
import { isObject, type JsonObject, partAt, setAt } from '#json/index.ts';
import { type Request, type Resource, resource } from '#resource/index.ts';
import { listChangers } from './config-override-repository.ts';
import { sealed } from './seal-config.ts';

/** What a configuration has beside its content, for whoever names it in `_fields`. */
const BESIDE = ['_origin', '_effective'] as const;
export type Beside = (typeof BESIDE)[number];

export function besideAskedFor({ fields }: Request): ReadonlySet<Beside> {
  return new Set(BESIDE.filter((name) => fields.some((pointer) => pointer[0] === name)));
}

/**
 * Where configurations come from, and what their values are once each `&{…}` is replaced.
 *
 * `_origin` is `{kind}`: `file` with its `file`, `default` where there is none, `override` for what was set through
 * `/config`, with `changedBy`, `changedAt` and the file that it `hides`. `_effective` is the content with values in place
 * of `&{…}`, but for those that are secrets by their names.
 */
export async function viewBeside(
  { store, database }: { readonly store: ConfigStore; readonly database: Database },
  ids: readonly string[],
  asked: ReadonlySet<Beside>,
): Promise<(id: string) => JsonObject> {
  if (asked.size === 0) return () => ({});
  const changers = asked.has('_origin') ? await listChangers(database.db, ids) : new Map();
  return (id) => ({
    ...(asked.has('_origin') ? { _origin: { ...store.originOf(id), ...changers.get(id) } } : {}),
    ...(asked.has('_effective') ? { _effective: effective(store, id) } : {}),
  });
}

function effective(store: ConfigStore, id: string): JsonObject {
  const raw = store.findRaw(id) ?? null;
  const { value } = substitute(raw, store.properties);
  if (!isObject(value)) return {};
  const shown = sealed(id, value);
  // A text of which a part is a secret is shown as the file has it, with its `&{…}`.
  for (const pointer of secretReferences(raw, store.properties.ofFiles)) {
    setAt(shown, pointer, partAt(raw, pointer));
  }
  return shown;
}

/** `/config/_refused`: files that have errors, so that what was before them is in force, on the node that answers. */
export function refusedFiles({ refused }: ConfigStore): Resource {
  return resource('_refused', null, {
    refused: refused.map(({ id, since, findings }) => ({
      _id: id,
      since: since.toISOString(),
      findings: findings.map(findingView),
    })),
  });
}

/** A finding as `{id, message, hint, file, line, column, field}`. */
export function findingView({ id, where, field, message, hint }: Finding): JsonObject {
  const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(where) ?? [];
  return {
    id,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(file === undefined ? {} : { file, line: Number(line), column: Number(column) }),
    ...(field === undefined ? {} : { field }),
  };
}
