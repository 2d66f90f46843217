import type { Exchange, Stored } from '../exchange.ts';
import { reload } from '../reload.ts';
import { retrieveObjects } from '../retrieve/retrieve-objects.ts';
import { runsHooks } from '../retrieve/runs-hooks.ts';

/**
 * What the caller is told: a read shows the object as it is retrieved, a write as it is stored now, a deletion as it
 * was. What its references lead to is shown as it is retrieved.
 */
export async function giveAnswer(exchange: Stored): Promise<void> {
  await reload(exchange);
  const { cause, context, id, isForScript, isUnchanged, object, platform, request, rev, stored, type } =
    exchange;
  const isStored = isUnchanged || request.method === 'read' || request.method === 'delete';
  const shown = isStored && stored !== null ? { ...stored, id } : { id, rev, data: object };
  const runs = await runsHooks(platform, context, request);
  const [answer] = await retrieveObjects(
    {
      platform,
      context,
      type,
      request: cause,
      fields: request.fields,
      runsHooks: runs && request.method === 'read',
      runsHooksOfOthers: runs,
      isForScript,
    },
    [shown],
  );
  exchange.answer = answer ?? null;
}
giveAnswer.always = true as const;
giveAnswer.applies = ({ edit }: Exchange) => edit === null;
