import Modeler from 'bpmn-js/lib/Modeler';
import { dialectOf, extensionsIn, isModel, isOf, type Model, modelsIn, ownAttribute } from './dialect.ts';
import { layOut } from './lay-out.ts';
import { sizeOf } from './size-of.ts';

/** Something that is drawn. */
export interface Shape {
  readonly id: string;
  readonly type: string;
  readonly businessObject: Model;
  readonly labelTarget?: Shape;
  readonly waypoints?: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/** What of the library is used here. */
interface Services {
  readonly canvas: {
    zoom(how: 'fit-viewport', center: 'auto'): void;
    scroll(by: { readonly dx: number; readonly dy: number }): void;
    addMarker(shape: Shape, marker: string): void;
    removeMarker(shape: Shape, marker: string): void;
    getRootElement(): Shape;
    scrollToElement(shape: Shape): void;
  };
  readonly modeling: {
    updateModdleProperties(shape: Shape, model: Model, values: Values): void;
    updateProperties(shape: Shape, values: Values): void;
    removeElements(shapes: readonly Shape[]): void;
    connect(from: Shape, to: Shape): void;
  };
  readonly moddle: {
    create(type: string, values?: Values): Model;
    createAny(type: string, uri: string, values: Values): Model;
    fromXML(xml: string): Promise<{ readonly rootElement: Model; readonly warnings: readonly unknown[] }>;
    toXML(model: Model, options: { readonly format: boolean }): Promise<{ readonly xml: string }>;
  };
  readonly elementRegistry: {
    get(id: string): Shape | undefined;
    filter(test: (shape: Shape) => boolean): Shape[];
  };
  readonly selection: { select(shape: Shape | null): void; get(): Shape[] };
  readonly elementFactory: { createShape(values: Values): Shape };
  readonly autoPlace: { append(from: Shape, what: Shape): Shape | undefined };
  readonly commandStack: { undo(): void; redo(): void; canUndo(): boolean; canRedo(): boolean };
}

export interface DrawingOptions {
  readonly at: HTMLElement;
  readonly translate: (text: string, replaced?: Readonly<Record<string, string>>) => string;
  /** Something was changed or chosen. */
  readonly onChange: (what: 'model' | 'selection') => void;
}

/** A process file on paper, with what changes it: all that is done can be taken back. */
export class Drawing {
  readonly #modeler: Modeler<Services>;
  #dialect = dialectOf('');
  #marked: readonly { readonly shape: Shape; readonly marker: string }[] = [];

