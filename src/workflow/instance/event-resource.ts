import { BadRequestError, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  bodyOf,
  listMember,
  type SingletonProvider,
  textMember,
} from '#resource/index.ts';
import { isOrdinary } from '../identity/sender.ts';
import { givenVariables } from '../variable/variable.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { beginStep } from './begin-step.ts';
import { deliverMessage, deliverSignal } from './deliver-event.ts';

const EVENT: JsonObject = {
  name: textMember('Of the message or signal'),
  variables: { type: 'object', description: 'What it brings' },
};

/**
 * `/workflow/message`: the action `send` with `{ name, processInstanceId?, variables? }` hands a message to one
 * receiver: the instance named, else the one that has waited longest, else a start event.
 */
export function messageResource(platform: WorkflowPlatform): SingletonProvider {
  return {
    description: { title: 'Message to processes' },
    actions: new ActionTable({
      send: {
        does: 'Hands the message `name`, with its `variables`, to the one that waits for it',
        takes: bodyOf({ ...EVENT, processInstanceId: textMember('The instance that is meant') }, 'name'),
        answers: bodyOf({ processInstanceId: { type: 'string' } }, 'processInstanceId'),
        runsScripts: true,
        async run(context, request) {
          const { name, variables, content } = readEvent(request.content);
          const instance = content['processInstanceId'];
          if (instance !== undefined && instance !== null && typeof instance !== 'string') {
            throw badField('processInstanceId', 'a text');
          }
          const step = beginStep(platform, context);
          const received = await deliverMessage(step, name, variables, instance ?? undefined);
          if (received === undefined) {
            throw new NotFoundError(`Nobody waits for the message '${name}'`, {
              id: 'WORKFLOW_NO_WAIT',
              hint: 'Look at what an instance waits for: processinstance/<id>?_fields=waitsFor',
            });
          }
          return actionResult({ processInstanceId: received });
        },
      },
    }),
  };
}

/**
 * `/workflow/signal`: the action `send` with `{ name, variables? }` hands a signal to everybody who waits for it. One
 * that is busy gets it as soon as it is free.
 */
export function signalResource(platform: WorkflowPlatform): SingletonProvider {
  return {
    description: { title: 'Signal to processes' },
    actions: new ActionTable({
      send: {
        does: 'Hands the signal `name`, with its `variables`, to everybody who waits for it',
        takes: bodyOf(EVENT, 'name'),
        answers: bodyOf({ processInstanceIds: listMember({ type: 'string' }) }, 'processInstanceIds'),
        runsScripts: true,
        async run(context, request) {
          const { name, variables } = readEvent(request.content);
          // It reaches processes that its sender has never heard of, so their forms cannot say what it may bring.
          if (isOrdinary(context) && Object.keys(variables).length > 0) throw notForAll(name);
          const received = await deliverSignal(beginStep(platform, context), name, variables);
          return actionResult({ processInstanceIds: received });
        },
      },
    }),
  };
}

function notForAll(name: string): BadRequestError {
  return new BadRequestError(`Only administrators send variables with a signal such as '${name}'`, {
    id: 'WORKFLOW_NOT_WRITABLE',
    field: '/variables',
    hint: 'A message goes to one process, which says what it takes',
  });
}

function readEvent(content: JsonValue): { name: string; variables: JsonObject; content: JsonObject } {
  const given = isObject(content) ? content : {};
  const { name, variables = {} } = given;
  if (typeof name !== 'string' || name === '') throw badField('name', 'a text');
  if (!isObject(variables)) throw badField('variables', 'an object');
  return { name, variables: givenVariables(variables), content: given };
}

function badField(field: string, what: string): BadRequestError {
  return new BadRequestError(`${field} must be ${what}`, { id: 'WORKFLOW_BAD_FIELD', field: `/${field}` });
}
