/** What is refused when the script is compiled, and what to write instead. */
export const REFUSALS: readonly { readonly source: string; readonly instead: string }[] = [
  { source: "'ls'.execute()", instead: 'nothing: scripts cannot start programs' },
  { source: 'System.exit(1)', instead: '`return`, or `throw` an exception' },
  { source: "Class.forName('java.lang.Runtime')", instead: 'the class itself' },
  { source: "evaluate('1')", instead: 'a closure' },
  { source: "@Grab('a:b:1') import a.B", instead: 'what this page lists' },
  { source: '@AutoClone class A { }', instead: 'the methods that the annotation stands for' },
  { source: 'trait T { }', instead: 'an abstract class or an interface' },
  { source: "new File('/etc/passwd')", instead: '`svc.read` and the other resource functions' },
  { source: "new URL('http://x').text", instead: '`svc.action` on a resource that calls out' },
  { source: 'Thread.start { }', instead: 'a schedule' },
  { source: 'import com.example.Thing\nnew Thing()', instead: 'a map, or a class of the script' },
];
