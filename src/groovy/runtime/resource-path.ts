import { toInt } from './arithmetic.ts';
import { JavaIterator } from './iterate.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { defineMethods, defineStatics } from './method-table.ts';
import './methods/object-methods.ts';
import { numeric } from './methods/number-methods.ts';
import { toText } from './text.ts';
import { illegalArgument, outOfBounds } from './throwable.ts';
import { JavaObject } from './values.ts';

const RESOURCE_PATH_CLASS = classNamed('org.forgerock.json.resource.ResourcePath');

/** The path of a resource as its parts, which are encoded where the path is written as a text. */
class ResourcePath extends JavaObject {
  readonly type: JavaClass = RESOURCE_PATH_CLASS;
  readonly parts: readonly string[];

  constructor(parts: readonly string[]) {
    super();
    this.parts = parts;
  }

  override toText(): string {
    return this.parts.map(encodePart).join('/');
  }

  override key(): unknown {
    return this.toText();
  }

  override compareTo(other: unknown): number | undefined {
    if (!(other instanceof ResourcePath)) return undefined;
    return this.toText() < other.toText() ? -1 : Number(this.toText() !== other.toText());
  }
}

/** What may stand in a part of a path is left as it is. */
function encodePart(part: string): string {
  return encodeURIComponent(part).replace(/%(?:40|3A|24|26|2B|2C|3B|3D)/g, decodeURIComponent);
}

function parse(text: string): ResourcePath {
  const trimmed = text.replace(/^\/|\/$/g, '');
  if (trimmed === '') return new ResourcePath([]);
  const parts = trimmed.split('/');
  if (parts.includes('')) throw illegalArgument(`The resource path '${text}' contains empty path elements`);
  try {
    return new ResourcePath(parts.map(decodeURIComponent));
  } catch {
    throw illegalArgument(`The resource path '${text}' is encoded wrongly`);
  }
}

function pathOf(value: unknown): ResourcePath {
  return value instanceof ResourcePath ? value : parse(toText(value));
}

function cut(self: ResourcePath, from: number, to: number): ResourcePath {
  if (from < 0 || to > self.parts.length || from > to)
    throw outOfBounds(`Index out of range: ${from}, ${to}`);
  return new ResourcePath(self.parts.slice(from, to));
}

defineStatics(
  'org.forgerock.json.resource.ResourcePath',
  {
    'new/0+': (...parts: unknown[]) => new ResourcePath(parts.flat().map(toText)),
    'resourcePath/1': (text: unknown) => parse(toText(text)),
    'valueOf/1': (text: unknown) => parse(toText(text)),
    'empty/0': () => new ResourcePath([]),
    'format/1+': (pattern: unknown, ...parts: unknown[]) =>
      parse(toText(pattern).replace(/%s/g, () => encodePart(toText(parts.shift() ?? null)))),
  },
  { EMPTY: new ResourcePath([]) },
);
defineMethods('org.forgerock.json.resource.ResourcePath', 'java.lang.Object', {
  'child/1': (self: ResourcePath, part: unknown) => new ResourcePath([...self.parts, toText(part)]),
  'concat/1': (self: ResourcePath, other: unknown) =>
    new ResourcePath([...self.parts, ...pathOf(other).parts]),
  'plus/1': (self: ResourcePath, other: unknown) => self.toText() + toText(other),
  'get/1': (self: ResourcePath, at: unknown) => {
    const part = self.parts[toInt(numeric(at))];
    if (part === undefined) throw outOfBounds(`Index out of range: ${toText(at)}`);
    return part;
  },
  'getAt/1': (self: ResourcePath, at: unknown) => self.parts.at(toInt(numeric(at))) ?? null,
  'head/1': (self: ResourcePath, end: unknown) => cut(self, 0, toInt(numeric(end))),
  'tail/1': (self: ResourcePath, from: unknown) => cut(self, toInt(numeric(from)), self.parts.length),
  'subSequence/2': (self: ResourcePath, from: unknown, to: unknown) =>
    cut(self, toInt(numeric(from)), toInt(numeric(to))),
  'parent/0': (self: ResourcePath) => new ResourcePath(self.parts.slice(0, -1)),
  'leaf/0': (self: ResourcePath) => self.parts.at(-1) ?? null,
  'size/0': (self: ResourcePath) => self.parts.length,
  'isEmpty/0': (self: ResourcePath) => self.parts.length === 0,
  'asBoolean/0': () => true,
  'startsWith/1': (self: ResourcePath, other: unknown) =>
    pathOf(other).parts.every((part, at) => part === self.parts[at]),
  'iterator/0': (self: ResourcePath) => {
    let at = 0;
    return new JavaIterator(() => self.parts[at++]);
  },
});
