import type { AuditKeys } from './audit-keys.ts';
import { chainDigest, type Seal, sealText } from './seal.ts';
import { checkEntry, type Segment, type StoredEntry } from './stored-entry.ts';

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
  readonly #chains = new Map<string, { readonly part: number; readonly signature: string }>();
  readonly findings: TrailFinding[] = [];
  count = 0;
  entries = 0;
  seals = 0;
  last: Seal | undefined;

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

  check({ seal, entries }: Segment): void {
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
    this.seals += 1;
    this.last = seal;
  }

  /** An entry that is in no seal yet; null when it is not there. */
  checkWaiting(id: string, entry: StoredEntry | null): void {
    if (entry !== null) this.#signature(entry, { entry: id });
    else
      this.find({
        kind: 'deleted',
        message: `entry ${id}, which waits for its seal, was deleted`,
        entry: id,
      });
  }

  /** @returns its signature; undefined when the entry is not there */
  #entry(seal: Seal, id: string, [entry, ...others]: readonly StoredEntry[]): string | null | undefined {
    if (entry === undefined) {
      this.find({ kind: 'deleted', message: `entry ${id} was deleted`, entry: id, seal: seal.number });
      return undefined;
    }
    this.entries += 1;
    if (others.length > 0) {
      const message = `entry ${id} is there ${others.length + 1} times`;
      this.find({ kind: 'inserted', message, entry: id, seal: seal.number });
    }
    this.#signature(entry, { entry: id, seal: seal.number });
    return entry.signature;
  }

  #signature(entry: StoredEntry, place: { readonly entry: string; readonly seal?: number }): void {
    const check = checkEntry(this.#keys, entry);
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
    const name = `${seal.month} ${seal.node}`;
    const before = this.#chains.get(name);
    const follows =
      before === undefined
        ? this.#isPart || (seal.part === 1 && seal.previous === '')
        : seal.part === before.part + 1 && seal.previous === before.signature;
    if (!follows) {
      const expected = before === undefined ? 'from 1 on' : `behind ${before.part}`;
      this.#say(
        'chain',
        seal,
        `is part ${seal.part} of its chain, and those ${expected} are missing before it`,
      );
    }
    this.#chains.set(name, seal);
  }

  #say(kind: TrailFinding['kind'], { number, node, month, sealedAt }: Seal, what: string): void {
    const message = `seal ${number} (node '${node}', ${month.slice(0, 7)}, made ${sealedAt}) ${what}`;
    this.find({ kind, message, seal: number });
  }
}