  constructor({ at, translate, onChange }: DrawingOptions) {
    this.#modeler = new Modeler<Services>({
      container: at,
      additionalModules: [{ translate: ['value', translate] }],
    });
    // A file that is opened has not been changed.
    this.#modeler.on('commandStack.changed', ({ trigger }: { readonly trigger?: string }) =>
      onChange(trigger === 'clear' ? 'selection' : 'model'),
    );
    this.#modeler.on('selection.changed', () => onChange('selection'));
  }

  /** @throws Error when it cannot be read as BPMN */
  async open(xml: string): Promise<void> {
    this.#dialect = dialectOf(xml);
    await this.#modeler.importXML(await this.#drawn(this.#dialect.xml));
    this.#of('canvas').zoom('fit-viewport', 'auto');
    // Out from under the tools.
    this.#of('canvas').scroll({ dx: 50, dy: 0 });
  }

  async xml(): Promise<string> {
    const { xml = '' } = await this.#modeler.saveXML({ format: true });
    return xml;
  }

  destroy(): void {
    this.#modeler.destroy();
  }

  /** What is chosen; the process itself when nothing is. */
  get chosen(): Shape {
    const [shape] = this.#of('selection').get();
    return shape?.labelTarget ?? shape ?? this.#of('canvas').getRootElement();
  }

  /** All that can be chosen, but labels. */
  get shapes(): readonly Shape[] {
    return this.#of('elementRegistry').filter(
      ({ labelTarget, type }) => labelTarget === undefined && type !== 'label',
    );
  }

  choose(id: string): void {
    const shape = this.#of('elementRegistry').get(id);
    const isRoot = shape === undefined || shape === this.#of('canvas').getRootElement();
    this.#of('selection').select(isRoot ? null : shape);
    if (!isRoot) this.#of('canvas').scrollToElement(shape);
  }

  /** Which elements are shown as wrong, doubtful or gone through. */
  mark(markers: readonly { readonly element: string; readonly marker: string }[]): void {
    for (const { shape, marker } of this.#marked) this.#of('canvas').removeMarker(shape, marker);
    this.#marked = markers.flatMap(({ element, marker }) => {
      const shape = this.#of('elementRegistry').get(element);
      return shape === undefined ? [] : [{ shape, marker }];
    });
    for (const { shape, marker } of this.#marked) this.#of('canvas').addMarker(shape, marker);
  }

  set(shape: Shape, model: Model, values: Values): void {
    this.#of('modeling').updateModdleProperties(shape, model, values);
  }

  /** What the drawing itself shows: a name, an id, which flow is the default one. */
  setShown(shape: Shape, values: Values): void {
    this.#of('modeling').updateProperties(shape, values);
  }

  create(type: string, values: Values = {}): Model {
    return this.#of('moddle').create(type, values);
  }

  /** An attribute of the dialect; empty takes it away. */
  setOwn(shape: Shape, model: Model, name: string, value: string): void {
    const { full = `${this.#dialect.prefix}:${name}` } = ownAttribute(model, name);
    this.set(shape, model, { [full]: value === '' ? undefined : value });
  }

  createOwn(tag: string, values: Values = {}): Model {
    const { prefix, uri } = this.#dialect;
    return this.#of('moddle').createAny(`${prefix}:${tag}`, uri, values);
  }

  /** All extension elements of a kind; others stay as they are. */
  setExtensions(shape: Shape, model: Model, tag: string, values: readonly Model[]): void {
    const container = model.get('extensionElements');
    const before = extensionsIn(model, tag);
    const others = modelsIn(isModel(container) ? container.get('values') : []).filter(
      (each) => !before.includes(each),
    );
    const all = [...others, ...values];
    this.set(shape, model, {
      extensionElements:
        all.length === 0 ? undefined : this.create('bpmn:ExtensionElements', { values: all }),
    });
  }

  /** What an event refers to by its name, made where there is none. */
  reference(shape: Shape, type: string, name: string): Model {
    const definitions = this.definitions();
    const roots = modelsIn(definitions.get('rootElements'));
    const isCode = type === 'bpmn:Error' || type === 'bpmn:Escalation';
    const code = type === 'bpmn:Error' ? 'errorCode' : 'escalationCode';
    const known = roots.find(
      (each) => each.$type === type && (each.get('name') === name || (isCode && each.get(code) === name)),
    );
    if (known !== undefined) return known;
    const id = `${type.slice(5)}_${name.replace(/[^\w-]/g, '_')}`;
    const made = this.create(type, { id, name, ...(isCode ? { [code]: name } : {}) });
    this.set(shape, definitions, { rootElements: [...roots, made] });
    return made;
  }

  definitions(): Model {
    let model = this.#of('canvas').getRootElement().businessObject;
    while (model.$parent !== undefined) model = model.$parent;
    return model;
  }

  /** Puts another element behind one, and leads there. */
  append(from: Shape, type: string, eventDefinitionType?: string): void {
    const shape = this.#of('elementFactory').createShape({
      type,
      ...(eventDefinitionType === undefined ? {} : { eventDefinitionType }),
    });
    const placed = this.#of('autoPlace').append(from, shape);
    if (placed !== undefined) this.#of('selection').select(placed);
  }

  connect(from: Shape, to: string): void {
    const target = this.#of('elementRegistry').get(to);
    if (target !== undefined) this.#of('modeling').connect(from, target);
  }

  remove(shape: Shape): void {
    this.#of('modeling').removeElements([shape]);
  }

  get history(): Services['commandStack'] {
    return this.#of('commandStack');
  }

  #of<Name extends keyof Services>(name: Name): Services[Name] {
    return this.#modeler.get(name);
  }

  /** A file that says nothing of where its elements are is given places. */
  async #drawn(xml: string): Promise<string> {
    const moddle = this.#of('moddle');
    const { rootElement: definitions } = await moddle.fromXML(xml);
    const isDrawn = modelsIn(definitions.get('diagrams')).length > 0;
    const process = modelsIn(definitions.get('rootElements')).find(({ $type }) => $type === 'bpmn:Process');
    if (isDrawn || process === undefined) return xml;
    this.#place(definitions, process);
    return (await moddle.toXML(definitions, { format: true })).xml;
  }

  #place(definitions: Model, process: Model): void {
    const elements = modelsIn(process.get('flowElements'));
    const isFlow = (each: Model) => isOf(each, 'SequenceFlow');
    const idOf = (value: unknown) => (isModel(value) ? String(value.get('id')) : '');
    const nodes = elements.filter((each) => isOf(each, 'FlowNode'));
    const { places, ways } = layOut({
      nodes: nodes.map((node) => {
        const on = idOf(isOf(node, 'BoundaryEvent') ? node.get('attachedToRef') : undefined);
        return { id: idOf(node), size: sizeOf(node), ...(on === '' ? {} : { on }) };
      }),
      flows: elements.filter(isFlow).map((flow) => ({
        id: idOf(flow),
        from: idOf(flow.get('sourceRef')),
        to: idOf(flow.get('targetRef')),
      })),
    });
    const shapes = nodes.flatMap((node) => {
      const place = places.get(idOf(node));
      if (place === undefined) return [];
      const bounds = this.create('dc:Bounds', { ...place });
      const isCollapsed = isOf(node, 'SubProcess') ? { isExpanded: false } : {};
      return [
        this.create('bpmndi:BPMNShape', {
          id: `${idOf(node)}_di`,
          bpmnElement: node,
          bounds,
          ...isCollapsed,
        }),
      ];
    });
    const edges = elements.filter(isFlow).flatMap((flow) => {
      const way = ways.get(idOf(flow));
      if (way === undefined) return [];
      const waypoint = way.map((point) => this.create('dc:Point', { ...point }));
      return [this.create('bpmndi:BPMNEdge', { id: `${idOf(flow)}_di`, bpmnElement: flow, waypoint })];
    });
    const plane = this.create('bpmndi:BPMNPlane', {
      id: 'plane',
      bpmnElement: process,
      planeElement: [...shapes, ...edges],
    });
    const diagram = this.create('bpmndi:BPMNDiagram', { id: 'diagram', plane });
    modelsInto(definitions, 'diagrams', diagram);
  }
}

/** Into a list of the model as it stands, which is not drawn yet. */
function modelsInto(model: Model, name: string, one: Model): void {
  const list = model.get(name);
  if (Array.isArray(list)) list.push(one);
}
