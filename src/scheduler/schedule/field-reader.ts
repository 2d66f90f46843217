import { SCHEDULE_FLAGS } from '#config/index.ts';
import { BadRequestError, didYouMean, factsOf } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';

/**
 * Reads the fields of a schedule. What is wrong with one does not hide what is wrong with another: all of it is told
 * at once, at the end.
 */
export class FieldReader {
  readonly #json: JsonObject;
  readonly #mistakes: BadRequestError[] = [];

  constructor(json: JsonObject) {
    this.#json = json;
  }

  /** @param otherwise what to go on with, to find what else is wrong */
  attempt<T>(read: () => T, otherwise: T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof BadRequestError)) throw error;
      this.#mistakes.push(error);
      return otherwise;
    }
  }

  /** @throws BadRequestError the first mistake, with all of them in `detail.mistakes` where there are several */
  finish(): void {
    const [first, ...others] = this.#mistakes;
    if (first === undefined) return;
    if (others.length === 0) throw first;
    const mistakes = this.#mistakes.map((mistake) => {
      const { id: _, ...facts } = factsOf(mistake);
      return { message: mistake.message, ...facts };
    });
    throw new BadRequestError(first.message, {
      detail: { ...(isObject(first.detail) ? first.detail : {}), mistakes },
      cause: first,
    });
  }

  flag(field: keyof typeof SCHEDULE_FLAGS, byDefault: boolean = SCHEDULE_FLAGS[field]): boolean {
    const value = this.#json[field] ?? byDefault;
    if (typeof value === 'boolean') return value;
    const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
    if (text === 'true' || text === 'false') return text === 'true';
    return this.#refuse(byDefault, field, value, 'not a boolean', 'Write true or false');
  }

  /** A number may come as the text of one, as references to properties do. */
  wholeNumber(field: string, byDefault: number, [min, max]: readonly [number, number], hint: string): number {
    const value = this.#json[field] ?? byDefault;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (Number.isSafeInteger(number) && Number(number) >= min && Number(number) <= max) return Number(number);
    return this.#refuse(byDefault, field, value, '', hint);
  }

  text(field: string): string | null {
    const value = this.#json[field] ?? null;
    if (value === null || typeof value === 'string') return value;
    return this.#refuse(null, field, value, 'not a text');
  }

  objectOrNull(field: string): JsonObject | null {
    const value = this.#json[field] ?? null;
    if (value === null || isObject(value)) return value;
    return this.#refuse(null, field, value, 'not an object');
  }

  oneOf<T extends string>(field: string, legal: readonly T[], byDefault: T, ignoreCase = false): T {
    const value = this.text(field) ?? '';
    if (value.trim() === '') return byDefault;
    const found = legal.find((each) => each === (ignoreCase ? value.toLowerCase() : value));
    if (found !== undefined) return found;
    const hint = didYouMean(value, legal) ?? `One of ${legal.join(', ')} is expected`;
    return this.attempt(() => {
      throw refuse(field, `${field} is '${value}'`, hint);
    }, byDefault);
  }

  #refuse<T>(otherwise: T, field: string, value: JsonValue, what: string, hint?: string): T {
    const message = `${field} is ${JSON.stringify(value)}${what === '' ? '' : `, ${what}`}`;
    return this.attempt(() => {
      throw refuse(field, message, hint);
    }, otherwise);
  }
}

export function refuse(field: string, message: string, hint?: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'SCHED_INVALID',
    field: `/${field}`,
    ...(hint === undefined ? {} : { hint }),
  });
}
