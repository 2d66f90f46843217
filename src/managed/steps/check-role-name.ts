import { BadRequestError } from '#errors/index.ts';
import type { CreateRequest } from '#resource/index.ts';
import { collectionOf, type Exchange, type WriteExchange } from '../exchange.ts';
import { findNamesake, lockNewId } from '../relationship/target-repository.ts';
import { roleCollections } from './login-roles.ts';

/** What is not seen, or not told from something else. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/**
 * The id of a role that accounts log in with is its name, which rules compare in lower case, and people by eye: none is made that could
 * be taken for another one.
 */
export async function checkRoleName({ context, type, id }: WriteExchange<CreateRequest>): Promise<void> {
  const plain = id.normalize('NFKC').replaceAll(UNSEEN, '').trim();
  if (plain !== id) {
    throw bad(
      `The id ${JSON.stringify(id)} has blanks around it, or letters that look like others`,
      `Such as '${plain}'`,
    );
  }
  // When two callers make roles of such names at once, the second finds the role of the first.
  await lockNewId(await context.unitOfWork.db(), type.name, id.toLowerCase());
  const namesake = await findNamesake(await context.unitOfWork.reader(), type.name, id);
  if (namesake === undefined) return;
  throw bad(
    `The id '${id}' is that of the role '${namesake}' but for the case of its letters`,
    'Rules of script/access.js tell names apart by more than that',
  );
}
checkRoleName.applies = (exchange: Exchange) =>
  exchange.request.method === 'create' &&
  isNamed(exchange.request) &&
  roleCollections(exchange.platform).has(collectionOf(exchange));

function isNamed({ newResourceId, content }: CreateRequest): boolean {
  return newResourceId !== null || (content['_id'] ?? null) !== null;
}

function bad(message: string, hint: string): BadRequestError {
  return new BadRequestError(message, { id: 'ROLE_NAME', field: '/_id', hint });
}
