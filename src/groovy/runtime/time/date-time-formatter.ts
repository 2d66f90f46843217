import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaObject } from '../values.ts';
import { DATE_TIME_LETTERS, splitPattern } from './date-pattern.ts';
import { formatIso, formatPattern } from './format-date-time.ts';
import { parseIso, parsePattern } from './parse-date-time.ts';
import { momentIn, type Temporal, type TemporalKind } from './temporal.ts';
import type { Zone } from './zone.ts';

const DATE_TIME_FORMATTER_CLASS = classNamed('java.time.format.DateTimeFormatter');

/** Either a pattern of letters, or one of the ISO forms by its name. */
export class DateTimeFormatter extends JavaObject {
  readonly type: JavaClass = DATE_TIME_FORMATTER_CLASS;
  readonly pattern: string;
  readonly isIso: boolean;
  readonly zone: Zone | undefined;

  constructor(pattern: string, isIso = false, zone?: Zone) {
    super();
    this.pattern = pattern;
    this.isIso = isIso;
    this.zone = zone;
    if (!isIso) splitPattern(pattern, DATE_TIME_LETTERS);
  }

  format(given: Temporal): string {
    const value = this.#inZone(given);
    if (this.isIso) return formatIso(value, this.pattern);
    return formatPattern(value, this.pattern);
  }

  #inZone(value: Temporal): Temporal {
    const isMoment = value.kind === 'Instant' || value.hasOffset;
    if (this.zone === undefined || !isMoment) return value;
    const { epochMs } = value;
    return momentIn(
      'ZonedDateTime',
      epochMs,
      value.nanos % 1_000_000,
      this.zone.offsetAt(epochMs),
      this.zone,
    );
  }

  parse(text: string, kind: TemporalKind): Temporal {
    return this.isIso
      ? parseIso(text, kind, this.pattern === 'BASIC_ISO_DATE')
      : parsePattern(text, this.pattern, kind, this.zone);
  }
}
