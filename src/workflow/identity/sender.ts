import { getMember } from '#json/index.ts';
import { type Context, isAdministrator } from '#resource/index.ts';
import type { Reception } from '../form/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';

/** Whether it is neither the server itself nor one of its administrators. */
export function isOrdinary({ client, security }: Pick<Context, 'client' | 'security'>): boolean {
  return client.isExternal && !isAdministrator(security);
}

/** Who sends the variables of a request, for the process with that key, and which names they may not take. */
export function senderOf(
  { settings, delegates, scriptProperties, furtherName }: WorkflowPlatform,
  context: Context,
  key: string,
): Pick<Reception, 'sender' | 'isBound'> {
  // A caller who may deploy another version of the process needs no variable to have it do something else.
  const isTrusted = !isOrdinary(context) || settings().forms.acceptAny.has(key);
  return {
    sender: !context.client.isExternal ? 'server' : isTrusted ? 'trusted' : 'caller',
    isBound: (name) =>
      name === furtherName ||
      delegates.find(name) !== undefined ||
      getMember(scriptProperties(), name) !== undefined,
  };
}
