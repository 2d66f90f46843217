import { isAbsolute, join } from 'node:path';
import type { WorkflowConfig } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import { didYouMean, InternalServerError, ServiceUnavailableError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { HISTORY_LEVELS } from './history/history-level.ts';
import type { MailSettings } from './mail/index.ts';
import type { WorkflowSettings } from './workflow-platform.ts';

/**
 * What `workflow.json` means.
 *
 * @throws ServiceUnavailableError `WORKFLOW_INACTIVE` when it cannot be meant; InternalServerError `WORKFLOW_UNBOUND`
 *   when there is nobody to ask, `WORKFLOW_NO_DATA_SOURCE` when there is nowhere to keep anything
 */
export function readWorkflowSettings(config: WorkflowConfig): WorkflowSettings {
  const { location, history, useDataSource } = config;
  if (location === 'local') {
    throw new InternalServerError('No process engine is bound: workflow.json has the location "local"', {
      id: 'WORKFLOW_UNBOUND',
      hint: 'Use the location "embedded"',
    });
  }
  if (location === 'remote') {
    throw inactive('the location "remote", which does not work', 'Use the location "embedded"');
  }
  const level = HISTORY_LEVELS.find((one) => one === history);
  if (level === undefined) {
    const hint = didYouMean(history, HISTORY_LEVELS) ?? `Levels are ${HISTORY_LEVELS.join(', ')}`;
    throw inactive(`the unknown history level "${history}"`, hint);
  }
  if (useDataSource !== 'default') {
    throw new InternalServerError(`There is no data source '${useDataSource}'`, {
      id: 'WORKFLOW_NO_DATA_SOURCE',
      hint: 'workflow.json: leave out useDataSource, or write "default"',
    });
  }
  const { validate, acceptAny } = config.forms;
  return {
    history: level,
    validatesForms: (key) => (typeof validate === 'boolean' ? validate : validate.includes(key)),
    acceptAny: new Set(acceptAny),
    maxOpenInstances: config.maxOpenInstances,
    maxCalledInstances: config.maxCalledInstances,
    refusesBadScripts: config.scripts.strict,
  };
}

const THIS_MACHINE = /^(?:localhost|127\..*|::1)$/i;

/** How mail leaves; the password is decrypted. */
export async function readMailSettings({ mail }: WorkflowConfig, crypto: Crypto): Promise<MailSettings> {
  const { host, port, username, password, starttls, from } = mail;
  const plain = password === undefined ? undefined : await crypto.decrypt(password as JsonValue);
  return {
    host,
    port,
    // A password goes to no other machine in the open unless somebody says so.
    starttls: starttls ?? (username !== undefined && !THIS_MACHINE.test(host)),
    from: from ?? 'svc@localhost',
    ...(username === undefined ? {} : { username }),
    ...(plain === undefined || plain === null ? {} : { password: String(plain) }),
  };
}

/** Why workflow could not be activated; undefined also while it is active with nothing to work on. */
export function workflowInactive(config: WorkflowConfig): string | undefined {
  const problem = problemOf(config);
  return problem instanceof ServiceUnavailableError ? problem.message : undefined;
}

/** The directory of process files; undefined while nothing may be deployed. */
export function workflowDirectory(config: WorkflowConfig, projectLocation: string): string | undefined {
  if (problemOf(config) !== undefined) return undefined;
  const { workflowDirectory: directory } = config;
  return isAbsolute(directory) ? directory : join(projectLocation, directory);
}

function problemOf(config: WorkflowConfig): unknown {
  try {
    readWorkflowSettings(config);
    return undefined;
  } catch (error) {
    return error;
  }
}

function inactive(what: string, hint: string): ServiceUnavailableError {
  return new ServiceUnavailableError(`Workflow is inactive: workflow.json has ${what}`, {
    id: 'WORKFLOW_INACTIVE',
    hint,
  });
}
