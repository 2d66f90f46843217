import { getMember } from '#json/index.ts';
import type { Context } from '#resource/index.ts';
import type { Reception } from '../form/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';

/** Whose word the variables of a request are for the process with that key, and which names they may not take. */
export function senderOf(
  { settings, delegates, scriptProperties }: WorkflowPlatform,
  { client, security }: Context,
  key: string,
): Pick<Reception, 'sender' | 'isBound'> {
  // Who may deploy another version of the process needs no variable to have it do something else.
  const isTrusted = security.authorization.roles.includes('svc-admin') || settings().acceptAny.has(key);
  return {
    sender: !client.isExternal ? 'server' : isTrusted ? 'trusted' : 'caller',
    isBound: (name) =>
      delegates.find(name) !== undefined || getMember(scriptProperties(), name) !== undefined,
  };
}
