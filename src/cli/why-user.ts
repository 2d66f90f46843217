import { listOverrides } from '#administration/index.ts';
import { ConfigStore, managedConfig, type Settings, writtenJson } from '#config/index.ts';
import type { Db } from '#database/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { explainToOperator } from '#managed/index.ts';

/** Where the roles of a user come from, or one of them; by the types that are in force. */
export async function whyUser(
  settings: Settings,
  db: Db,
  { id, role }: { readonly id: string; readonly role: string | undefined },
): Promise<JsonObject> {
  const config = await ConfigStore.open({ settings, environment: process.env, report: () => {} });
  config.setOverlay(new Map((await listOverrides(db)).map((override) => [override.id, override.content])));
  await config.reload();
  const definitions = writtenJson(config.get(managedConfig).objects);
  const question = role === undefined ? { property: 'effectiveRoles' } : { role };
  return explainToOperator(db, definitions, { typeName: 'user', id, question });
}

/** Both answers, as lines. */
export function userInSentences(id: string, answer: JsonObject): string {
  const one = answer['has'] !== undefined;
  const grants = listOf(one ? answer['grants'] : answer['effectiveRoles']);
  const head = one
    ? `User ${id} ${answer['has'] === true ? 'has' : 'does not have'} ${answer['_ref']}\n${answer['why']}.`
    : `User ${id} has ${grants.length === 1 ? '1 grant' : `${grants.length} grants`}`;
  const clauses = one && grants.length === 0 ? clausesOf(answer) : [];
  return [head, ...grants.flatMap(grantLines), ...clauses].join('\n');
}

function grantLines(grant: JsonObject): string[] {
  const { _ref, via, inEffect, at, by, transaction } = grant;
  const who = by === undefined ? '' : ` by ${by}, transaction ${transaction}`;
  return ['', `${_ref}  ${via}${inEffect === true ? '' : ', not in effect now'}`, `  since ${at}${who}`]
    .concat(clausesOf(grant))
    .concat(windowsOf(grant));
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((each) => isObject(each)) : [];
}

function clausesOf({ clauses }: JsonObject): string[] {
  return listOf(clauses).map(
    ({ text, result }) => `  ${text}  ${result === true ? 'holds' : 'does not hold'}`,
  );
}

function windowsOf({ window = {} }: JsonObject): string[] {
  return Object.entries(isObject(window) ? window : {}).map(([of, spans]) => {
    const [span] = listOf(spans);
    return `  time of the ${of}: ${span?.['duration']}`;
  });
}
