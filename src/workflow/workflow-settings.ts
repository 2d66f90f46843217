import { isAbsolute, join } from 'node:path';
import type { WorkflowConfig } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import { ServiceUnavailableError } from '#errors/index.ts';
import type { MailSettings } from './mail/index.ts';
import type { WorkflowSettings } from './workflow-platform.ts';

/**
 * What `workflow.json` says to a process engine.
 *
 * @throws ServiceUnavailableError `WORKFLOW_INACTIVE` when it cannot be meant; InternalServerError `WORKFLOW_UNBOUND`
 *   when there is nobody to ask, `WORKFLOW_NO_DATA_SOURCE` when there is nowhere to keep anything
 */
export function requireEngine({ binding, ...settings }: WorkflowConfig): WorkflowSettings {
  if ('error' in binding) throw binding.error();
  return { ...settings, history: binding.history };
}

/** How mail leaves; the password is decrypted. */
export async function openMailSettings({ mail }: WorkflowConfig, crypto: Crypto): Promise<MailSettings> {
  const { password, ...settings } = mail;
  const plain = password === undefined ? null : await crypto.decrypt(password);
  return { ...settings, password: plain === null ? undefined : String(plain) };
}

/** Why workflow could not be activated; undefined also while it is active with nothing to work on. */
export function workflowInactive({ binding }: WorkflowConfig): string | undefined {
  const error = 'error' in binding ? binding.error() : undefined;
  return error instanceof ServiceUnavailableError ? error.message : undefined;
}

/** The directory of process files; undefined while nothing may be deployed. */
export function workflowDirectory(
  { binding, workflowDirectory: directory }: WorkflowConfig,
  projectLocation: string,
): string | undefined {
  if ('error' in binding) return undefined;
  return isAbsolute(directory) ? directory : join(projectLocation, directory);
}
