import {
  type AddressGuard,
  type IncomingResponse,
  type OutgoingRequest,
  sendRequest,
} from '#egress/index.ts';
import { InternalServerError, wordsOf } from '#errors/index.ts';
import { getMember, type JsonValue, shownAddress } from '#json/index.ts';
import { addressIn, BpmnError, type DelegateCall, headerLines } from '../engine/index.ts';
import { toText } from '../expression/index.ts';
import { FRAMING, NAME, VALUE } from './header-rules.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const DEFAULT_TIMEOUT_MS = 5_000;
/** The instance is locked meanwhile. */
const MAX_TIMEOUT_MS = 60_000;

/**
 * Runs a task of type `http`. Fields: `requestMethod`, `requestUrl`, `requestHeaders` (lines), `requestBody`,
 * `requestTimeout` (ms), `disallowRedirects`, `failStatusCodes` and `handleStatusCodes` (such as `404, 5XX`;
 * the former fail the step, the latter are BPMN errors `HTTP404`), `ignoreException`, `responseVariableName`,
 * `saveResponseVariableAsJson`, `saveResponseParameters`, `saveResponseParametersTransient`,
 * `saveRequestVariables`, `resultVariablePrefix` (the id of the task).
 *
 * The other side is told under which transaction it is asked.
 *
 * @throws BpmnError; what `sendRequest` throws; InternalServerError `WORKFLOW_HTTP_STATUS`, `WORKFLOW_HTTP_TASK`
 */
export async function runHttpTask(
  call: DelegateCall,
  guard: AddressGuard,
  transactionId: string,
): Promise<void> {
  const { element, execution } = call;
  const field = (name: string): string => toText(getMember(call.fields, name) ?? null).trim();
  const flag = (name: string): boolean => field(name).toLowerCase() === 'true';
  const prefix = field('resultVariablePrefix') || element;
  const save = (name: string, value: JsonValue): void => {
    if (flag('saveResponseParametersTransient')) execution.setTransientVariable(name, value);
    else execution.setVariable(name, value);
  };
  const asked = readRequest(call, field, flag);
  const request = { ...asked, headers: { 'X-Svc-TransactionId': transactionId, ...asked.headers } };
  if (flag('saveRequestVariables')) {
    execution.setVariable(`${prefix}RequestMethod`, request.method);
    execution.setVariable(`${prefix}RequestUrl`, request.url);
    execution.setVariable(`${prefix}RequestBody`, request.body);
  }
  let response: IncomingResponse;
  try {
    response = await sendRequest(request, guard);
  } catch (error) {
    if (!flag('ignoreException')) throw error;
    save(`${prefix}ErrorMessage`, wordsOf(error));
    return;
  }
  const { status, body } = response;
  if (matches(status, field('handleStatusCodes'))) {
    throw new BpmnError(
      `HTTP${status}`,
      `'${shownAddress(request.url)}' answered ${status} ${response.reason}`,
    );
  }
  if (matches(status, field('failStatusCodes'))) {
    throw new InternalServerError(
      `'${shownAddress(request.url)}' of '${element}' answered ${status} ${response.reason}`,
      {
        id: 'WORKFLOW_HTTP_STATUS',
        detail: { element, status },
      },
    );
  }
  const isJson = flag('saveResponseVariableAsJson');
  save(field('responseVariableName') || `${prefix}ResponseBody`, isJson ? parseBody(call, body) : body);
  if (!flag('saveResponseParameters')) return;
  save(`${prefix}ResponseProtocol`, response.protocol);
  save(`${prefix}ResponseStatusCode`, status);
  save(`${prefix}ResponseReason`, response.reason);
  save(
    `${prefix}ResponseHeaders`,
    Object.entries(response.headers)
      .map(([name, value]) => `${name}: ${String(value)}`)
      .join('\n'),
  );
}

function readRequest(
  call: DelegateCall,
  field: (name: string) => string,
  flag: (name: string) => boolean,
): OutgoingRequest {
  const method = (field('requestMethod') || 'GET').toUpperCase();
  if (!METHODS.includes(method))
    throw bad(call, `has the method '${method}'`, `Use one of ${METHODS.join(', ')}`);
  const { url, misplaced } = addressIn(getMember(call.fields, 'requestUrl'));
  if (url === '') throw bad(call, 'has no requestUrl');
  if (misplaced !== null) {
    throw bad(
      call,
      `has the value '${misplaced.slice(0, 80)}' in its requestUrl, which would move its host`,
      'A value within or right behind the host is a piece of it, or begins with /; a variable that is to name the host stands there alone',
    );
  }
  // A URL is read without them, so that they would join what they stand between.
  if (CONTROL.test(url)) throw bad(call, 'has control characters in the requestUrl');
  const timeout = Number(field('requestTimeout') || DEFAULT_TIMEOUT_MS);
  if (!(timeout > 0))
    throw bad(call, `has the requestTimeout '${field('requestTimeout')}'`, 'Use milliseconds');
  const body = getMember(call.fields, 'requestBody') ?? null;
  return {
    method,
    url,
    headers: readHeaders(call),
    body: body === null || body === '' ? null : toText(body),
    timeoutMs: Math.min(timeout, MAX_TIMEOUT_MS),
    followsRedirects: !flag('disallowRedirects'),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;
function readHeaders(call: DelegateCall): Record<string, string> {
  const headers: Record<string, string> = {};
  const names = new Set<string>();
  for (const { name, value } of headerLines(call.fields, 'requestHeaders')) {
    if (value === null || !NAME.test(name)) {
      throw bad(
        call,
        `has the request header '${name.slice(0, 80)}'`,
        'Write lines such as Accept: text/plain',
      );
    }
    if (FRAMING.test(name)) throw bad(call, `has the request header '${name}', which is the server's own`);
    if (names.has(name.toLowerCase())) throw bad(call, `has the request header '${name}' twice`);
    if (!VALUE.test(value)) {
      throw bad(
        call,
        `has a line break, or another character that no header may have, in the request header '${name}'`,
        'A variable gives the value of one header, not further lines; encode what is not Latin-1',
      );
    }
    names.add(name.toLowerCase());
    headers[name] = value.trim();
  }
  return headers;
}

/** Codes between commas; `X` stands for any digit. */
function matches(status: number, codes: string): boolean {
  return codes
    .split(',')
    .map((code) => code.trim().toUpperCase())
    .filter((code) => /^[0-9X]{3}$/.test(code))
    .some((code) => [...code].every((digit, at) => digit === 'X' || digit === String(status)[at]));
}

function parseBody(call: DelegateCall, body: string): JsonValue {
  if (body.trim() === '') return null;
  try {
    return JSON.parse(body);
  } catch {
    throw bad(call, `got an answer that is no JSON: '${body.slice(0, 80)}'`);
  }
}

function bad({ element }: DelegateCall, problem: string, hint?: string): InternalServerError {
  return new InternalServerError(`The http task '${element}' ${problem}`, {
    id: 'WORKFLOW_HTTP_TASK',
    ...(hint === undefined ? {} : { hint }),
    detail: { element },
  });
}
