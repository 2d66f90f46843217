import { BadRequestError, ForbiddenError } from '#errors/index.ts';
import {
  cloneJson,
  equalJson,
  formatPointer,
  getAt,
  type JsonObject,
  type JsonValue,
  type Pointer,
  setAt,
} from '#json/index.ts';
import { pointersOf, type QueryFilter, type SortKey } from '#resource/index.ts';
import type { ScheduleDefinition } from './schedule.ts';

/** A reference to a secret in the `invokeContext` of a schedule's file. */
export interface SecretReference {
  readonly schedule: string;
  readonly pointer: Pointer;
  /** Such as `&{mail.password}`. */
  readonly text: string;
  /** What it stands for now. */
  readonly value: JsonValue;
}

export type SecretReferences = () => readonly SecretReference[];

/** As the file has it: what a reference stands for is known to the script that runs, and shown to nobody. */
export function shownDefinition<T extends Pick<ScheduleDefinition, 'invokeContext'>>(
  id: string,
  definition: T,
  references: SecretReferences,
): T {
  const own = standing(id, definition.invokeContext, references);
  if (own.length === 0) return definition;
  const invokeContext = cloneJson(definition.invokeContext) as JsonObject;
  for (const { pointer, text } of own) setAt(invokeContext, pointer, text);
  return { ...definition, invokeContext };
}

/**
 * What was sent, with secrets in place of references that come back as they were shown. They stay only while the script
 * that is given them does.
 *
 * @throws BadRequestError `CONFIG_SECRET_BOUND`
 */
export function withKeptContext(
  id: string,
  given: ScheduleDefinition,
  before: ScheduleDefinition,
  references: SecretReferences,
): ScheduleDefinition {
  const own = standing(id, before.invokeContext, references);
  const back = own.find(({ pointer, text }) => getAt(given.invokeContext, pointer) === text);
  if (back === undefined) return given;
  const shown = shownDefinition(id, before, references);
  if (given.invokeService === before.invokeService && equalJson(given.invokeContext, shown.invokeContext)) {
    return { ...given, invokeContext: before.invokeContext };
  }
  const field = formatPointer(['invokeContext', ...back.pointer]);
  throw new BadRequestError(`'${back.text}' at ${field} is kept only while all of the invokeContext stays`, {
    id: 'CONFIG_SECRET_BOUND',
    field,
    hint: 'References are resolved where they are read: change the file of the schedule, or send the secret itself',
  });
}

/** @throws ForbiddenError `QUERY_SECRET` for what would compare or sort by a secret */
export function requireNoSecretContext(
  filter: QueryFilter,
  sortKeys: readonly SortKey[],
  references: SecretReferences,
): void {
  const secrets = references().map(({ pointer }) => ['invokeContext', ...pointer]);
  const asked = [...pointersOf(filter), ...sortKeys.map(({ pointer }) => pointer)].find((pointer) =>
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

function standing(id: string, invokeContext: JsonValue, references: SecretReferences) {
  return references().filter(
    ({ schedule, pointer, value }) =>
      schedule === id && equalJson(getAt(invokeContext, pointer) ?? null, value),
  );
}
