/** Lines of callers, who take turns. When there is no more room, whoever has most waiting gives way. */
export class Lane<Item> {
  readonly #most: number;
  /** The order of the map is that in which the turns come. */
  readonly #lines = new Map<string, Item[]>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** How many wait of this caller. */
  lengthOf(caller: string): number {
    return this.#lines.get(caller)?.length ?? 0;
  }

  hasRoom(caller: string): boolean {
    return this.#size < this.#most || this.#longest().length > this.lengthOf(caller) + 1;
  }

  /** @returns what gives way */
  add(caller: string, item: Item): Item | undefined {
    let givesWay: Item | undefined;
    if (this.#size >= this.#most) {
      if (!this.hasRoom(caller)) return item;
      givesWay = this.#longest().pop();
      this.#size -= 1;
    }
    this.#lineOf(caller).push(item);
    this.#size += 1;
    return givesWay;
  }

  /** What had its turn already, and could not use it, is the first of its caller again. */
  putBack(caller: string, item: Item): void {
    this.#lineOf(caller).unshift(item);
    this.#size += 1;
  }

  /** @param isTurn leaves out callers who cannot use a turn now; they keep their place */
  take(isTurn: (caller: string) => boolean = () => true): Item | undefined {
    for (const [caller, line] of this.#lines) {
      if (!isTurn(caller)) continue;
      this.#lines.delete(caller);
      const first = line.shift();
      if (first === undefined) continue;
      if (line.length > 0) this.#lines.set(caller, line);
      this.#size -= 1;
      return first;
    }
    return undefined;
  }

  /** All that a caller has waiting, in its order. */
  takeAll(caller: string): readonly Item[] {
    const line = this.#lines.get(caller) ?? [];
    this.#lines.delete(caller);
    this.#size -= line.length;
    return line;
  }

  /** The first of each line, and those behind it, as long as that is over for them. */
  takeOver(isOver: (item: Item) => boolean): readonly Item[] {
    const over: Item[] = [];
    for (const [caller, line] of this.#lines) {
      const waiting = line.findIndex((item) => !isOver(item));
      over.push(...line.splice(0, waiting < 0 ? line.length : waiting));
      if (line.length === 0) this.#lines.delete(caller);
    }
    this.#size -= over.length;
    return over;
  }

  #lineOf(caller: string): Item[] {
    const known = this.#lines.get(caller);
    if (known !== undefined) return known;
    const line: Item[] = [];
    this.#lines.set(caller, line);
    return line;
  }

  #longest(): Item[] {
    let longest: Item[] = [];
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    return longest;
  }
}
