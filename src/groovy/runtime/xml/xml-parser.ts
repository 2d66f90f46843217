import { JavaIterator } from '../iterate.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap, mapOf } from '../java-map.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/list-methods.ts';
import { textOf, toText } from '../text.ts';
import { JavaObject, markList } from '../values.ts';
import { sourceText } from './xml-slurper.ts';
import { escapeText, isBlank, localName, type XmlElement, XmlReader } from './xml-tree.ts';

/** An element that a script may change; what is in it are nodes and texts. */
export class Node extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.util.Node');
  parent: Node | null;
  readonly name: unknown;
  readonly attributes: JavaMap;
  children: unknown[];
  /** Its value is one text that was given as such. */
  isPlain = false;

  constructor(parent: Node | null, name: unknown, attributes: JavaMap, children: unknown[]) {
    super();
    this.parent = parent;
    this.name = name;
    this.attributes = attributes;
    this.children = children;
    if (parent !== null) parent.children.push(this);
  }

  get nodes(): Node[] {
    return this.children.filter((child): child is Node => child instanceof Node);
  }

  text(): string {
    return this.children.map((child) => (child instanceof Node ? child.text() : toText(child))).join('');
  }

  override toText(): string {
    const [only] = this.children;
    const value = this.isPlain ? toText(only) : `[${this.children.map(toText).join(', ')}]`;
    const attributes = this.attributes.list().map(({ key, value: each }) => `${toText(key)}=${toText(each)}`);
    return `${toText(this.name)}[attributes={${attributes.join(', ')}}; value=${value}]`;
  }

  get(name: string): unknown {
    if (name.startsWith('@')) return this.attributes.find(name.slice(1))?.value ?? null;
    if (name === '..') return this.parent;
    if (name === '*') return nodeList(this.nodes);
    if (name === '**') return nodeList(descendants(this));
    return nodeList(
      this.nodes.filter((node) => toText(node.name) === name || localName(toText(node.name)) === name),
    );
  }
}

/** A list whose properties are those of the nodes in it, all in one list. */
export function nodeList(nodes: readonly unknown[]): unknown[] {
  return markList([...nodes], {
    name: 'NodeList',
    home: 'groovy.util',
    isFixed: false,
    isReadOnly: false,
    isFlat: true,
  });
}

function descendants(node: Node): Node[] {
  return [node, ...node.nodes.flatMap(descendants)];
}

function byBreadth(node: Node): Node[] {
  const all = [node];
  for (let at = 0; at < all.length; at++) all.push(...all[at]!.nodes);
  return all;
}

function nodeOf(element: XmlElement, parent: Node | null): Node {
  const node = new Node(parent, element.name, mapOf(element.attributes), []);
  for (const child of element.children) {
    if (typeof child !== 'string') nodeOf(child, node);
    else if (!isBlank(child)) node.children.push(child);
  }
  return node;
}

class XmlParser extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.xml.XmlParser');
}

function parse(_self: XmlParser, source: unknown): Node {
  return nodeOf(new XmlReader(sourceText(source)).read(), null);
}

defineStatics('groovy.xml.XmlParser', { 'new/0-3': () => new XmlParser() });
defineMethods('groovy.xml.XmlParser', 'java.lang.Object', { 'parseText/1': parse, 'parse/1': parse });

/** `new Node(parent, name)`, with attributes and a value or without. */
function made(parent: unknown, name: unknown, ...rest: unknown[]): Node {
  const attributes = rest[0] instanceof JavaMap ? rest[0] : new JavaMap();
  const [value] = rest[0] instanceof JavaMap ? rest.slice(1) : rest;
  const children = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  const node = new Node(parent instanceof Node ? parent : null, name, attributes, children);
  node.isPlain = children.length > 0 && !Array.isArray(value);
  return node;
}

