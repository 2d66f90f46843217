/**
 * Clients that are remembered; a flood of addresses must not fill the memory. A map, because an `LRUCache` of that size takes
 * its megabyte before anybody has come.
 */
const MOST_CLIENTS = 50_000;
const MINUTE_MS = 60_000;

interface Bucket {
  left: number;
  at: number;
}

/**
 * Requests a minute for each client of this node: a bucket of a minute's worth that fills up steadily, so that a short
 * burst is fine.
 */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now milliseconds that never go back */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Whether one more would pass; takes nothing. */
  has(client: string): boolean {
    return this.#leftOf(client, this.#now()) >= 1;
  }

  /** @returns 0 when the request may pass, else the seconds to wait */
  take(client: string): number {
    const now = this.#now();
    const bucket = { left: this.#leftOf(client, now), at: now };
    // The map keeps the order of insertion, so whoever was quiet longest stands first.
    this.#buckets.delete(client);
    this.#buckets.set(client, bucket);
    if (this.#buckets.size > MOST_CLIENTS) this.#buckets.delete(this.#buckets.keys().next().value!);
    if (bucket.left < 1) return Math.ceil((((1 - bucket.left) / this.#perMinute) * MINUTE_MS) / 1000);
    bucket.left -= 1;
    return 0;
  }

  #leftOf(client: string, now: number): number {
    const bucket = this.#buckets.get(client);
    if (bucket === undefined) return this.#perMinute;
    return Math.min(this.#perMinute, bucket.left + ((now - bucket.at) / MINUTE_MS) * this.#perMinute);
  }
}
