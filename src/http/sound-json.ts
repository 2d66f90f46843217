import { BadRequestError, PayloadTooLargeError, type ResourceError } from '#errors/index.ts';
import { isObject, type JsonValue, MOST_LEVELS } from '#json/index.ts';
import { isStorableText } from '#resource/index.ts';

/** A body of the largest size may hold so many bytes for each value. Only what is made to cost much has fewer. */
const BYTES_PER_VALUE = 5;
/** How many members one object may have; each name is looked up many times on the way. */
const MOST_MEMBERS = 20_000;

/**
 * Refuses what the parser takes and nobody can keep: it makes infinity of `1e400` and half a character of `\ud800`,
 * and null of the one and a question mark of the other would be stored.
 *
 * @param text that the value was read from
 * @throws ResourceError 400, or 413 for more values than a body of that limit may have
 */
export function requireSound(value: JsonValue, text: string, bodyLimitBytes: number): void {
  // Only an escape can bring such a character: the text itself is UTF-8.
  const look = new Look(bodyLimitBytes / BYTES_PER_VALUE, text.includes('\\u'));
  look.at(value, MOST_LEVELS);
}

class Look {
  readonly #mostValues: number;
  readonly #mayHoldHalves: boolean;
  #values = 0;

  constructor(mostValues: number, mayHoldHalves: boolean) {
    this.#mostValues = Math.floor(mostValues);
    this.#mayHoldHalves = mayHoldHalves;
  }

  at(value: JsonValue, levelsLeft: number): void {
    this.#values += 1;
    if (this.#values > this.#mostValues) throw tooMany(this.#mostValues);
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw notFinite();
    } else if (typeof value === 'string') {
      this.#text(value);
    } else if (Array.isArray(value)) {
      for (const element of value) this.#member(element, levelsLeft);
    } else if (isObject(value)) {
      const members = Object.entries(value);
      if (members.length > MOST_MEMBERS) throw tooMany(MOST_MEMBERS, 'members in one object');
      for (const [name, member] of members) {
        this.#text(name);
        this.#member(member, levelsLeft);
      }
    }
  }

  #member(value: JsonValue, levelsLeft: number): void {
    if (levelsLeft === 0) throw tooDeep();
    this.at(value, levelsLeft - 1);
  }

  #text(text: string): void {
    if (this.#mayHoldHalves && !isStorableText(text)) throw unstorable();
  }
}

function tooMany(most: number, what = 'values'): ResourceError {
  return new PayloadTooLargeError(`The request body has more than ${most} ${what}`, {
    id: 'HTTP_TOO_MANY_VALUES',
    hint: 'Send less at once',
  });
}

function tooDeep(): ResourceError {
  return new BadRequestError(`The request body is nested deeper than ${MOST_LEVELS} levels`, {
    id: 'HTTP_TOO_DEEP',
  });
}

function notFinite(): ResourceError {
  return new BadRequestError('The request body has a number beyond the range of a double', {
    id: 'HTTP_BAD_NUMBER',
    hint: `Numbers reach from -${Number.MAX_VALUE} to ${Number.MAX_VALUE}; send a larger one as text`,
  });
}

function unstorable(): ResourceError {
  return new BadRequestError(
    'The request body has a character that cannot be stored (NUL, or half a character)',
    { id: 'HTTP_BAD_TEXT' },
  );
}
