import type { Exchange } from '../exchange.ts';
import { retrieveObjects } from '../retrieve/retrieve-objects.ts';
import { reload } from './store.ts';

/**
 * What the caller is told: a read shows the object as it is retrieved, a write as it is stored now, a deletion as it
 * was.
 */
export async function giveAnswer(exchange: Exchange): Promise<void> {
  await reload(exchange);
  const { cause, context, id, isForScript, isUnchanged, object, platform, request, rev, stored, type } =
    exchange;
  const isStored = isUnchanged || request.method === 'read' || request.method === 'delete';
  const shown = isStored ? { ...stored!, id } : { id, rev: rev!, data: object };
  const [answer] = await retrieveObjects(
    {
      platform,
      context,
      type,
      request: cause,
      fields: request.fields,
      runsHooks: request.method === 'read' && request.parameters['executeOnRetrieve'] !== 'false',
      isForScript,
    },
    [shown],
  );
  exchange.answer = answer!;
}
giveAnswer.always = true as const;
giveAnswer.applies = ({ edit }: Exchange) => edit === null;
