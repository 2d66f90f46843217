import { toInt } from '../arithmetic.ts';
import { classNamed, findClass } from '../java-class.ts';
import { defineMethods, defineStatics, lateStatics, staticMethods } from '../method-table.ts';
import { toText } from '../text.ts';
import { Throwable } from '../throwable.ts';
import { isNumeric } from '../values.ts';
import '../core-classes.ts';

/** `new SomeException(message, cause)`, each of which may be left out. */
function make(className: string, first?: unknown, second?: unknown): Throwable {
  const type = classNamed(className);
  const cause = first instanceof Throwable ? first : second instanceof Throwable ? second : null;
  const text =
    first instanceof Throwable ? toText(first) : first === undefined || first === null ? null : toText(first);
  return new Throwable(type, text, cause);
}

const throwable = classNamed('java.lang.Throwable');

/** Every exception can be made, and most need nothing else. */
lateStatics.find = (className) => {
  if (findClass(className)?.isSubclassOf(throwable) !== true) return undefined;
  defineStatics(className, {
    'new/0-4': (first?: unknown, second?: unknown) => make(className, first, second),
  });
  return staticMethods(className);
};

function detail(error: Throwable): unknown {
  return error.fields['detail'] ?? null;
}

const STATUS: Readonly<Record<string, readonly [number, string]>> = {
  BadRequestException: [400, 'Bad Request'],
  ForbiddenException: [403, 'Forbidden'],
  NotFoundException: [404, 'Not Found'],
  ConflictException: [409, 'Conflict'],
  PreconditionFailedException: [412, 'Precondition Failed'],
  PreconditionRequiredException: [428, 'Precondition Required'],
  InternalServerErrorException: [500, 'Internal Server Error'],
  NotSupportedException: [501, 'Not Implemented'],
  ServiceUnavailableException: [503, 'Service Unavailable'],
  RetryableException: [503, 'Service Unavailable'],
  PermanentException: [500, 'Internal Server Error'],
  UncategorizedException: [500, 'Internal Server Error'],
};
const RESOURCE = 'org.forgerock.json.resource';

function resourceException(
  className: string,
  code: number,
  reason: string,
  message: string | null,
): Throwable {
  const failure = new Throwable(classNamed(`${RESOURCE}.${className}`), message);
  failure.fields['code'] = code;
  failure.fields['reason'] = reason;
  failure.fields['detail'] = null;
  return failure;
}

const REASONS: Readonly<Record<number, string>> = {
  ...Object.fromEntries(Object.values(STATUS)),
  401: 'Unauthorized',
  402: 'Payment Required',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  410: 'Gone',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** The class that stands for a status, so that scripts can catch it by name. */
export function resourceExceptionOf(code: number, reason: string, message: string | null): Throwable {
  const found = Object.entries(STATUS).find(([, [status]]) => status === code);
  return resourceException(found?.[0] ?? 'ResourceException', code, reason, message);
}

for (const [name, [code, reason]] of Object.entries(STATUS)) {
  defineStatics(`${RESOURCE}.${name}`, {
    'new/0-2': (first?: unknown, second?: unknown) => {
      const made = make(`${RESOURCE}.${name}`, first, second);
      const failure = resourceException(name, code, reason, made.detailMessage ?? reason);
      failure.causedBy = made.causedBy;
      return failure;
    },
  });
}

function ofCode(code: unknown, message?: unknown, cause?: unknown): Throwable {
  const status = isNumeric(code) ? toInt(code) : 500;
  const reason = REASONS[status] ?? 'Unknown';
  const failure = resourceException(
    'ResourceException',
    status,
    reason,
    message === undefined || message === null ? reason : toText(message),
  );
  if (cause instanceof Throwable) failure.causedBy = cause;
  return failure;
}

/** The class that stands for the status, such as NotFoundException. */
function namedByCode(code: unknown, message?: unknown, cause?: unknown): Throwable {
  const { fields, detailMessage, causedBy } = ofCode(code, message, cause);
  const failure = resourceExceptionOf(Number(fields['code']), String(fields['reason']), detailMessage);
  failure.causedBy = causedBy;
  return failure;
}

defineStatics(
  `${RESOURCE}.ResourceException`,
  {
    'new/1-3': ofCode,
    'newResourceException/1-3': namedByCode,
    'getException/1-3': namedByCode,
  },
  {
    BAD_REQUEST: 400,
    FORBIDDEN: 403,
    NOT_FOUND: 404,
    CONFLICT: 409,
    VERSION_MISMATCH: 412,
    VERSION_REQUIRED: 428,
    INTERNAL_ERROR: 500,
    NOT_SUPPORTED: 501,
    UNAVAILABLE: 503,
  },
);
defineMethods(`${RESOURCE}.ResourceException`, 'java.lang.Throwable', {
  'getCode/0': (self: Throwable) => self.fields['code'],
  'getReason/0': (self: Throwable) => self.fields['reason'],
  'getDetail/0': detail,
  'setDetail/1': (self: Throwable, value: unknown) => {
    self.fields['detail'] = value;
    return self;
  },
  'setReason/1': (self: Throwable, value: unknown) => {
    self.fields['reason'] = toText(value);
    return self;
  },
  'isServerError/0': (self: Throwable) => Number(self.fields['code']) >= 500,
});

for (const name of ['org.flowable.engine.delegate.BpmnError', 'org.activiti.engine.delegate.BpmnError']) {
  defineStatics(name, {
    'new/1-2': (code: unknown, message?: unknown) => {
      const failure = make(name, message ?? code);
      failure.fields['errorCode'] = toText(code);
      return failure;
    },
  });
  defineMethods(name, 'java.lang.Throwable', {
    'getErrorCode/0': (self: Throwable) => self.fields['errorCode'],
  });
}
