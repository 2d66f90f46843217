/** A piece of the language with a script that shows it, and the JSON of what the script answers with. */
export interface Construct {
  readonly title: string;
  readonly source: string;
  readonly answer: unknown;
}

/** What the page about Groovy shows; a test runs every one of them. */
export const CONSTRUCTS: Readonly<Record<string, readonly Construct[]>> = {
  'Values and texts': [
    {
      title: 'numbers',
      source: '[1, 2L, 3G, 4.50, 5d, 6.5f, 0xFF, 0b11, 1_000]',
      answer: [1, 2, 3, 4.5, 5, 6.5, 255, 3, 1000],
    },
    {
      title: 'decimals are exact',
      source: '[0.1 + 0.2, 7 / 2, 10 / 4, 1 / 3]',
      answer: [0.3, 3.5, 2.5, 0.3333333333],
    },
    {
      title: 'whole numbers have their width',
      source: '[2147483647 + 1, 2147483647L + 1, 2 ** 40]',
      answer: [-2147483648, 2147483648, 1099511627776],
    },
    {
      title: 'texts',
      source: `def n = 2; ['a' + n, "n is \${n + 1}", '''two
lines''', /a\\d/, $/c:\\dir/$]`,
      answer: ['a2', 'n is 3', 'two\nlines', 'a\\d', 'c:\\dir'],
    },
    {
      title: 'lists, maps, ranges, sets',
      source: "[[1, 2], [a: 1, 'b c': 2, (1 + 1): 3], (1..3), (1..<3).toList(), [1, 1, 2] as Set]",
      answer: [[1, 2], { a: 1, 'b c': 2, '2': 3 }, [1, 2, 3], [1, 2], [1, 2]],
    },
    {
      title: 'arrays and casts',
      source: "int[] a = [1, 2]; [a.length, '42' as int, (int) 4.9, 5 as String, [1, 2] as String[]]",
      answer: [2, 42, 4, '5', ['1', '2']],
    },
  ],
  Variables: [
    {
      title: 'declared',
      source: "def a = 1; int b = 2; String c = 'x'; final d = 3; var e = 4; [a, b, c, d, e]",
      answer: [1, 2, 'x', 3, 4],
    },
    {
      title: 'not declared: a variable of the script',
      source: 'total = 1\ndef add(n) { total += n }\nadd(4)\ntotal',
      answer: 5,
    },
    {
      title: 'several at once',
      source: 'def (a, b, c) = [1, 2]; (a, b) = [b, a]; [a, b, c]',
      answer: [2, 1, null],
    },
    {
      title: '@Field',
      source: 'import groovy.transform.Field\n@Field int count = 1\ndef next() { ++count }\nnext()',
      answer: 2,
    },
  ],
  Operators: [
    {
      title: 'by value',
      source: "[1 == 1.0, [1, 2] == [1L, 2L], 1 <=> 2, 'b' > 'a', null < 1]",
      answer: [true, true, -1, true, true],
    },
    {
      title: 'identity',
      source: 'def l = [1]; [l === l, [1] === [1], [1].is([1])]',
      answer: [true, false, false],
    },
    {
      title: 'null-safe',
      source: 'def m = null; [m?.a, m?.a?.b, m ?: 1, [a: null].a ?: 2]',
      answer: [null, null, 1, 2],
    },
    {
      title: 'assignment with an operator',
      source: 'def a = 1; a += 2; a *= 5; def b; b ?= 7; def l = []; l << 1 << 2; [a, b, l]',
      answer: [15, 7, [1, 2]],
    },
    {
      title: 'spread',
      source: "def f(a, b) { a + b }; [f(*[1, 2]), [0, *[1, 2]], [x: 1, *: [y: 2]], ['a', 'bc']*.size()]",
      answer: [3, [0, 1, 2], { x: 1, y: 2 }, [1, 2]],
    },
    {
      title: 'membership and type',
      source: "[2 in [1, 2], 'a' in [a: 1], 3 !in 1..2, 1 instanceof Number, 'x' !instanceof Number]",
      answer: [true, true, true, true, true],
    },
    {
      title: 'regular expressions',
      source:
        "def m = 'id-42' =~ /(\\w+)-(\\d+)/; ['abc' ==~ /[a-c]+/, m[0][2], 'a1b2'.replaceAll(/\\d/) { it * 2 }]",
      answer: [true, '42', 'a11b22'],
    },
    {
      title: 'index and range',
      source: "def l = [1, 2, 3, 4]; [l[-1], l[1..2], l[0, 3], 'hello'[1..-1], [a: 1]['a'], l?[0]]",
      answer: [4, [2, 3], [1, 4], 'ello', 1, 1],
    },
    {
      title: 'of classes',
      source: 'class V { int n; def plus(V o) { new V(n: n + o.n) } }; (new V(n: 1) + new V(n: 2)).n',
      answer: 3,
    },
  ],
  'Flow of control': [
    {
      title: 'if, ternary, the last value is the result',
      source: "def n = 3\nif (n > 2) { 'many' } else { 'few' }",
      answer: 'many',
    },
    {
      title: 'loops',
      source:
        'def r = []; for (x in 1..3) r << x; for (int i = 0; i < 2; i++) { r << i }; def n = 2; while (n-- > 0) r << n; do { r << 9 } while (false); r',
      answer: [1, 2, 3, 0, 1, 1, 0, 9],
    },
    {
      title: 'labels, break, continue',
      source:
        'def r = []; outer: for (a in 1..3) { for (b in 1..3) { if (b == 2) continue outer; if (a == 3) break outer; r << a * 10 + b } }; r',
      answer: [11, 21],
    },
    {
      title: 'switch by value, range, class, list, pattern',
      source:
        "def kind(x) { switch (x) { case null: return 'null'; case 1..3: return 'few'; case ~/a.*/: return 'a'; case Number: return 'number'; case ['x', 'y']: return 'listed'; default: return 'other' } }; [null, 2, 'abc', 7.5, 'x', []].collect { kind(it) }",
      answer: ['null', 'few', 'a', 'number', 'listed', 'other'],
    },
    {
      title: 'switch as a value',
      source: "def n = 2; def t = switch (n) { case 1 -> 'one'; case 2 -> 'two'; default -> 'more' }; t",
      answer: 'two',
    },
    {
      title: 'exceptions',
      source:
        "def r = []; try { null.x } catch (IllegalStateException | NullPointerException e) { r << e.class.simpleName } finally { r << 'finally' }; r",
      answer: ['NullPointerException', 'finally'],
    },
    {
      title: 'try with resources',
      source:
        "def lines = []; try (def reader = new StringReader('a\\nb')) { reader.eachLine { lines << it } }; lines",
      answer: ['a', 'b'],
    },
    {
      title: 'assert',
      source: "try { assert 1 > 2 : 'no' } catch (AssertionError e) { e.message }",
      answer: 'no. Expression: (1 > 2)',
    },
  ],
  'Closures and methods': [
    {
      title: 'closures',
      source:
        'def twice = { it * 2 }; def add = { a, b = 10 -> a + b }; [twice(2), add(1), add(1, 2), [1, 2].collect(twice)]',
      answer: [4, 11, 3, [2, 4]],
    },
    {
      title: 'composition and currying',
      source:
        'def inc = { it + 1 }; def twice = { it * 2 }; def sub = { a, b -> a - b }; [(inc >> twice)(3), (inc << twice)(3), sub.curry(10)(3), sub.rcurry(10)(3)]',
      answer: [8, 7, 7, -7],
    },
    {
      title: 'delegates',
      source:
        "def c = { -> size() }; c.delegate = [1, 2]; c.resolveStrategy = Closure.DELEGATE_FIRST; [c(), 'abc'.with { length() }, [:].tap { a = 1 }]",
      answer: [2, 3, { a: 1 }],
    },
    {
      title: 'method references and lambdas',
      source:
        "[['a'].collect(String.&toUpperCase), [1, 2].collect(x -> x + 1), ['a'].collect(String::toUpperCase)]",
      answer: [['A'], [2, 3], ['A']],
    },
    {
      title: 'methods of the script',
      source:
        "int fact(int n) { n < 2 ? 1 : n * fact(n - 1) }\ndef all(String first, Object... rest) { [first, rest.size()] }\n[fact(5), all('a', 1, 2)]",
      answer: [120, ['a', 2]],
    },
    { title: 'named arguments', source: 'def f(Map m, x) { [m.a, x] }; f(a: 1, 2)', answer: [1, 2] },
    {
      title: 'calls without parentheses',
      source: "def out = []\nout.add 'a'\nout << 'b'\nout",
      answer: ['a', 'b'],
    },
  ],
  Classes: [
    {
      title: 'fields, properties, constructors',
      source:
        'class P { String name; int age = 1; String toString() { "$name:$age" } }; def p = new P(name: \'A\'); p.age++; [p.name, p.getAge(), p.toString()]',
      answer: ['A', 2, 'A:2'],
    },
    {
      title: 'inheritance and interfaces',
      source:
        'interface Shape { def area() }; abstract class Base implements Shape { def twice() { area() * 2 } }; class Sq extends Base { int a; Sq(int a) { this.a = a }; def area() { a * a } }; new Sq(3).twice()',
      answer: 18,
    },
    {
      title: 'enums',
      source:
        "enum Level { LOW(1), HIGH(5); final int n; Level(int n) { this.n = n }; boolean above(int x) { n > x } }; [Level.HIGH.n, Level.valueOf('LOW').ordinal(), Level.values()*.name(), Level.HIGH.above(2)]",
      answer: [5, 0, ['LOW', 'HIGH'], true],
    },
    {
      title: 'static members, overloads',
      source:
        "class U { static final int MAX = 3; static f(int x) { 'int' } static f(String x) { 'text' } }; [U.MAX, U.f(1), U.f('a')]",
      answer: [3, 'int', 'text'],
    },
    {
      title: 'classes inside classes, which see what is around them',
      source:
        'class Basket { def items = []; class Counter { def count() { items.size() } }; def counter() { new Counter() } }; def b = new Basket(items: [1, 2]); [b.counter().count(), new Basket.Counter(b).count()]',
      answer: [2, 2],
    },
    {
      title: 'anonymous classes, closures as interfaces',
      source:
        'def c = new Comparator() { int compare(a, b) { b <=> a } }; def d = { a, b -> b <=> a } as Comparator; [c.compare(1, 2), d.compare(1, 2)]',
      answer: [1, 1],
    },
    {
      title: 'missing members',
      source:
        'class D { def propertyMissing(String n) { "p-$n".toString() } def methodMissing(String n, args) { n + args.size() } }; def d = new D(); [d.x, d.go(1, 2)]',
      answer: ['p-x', 'go2'],
    },
    {
      title: 'intercepted calls, missing static members',
      source:
        'class G implements GroovyInterceptable { def go() { 1 } def invokeMethod(String n, args) { ["around $n".toString(), metaClass.getMetaMethod(n, args)?.invoke(this, args)] } }; class S { static $static_methodMissing(String n, args) { n + args.size() } }; [new G().go(), S.made(1, 2)]',
      answer: [['around go', 1], 'made2'],
    },
    {
      title: 'annotations that stand for members',
      source:
        "import groovy.transform.*\n@Canonical class P { String name; int age = 1 }; [new P('A').toString(), new P('A') == new P(name: 'A')]",
      answer: ['P(A, 1)', true],
    },
    {
      title: 'records and sealed classes',
      source:
        'sealed interface Shape permits Circle { }; record Circle(int r) implements Shape { int area() { 3 * r * r } }; def c = new Circle(2); [c.r(), c.area(), c.toString(), c == new Circle(2)]',
      answer: [2, 12, 'Circle[r=2]', true],
    },
    {
      title: 'delegates, lazy and remembered values',
      source:
        "import groovy.transform.Memoized\nclass Box { @Delegate List items = []; @Lazy def first = items[0]; @Memoized def twice(int n) { n * 2 } }; def b = new Box(); b << 'a' << 'b'; [b.size(), b.first, b.twice(2)]",
      answer: [2, 'a', 4],
    },
    {
      title: 'methods added to classes, for the rest of the run',
      source:
        "String.metaClass.shout = { -> delegate.toUpperCase() + '!' }; class P { String name }; def p = new P(name: 'x'); p.metaClass.hi = { -> \"hi $name\".toString() }; ['a'.shout(), p.hi(), p.respondsTo('hi').size(), p.hasProperty('age')]",
      answer: ['A!', 'hi x', 1, null],
    },
    {
      title: 'categories',
      source:
        "import groovy.time.TimeCategory\nclass Words { static int words(String self) { self.split(' ').size() } }; [use(Words) { 'a b c'.words() }, use(TimeCategory) { (new Date(0) + 2.hours).time }]",
      answer: [3, 7200000],
    },
    {
      title: 'own exceptions',
      source:
        "class Odd extends RuntimeException { int n; Odd(int n) { super('odd ' + n); this.n = n } }; try { throw new Odd(3) } catch (Odd e) { [e.message, e.n] }",
      answer: ['odd 3', 3],
    },
  ],
  'Java and Groovy classes': [
    {
      title: 'collections',
      source:
        "def p = [[n: 'a', w: 3], [n: 'b', w: 1], [n: 'c', w: 3]]; [p.sum { it.w }, p.groupBy { it.w }.keySet(), p.max { it.w }.n, p*.n.join(','), p.findAll { it.w > 1 }.size(), p.collectEntries { [it.n, it.w] }]",
      answer: [7, [3, 1], 'a', 'a,b,c', 2, { a: 3, b: 1, c: 3 }],
    },
    {
      title: 'dates',
      source:
        "import java.text.SimpleDateFormat\ndef f = new SimpleDateFormat('yyyy-MM-dd HH:mm'); f.timeZone = TimeZone.getTimeZone('UTC'); [f.format(new Date(0)), f.format(f.parse('2024-02-28 10:00') + 1)]",
      answer: ['1970-01-01 00:00', '2024-02-29 10:00'],
    },
    {
      title: 'java.time',
      source:
        "import java.time.*\nimport java.time.temporal.ChronoUnit\ndef d = LocalDate.of(2024, 1, 31); [d.plusMonths(1).toString(), ChronoUnit.DAYS.between(d, LocalDate.parse('2024-03-01')), d.dayOfWeek.name(), Duration.ofMinutes(90).toString()]",
      answer: ['2024-02-29', 30, 'WEDNESDAY', 'PT1H30M'],
    },
    {
      title: 'JSON',
      source:
        'import groovy.json.*\ndef o = new JsonSlurper().parseText(\'{"a": [1, 2.5]}\'); [o.a[1], JsonOutput.toJson([b: o.a]), new JsonBuilder([x: 1]).toString()]',
      answer: [2.5, '{"b":[1,2.5]}', '{"x":1}'],
    },
    {
      title: 'JSON with rules of its own',
      source:
        "import groovy.json.*\ndef g = new JsonGenerator.Options().excludeNulls().dateFormat('yyyy').build(); def w = new StringWriter(); new StreamingJsonBuilder(w, g)([a: null, d: new Date(0)]); [g.toJson([x: null, y: 1]), w.toString()]",
      answer: ['{"y":1}', '{"d":"1970"}'],
    },
    {
      title: 'XML',
      source:
        "import groovy.xml.*\ndef w = new StringWriter(); new MarkupBuilder(w).users { user(id: 1) { mail('a@b') } }; def x = new XmlSlurper().parseText(w.toString()); [x.user.mail.text(), x.user.@id.toInteger(), x.user.size()]",
      answer: ['a@b', 1, 1],
    },
    {
      title: 'configurations',
      source:
        "def c = new ConfigSlurper('test').parse('db { host = \"a\"; port = 1 }; environments { test { db.port = 2 } }'); [c.db.host, c.db.port, c.flatten()]",
      answer: ['a', 2, { 'db.host': 'a', 'db.port': 2 }],
    },
    {
      title: 'texts, Base64, digests',
      source:
        "['a,b'.split(','), 'x'.padLeft(3, '0'), 'Zoë'.bytes.encodeBase64().toString(), 'a'.md5(), UUID.nameUUIDFromBytes('a'.bytes).toString().size()]",
      answer: [['a', 'b'], '00x', 'Wm/Dqw==', '0cc175b9c0f1b6a831c399e269772661', 36],
    },
    {
      title: 'resource exceptions by name',
      source:
        "import org.forgerock.json.resource.*\ntry { throw new ConflictException('taken') } catch (ResourceException e) { [e.code, e.reason, e.message] }",
      answer: [409, 'Conflict', 'taken'],
    },
    {
      title: 'JsonValue',
      source:
        "import org.forgerock.json.JsonValue\ndef j = new JsonValue([a: [b: [1, 2]]]); [j.get('a').get('b').asList(), j.get('x').isNull(), j.get('a').isMap()]",
      answer: [[1, 2], true, true],
    },
  ],
};
