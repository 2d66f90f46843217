/** The part of bpmn-moddle that is used; the package declares types for the model but none for its entry. */
declare module 'bpmn-moddle' {
  export interface ModdleElement {
    readonly $type: string;
    readonly $attrs: Readonly<Record<string, string>>;
    readonly $parent?: ModdleElement;
    readonly [property: string]: unknown;
  }

  export interface ModdleReference {
    readonly element: ModdleElement;
    /** Qualified name, such as `bpmn:errorRef`. */
    readonly property: string;
    readonly id: string;
  }

  export interface ModdleResult {
    readonly rootElement: ModdleElement;
    readonly references: readonly ModdleReference[];
    readonly warnings: readonly { readonly message: string; readonly element?: ModdleElement }[];
  }

  export class BpmnModdle {
    constructor(packages?: Readonly<Record<string, unknown>>);
    fromXML(xml: string): Promise<ModdleResult>;
  }
}
