import { InternalServerError } from '#errors/index.ts';
import { getMember, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { type DelegateCall, headerLines } from '../engine/index.ts';
import { toText } from '../expression/index.ts';
import { type Attachment, type Mail, readAddress } from './mail.ts';

/** The element that sends a mail, and what the mail says. */
export type MailCall = Pick<DelegateCall, 'element' | 'fields'> & {
  readonly execution: Pick<DelegateCall['execution'], 'getVariable'>;
};

const MAX_RECIPIENTS = 200;
/** The most characters of texts and attachments together, as they wait in the queue. */
const MAX_LENGTH = 10_000_000;

const KNOWN_HEADER = /^[A-Za-z][A-Za-z0-9-]{0,75}$/;
/** What the mail itself says; a header of that name would contradict it. */
const OWN_HEADERS =
  /^(from|to|cc|bcc|subject|date|message-id|mime-version|content-.*|return-path|received|dkim-.*)$/i;

/**
 * The mail that a task of type `mail` means. Fields: `to`, `cc`, `bcc` (lists of addresses),
 * `from`, `subject`, `text`, `html`, `textVar` and `htmlVar` (names of variables that hold the text),
 * `headers` (lines `Name: value`), `attachments` (`{ filename, content, contentType?, encoding? }` or a list of
 * them; `encoding` is `text`, the default, or `base64`). A `charset` changes nothing: mail is written in UTF-8.
 *
 * @throws InternalServerError `WORKFLOW_BAD_MAIL`, naming the task and the field
 */
export function composeMail(call: MailCall, defaultFrom: string): Mail {
  const field = (name: string): JsonValue => getMember(call.fields, name) ?? null;
  const text = (name: string): string | null => {
    const value = field(name);
    return value === null || value === '' ? null : toText(value);
  };
  const body = (name: 'text' | 'html'): string | null => {
    const variable = text(`${name}Var`);
    if (variable === null) return text(name);
    const value = call.execution.getVariable(variable) ?? null;
    if (value === null) throw bad(call, `${name}Var names '${variable}', which is no variable`);
    return toText(value);
  };
  const addresses = (name: string) => {
    const value = field(name);
    return (Array.isArray(value) ? value : []).map((each) => oneAddress(call, name, toText(each)));
  };
  const mail: Mail = {
    from: oneAddress(call, 'from', text('from') ?? defaultFrom),
    to: addresses('to'),
    cc: addresses('cc'),
    bcc: addresses('bcc'),
    subject: joinedLines(text('subject') ?? ''),
    text: body('text'),
    html: body('html'),
    headers: readHeaders(call),
    attachments: readAttachments(call, field('attachments')),
  };
  const recipients = mail.to.length + mail.cc.length + mail.bcc.length;
  if (recipients === 0) throw bad(call, 'has no recipient', 'Set one of the fields to, cc, bcc');
  if (recipients > MAX_RECIPIENTS)
    throw bad(call, `has ${recipients} recipients, more than ${MAX_RECIPIENTS}`);
  const length = [mail.text, mail.html, ...mail.attachments.map(({ content }) => content)].reduce(
    (sum, part) => sum + (part?.length ?? 0),
    0,
  );
  if (length > MAX_LENGTH) throw bad(call, `is longer than ${MAX_LENGTH} characters`);
  return mail;
}

function oneAddress(call: MailCall, field: string, text: string): string {
  const address = oneLine(call, `the field ${field}`, text.trim());
  if (readAddress(address) === undefined) {
    throw bad(call, `has the field ${field} with '${address.slice(0, 80)}', which is no address`);
  }
  return address;
}

function joinedLines(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

/** A line break would begin another header. */
function oneLine(call: MailCall, place: string, text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) throw bad(call, `has control characters in ${place}`);
  return text;
}

function readHeaders(call: MailCall): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { name, value } of headerLines(call.fields, 'headers')) {
    if (value === null || !KNOWN_HEADER.test(name) || OWN_HEADERS.test(name)) {
      throw bad(call, `has the header '${name.slice(0, 80)}'`, 'Write lines such as X-Priority: 1');
    }
    const known = Object.keys(headers).some((other) => other.toLowerCase() === name.toLowerCase());
    if (known) throw bad(call, `has the header '${name}' twice`);
    headers[name] = oneLine(call, `the header '${name}'`, value).trim();
  }
  return headers;
}

function readAttachments(call: MailCall, value: JsonValue): Attachment[] {
  if (value === null || value === '') return [];
  return (Array.isArray(value) ? value : [value]).map((each, index) => {
    const content = isObject(each) ? getMember(each, 'content') : undefined;
    if (!isObject(each) || typeof content !== 'string') {
      throw bad(
        call,
        `has an attachment ${index + 1} that is not { filename, content }`,
        'Files and addresses cannot be attached, only content',
      );
    }
    const filename = getMember(each, 'filename') ?? getMember(each, 'name') ?? `attachment-${index + 1}`;
    const type = getMember(each, 'contentType') ?? null;
    const isBase64 = getMember(each, 'encoding') === 'base64';
    return {
      filename: oneLine(call, 'the field attachments', toText(filename)),
      contentType: type === null ? null : oneLine(call, 'the field attachments', toText(type)),
      content: isBase64 ? content : Buffer.from(content).toString('base64'),
    };
  });
}

function bad({ element }: MailCall, problem: string, hint?: string): InternalServerError {
  return new InternalServerError(`The mail of '${element}' ${problem}`, {
    id: 'WORKFLOW_BAD_MAIL',
    ...(hint === undefined ? {} : { hint }),
    detail: { element },
  });
}

/** Whether the process goes on when the mail cannot be composed, and where it finds the reason. */
export function readMailFailurePlan(fields: JsonObject): {
  readonly isIgnored: boolean;
  readonly variable: string | null;
} {
  const variable = getMember(fields, 'exceptionVariableName') ?? null;
  return {
    isIgnored: toText(getMember(fields, 'ignoreException') ?? null).toLowerCase() === 'true',
    variable: variable === null || variable === '' ? null : toText(variable),
  };
}
