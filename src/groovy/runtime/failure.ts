import { castError } from './casting.ts';
import { classNamed } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { resourceExceptionOf } from './statics/exception-statics.ts';
import { toText } from './text.ts';
import { exception, nullPointer, Throwable } from './throwable.ts';
import { classNameOf } from './type-of.ts';

/** Errors of the engine that a script must not catch: the end of its memory or time. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.message === 'out of memory' ||
      error.message === 'string too long' ||
      error.message === 'interrupted')
  );
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof Error && /stack overflow|call stack/i.test(error.message);
}

/** What a `catch` sees of whatever was thrown. */
export function caught(error: unknown): Throwable {
  if (error instanceof Throwable) return error;
  if (isFinal(error)) throw error;
  if (isStackOverflow(error)) return exception('java.lang.StackOverflowError', null);
  const {
    code,
    reason,
    message,
    detail,
  }: Partial<Record<'code' | 'reason' | 'message' | 'detail', unknown>> =
    typeof error === 'object' && error !== null ? error : {};
  if (typeof code === 'number') {
    const failure = resourceExceptionOf(
      code,
      String(reason ?? ''),
      message === undefined ? null : String(message),
    );
    failure.fields['detail'] = hostValues.toGroovy(detail);
    failure.origin = error;
    return failure;
  }
  const failure = new Throwable(classNamed('java.lang.RuntimeException'), String(message ?? error));
  failure.origin = error;
  return failure;
}

/** Filled in by whoever knows how values of the host become Groovy's. */
export const hostValues = {
  toGroovy: (value: unknown): unknown => value ?? null,
  toJson: (value: unknown): unknown => value,
};

/**
 * What `throw value` throws. A map with a code is the error with that status, as scripts in JavaScript throw it: the
 * original can throw nothing but exceptions.
 */
export function thrown(value: unknown): unknown {
  if (value instanceof Throwable) return value;
  if (value instanceof JavaMap) {
    const code = value.get('code');
    if (typeof code === 'number') return statusError(code, value);
  }
  if (value === null) return nullPointer('Cannot throw exception null');
  if (value instanceof JavaMap) return castError(value, classNamed('java.lang.Throwable'));
  return exception(
    'java.lang.ClassCastException',
    `class ${classNameOf(value)} cannot be cast to class java.lang.Throwable`,
  );
}

function statusError(code: number, facts: JavaMap): Throwable {
  const message = facts.get('message');
  const failure = resourceExceptionOf(code, '', message === null ? null : toText(message));
  if (facts.has('detail')) failure.fields['detail'] = facts.get('detail');
  return failure;
}

export function assertionFailed(text: string, message?: unknown): Throwable {
  if (message === undefined) {
    return exception('org.codehaus.groovy.runtime.powerassert.PowerAssertionError', `assert ${text}`);
  }
  return exception('java.lang.AssertionError', `${toText(message)}. Expression: ${text}`);
}
