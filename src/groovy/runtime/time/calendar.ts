import { classNamed, type JavaClass } from '../java-class.ts';
import { illegalArgument } from '../throwable.ts';
import { JavaObject } from '../values.ts';
import { addMonths, type DateFields, dayOfYear, daysIn, fieldsOf, wallOf, weekOf } from './date-fields.ts';
import { DAY, type Zone } from './zone.ts';

const GREGORIAN_CALENDAR_CLASS = classNamed('java.util.GregorianCalendar');

/** Fields of java.util.Calendar, by their numbers. */
export const FIELD = {
  ERA: 0,
  YEAR: 1,
  MONTH: 2,
  WEEK_OF_YEAR: 3,
  WEEK_OF_MONTH: 4,
  DATE: 5,
  DAY_OF_MONTH: 5,
  DAY_OF_YEAR: 6,
  DAY_OF_WEEK: 7,
  DAY_OF_WEEK_IN_MONTH: 8,
  AM_PM: 9,
  HOUR: 10,
  HOUR_OF_DAY: 11,
  MINUTE: 12,
  SECOND: 13,
  MILLISECOND: 14,
  ZONE_OFFSET: 15,
  DST_OFFSET: 16,
} as const;
export const CALENDAR_NAMES = {
  ...FIELD,
  ...Object.fromEntries(
    'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER'
      .split(' ')
      .map((name, at) => [name, at]),
  ),
  ...Object.fromEntries(
    'SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY'.split(' ').map((name, at) => [name, at + 1]),
  ),
  AM: 0,
  PM: 1,
};

/** Fields that say when something is without others. */
const PART: Readonly<Record<number, keyof DateFields>> = {
  [FIELD.YEAR]: 'year',
  [FIELD.MONTH]: 'month',
  [FIELD.DATE]: 'day',
  [FIELD.HOUR_OF_DAY]: 'hour',
  [FIELD.MINUTE]: 'minute',
  [FIELD.SECOND]: 'second',
  [FIELD.MILLISECOND]: 'ms',
};

export class Calendar extends JavaObject {
  readonly type: JavaClass = GREGORIAN_CALENDAR_CLASS;
  zone: Zone;
  firstWeekday = 1;
  leastDays = 1;
  isLenient = true;

  #ms: number;
  /** Fields that were set and make a moment together, when somebody asks for it: the 31st may not be one of the month. */
  #pending: DateFields | undefined;

  constructor(ms: number, zone: Zone) {
    super();
    this.#ms = ms;
    this.zone = zone;
  }

  get ms(): number {
    if (this.#pending !== undefined) {
      const { year, month, day, hour, minute, second, ms } = this.#pending;
      this.wall = wallOf(year, month, day, hour, minute, second, ms);
    }
    return this.#ms;
  }

  set ms(ms: number) {
    this.#pending = undefined;
    this.#ms = ms;
  }

  get wall(): number {
    return this.ms + this.zone.offsetAt(this.ms);
  }

  set wall(wall: number) {
    this.ms = this.zone.instantOf(wall);
  }

  override key(): unknown {
    return `${this.ms} ${this.zone.id}`;
  }

  override compareTo(other: unknown): number | undefined {
    return other instanceof Calendar ? Math.sign(this.ms - other.ms) : undefined;
  }

  get(field: number): number {
    const { wall } = this;
    const fields = fieldsOf(wall);
    switch (field) {
      case FIELD.ERA:
        return 1;
      case FIELD.YEAR:
        return fields.year;
      case FIELD.MONTH:
        return fields.month;
      case FIELD.WEEK_OF_YEAR:
        return weekOf(wall, this.firstWeekday, this.leastDays).week;
      case FIELD.WEEK_OF_MONTH:
        return Math.floor((fields.day + fieldsOf(wallOf(fields.year, fields.month, 1)).weekday - 2) / 7) + 1;
      case FIELD.DATE:
        return fields.day;
      case FIELD.DAY_OF_YEAR:
        return dayOfYear(wall);
      case FIELD.DAY_OF_WEEK:
        return fields.weekday;
      case FIELD.DAY_OF_WEEK_IN_MONTH:
        return Math.floor((fields.day - 1) / 7) + 1;
      case FIELD.AM_PM:
        return fields.hour < 12 ? 0 : 1;
      case FIELD.HOUR:
        return fields.hour % 12;
      case FIELD.HOUR_OF_DAY:
        return fields.hour;
      case FIELD.MINUTE:
        return fields.minute;
      case FIELD.SECOND:
        return fields.second;
      case FIELD.MILLISECOND:
        return fields.ms;
      case FIELD.ZONE_OFFSET:
        return this.zone.offsetAt(this.ms);
      default:
        throw illegalArgument(`Unknown field ${field}`);
    }
  }

