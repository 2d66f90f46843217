import { isStandIn, secretMembers, standInOf } from '#crypto/index.ts';
import { BadRequestError, ForbiddenError } from '#errors/index.ts';
import {
  cloneJson,
  equalJson,
  formatPointer,
  getAt,
  type JsonValue,
  type Pointer,
  partAt,
  setAt,
} from '#json/index.ts';
import { pointersOf, type QueryFilter, type SortKey } from '#resource/index.ts';
import type { ScheduleDefinition } from './schedule.ts';

/** A reference to a secret in the `invokeContext` of a schedule's file. */
export interface SecretReference {
  readonly schedule: string;
  readonly pointer: Pointer;
  /** Such as `&{mail.password}`, or `{"$object": "&{mail.json.secret}"}`. */
  readonly written: JsonValue;
  /** What it stands for now. */
  readonly value: JsonValue;
}

export type SecretReferences = () => readonly SecretReference[];

/**
 * What a reference stands for, and what is a secret by its name, is known to the script that runs, and shown to nobody: a
 * reference is shown as the file has it, anything else as a seal.
 */
export function shownDefinition<T extends Pick<ScheduleDefinition, 'invokeContext'>>(
  id: string,
  definition: T,
  references: SecretReferences,
): T {
  const { invokeContext: stored } = definition;
  const named = secretMembers(stored);
  const own = standing(id, stored, references);
  if (own.length === 0 && named.length === 0) return definition;
  const shown = { invokeContext: cloneJson(stored) };
  const show = (pointer: Pointer, value: JsonValue) => setAt(shown, ['invokeContext', ...pointer], value);
  for (const pointer of named) show(pointer, standInOf(partAt(stored, pointer)));
  for (const { pointer, written } of own) show(pointer, written);
  return { ...definition, ...shown };
}

/**
 * What was sent, with secrets in place of references and seals that come back as they were shown. They stay only while
 * the script that is given them does.
 *
 * @param before undefined for a new schedule, which has none to keep
 * @throws BadRequestError `CONFIG_SECRET_BOUND`
 */
export function withKeptContext(
  id: string,
  given: ScheduleDefinition,
  before: ScheduleDefinition | undefined,
  references: SecretReferences,
): ScheduleDefinition {
  const own = before === undefined ? [] : standing(id, before.invokeContext, references);
  const back = [
    ...own.filter(({ pointer, written }) => equalJson(getAt(given.invokeContext, pointer) ?? null, written)),
    ...secretMembers(given.invokeContext)
      .filter((pointer) => isStandIn(partAt(given.invokeContext, pointer)))
      .map((pointer) => ({ pointer, written: 'the secret' })),
  ][0];
  if (back === undefined) return given;
  if (before !== undefined && given.invokeService === before.invokeService) {
    const { invokeContext } = shownDefinition(id, before, references);
    if (equalJson(given.invokeContext, invokeContext)) {
      return { ...given, invokeContext: before.invokeContext };
    }
  }
  const field = formatPointer(['invokeContext', ...back.pointer]);
  throw new BadRequestError(
    `'${nameOf(back.written)}' at ${field} is kept only while all of the invokeContext stays`,
    {
      id: 'CONFIG_SECRET_BOUND',
      field,
      hint: 'References are resolved where they are read: change the file of the schedule, or write the secret again',
    },
  );
}

/**
 * @param contexts of all schedules; asked for only where a query compares or sorts by what is in them
 * @throws ForbiddenError `QUERY_SECRET` for what would compare or sort by a secret
 */
export async function requireNoSecretContext(
  filter: QueryFilter,
  sortKeys: readonly SortKey[],
  references: SecretReferences,
  contexts: () => Promise<readonly JsonValue[]>,
): Promise<void> {
  const pointers = [...pointersOf(filter), ...sortKeys.map(({ pointer }) => pointer)].filter(
    ([member = 'invokeContext']) => member === 'invokeContext',
  );
  if (pointers.length === 0) return;
  const secrets = [
    ...references().map(({ pointer }) => pointer),
    ...(await contexts()).flatMap((context) => secretMembers(context)),
  ].map((pointer) => ['invokeContext', ...pointer]);
  const asked = pointers.find((pointer) =>
    secrets.some((secret) =>
      pointer.every((token, index) => index >= secret.length || token === secret[index]),
    ),
  );
  if (asked === undefined) return;
  throw new ForbiddenError(`'${formatPointer(asked)}' is a secret: nothing is filtered or sorted by it`, {
    id: 'QUERY_SECRET',
    field: formatPointer(asked),
    hint: 'Ask for other members of the schedules',
  });
}

function nameOf(written: JsonValue): string {
  return typeof written === 'string' ? written : JSON.stringify(written);
}

function standing(id: string, invokeContext: JsonValue, references: SecretReferences) {
  return references().filter(
    ({ schedule, pointer, value }) =>
      schedule === id && equalJson(getAt(invokeContext, pointer) ?? null, value),
  );
}
