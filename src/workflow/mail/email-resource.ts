import { BadRequestError, errorIdOf, wordsOf } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  bodyOf,
  namesOf,
  type SingletonProvider,
  textMember,
  type WriteContext,
} from '#resource/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';

const TYPES: Readonly<Record<string, 'text' | 'html'>> = { 'text/plain': 'text', 'text/html': 'html' };

const PEOPLE: JsonObject = {
  type: ['array', 'string'],
  description: 'Addresses: a list, or a text with commas',
};
const MAIL = bodyOf({
  from: textMember('By default that of workflow.json'),
  to: PEOPLE,
  cc: PEOPLE,
  bcc: PEOPLE,
  subject: { type: 'string' },
  body: { type: 'string' },
  type: textMember(`One of ${Object.keys(TYPES).join(', ')}, whose rest is left alone`, {
    default: 'text/plain',
  }),
});
const KNOWN = namesOf(MAIL);

/**
 * `/external/email`: the action `send` with `{ to, cc, bcc, from, subject, body, type }`. The mail waits in the transaction of
 * whoever sends it, and leaves after the commit as mail of processes does.
 */
export function emailResource({ mail }: WorkflowPlatform): SingletonProvider {
  const send = async ({ unitOfWork }: WriteContext, content: JsonValue) => {
    const fields = mailFields(content);
    try {
      await mail.send(unitOfWork, 'external/email', fields);
    } catch (error) {
      if (errorIdOf(error) !== 'WORKFLOW_BAD_MAIL') throw error;
      throw new BadRequestError(wordsOf(error), { id: 'EMAIL_BAD', cause: error });
    }
    return actionResult({ status: 'OK', message: 'Email sent' });
  };
  const does =
    'Sends the mail of the body after the commit: `to`, `subject`, `body` and `type`, and `cc`, `bcc`, `from`';
  return {
    description: { title: 'Mail' },
    actions: new ActionTable({
      send: {
        does,
        takes: MAIL,
        answers: bodyOf({ status: { const: 'OK' }, message: { type: 'string' } }, 'status'),
        run: (context, request) => send(context, request.content),
      },
      sendEmail: { does, isDescribed: false, run: (context, request) => send(context, request.content) },
    }),
  };
}

/** The content as the fields of a mail task. @throws BadRequestError for what would be left out of the mail */
function mailFields(content: JsonValue): JsonObject {
  const given = isObject(content) ? content : {};
  const unknown = Object.keys(given).find((name) => !KNOWN.includes(name) && !name.startsWith('_'));
  if (unknown !== undefined) {
    throw new BadRequestError(`A mail has no '${unknown}'`, {
      id: 'EMAIL_BAD',
      field: `/${unknown}`,
      hint: `There are ${KNOWN.join(', ')}`,
    });
  }
  const { from, subject, body, type = 'text/plain' } = given;
  const kind = TYPES[String(type).split(';')[0]!.trim().toLowerCase()];
  if (kind === undefined) {
    throw new BadRequestError(`The type of a mail is '${String(type).slice(0, 80)}'`, {
      id: 'EMAIL_BAD',
      field: '/type',
      hint: `There are ${Object.keys(TYPES).join(' and ')}`,
    });
  }
  return {
    ...(from === undefined ? {} : { from }),
    to: listed(given['to']),
    cc: listed(given['cc']),
    bcc: listed(given['bcc']),
    subject: subject ?? '',
    [kind]: body ?? '',
  };
}

/** A list, or a text with commas. */
function listed(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value;
  return String(value ?? '')
    .split(/[,;]/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
