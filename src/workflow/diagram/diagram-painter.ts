import { LRUCache } from 'lru-cache';
import { ServiceUnavailableError } from '#errors/index.ts';
import { type Diagram, readDiagram } from '../engine/index.ts';
import { type Drawing, drawDiagram } from './draw-diagram.ts';
import { renderPng } from './render-png.ts';

/** A process definition with its file; what an id stands for never changes. */
export interface DiagramSource {
  readonly id: string;
  readonly key: string;
  readonly xml: string;
}

/** Where an instance stands, and where it cannot go on. */
export interface Standing {
  readonly active?: readonly string[];
  readonly failed?: readonly string[];
}

const MAX_DIAGRAMS = 200;
const MAX_PICTURE_BYTES = 20_000_000;
/** Rendering takes threads that files and name lookups need too. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 50;

/** Pictures of processes; the last ones are kept. */
export class DiagramPainter {
  readonly #diagrams = new LRUCache<string, { readonly diagram: Diagram | undefined }>({ max: MAX_DIAGRAMS });
  readonly #pictures = new LRUCache<string, Buffer>({
    maxSize: MAX_PICTURE_BYTES,
    sizeCalculation: (picture) => picture.length,
  });
  readonly #underWay = new Map<string, Promise<Buffer>>();
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  /** Undefined when the file holds no drawing of the process. */
  async svg(source: DiagramSource, standing: Standing = {}): Promise<string | undefined> {
    return (await this.#draw(source, standing))?.svg;
  }

  /**
   * Undefined when the file holds no drawing of the process.
   *
   * @throws ServiceUnavailableError when too many pictures are asked for at once
   */
  async png(source: DiagramSource, { active = [], failed = [] }: Standing = {}): Promise<Buffer | undefined> {
    const key = JSON.stringify([source.id, active.toSorted(), failed.toSorted()]);
    const known = this.#pictures.get(key) ?? this.#underWay.get(key);
    if (known !== undefined) return await known;
    const drawing = await this.#draw(source, { active, failed });
    if (drawing === undefined) return undefined;
    const picture = this.#underWay.get(key) ?? this.#inTurn(() => renderPng(drawing));
    this.#underWay.set(key, picture);
    try {
      const bytes = await picture;
      this.#pictures.set(key, bytes);
      return bytes;
    } finally {
      this.#underWay.delete(key);
    }
  }

  async #draw({ id, key, xml }: DiagramSource, standing: Standing): Promise<Drawing | undefined> {
    let known = this.#diagrams.get(id);
    if (known === undefined) {
      known = { diagram: await readDiagram(xml, key) };
      this.#diagrams.set(id, known);
    }
    return known.diagram && drawDiagram(known.diagram, standing);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active >= MAX_AT_ONCE) {
      if (this.#waiting.length >= MAX_WAITING) {
        throw new ServiceUnavailableError('Too many diagrams are being drawn', {
          id: 'WORKFLOW_DIAGRAMS_BUSY',
          hint: 'Ask again in a moment, or for the SVG, which costs little',
        });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#active++;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#active--;
      else next();
    }
  }
}
