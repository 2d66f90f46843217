// Runs each snippet of a JSON file with the Groovy of this machine and writes what it did, in the form of the recorded
// fixtures: groovy groovy-oracle.groovy <snippets.json> <outcomes.json>
import groovy.json.*
class Canon {
  static String q(String s) {
    def b = new StringBuilder('"')
    for (char c : s.toCharArray()) {
      switch (c) {
        case '"': b << '\\"'; break
        case '\\': b << '\\\\'; break
        case '\n': b << '\\n'; break
        case '\r': b << '\\r'; break
        case '\t': b << '\\t'; break
        default: if (c < (char) 32 || c > (char) 126) b << String.format('\\u%04x', (int) c); else b << c
      }
    }
    b << '"'
    b.toString()
  }
  static String of(o, int depth = 0) {
    if (depth > 20) return '...'
    if (o == null) return 'null'
    def c = { of(it, depth + 1) }
    if (o instanceof Boolean) return "b:$o"
    if (o instanceof Integer) return "i:$o"
    if (o instanceof Long) return "l:$o"
    if (o instanceof Short) return "sh:$o"
    if (o instanceof Byte) return "by:$o"
    if (o instanceof BigInteger) return "B:$o"
    if (o instanceof BigDecimal) return "D:$o"
    if (o instanceof Double) return "d:$o"
    if (o instanceof Float) return "f:$o"
    if (o instanceof Character) return 'c:' + q(o.toString())
    if (o instanceof String) return 's:' + q(o)
    if (o instanceof GString) return 'g:' + q(o.toString())
    if (o instanceof Closure) return 'closure'
    if (o instanceof Class) return 'C:' + o.name
    if (o instanceof Enum) return 'e:' + o.name()
    if (o instanceof Date) return 'T:' + o.time
    if (o instanceof Range) return 'R[' + o.collect(c).join(', ') + ']'
    if (o instanceof Map.Entry) return 'E(' + c(o.key) + '=' + c(o.value) + ')'
    if (o instanceof Map) {
      def es = o.entrySet().collect { c(it.key) + '=' + c(it.value) }
      if (o.getClass() == HashMap) es.sort()
      return 'M{' + es.join(', ') + '}'
    }
    if (o instanceof Set) { def es = o.collect(c); if (o.getClass() == HashSet) es.sort(); return 'S{' + es.join(', ') + '}' }
    if (o instanceof Collection) return '[' + o.collect(c).join(', ') + ']'
    if (o.getClass().isArray()) return 'A[' + (o as List).collect(c).join(', ') + ']'
    def n = o.getClass().name
    if (o instanceof StringBuilder || o instanceof StringBuffer || n.startsWith('java.time.') || o instanceof UUID || o instanceof Throwable || o instanceof java.util.regex.Pattern) return 'O:' + n + ':' + q(o.toString())
    return 'O:' + n
  }
}

TimeZone.setDefault(TimeZone.getTimeZone('UTC'))
Locale.setDefault(Locale.US)
def console = System.out
def outcomes = new JsonSlurper().parse(new File(args[0])).collect { source ->
  def outcome = [source: source]
  def printed = new ByteArrayOutputStream()
  def stream = new PrintStream(printed, true, 'UTF-8')
  def binding = new Binding(out: stream)
  System.out = stream
  def run = Thread.start {
    try {
      outcome.value = Canon.of(new GroovyShell(binding).parse(source, 'Script1.groovy').run())
    } catch (org.codehaus.groovy.control.MultipleCompilationErrorsException e) {
      outcome.error = 'compile'
    } catch (Throwable e) {
      outcome.error = e.class.name
    }
  }
  run.join(10000)
  if (run.alive) outcome.error = 'timeout'
  // What a snippet has changed about classes must not reach the next one. These two come with changes of their own.
  def registry = GroovySystem.metaClassRegistry
  registry.iterator().collect { it.theClass }.findAll { !(it in [Node, NodeList]) }.each { registry.removeMetaClass(it) }
  stream.flush()
  System.out = console
  def text = printed.toString('UTF-8')
  if (text) outcome.printed = text.replaceFirst(/\n$/, '')
  def variables = binding.variables.findAll { it.key != 'out' }.collect { key, value -> "$key=${Canon.of(value)}".toString() }
  if (variables) outcome.variables = variables.sort()
  outcome
}
new File(args[1]).text = JsonOutput.toJson(outcomes)
System.exit(0)
