import { BadRequestError, didYouMean, NotFoundError } from '#errors/index.ts';
import { getMember, type JsonObject } from '#json/index.ts';
import {
  besideOf,
  type Context,
  isAdministrator,
  type Resource,
  resource,
  type WriteContext,
} from '#resource/index.ts';
import { type DefinitionRow, findDefinition, listKeys } from '../definition/definition-repository.ts';
import { unknownDefinition } from '../definition/definitions.ts';
import { latestDefinition } from '../definition/latest-definition.ts';
import { noneStart, type Received, receiveVariables, variableScope } from '../form/index.ts';
import { senderOf } from '../identity/sender.ts';
import { givenVariables, startVariables } from '../variable/variable.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { beginStep } from './begin-step.ts';
import { startInstance } from './start-instance.ts';

/** Starts an instance as a request asks for it: three members of the body say which, all others are variables. */
export async function createInstance(
  platform: WorkflowPlatform,
  context: WriteContext,
  content: JsonObject,
): Promise<Resource> {
  const { _key, _processDefinitionId, _businessKey, ...body } = content;
  const definition = await chooseDefinition(platform, context, content);
  const businessKey = textOf(content, '_businessKey');
  const given = startVariables(givenVariables(body));
  const { instance, outcome } = await startInstance(beginStep(platform, context), definition, {
    ...(await receiveAtStart(platform, context, definition, given)),
    ...(businessKey === undefined ? {} : { businessKey }),
  });
  return resource(instance.id, null, {
    processInstanceId: instance.id,
    status: outcome.state === null ? 'ended' : 'suspended',
    businessKey: instance.businessKey,
    processDefinitionId: definition.id,
  });
}

/** The id wins over the key, which means the latest version. */
async function chooseDefinition(
  platform: WorkflowPlatform,
  context: Context,
  content: JsonObject,
): Promise<DefinitionRow> {
  const db = await besideOf(platform, context);
  const id = textOf(content, '_processDefinitionId');
  const key = textOf(content, '_key');
  if (id !== undefined) {
    const found = await findDefinition(db, id);
    if (found === undefined) throw unknownDefinition(id);
    return found;
  }
  if (key === undefined) {
    throw new BadRequestError('Neither _key nor _processDefinitionId says which process to start', {
      id: 'WORKFLOW_NO_KEY',
      field: '/_key',
    });
  }
  const found = await latestDefinition(db, key);
  if (found !== undefined) return found;
  // Only those who may start all processes are told which there are.
  const mayKnow = !context.client.isExternal || isAdministrator(context.security);
  const hint = mayKnow ? didYouMean(key, await listKeys(db)) : undefined;
  throw new NotFoundError(`There is no process definition with the key '${key}'`, {
    id: 'WORKFLOW_NO_DEFINITION',
    field: '/_key',
    ...(hint === undefined ? {} : { hint }),
  });
}

async function receiveAtStart(
  platform: WorkflowPlatform,
  context: Context,
  { id, key }: DefinitionRow,
  given: JsonObject,
): Promise<Received> {
  const { process } = await platform.definitions.get(await besideOf(platform, context), id);
  return receiveVariables(given, {
    process,
    step: noneStart(process),
    settled: new Set(),
    ...senderOf(platform, context, key),
    checkedIn: platform.settings().forms.validates(key) ? variableScope({}) : undefined,
  });
}

function textOf(content: JsonObject, field: string): string | undefined {
  const value = getMember(content, field);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new BadRequestError(`${field} must be a text, not ${JSON.stringify(value)}`, {
    id: 'WORKFLOW_BAD_FIELD',
    field: `/${field}`,
  });
}