  set(field: number, value: number): void {
    const name = PART[field];
    const isDate = name === 'year' || name === 'month' || name === 'day';
    if (name !== undefined && (isDate || this.#pending !== undefined)) {
      this.#pending = { ...(this.#pending ?? fieldsOf(this.wall)), [name]: value };
      return;
    }
    const { year, month, day, hour, minute, second, ms } = fieldsOf(this.wall);
    switch (field) {
      case FIELD.HOUR:
        this.wall = wallOf(year, month, day, (hour >= 12 ? 12 : 0) + value, minute, second, ms);
        break;
      case FIELD.AM_PM:
        this.wall = wallOf(year, month, day, (hour % 12) + value * 12, minute, second, ms);
        break;
      default:
        this.add(field, value - this.get(field));
    }
  }

  add(field: number, count: number): void {
    const { wall } = this;
    switch (field) {
      case FIELD.YEAR:
        this.wall = addMonths(wall, count * 12);
        break;
      case FIELD.MONTH:
        this.wall = addMonths(wall, count);
        break;
      case FIELD.WEEK_OF_YEAR:
      case FIELD.WEEK_OF_MONTH:
      case FIELD.DAY_OF_WEEK_IN_MONTH:
        this.wall = wall + count * 7 * DAY;
        break;
      case FIELD.DATE:
      case FIELD.DAY_OF_YEAR:
      case FIELD.DAY_OF_WEEK:
        this.wall = wall + count * DAY;
        break;
      case FIELD.AM_PM:
        this.wall = wall + (count * DAY) / 2;
        break;
      default: {
        const unit = {
          [FIELD.HOUR]: 3_600_000,
          [FIELD.HOUR_OF_DAY]: 3_600_000,
          [FIELD.MINUTE]: 60_000,
          [FIELD.SECOND]: 1000,
          [FIELD.MILLISECOND]: 1,
        }[field];
        if (unit === undefined) throw illegalArgument(`Unknown field ${field}`);
        this.ms += count * unit;
      }
    }
  }

  /** Moves a field within its bounds; the larger ones stay. */
  roll(field: number, by: number): void {
    if (field === FIELD.YEAR) {
      this.add(field, by);
      return;
    }
    const [least, most] = [this.bound(field, false), this.bound(field, true)];
    const count = most - least + 1;
    const value = ((((this.get(field) - least + by) % count) + count) % count) + least;
    if (field === FIELD.MONTH) this.add(field, value - this.get(field));
    else this.set(field, value);
  }

  bound(field: number, isUpper: boolean): number {
    if (field === FIELD.DATE) return isUpper ? daysIn(this.get(FIELD.YEAR), this.get(FIELD.MONTH)) : 1;
    if (field === FIELD.DAY_OF_YEAR) return isUpper ? dayOfYear(wallOf(this.get(FIELD.YEAR), 11, 31)) : 1;
    const bounds: Readonly<Record<number, readonly [number, number]>> = {
      2: [0, 11],
      7: [1, 7],
      10: [0, 11],
      11: [0, 23],
      12: [0, 59],
      13: [0, 59],
      14: [0, 999],
    };
    const found = bounds[field];
    if (found === undefined) throw illegalArgument(`Unknown field ${field}`);
    return found[isUpper ? 1 : 0];
  }
}
