import fc from 'fast-check';
import { boundary, bpmn, end, gateway, loop, start, sub, tag, timer, user } from './bpmn.ts';

/** A block-structured process: one way in, one way out. */
type Shape =
  | { readonly kind: 'task' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'sequence'; readonly parts: readonly Shape[] }
  | {
      readonly kind: 'exclusive' | 'parallel' | 'inclusive';
      readonly branches: readonly Shape[];
      readonly choice: number;
    }
  | { readonly kind: 'loop'; readonly body: Shape; readonly again: number }
  | { readonly kind: 'sub'; readonly body: Shape }
  | {
      readonly kind: 'rounds';
      readonly body: Shape | undefined;
      readonly count: number;
      readonly isSequential: boolean;
    }
  | { readonly kind: 'guarded'; readonly handler: Shape; readonly isInterrupting: boolean };

/** What goes on in a block; an empty list of tasks and timers with `isDone` false never happens. */
interface Activity {
  readonly isDone: boolean;
  tasks(): string[];
  timers(): string[];
  /** Says whether the thing was there. */
  complete(task: string): boolean;
  fire(timer: string): boolean;
}

export interface RandomProcess {
  readonly xml: string;
  /** The names of loops with how often each goes round again. */
  readonly loops: ReadonlyMap<string, number>;
  /** What the engine must do, worked out from the shape and without any token. */
  begin(): Activity;
}

export interface ShapeOptions {
  /** The subset on which the other engine is right: parallel work or decisions, never both, nothing it lacks. */
  readonly isPlain?: boolean;
}

export function randomProcess(options: ShapeOptions = {}): fc.Arbitrary<RandomProcess> {
  return shapeArbitrary(options).map(build);
}

