import type { JsonObject } from '#json/index.ts';

/** One way to hash; `value` is the inside of the envelope. */
export interface HashAlgorithm {
  /** The name as the envelope says it. */
  readonly name: string;
  hash(plain: string): Promise<JsonObject>;
  /** Whether it is compared at all: what it asks for is neither damaged nor more than is sensible. */
  takes(value: JsonObject): boolean;
  /** Whether a comparison takes clearly less time than with a hash of ours. */
  isQuick(value: JsonObject): boolean;
  /** Compares in constant time; false as well for an envelope that is damaged or asks for more than is sensible. */
  matches(plain: string, value: JsonObject): Promise<boolean>;
}
