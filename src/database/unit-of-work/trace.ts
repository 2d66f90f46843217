import type { JsonObject } from '#json/index.ts';

/** One step of the work, as a dry run reports it. */
export interface TraceEntry {
  /** The number of the step, in the order in which steps began. */
  readonly n: number;
  /** The step during which this one ran: that of a request whose script has asked for this. */
  readonly parent?: number;
  readonly step: string;
  readonly resource: string;
  readonly ms: number;
  /** The script that the step has run, what it is for, and the line at which it failed. */
  readonly hook?: string;
  readonly script?: string;
  readonly line?: number;
  /** Pointers to what is not as before. */
  readonly changed?: readonly string[];
  /** What stands there now, by its pointer; null where nothing does any more, and without what nobody is shown. */
  readonly values?: JsonObject;
  readonly failed?: true;
}

/** What a step tells of itself when it is over. */
export type Traced = Omit<TraceEntry, 'n' | 'parent' | 'ms' | 'failed'>;

/** The steps of a rehearsal, in the order in which they ended: one that fails is the last but those around it. */
export class Trace {
  readonly entries: TraceEntry[] = [];
  readonly #open: number[] = [];
  #begun = 0;

  /** The number of the step that is under way, the innermost of several; undefined between steps. */
  get current(): number | undefined {
    return this.#open.at(-1);
  }

  /** @param tell asked when the step is over, with what it has thrown */
  async step(work: () => Promise<void> | void, tell: (error?: unknown) => Traced): Promise<void> {
    const parent = this.#open.at(-1);
    const n = ++this.#begun;
    this.#open.push(n);
    const startedAt = performance.now();
    const end = (failed: object, error?: unknown) => {
      this.#open.splice(this.#open.lastIndexOf(n), 1);
      const ms = Math.round((performance.now() - startedAt) * 1000) / 1000;
      this.entries.push({ n, ...(parent === undefined ? {} : { parent }), ...tell(error), ms, ...failed });
    };
    try {
      await work();
    } catch (error) {
      end({ failed: true }, error);
      throw error;
    }
    end({});
  }
}
