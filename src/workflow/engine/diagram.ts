/** The drawing that a process file holds of itself (BPMN-DI), as plain data; lengths in its own units. */
export interface Diagram {
  readonly shapes: readonly Shape[];
  readonly edges: readonly Edge[];
  /** For elements inside sub-processes: the sub-process they stand in. */
  readonly containers: Readonly<Record<string, string>>;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Colours that the author gave to an element, as `#rrggbb`. */
export interface Colours {
  readonly stroke?: string;
  readonly fill?: string;
}

export interface Shape extends Colours {
  /** The id of the element. */
  readonly id: string;
  /** `userTask`, `exclusiveGateway`, `participant`, … */
  readonly tag: string;
  /** What is written in or beside it. */
  readonly name?: string;
  readonly box: Box;
  /** Where the author put the label of an event or gateway. */
  readonly label?: Box;
  /** Pools and lanes. */
  readonly isHorizontal?: boolean;
  /** Sub-processes: what is inside is drawn. */
  readonly isExpanded?: boolean;
  readonly isEventSubProcess?: boolean;
  readonly isTransaction?: boolean;
  readonly event?: EventMark;
  readonly loop?: 'loop' | 'parallel' | 'sequential';
  readonly isForCompensation?: boolean;
  /** Data objects: several of them. */
  readonly isCollection?: boolean;
}

export interface EventMark {
  /** `timer`, `message`, …; absent for a none event. */
  readonly kind?: string;
  readonly isThrowing: boolean;
  readonly isInterrupting: boolean;
}

export interface Edge extends Colours {
  readonly id: string;
  /** `sequenceFlow`, `messageFlow`, `association`, `dataInputAssociation`, … */
  readonly tag: string;
  readonly name?: string;
  readonly points: readonly Point[];
  readonly label?: Box;
  readonly isDefault?: boolean;
  /** A conditional flow that does not leave a gateway. */
  readonly isConditional?: boolean;
  /** Associations with an arrow. */
  readonly isDirected?: boolean;
}
