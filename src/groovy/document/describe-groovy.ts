import { classRows } from '../runtime/class-table.ts';
import {
  instanceMethods,
  type MethodTable,
  staticMethods,
  staticValueNames,
} from '../runtime/method-table.ts';
import '../groovy-library.ts';
import { CONSTRUCTS } from './constructs.ts';
import { REFUSALS } from './refusals.ts';

const INTRODUCTION = `# Groovy

<!-- Written by \`npm run docs\` from the tables of the compiler and its library. -->

Wherever a script may be, \`"type": "groovy"\` makes it a Groovy script. It runs in the same sandbox as JavaScript, with the
same limits, the same bindings and in the same unit of work. The language level is Groovy 4.

There is no Java virtual machine. Scripts use the resource functions, maps, lists, strings, numbers, dates, regular
expressions, JSON and classes of their own. Java libraries, reflection, threads, files and network classes do
not exist, and a script that names one is refused when it is compiled: all such names at once, with line, column and what to
write instead. An import of a class that there is not is only a warning while nothing of the script uses it.

## What a script sees

- \`svc\`, \`identityServer\`, \`console\` and \`logger\` as in JavaScript; their functions take and give maps and lists. A closure
  may be the callback of \`svc.query\`. A failed call throws the \`ResourceException\` of its status, so that
  \`catch (NotFoundException e)\` works after \`import org.forgerock.json.resource.*\`; that package, \`org.forgerock.json\`,
  \`org.forgerock.http\` and \`org.flowable.engine.delegate\` are there without an import.
- Bindings such as \`object\` as maps, lists, Integers, Longs and Doubles. What a script changes in them goes on; assigning
  another value to the name changes the name only.
- \`request.requestType\` is an enum: compare \`request.requestType.name()\` with a text. \`request.content\` is a JsonValue:
  \`request.content.get('a').asString()\`, or \`request.content.getObject()\` for the map. \`request instanceof CreateRequest\` works.
- \`println\` and its relatives write lines of the script's log at the level info.
- The value of the last statement is the result. Dates become milliseconds since 1970, enums their names, objects of the
  script's classes their properties.
- \`throw new NotFoundException('gone')\`, or \`throw [code: 404, message: 'gone']\`, answers with that status; \`setDetail\` adds a
  detail. Any other exception is answered with 500 and its message.

In \`script.json\`, \`groovy.source.encoding\`, \`groovy.recompile\` and \`groovy.recompile.minimumInterval\` are honoured;
\`groovy.target.directory\`, \`groovy.classpath\` and other keys of the Java world are accepted and have no effect.
`;

const DIFFERENCES = `## What differs from the original

- Messages of missing methods and properties name no possible solutions, and \`assert\` draws no values.
- Objects without a \`hashCode\` of their own, and more than eight keys in one place of a table, may stand elsewhere in a \`HashMap\`
  or \`HashSet\`; a \`Hashtable\` keeps the order in which keys came.
- A text with values plus a number is a \`GString\`, not a \`String\`; a \`MissingMethodException\` that a script makes has no \`method\`.
- \`MissingMethodException\` and \`MissingPropertyException\` have no \`type\`, and every \`metaClass\` is an \`ExpandoMetaClass\`.
- \`@ToString\` leaves out fields with \`@Lazy\`, and the body of a record is checked when it runs.
- Of \`int\` and \`Integer\` the library sees no difference where a method is chosen by the type of an argument.
- Texts of dates are English, and patterns are those of \`Locale.US\`.
- Regular expressions have no possessive quantifiers, atomic groups or intersections of classes, and the flag
  \`x\` only at their beginning; any other pattern is refused.
- \`list.size\` gives the size, as old virtual machines did.
- What a script adds by \`metaClass\` is gone with its run. It is seen by objects that were made before, too; one object is changed
  alone only when it is of a class of the script, an \`Expando\` or the like, no text, number, list or map. \`invokeMethod\` of
  the \`metaClass\` of a class of the library is refused: write \`methodMissing\`. Operators of numbers and texts stay as they are.
- A class or \`metaClass\` cannot replace \`getProperty\` and \`setProperty\`, which is refused when it is tried: write
  \`propertyMissing\`, or a getter and a setter.
- \`invokeMethod\` of a \`GroovyInterceptable\` is not asked where \`==\`, \`<=>\` or a collection compares its objects.
- \`@Memoized\` tells a call with an argument that was left out from one that gives the same value.
- XML has no document types and so no entities of its own, 200 levels at most, and no namespaces but by their prefixes;
  \`XmlUtil.serialize\` writes no blank lines between elements.
- An \`IdentityHashMap\` takes equal texts for one key.
- A \`PrintStream\` over bytes and an \`OutputStreamWriter\` write UTF-8.
`;

