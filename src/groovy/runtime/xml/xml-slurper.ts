import { int } from '../arguments.ts';
import { call1 } from '../closure.ts';
import { parseDecimal } from '../decimal.ts';
import { call } from '../dispatch.ts';
import { JavaIterator } from '../iterate.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { parseDouble, parseWhole } from '../parse-number.ts';
import '../methods/collection-methods.ts';
import { textOf, toText } from '../text.ts';
import { truth } from '../truth.ts';
import { BigInteger, Double, JavaObject } from '../values.ts';
import { isBlank, localName, textOfElement, type XmlElement, XmlReader } from './xml-tree.ts';

/** The text of a reader or stream, or a text. */
export function sourceText(source: unknown): string {
  return textOf(source) ?? toText(call(source, 'getText', []));
}

/** One attribute that was asked for. */
interface Attribute {
  readonly name: string;
  readonly local: string;
  readonly value: string;
}

type Found = XmlElement | Attribute;

function isElement(found: Found): found is XmlElement {
  return 'children' in found;
}

/** What a path leads to: elements, or attributes. */
class GPath extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.xml.slurpersupport.NodeChildren');
  readonly found: readonly Found[];
  readonly name: string;
  readonly before: GPath | undefined;

  constructor(found: readonly Found[], name: string, before: GPath | undefined) {
    super();
    this.found = found;
    this.name = name;
    this.before = before;
  }

  get elements(): readonly XmlElement[] {
    return this.found.filter(isElement);
  }

  override toText(): string {
    return this.found.map((each) => (isElement(each) ? textOfElement(each) : each.value)).join('');
  }

  /** Whether its text is equal to the other. */
  override equalTo(other: unknown): boolean {
    return this.toText() === toText(other);
  }

  /** The results as a list, each by itself. */
  list(): GPath[] {
    return this.found.map((each) => new GPath([each], each.name, this.before));
  }

  step(name: string): GPath {
    if (name === '..') return this.parent();
    if (name === '*') return new GPath(this.elements.flatMap(childElements), name, this);
    if (name === '**') return new GPath(this.elements.flatMap(descendants), name, this);
    if (name.startsWith('@')) return this.attribute(name.slice(1));
    const wanted = name.startsWith(':') ? name.slice(1) : name;
    return new GPath(
      this.elements.flatMap(childElements).filter(({ local }) => local === wanted),
      name,
      this,
    );
  }

  attribute(name: string): GPath {
    const found = this.elements.flatMap(({ attributes }) => {
      const value = attributes.get(name) ?? [...attributes].find(([key]) => localName(key) === name)?.[1];
      return value === undefined ? [] : [{ name, local: localName(name), value }];
    });
    return new GPath(found, `@${name}`, this);
  }

  parent(): GPath {
    const parents = new Set(this.elements.flatMap(({ parent }) => parent ?? []));
    return parents.size === 0 ? (this.before ?? this) : new GPath([...parents], '..', this);
  }
}

/** What `find` gives when there is nothing. */
class Nothing extends GPath {
  override readonly type: JavaClass = classNamed('groovy.xml.slurpersupport.NoChildren');
}

function childElements({ children }: XmlElement): XmlElement[] {
  return children.filter((child): child is XmlElement => typeof child !== 'string');
}

function descendants(element: XmlElement): XmlElement[] {
  return [element, ...childElements(element).flatMap(descendants)];
}

function byBreadth(elements: readonly XmlElement[]): XmlElement[] {
  const all = [...elements];
  for (let at = 0; at < all.length; at++) all.push(...childElements(all[at]!));
  return all;
}

/** Blanks between elements say nothing. */
function tidy(element: XmlElement): XmlElement {
  const { children } = element;
  const kept = children.filter((child) => typeof child !== 'string' || !isBlank(child));
  children.splice(0, children.length, ...kept);
  for (const child of childElements(element)) tidy(child);
  return element;
}

function readXml(text: string, hasPrefixes: boolean): XmlElement {
  return tidy(new XmlReader(text, hasPrefixes).read());
}

