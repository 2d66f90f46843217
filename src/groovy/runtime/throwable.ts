import { classNamed, type JavaClass } from './java-class.ts';

/** Everything that scripts throw, of built-in classes and of their own. */
export class Throwable extends Error {
  readonly type: JavaClass;
  detailMessage: string | null;
  causedBy: Throwable | null;
  /** The fields of classes that scripts declare, and the extras of some built-in ones. */
  readonly fields: Record<string, unknown> = Object.create(null);
  /** What the host threw, when this stands for it. */
  origin: unknown;
  readonly suppressed: unknown[] = [];

  constructor(type: JavaClass, message: string | null = null, cause: Throwable | null = null) {
    super(message ?? '');
    this.type = type;
    this.detailMessage = message;
    this.causedBy = cause;
  }
}

/** An exception of a built-in class, to be thrown. */
export function exception(className: string, message: string | null): Throwable {
  return new Throwable(classNamed(className), message);
}

export function illegalArgument(message: string): Throwable {
  return exception('java.lang.IllegalArgumentException', message);
}

export function unsupported(message: string | null = null): Throwable {
  return exception('java.lang.UnsupportedOperationException', message);
}

export function outOfBounds(message: string): Throwable {
  return exception('java.lang.IndexOutOfBoundsException', message);
}

export function nullPointer(message: string | null = null): Throwable {
  return exception('java.lang.NullPointerException', message);
}

export function concurrentModification(): Throwable {
  return exception('java.util.ConcurrentModificationException', null);
}

export function noSuchElement(message: string | null = null): Throwable {
  return exception('java.util.NoSuchElementException', message);
}

/** An argument that no overload of the method takes; the dispatcher turns it into a MissingMethodException. */
export class BadArgument {}

export function badArgument(): BadArgument {
  return new BadArgument();
}