/** The page about Groovy, as Markdown. */
export function describeGroovy(): string {
  return [INTRODUCTION, languagePart(), refusalPart(), DIFFERENCES, libraryPart()].join('\n');
}

function languagePart(): string {
  const chapters = Object.entries(CONSTRUCTS).map(([chapter, constructs]) => {
    const rows = constructs.map(
      ({ title, source, answer }) =>
        `**${title}**\n\n\`\`\`groovy\n${source}\n\`\`\`\n\n→ \`${JSON.stringify(answer)}\`\n`,
    );
    return `### ${chapter}\n\n${rows.join('\n')}`;
  });
  return `## The language\n\n${chapters.join('\n')}`;
}

function refusalPart(): string {
  const rows = REFUSALS.map(
    ({ source, instead }) => `| \`${source.replaceAll('\n', '; ').replaceAll('|', '\\|')}\` | ${instead} |`,
  );
  return `## What is refused\n\n| refused | write instead |\n| --- | --- |\n${rows.join('\n')}\n`;
}

/** Every class, package by package, with the members that are its own; those of its parents stand with them. */
function libraryPart(): string {
  const packages = new Map<string, string[]>();
  for (const { name, form, parents } of classRows()) {
    const at = name.lastIndexOf('.');
    const home = name.slice(0, at);
    const parts = [`**${name.slice(at + 1).replaceAll('$', '.')}**`];
    const above = parents.filter((parent) => !/^java\.lang\.(?:Object|Enum)$/.test(parent));
    const kind = form === 'class' ? '' : form;
    const notes = [
      kind,
      ...above.map((parent) => parent.slice(parent.lastIndexOf('.') + 1).replaceAll('$', '.')),
    ];
    if (notes.some((note) => note !== '')) parts.push(`(${notes.filter((note) => note !== '').join(', ')})`);
    const own = membersOf(instanceMethods(name));
    const shared = membersOf(staticMethods(name));
    const values = staticValueNames(name);
    if (shared.length + values.length > 0) parts.push(`static: ${[...values, ...shared].join(', ')}.`);
    if (own.length > 0) parts.push(`${own.join(', ')}.`);
    packages.set(home, [...(packages.get(home) ?? []), `- ${parts.join(' ')}`]);
  }
  const chapters = [...packages].map(([home, lines]) => `### ${home}\n\n${lines.join('\n')}\n`);
  return `## The library

Behind each name stands how many arguments it takes; \`new\` is the constructor, \`getName\` and \`isName\` are properties as
well. In brackets stand the parents, whose members a class has too: every list those of \`Collection\`, every object those of
\`Object\`. Classes without members of their own can be named in \`catch\`, \`instanceof\` and declarations.

${chapters.join('\n')}`;
}

function membersOf(table: MethodTable | undefined): string[] {
  if (table === undefined) return [];
  return Object.keys(table)
    .sort()
    .map((name) => `\`${name}(${arity(table[name]!)})\``);
}

function arity({ least, most }: { least: number; most: number }): string {
  if (most >= 255) return `${least}+`;
  if (least === most) return least === 0 ? '' : String(least);
  return `${least}–${most}`;
}