defineStatics('groovy.util.Node', { 'new/2-4': made });
defineMethods('groovy.util.Node', 'java.lang.Object', {
  'name/0': (self: Node) => self.name,
  'text/0': (self: Node) => self.text(),
  'toString/0': (self: Node) => self.toText(),
  'value/0': (self: Node) => self.children,
  'setValue/1': (self: Node, value: unknown) => {
    self.children = Array.isArray(value) ? value : [value];
    return null;
  },
  'localText/0': (self: Node) => self.children.filter((child) => textOf(child) !== undefined),
  'children/0': (self: Node) => self.children,
  'iterator/0': (self: Node) => iteratorOf(self.children),
  'parent/0': (self: Node) => self.parent,
  'attributes/0': (self: Node) => self.attributes,
  'attribute/1': (self: Node, name: unknown) => self.attributes.find(name)?.value ?? null,
  'get/1': (self: Node, name: unknown) => self.get(toText(name)),
  'getAt/1': (self: Node, name: unknown) => self.get(toText(name)),
  'depthFirst/0': (self: Node) => nodeList(descendants(self)),
  'breadthFirst/0': (self: Node) => nodeList(byBreadth(self)),
  'append/1': (self: Node, child: Node) => {
    child.parent = self;
    self.children.push(child);
    return true;
  },
  'appendNode/1-3': (self: Node, name: unknown, ...rest: unknown[]) => made(self, name, ...rest),
  'remove/1': (self: Node, child: Node) => {
    const at = self.children.indexOf(child);
    if (at >= 0) self.children.splice(at, 1);
    return at >= 0;
  },
  'putAt/2': put,
  'propertyMissing/1-2': (self: Node, name: string, ...values: unknown[]) =>
    values.length === 0 ? self.get(name) : put(self, name, values[0]),
});

/** An attribute, or the value of the elements of the name. */
function put(self: Node, name: unknown, value: unknown): null {
  const text = toText(name);
  if (text.startsWith('@')) self.attributes.put(text.slice(1), value);
  else {
    const [first] = self.get(text) as Node[];
    const target = first ?? new Node(self, text, new JavaMap(), []);
    target.children = [value];
  }
  return null;
}

function iteratorOf(items: unknown[]): unknown {
  let at = 0;
  return new JavaIterator(() => items[at++]);
}

defineMethods('groovy.util.NodeList', 'java.util.List', {
  'text/0': (self: unknown[]) =>
    self.map((node) => (node instanceof Node ? node.text() : toText(node))).join(''),
  'attribute/1': (self: unknown[], name: unknown) =>
    self.map((node) => (node instanceof Node ? (node.attributes.find(name)?.value ?? null) : null)),
});

/** Elements on lines of their own, two blanks a level. */
export function nodeText(node: Node, depth = 0): string {
  const indent = '  '.repeat(depth);
  const attributes = node.attributes
    .list()
    .map(({ key, value }) => ` ${toText(key)}="${escapeText(toText(value)).replaceAll('"', '&quot;')}"`)
    .join('');
  const head = `${indent}<${toText(node.name)}${attributes}`;
  if (node.children.length === 0) return `${head}/>\n`;
  if (node.nodes.length === 0) return `${head}>${escapeText(node.text())}</${toText(node.name)}>\n`;
  const inner = node.children.map((child) =>
    child instanceof Node
      ? nodeText(child, depth + 1)
      : `${'  '.repeat(depth + 1)}${escapeText(toText(child))}\n`,
  );
  return `${head}>\n${inner.join('')}${indent}</${toText(node.name)}>\n`;
}

defineStatics('groovy.xml.XmlUtil', {
  'serialize/1': (value: unknown) => {
    const node = value instanceof Node ? value : nodeOf(new XmlReader(toText(value)).read(), null);
    return `<?xml version="1.0" encoding="UTF-8"?>${nodeText(node)}`;
  },
  'escapeXml/1': (text: unknown) =>
    escapeText(toText(text)).replaceAll('"', '&quot;').replaceAll("'", '&apos;'),
});