function shapeArbitrary({ isPlain = false }: ShapeOptions): fc.Arbitrary<Shape> {
  const leaf: fc.Arbitrary<Shape> = fc.constant({ kind: 'task' });
  const sequenceOf = (part: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => ({ kind: 'sequence', parts }));
  const split = (
    kinds: readonly ('exclusive' | 'parallel' | 'inclusive')[],
    part: fc.Arbitrary<Shape>,
  ): fc.Arbitrary<Shape> =>
    fc.record({
      kind: fc.constantFrom(...kinds),
      branches: fc.array(
        isPlain ? part : fc.oneof({ weight: 5, arbitrary: part }, fc.constant<Shape>({ kind: 'empty' })),
        { minLength: 2, maxLength: 3 },
      ),
      choice: fc.nat(7),
    });
  const looped = (part: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
    fc.record({ kind: fc.constant('loop'), body: part, again: fc.nat(2) });
  const inSub = (part: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
    part.map((body) => ({ kind: 'sub', body }));
  if (isPlain) {
    const size = { depthSize: 'medium', maxDepth: 4, withCrossShrink: true } as const;
    const straight = fc.letrec<{ block: Shape }>((tie) => ({
      block: fc.oneof(
        size,
        leaf,
        sequenceOf(tie('block')),
        split(['parallel'], tie('block')),
        inSub(tie('block')),
      ),
    })).block;
    const serial = fc.letrec<{ block: Shape }>((tie) => ({
      block: fc.oneof(
        size,
        leaf,
        sequenceOf(tie('block')),
        split(['exclusive'], tie('block')),
        looped(tie('block')),
      ),
    })).block;
    return fc.oneof(straight, serial);
  }
  return fc.letrec<{ block: Shape }>((tie) => ({
    block: fc.oneof(
      { depthSize: 'medium', maxDepth: 5, withCrossShrink: true },
      leaf,
      sequenceOf(tie('block')),
      split(['exclusive', 'parallel', 'inclusive'], tie('block')),
      looped(tie('block')),
      inSub(tie('block')),
      fc.record({
        kind: fc.constant('guarded' as const),
        handler: tie('block'),
        isInterrupting: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant('rounds' as const),
        body: fc.constant(undefined),
        count: fc.nat(3),
        isSequential: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant('rounds' as const),
        body: tie('block'),
        count: fc.nat(2),
        isSequential: fc.constant(true),
      }),
    ),
  })).block;
}

interface Built {
  readonly xml: string;
  /** Where a token goes in and comes out; absent for a direct flow. */
  readonly ends?: readonly [entry: string, exit: string];
  readonly begin: () => Activity;
}

function build(shape: Shape): RandomProcess {
  const builder = new Builder();
  const body = builder.container('top', shape);
  return { xml: bpmn(body.xml), loops: builder.loops, begin: body.begin };
}

class Builder {
  readonly loops = new Map<string, number>();
  #count = 0;

  container(name: string, shape: Shape): Built {
    const [s, e] = [`s-${name}`, `e-${name}`];
    const inner = this.#block(shape);
    return { xml: start(s) + end(e) + inner.xml + this.#through(s, inner, e), begin: inner.begin };
  }

  #id(prefix: string): string {
    return `${prefix}${++this.#count}`;
  }

  #flow(from: string, to: string, condition?: string): string {
    const text =
      condition === undefined
        ? ''
        : `<conditionExpression xsi:type="tFormalExpression">${condition}</conditionExpression>`;
    return tag('sequenceFlow', this.#id('f'), { sourceRef: from, targetRef: to }, text);
  }

  #through(from: string, block: Built, to: string, condition?: string): string {
    if (block.ends === undefined) return this.#flow(from, to, condition);
    return this.#flow(from, block.ends[0], condition) + this.#flow(block.ends[1], to);
  }

  #block(shape: Shape): Built {
    switch (shape.kind) {
      case 'empty':
        return { xml: '', begin: done };
      case 'task': {
        const id = this.#id('t');
        return { xml: user(id), ends: [id, id], begin: () => task(id) };
      }
      case 'sequence': {
        const parts = shape.parts.map((part) => this.#block(part));
        const ends = parts.map((part) => part.ends!);
        const joints = ends.slice(1).map((next, index) => this.#flow(ends[index]![1], next[0]));
        return {
          xml: parts.map(({ xml }) => xml).join('') + joints.join(''),
          ends: [ends[0]![0], ends.at(-1)![1]],
          begin: () => sequence(parts.map(({ begin }) => begin)),
        };
      }
      case 'sub': {
        const id = this.#id('m');
        const inner = this.container(id, shape.body);
        return { xml: sub(id, inner.xml), ends: [id, id], begin: inner.begin };
      }
      case 'rounds':
        return this.#rounds(shape.body, shape.count, shape.isSequential);
      case 'loop': {
        const name = this.#id('l');
        this.loops.set(name, shape.again);
        const body = this.#block(shape.body);
        const [head, tail] = [`head-${name}`, `tail-${name}`];
        const xml =
          body.xml +
          gateway('exclusive', head) +
          this.#through(head, body, tail) +
          this.#flow(tail, head, `\${${name}}`);
        const leaving = this.#id('x');
        return {
          xml: `${xml}${gateway('exclusive', tail)}${tag('task', leaving)}${this.#flow(tail, leaving)}`,
          ends: [head, leaving],
          begin: () => sequence(Array.from({ length: shape.again + 1 }, () => body.begin)),
        };
      }
      case 'guarded': {
        const [id, event, merge] = [this.#id('t'), this.#id('b'), this.#id('x')];
        const handler = this.#block(shape.handler);
        const xml = user(id) + boundary(event, id, timer('PT1H'), shape.isInterrupting) + handler.xml;
        if (shape.isInterrupting) {
          return {
            xml:
              xml +
              gateway('exclusive', merge) +
              this.#flow(id, merge) +
              this.#through(event, handler, merge),
            ends: [id, merge],
            begin: () => guarded(id, event, handler.begin, true),
          };
        }
        // What the event starts ends on its own; a sub-process around both waits for it.
        const [s, e, wrap] = [`s-${merge}`, `e-${merge}`, this.#id('m')];
        const inner =
          start(s) +
          end(e) +
          xml +
          this.#flow(s, id) +
          this.#flow(id, e) +
          this.#through(event, handler, `${e}-late`) +
          end(`${e}-late`);
        return {
          xml: sub(wrap, inner),
          ends: [wrap, wrap],
          begin: () => guarded(id, event, handler.begin, false),
        };
      }
      default:
        return this.#split(shape.kind, shape.branches, shape.choice);
    }
  }

  #rounds(shape: Shape | undefined, count: number, isSequential: boolean): Built {
    const id = this.#id('r');
    const times = loop(`<loopCardinality>${count}</loopCardinality>`, { isSequential });
    const inner = shape === undefined ? undefined : this.container(id, shape);
    const begin = inner?.begin ?? (() => task(id));
    const all = Array.from({ length: count }, () => begin);
    return {
      xml: inner === undefined ? user(id, {}, times) : sub(id, inner.xml + times),
      ends: [id, id],
      begin: () => (isSequential ? sequence(all) : together(all)),
    };
  }

  #split(kind: 'exclusive' | 'parallel' | 'inclusive', shapes: readonly Shape[], choice: number): Built {
    const [split, join] = [this.#id('g'), this.#id('j')];
    const branches = shapes.map((shape) => this.#block(shape));
    const isTaken = (index: number) => {
      if (kind === 'parallel') return true;
      if (kind === 'exclusive') return index === choice % branches.length;
      return (choice >> index) % 2 === 1 || (choice % 2 ** branches.length === 0 && index === 0);
    };
    const flows = branches.map((branch, index) =>
      this.#through(split, branch, join, kind === 'parallel' ? undefined : `\${${isTaken(index)}}`),
    );
    const taken = branches.filter((_, index) => isTaken(index)).map(({ begin }) => begin);
    return {
      xml:
        gateway(kind, split) + gateway(kind, join) + branches.map(({ xml }) => xml).join('') + flows.join(''),
      ends: [split, join],
      begin: () => together(taken),
    };
  }
}

type Begin = () => Activity;

function done(): Activity {
  return { isDone: true, tasks: () => [], timers: () => [], complete: () => false, fire: () => false };
}

function task(id: string): Activity {
  let isDone = false;
  return {
    get isDone() {
      return isDone;
    },
    tasks: () => (isDone ? [] : [id]),
    timers: () => [],
    complete(name) {
      if (isDone || name !== id) return false;
      isDone = true;
      return true;
    },
    fire: () => false,
  };
}

function together(begins: readonly Begin[]): Activity {
  const running = begins.map((begin) => begin());
  return {
    get isDone() {
      return running.every((one) => one.isDone);
    },
    tasks: () => running.flatMap((one) => one.tasks()),
    timers: () => running.flatMap((one) => one.timers()),
    complete: (name) => running.some((one) => one.complete(name)),
    fire: (name) => running.some((one) => one.fire(name)),
  };
}

function sequence(begins: readonly Begin[]): Activity {
  let index = 0;
  let current = done();
  const advance = () => {
    while (current.isDone && index < begins.length) current = begins[index++]!();
  };
  advance();
  const after = (change: (activity: Activity) => boolean) => {
    const hasHappened = change(current);
    advance();
    return hasHappened;
  };
  return {
    get isDone() {
      return current.isDone && index >= begins.length;
    },
    tasks: () => current.tasks(),
    timers: () => current.timers(),
    complete: (name) => after((activity) => activity.complete(name)),
    fire: (name) => after((activity) => activity.fire(name)),
  };
}

function guarded(id: string, event: string, handler: Begin, isInterrupting: boolean): Activity {
  let main = task(id);
  let handling = done();
  let isArmed = true;
  return {
    get isDone() {
      return main.isDone && handling.isDone;
    },
    tasks: () => [...main.tasks(), ...handling.tasks()],
    timers: () => [...(isArmed && !main.isDone ? [event] : []), ...handling.timers()],
    complete: (name) => main.complete(name) || handling.complete(name),
    fire(name) {
      if (name !== event || !isArmed || main.isDone) return handling.fire(name);
      isArmed = false;
      handling = handler();
      if (isInterrupting) main = done();
      return true;
    },
  };
}

/** A function that says for each loop, each time its end is reached, whether it goes round again. */
export function loopDecisions(loops: ReadonlyMap<string, number>): (name: string) => boolean | undefined {
  const passes = new Map<string, number>();
  return (name) => {
    const again = loops.get(name);
    if (again === undefined) return undefined;
    const pass = passes.get(name) ?? 0;
    passes.set(name, pass + 1);
    return pass % (again + 1) < again;
  };
}
