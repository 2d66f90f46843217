import { cloneJson, getMember, type JsonObject, setMember } from '#json/index.ts';
import { requireSameId, type UpdateRequest } from '#resource/index.ts';
import { type Change, type Creation, type Exchange, withoutIdentity } from '../exchange.ts';
import { openAllForKeyPairs } from '../for-key-pair.ts';
import { clearAbsent } from '../relationship/looked-up-edges.ts';
import { decryptProperties, isKeptFrom, withOwnEnvelopes } from '../secret.ts';

/**
 * The body becomes the object in work. Its `_rev` is ignored; only `If-Match` compares revisions. What is calculated
 * stays as it was, whatever the body says of it, and so do private properties that a caller from outside could not
 * send back because they are never shown.
 */
export async function takeContent(exchange: Creation | Change<UpdateRequest>): Promise<void> {
  const { content: given } = exchange.request;
  const { before, context, id, platform, stored, type } = exchange;
  requireSameId(given, id);
  const content = context.client.isExternal
    ? withOwnEnvelopes(await openAllForKeyPairs(exchange, given), stored?.data)
    : given;
  noteOverwritten(exchange, content);
  const object = withoutIdentity(await decryptProperties(platform.crypto, type, content));
  // What an answer has told of a condition or a reference may come back with it.
  const tells = type.relationships.size > 0 || platform.types.governedBy(type.name).length > 0;
  const isTold = tells && !type.compiled.has('warnings');
  if (isTold && before?.['warnings'] === undefined) delete object['warnings'];
  if (before !== null) {
    if (context.client.isExternal) keep(object, before, type.privates, false);
    clearAbsent(exchange, object);
  }
  keep(object, before ?? {}, new Set(type.calculated.map(({ name }) => name)), true);
  exchange.object = object;
}
takeContent.applies = ({ edit, isCheck }: Exchange) => edit === null && !isCheck;

/** A seal that came back as it was shown sets nothing. */
function noteOverwritten({ context, overwritten, platform, stored, type }: Exchange, content: JsonObject) {
  if (stored === null) return;
  for (const [name, value] of Object.entries(content)) {
    const isSeal = platform.crypto.isEncrypted(value) || platform.crypto.isHashed(value);
    if (!isSeal && isKeptFrom(context, type, name)) overwritten.add(name);
  }
}

function keep(object: JsonObject, before: JsonObject, names: ReadonlySet<string>, always: boolean): void {
  for (const name of names) {
    if (!always && Object.hasOwn(object, name)) continue;
    const kept = getMember(before, name);
    if (kept === undefined) delete object[name];
    else setMember(object, name, cloneJson(kept));
  }
}
