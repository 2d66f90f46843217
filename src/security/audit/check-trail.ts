import type { AuditKeys, SignatureCheck } from './audit-keys.ts';
import { chainDigest, type Seal, sealText } from './seal.ts';
import { type CheckedEntry, checkEntry, type StoredEntry } from './stored-entry.ts';

export interface TrailFinding {
  readonly kind:
    | 'changed'
    | 'deleted'
    | 'inserted'
    | 'unsigned'
    | 'unknown-key'
    | 'seal'
    | 'chain'
    | 'missing-seals'
    | 'head'
    | 'waiting'
    | 'in-the-way'
    | 'file';
  readonly message: string;
  readonly entry?: string;
  readonly seal?: number;
}

/** More of them are counted only. */
const SHOWN = 100;

/** Looks at one seal after the other, in the order of their numbers, and gathers what does not fit. */
export class TrailChecker {
  readonly #keys: AuditKeys;
  readonly #isPart: boolean;
  /** The last seal of each chain; one with a right signature gives way to no other. */
  readonly #chains = new Map<string, { readonly seal: Seal; readonly isRight: boolean }>();
  /** Entries whose seal is still to come. */
  #waiting: CheckedEntry[] = [];
  readonly findings: TrailFinding[] = [];
  count = 0;
  entries = 0;
  seals = 0;

  /** @param options.isPart chains may begin in their middle */
  constructor(keys: AuditKeys, options: { readonly isPart: boolean }) {
    this.#keys = keys;
    this.#isPart = options.isPart;
  }

  get chains(): number {
    return this.#chains.size;
  }

  find(finding: TrailFinding): void {
    this.count += 1;
    if (this.findings.length < SHOWN) this.findings.push(finding);
  }

  /** An entry, whose seal comes behind it. @returns how many wait for theirs */
  addEntry(entry: StoredEntry): number {
    const { id, topic, recordedAt, signature } = entry;
    const check = checkEntry(this.#keys, entry);
    return this.#waiting.push({ id, topic, recordedAt, signature, check });
  }

  addSeal(seal: Seal): void {
    const entries = Map.groupBy(this.#waiting, ({ id }) => id);
    this.#waiting = [];
    const signatures = seal.ids.map((id) => this.#entry(seal, id, entries.get(id) ?? []));
    this.#seal(seal);
    const isWhole = signatures.every((signature) => signature !== undefined);
    const sealed = seal.ids.map((id, index) => ({ id, signature: signatures[index] ?? null }));
    if (isWhole && chainDigest(seal.previous, sealed) !== seal.digest) {
      this.#say(
        'seal',
        seal,
        'does not fit its entries: one was put in, taken out, exchanged or signed anew',
      );
    }
    for (const id of seal.ids) entries.delete(id);
    for (const id of entries.keys()) {
      const message = `entry ${id} is there, and not in the seal behind it`;
      this.find({ kind: 'inserted', message, entry: id, seal: seal.number });
    }
    this.seals += 1;
  }

  /** A row that no node can have made. @param number as text */
  addUnsound(number: string): void {
    const message = `seal ${number} is none that a node can have made: something in it is larger, or of another time, than in any`;
    this.find({ kind: 'seal', message });
  }

  /** An entry that is in no seal yet; null when it is not there. */
  checkWaiting(id: string, entry: StoredEntry | null): void {
    if (entry !== null) this.#signature({ ...entry, check: checkEntry(this.#keys, entry) }, { entry: id });
    else
      this.find({
        kind: 'deleted',
        message: `entry ${id}, which waits for its seal, was deleted`,
        entry: id,
      });
  }

  /** @returns its signature; undefined when the entry is not there */
  #entry(seal: Seal, id: string, [entry, ...others]: readonly CheckedEntry[]): string | null | undefined {
    if (entry === undefined) {
      this.find({ kind: 'deleted', message: `entry ${id} was deleted`, entry: id, seal: seal.number });
      return undefined;
    }
    this.entries += 1;
    if (others.length > 0) {
      const message = `entry ${id} is there more than once`;
      this.find({ kind: 'inserted', message, entry: id, seal: seal.number });
    }
    this.#signature(entry, { entry: id, seal: seal.number });
    return entry.signature;
  }

  #signature(entry: CheckedEntry, place: { readonly entry: string; readonly seal?: number }): void {
    const { check } = entry;
    const about = `entry ${entry.id} (${entry.topic}, ${entry.recordedAt})`;
    if (check === 'wrong')
      this.find({ kind: 'changed', message: `${about} was changed or forged`, ...place });
    if (check === 'unsigned' || check === 'no key') {
      const message = `${about} is not signed: no node with a key of this version has written it`;
      this.find({ kind: 'unsigned', message, ...place });
    }
    if (check === 'unknown key') {
      const message = `${about} is signed with key ${entry.signature?.split('.')[0]}, which the key ring lacks`;
      this.find({ kind: 'unknown-key', message, ...place });
    }
  }

  #seal(seal: Seal): void {
    const check = this.#keys.check(sealText(seal, seal.ids.length), seal.signature);
    if (check === 'wrong') this.#say('seal', seal, 'was changed or forged');
    if (check === 'no key')
      this.#say('unsigned', seal, 'is not signed: the node that made it had no key ring');
    if (check === 'unknown key') {
      this.#say(
        'unknown-key',
        seal,
        `is signed with key ${seal.signature.split('.')[0]}, which the key ring lacks`,
      );
    }
    this.#follow(seal, check);
  }

  /**
   * Follows seals by their signatures, not by their parts: somebody may have taken a part before the node whose turn
   * it was.
   */
  #follow(seal: Seal, check: SignatureCheck): void {
    const name = `${seal.month} ${seal.node}`;
    const before = this.#chains.get(name);
    const isFirst = before?.isRight !== true && seal.previous === '';
    const follows =
      before === undefined ? this.#isPart || isFirst : isFirst || seal.previous === before.seal.signature;
    if (!follows) {
      const expected = before === undefined ? 'from 1 on' : `behind ${before.seal.part}`;
      this.#say(
        'chain',
        seal,
        `is part ${seal.part} of its chain, and those ${expected} are missing before it`,
      );
    }
    if (check === 'wrong' || (before?.isRight === true && check !== 'right')) return;
    this.#chains.set(name, { seal, isRight: check === 'right' });
  }

  #say(kind: TrailFinding['kind'], { number, node, month, sealedAt }: Seal, what: string): void {
    const message = `seal ${number} (node '${node}', ${month.slice(0, 7)}, made ${sealedAt}) ${what}`;
    this.find({ kind, message, seal: number });
  }
}
