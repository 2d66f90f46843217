import { isObject, type JsonObject } from '#json/index.ts';

const NAME = Buffer.from('schedule.config');
const SHORT = 0x74;
const LONG = 0x7c;

/**
 * The schedule in a serialised job of Quartz: the text that follows the name `schedule.config` in it, as a short or a long string of
 * Java's serialisation.
 *
 * @param serialized Base64
 * @returns undefined where there is none
 */
export function scheduleIn(serialized: string): JsonObject | undefined {
  const bytes = Buffer.from(serialized, 'base64');
  const at = bytes.indexOf(NAME);
  if (at < 0) return undefined;
  const after = at + NAME.length;
  const [length, begin] =
    bytes[after] === SHORT && after + 3 <= bytes.length
      ? [bytes.readUInt16BE(after + 1), after + 3]
      : bytes[after] === LONG && after + 9 <= bytes.length
        ? [Number(bytes.readBigUInt64BE(after + 1)), after + 9]
        : [0, after];
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8', begin, begin + length));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The id of a schedule in that of its job: what stands behind the name of its group. */
export function scheduleId(jobId: string): string {
  const [, id] = /^.*_\$x\$x\$_(.*)$/s.exec(jobId) ?? [];
  return id ?? jobId;
}
