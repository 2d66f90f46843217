import { BadRequestError, didYouMean } from '#errors/index.ts';

/**
 * The three-letter ids of Java (`java.time.ZoneId.SHORT_IDS`). They are spelt out because several are not what
 * a reader expects (IST is India, BST is Bangladesh) and because system data may drop them.
 */
const LEGACY_IDS: Readonly<Record<string, string>> = {
  ACT: 'Australia/Darwin',
  AET: 'Australia/Sydney',
  AGT: 'America/Argentina/Buenos_Aires',
  ART: 'Africa/Cairo',
  AST: 'America/Anchorage',
  BET: 'America/Sao_Paulo',
  BST: 'Asia/Dhaka',
  CAT: 'Africa/Harare',
  CNT: 'America/St_Johns',
  CST: 'America/Chicago',
  CTT: 'Asia/Shanghai',
  EAT: 'Africa/Addis_Ababa',
  ECT: 'Europe/Paris',
  EST: 'Etc/GMT+5',
  HST: 'Etc/GMT+10',
  IET: 'America/Indiana/Indianapolis',
  IST: 'Asia/Kolkata',
  JST: 'Asia/Tokyo',
  MIT: 'Pacific/Apia',
  MST: 'Etc/GMT+7',
  NET: 'Asia/Yerevan',
  NST: 'Pacific/Auckland',
  PLT: 'Asia/Karachi',
  PNT: 'America/Phoenix',
  PRT: 'America/Puerto_Rico',
  PST: 'America/Los_Angeles',
  SST: 'Pacific/Guadalcanal',
  VST: 'Asia/Ho_Chi_Minh',
};

const FIXED_OFFSET = /^GMT([+-])([01]\d|2[0-3]):([0-5]\d)$/;
/** Java would turn `GMT+2` into another id, and `Intl` takes `+02:00`, which Java does not know. */
const MALFORMED_OFFSET = /^(?:GMT|UTC|UT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i;

/** The offset in milliseconds that `GMT+hh:mm` or `GMT-hh:mm` means; undefined for any other text. */
export function parseFixedOffset(id: string): number | undefined {
  const match = FIXED_OFFSET.exec(id);
  if (match === null) return undefined;
  const ms = (Number(match[2]) * 60 + Number(match[3])) * 60_000;
  return match[1] === '-' && ms > 0 ? -ms : ms;
}

/** The id under which the system's time-zone data holds this zone; undefined when that cannot be one of Java's. */
export function toSystemId(id: string): string | undefined {
  if (MALFORMED_OFFSET.test(id)) return undefined;
  return LEGACY_IDS[id.toUpperCase()] ?? id;
}

/** Ids of the system in the only spelling that Java knows, by the same in lower case. */
const SPELLING = new Map(Intl.supportedValuesOf('timeZone').map((id) => [id.toLowerCase(), id]));

/** Java minds the case of ids, `Intl` does not. Of other names of a zone only the beginning of each part is known to be a capital. */
export function isSpelledRight(id: string): boolean {
  const known = SPELLING.get(id.toLowerCase());
  return known === undefined ? !/(?:^|\/)[a-z]/.test(id) : known === id;
}

export function unknownTimeZone(id: string): BadRequestError {
  const hint = hintFor(id);
  return new BadRequestError(`Unknown time zone '${id}'`, {
    id: 'SCHED_UNKNOWN_TIME_ZONE',
    ...(hint === undefined ? {} : { hint }),
    detail: { value: id },
  });
}

function hintFor(id: string): string | undefined {
  const trimmed = id.trim();
  if (trimmed === '') return "Name a zone such as 'UTC' or 'Europe/Warsaw'";
  const offset = MALFORMED_OFFSET.exec(trimmed);
  if (offset !== null) {
    const [, sign, hours = '', minutes = '00'] = offset;
    const canonical = `GMT${sign}${hours.padStart(2, '0')}:${minutes}`;
    const suffices = parseFixedOffset(canonical) !== undefined;
    return suffices
      ? `Write a fixed offset as '${canonical}'`
      : 'Fixed offsets go from GMT-23:59 to GMT+23:59';
  }
  if (trimmed.toUpperCase() === 'Z') return "Write 'UTC'";
  // Longer texts are no misspelt zone, and comparing them with every id would cost the caller's CPU.
  if (trimmed.length > 60) return undefined;
  return didYouMean(trimmed, [
    ...Intl.supportedValuesOf('timeZone'),
    'UTC',
    'GMT',
    ...Object.keys(LEGACY_IDS),
  ]);
}
