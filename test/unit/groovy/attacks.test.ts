import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxPool } from '../../../src/script/javascript/index.ts';
import { createGroovyPool, runSnippet } from './support.ts';
import '../../support/takes-long.ts';

let pool: SandboxPool;
beforeAll(async () => {
  pool = await createGroovyPool();
});
afterAll(() => pool.close());

const outcome = (source: string) => runSnippet(pool, source);

describe('Groovy scripts cannot leave the sandbox', () => {
  test.each([
    ['programs', '"ls".execute()'],
    ['programs by name', 'def m = "execute"; "ls"."$m"()'],
    ['programs by invokeMethod', '"ls".invokeMethod("execute", [] as Object[])'],
    ['programs in a list', '["ls"].execute()'],
    ['programs of a process builder', 'new ProcessBuilder("ls").start()'],
    ['programs of the runtime', 'Runtime.getRuntime().exec("ls")'],
    ['programs of the runtime by property', 'Runtime.runtime.exec("ls")'],
    ['the end of the process', 'System.exit(1)'],
    ['the end of the process by name', 'def m = "exit"; System."$m"(1)'],
    ['a halted process', 'Runtime.getRuntime().halt(1)'],
    ['classes by name', 'Class.forName("java.lang.Runtime")'],
    ['classes by name of a class', 'String.class.forName("java.lang.Runtime")'],
    ['classes by a computed name', 'def m = "forName"; Class."$m"("java.lang.Runtime")'],
    ['class loaders', 'this.class.classLoader.loadClass("java.lang.Runtime")'],
    ['class loaders of a thread', 'Thread.currentThread().contextClassLoader'],
    ['reflection on methods', 'String.getDeclaredMethod("length").setAccessible(true)'],
    ['reflection on fields', 'String.getDeclaredField("value")'],
    ['reflection on constructors', '"".class.getConstructors()[0].newInstance()'],
    ['metaClass of a text', 'def o = "a"; o.metaClass.x = 1; o.x'],
    ['another metaClass', 'String.metaClass = new Object()'],
    [
      'the classes of the host by a metaClass',
      'String.metaClass.invokeMethod(String, "forName", "java.lang.Runtime")',
    ],
    ['JavaScript by a metaClass', '"".metaClass.getProperty("", "constructor")'],
    ['JavaScript by a method of a metaClass', '[].metaClass.invokeMethod([], "constructor", "return 1")'],
    ['classes by an added constructor', 'Runtime.metaClass.constructor = { -> 1 }; new Runtime()'],
    ['programs by a configuration', 'new ConfigSlurper().parse("x = \\"ls\\".execute()").x'],
    ['addresses by a configuration', 'new ConfigSlurper().parse(new URL("http://127.0.0.1")).x'],
    ['files by a scanner', 'new Scanner(new File("/etc/passwd")).nextLine()'],
    ['mixins', 'String.mixin(List)'],
    ['categories', 'use(String) { 1 }'],
    ['dependencies', '@Grab("org.x:y:1.0") import org.x.Y\n1'],
    ['transformations of the syntax tree', '@groovy.transform.ASTTest(value={ System.exit(1) }) def x = 1'],
    [
      'transformations of a class',
      '@groovy.transform.CompileStatic(extensions="x.groovy") class A {}; @ASTTest({1}) class B {}',
    ],
    ['evaluation', 'evaluate("1 + 1")'],
    ['evaluation by a shell', 'new GroovyShell().evaluate("1")'],
    ['evaluation by Eval', 'Eval.me("1 + 1")'],
    ['a class loader of Groovy', 'new GroovyClassLoader().parseClass("class A {}")'],
    ['an engine of scripts', 'new javax.script.ScriptEngineManager().getEngineByName("js")'],
    ['files', 'new File("/etc/passwd").text'],
    ['files by path', 'java.nio.file.Files.readString(java.nio.file.Paths.get("/etc/passwd"))'],
    ['files of a text', '"/etc/passwd".toURL().text'],
    ['files by stream', 'new FileInputStream("/etc/passwd")'],
    ['addresses', 'new URL("http://127.0.0.1").text'],
    ['sockets', 'new Socket("127.0.0.1", 80)'],
    ['threads', 'new Thread({ 1 }).start()'],
    ['threads by closure', 'Thread.start { 1 }'],
    ['the environment as a map', 'System.env.PATH'],
    ['databases', 'groovy.sql.Sql.newInstance("jdbc:x")'],
    ['names of JavaScript', 'globalThis'],
    ['functions of JavaScript', 'Function("return 1")()'],
    ['JavaScript by eval', 'eval("1")'],
    ['the host function', 'host("svc.read", "x")'],
    ['the runtime by its name', '$.name($s, "x")'],
    ['the entry of the runtime', 'groovy$.run(1)'],
    ['the constructor of a text', '"a".constructor'],
    ['the constructor of a closure', '({ -> 1 }).constructor("return 1")()'],
    ['the constructor of a list', '[1].constructor.constructor'],
    ['the constructor of a class', 'String.constructor'],
    ['the constructor of a number', '1.constructor'],
    ['the constructor of an object of the script', 'class A { }; new A().constructor'],
    ['static members that are of JavaScript', 'class A { static x = 1 }; A.constructor'],
    ['the prototype of an object', 'class A { }; new A().__proto__'],
    ['the prototype of an exception', 'new Exception("x").__proto__'],
    ['members of a range', '(1..2).items'],
    ['the code of a closure', '({ 1 }).code'],
    ['private members of values', '(1.5).unscaled'],
    ['the call of JavaScript', '({ -> 1 }).apply(null, [])'],
    ['the binding of JavaScript', '({ -> 1 }).bind(null)'],
  ])('to reach %s', async (_what, source) => {
    const { error, value } = await outcome(source);
    expect(value).toBeUndefined();
    expect(error).toMatch(/^(?:compile|groovy\.lang\.|java\.lang\.|org\.codehaus\.)/);
  });

  test('whatever their names and texts are made of', async () => {
    const names = [
      '__proto__',
      'constructor',
      'prototype',
      'hasOwnProperty',
      'arguments',
      'let',
      'await',
      'eval',
    ];
    for (const name of names) {
      const source = `def ${name} = [${name}: 1]; ${name}.${name} += 1; def f = { x -> def it = x; it }; [${name}.${name}, f(3), ${name}.keySet()[0]]`;
      expect(await outcome(source)).toEqual({ value: `[i:2, i:3, s:"${name}"]` });
    }
    expect(await outcome(`"\\u2028*/\`\${1}\`\\u0001\\0</script>" + '\\'; throw 1; //'`)).toMatchObject({
      value: expect.stringContaining('throw 1'),
    });
    expect(await outcome('class __proto__ { def constructor = 5 }; new __proto__().constructor')).toEqual({
      value: 'i:5',
    });
    expect(
      await outcome('def m = [:]; m.__proto__ = 1; m["constructor"] = 2; [m, [:].toString, [:].valueOf]'),
    ).toEqual({
      value: '[M{s:"__proto__"=i:1, s:"constructor"=i:2}, null, null]',
    });
  });

  test.each([
    ['an entity', '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>'],
    ['entities that grow', '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><r>&b;</r>'],
    ['a path', '/etc/passwd'],
  ])('to read files by XML: %s', async (_what, xml) => {
    for (const reader of ['XmlSlurper', 'XmlParser']) {
      const { error } = await outcome(`new ${reader}().parse('${xml}').text()`);
      expect(error).toBe('org.xml.sax.SAXParseException');
    }
  });

  test('by control characters in expressions', async () => {
    const source = `'a\u0001b\u0002c'.replaceAll(/\u0001/, '-').replaceAll(/\u0002/, '+').replaceAll(/\u0001+/, '?')`;
    expect(await outcome(source)).toEqual({ value: 's:"a-b+c"' });
  });

  test.each([-1, 0, 50, 99])(
    'by the offsets of time zones in the year %d, from which it is far to 1900',
    async (year) => {
      const source = `java.time.ZonedDateTime.of(${year}, 6, 1, 0, 0, 0, 0, java.time.ZoneId.of('Europe/Berlin')).offset.totalSeconds`;
      expect(await outcome(source)).toEqual({ value: 'i:3208' });
    },
  );

  test('to read the environment', async () => {
    expect(await outcome('System.getenv("PATH")')).toEqual({ value: 'null' });
  });

  test('to change what the next script sees', async () => {
    await outcome(
      'String.metaClass.x = { -> 1 }; List.metaClass.size = { -> 99 }; Object.metaClass.y = 5; 1',
    );
    expect((await outcome('"a".x()')).error).toBe('groovy.lang.MissingMethodException');
    expect((await outcome('"a".y')).error).toBe('groovy.lang.MissingPropertyException');
    expect(await outcome('[1, 2].size()')).toEqual({ value: 'i:2' });
    await outcome('TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo")); Locale.setDefault(Locale.US); 1');
    expect(await outcome('TimeZone.getDefault().ID')).toEqual({ value: 's:"UTC"' });
  });

  test('to swallow the end of their stack and memory', async () => {
    expect(
      await outcome('def f(n) { f(n + 1) }; try { f(0) } catch (StackOverflowError e) { "caught" }'),
    ).toEqual({
      value: 's:"caught"',
    });
    const greedy =
      'def l = []; while (true) { try { l << ("x" * 100000 + l.size()) } catch (Throwable t) { l << t } }';
    await expect(outcome(greedy)).rejects.toMatchObject({ limit: 'memory' });
  });

  test.each([
    ['bits', 'def b = new BitSet(); b.set(0, 2147483647); b.cardinality()'],
    [
      'a configuration that never ends',
      'new ConfigSlurper().parse("l = []; while (true) l << (\'x\' * 10000 + l.size())")',
    ],
    [
      'what is remembered',
      '@groovy.transform.Memoized def f(n) { "x" * 10000 + n }; def n = 0; while (true) f(n++)',
    ],
  ])('to take more memory than there is: %s', async (_what, source) => {
    await expect(outcome(source)).rejects.toMatchObject({ limit: 'memory' });
  });

  test('to read far bits, deep XML and huge texts at the expense of others', async () => {
    expect(await outcome('def b = new BitSet(); b.set(2147483647); b.get(2147483647)')).toEqual({
      value: 'b:true',
    });
    const deep = 'def n = 5000; new XmlSlurper().parseText("<a>" * n + "</a>" * n)';
    expect((await outcome(deep)).error).toBe('org.xml.sax.SAXParseException');
    const words = 'def s = new Scanner("ab " * 20000); def n = 0; while (s.hasNext()) { s.next(); n++ }; n';
    expect(await outcome(words)).toEqual({ value: 'i:20000' });
  });
});