class XmlSlurper extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.xml.XmlSlurper');
  readonly hasPrefixes: boolean;

  constructor(hasPrefixes: boolean) {
    super();
    this.hasPrefixes = hasPrefixes;
  }
}

function parse(self: XmlSlurper, source: unknown): GPath {
  const root = readXml(sourceText(source), self.hasPrefixes);
  return new GPath([root], root.name, undefined);
}

defineStatics('groovy.xml.XmlSlurper', {
  'new/0-3': (_validating?: unknown, hasPrefixes: unknown = true) => new XmlSlurper(hasPrefixes === true),
});
defineMethods('groovy.xml.XmlSlurper', 'java.lang.Object', { 'parseText/1': parse, 'parse/1': parse });

function attributesOf(self: GPath): JavaMap {
  const map = new JavaMap();
  for (const [name, value] of self.elements[0]?.attributes ?? []) map.put(name, value);
  return map;
}

function filtered(self: GPath, closure: unknown): GPath {
  const kept = self.list().filter((each) => truth(call1(closure, each)));
  return new GPath(
    kept.flatMap(({ found }) => found),
    self.name,
    self.before,
  );
}

function at(self: GPath, place: unknown): unknown {
  const name = textOf(place);
  if (name !== undefined) return self.step(name);
  const found = self.found[int(place)];
  return new GPath(found === undefined ? [] : [found], self.name, self.before);
}

defineMethods('groovy.xml.slurpersupport.GPathResult', 'java.util.Collection', {
  'text/0': (self: GPath) => self.toText(),
  'toString/0': (self: GPath) => self.toText(),
  'localText/0': (self: GPath) =>
    self.elements.flatMap(({ children }) => children.filter((child) => typeof child === 'string')),
  'name/0': (self: GPath) => (self.found[0] === undefined ? self.name : self.found[0].local),
  'size/0': (self: GPath) => self.found.length,
  'isEmpty/0': (self: GPath) => self.found.length === 0,
  // As in the original: a path that leads nowhere is true, a search that found nothing is not.
  'asBoolean/0': (self: GPath) => !(self instanceof Nothing),
  'attributes/0': (self: GPath) => attributesOf(self),
  'attribute/1': (self: GPath, name: unknown) => self.attribute(toText(name)),
  'children/0': (self: GPath) => self.step('*'),
  'childNodes/0': (self: GPath) => call(self.step('*').list(), 'iterator', []),
  'parent/0': (self: GPath) => self.parent(),
  'depthFirst/0': (self: GPath) =>
    call(new GPath(self.elements.flatMap(descendants), '**', self).list(), 'iterator', []),
  'breadthFirst/0': (self: GPath) =>
    call(new GPath(byBreadth(self.elements), '**', self).list(), 'iterator', []),
  'getAt/1': at,
  'find/1': (self: GPath, closure: unknown) =>
    self.list().find((each) => truth(call1(closure, each))) ?? new Nothing([], self.name, self.before),
  'findAll/1': filtered,
  'list/0': (self: GPath) => self.list(),
  'iterator/0': (self: GPath) => {
    const all = self.list();
    let position = 0;
    return new JavaIterator(() => all[position++]);
  },
  'toInteger/0': (self: GPath) => Number(parseWhole(self.toText().trim(), 32)),
  'toLong/0': (self: GPath) => parseWhole(self.toText().trim(), 64),
  'toBigInteger/0': (self: GPath) => new BigInteger(parseWhole(self.toText().trim(), 0)),
  'toDouble/0': (self: GPath) => new Double(parseDouble(self.toText())),
  'toBigDecimal/0': (self: GPath) => parseDecimal(self.toText().trim()),
  'toBoolean/0': (self: GPath) => self.toText().trim() === 'true',
  'propertyMissing/1': (self: GPath, name: string) => self.step(name),
});
defineMethods('groovy.xml.slurpersupport.NodeChildren', 'groovy.xml.slurpersupport.GPathResult', {});
defineMethods('groovy.xml.slurpersupport.NoChildren', 'groovy.xml.slurpersupport.GPathResult', {});
