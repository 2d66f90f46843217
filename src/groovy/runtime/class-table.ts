/**
 * The Java and Groovy classes that exist, by package. `@` marks an interface, `#` an enum; behind the colon stand
 * the parent and the interfaces.
 */
const TABLE = `
java.lang Object @CharSequence @Comparable @Iterable @Runnable @Cloneable @AutoCloseable @Appendable Number Math
  StrictMath Integer:Number+Comparable Long:Number+Comparable Short:Number+Comparable Byte:Number+Comparable
  Double:Number+Comparable Float:Number+Comparable Character:Object+Comparable Boolean:Object+Comparable Void
  String:Object+CharSequence+Comparable AbstractStringBuilder:Object+CharSequence+Appendable Class Enum:Object+Comparable
  StringBuilder:AbstractStringBuilder StringBuffer:AbstractStringBuilder System Thread:Object+Runnable
  StackTraceElement Throwable Exception:Throwable Error:Throwable RuntimeException:Exception IllegalArgumentException:RuntimeException
  IllegalStateException:RuntimeException NumberFormatException:IllegalArgumentException
  ArithmeticException:RuntimeException NullPointerException:RuntimeException ClassCastException:RuntimeException
  IndexOutOfBoundsException:RuntimeException ArrayIndexOutOfBoundsException:IndexOutOfBoundsException
  StringIndexOutOfBoundsException:IndexOutOfBoundsException NegativeArraySizeException:RuntimeException
  UnsupportedOperationException:RuntimeException CloneNotSupportedException:Exception InterruptedException:Exception
  SecurityException:RuntimeException ArrayStoreException:RuntimeException ReflectiveOperationException:Exception
  ClassNotFoundException:ReflectiveOperationException InstantiationException:ReflectiveOperationException
  AbstractMethodError:Error NoSuchFieldException:ReflectiveOperationException
  NoSuchMethodException:ReflectiveOperationException AssertionError:Error VirtualMachineError:Error
  StackOverflowError:VirtualMachineError
java.util @Collection:Iterable @List:Collection @Set:Collection @SortedSet:Set @Queue:Collection @Deque:Queue @Map
  @SortedMap:Map @Map$Entry @Iterator @ListIterator:Iterator @Enumeration @Comparator @RandomAccess
  AbstractCollection:Object+Collection AbstractList:AbstractCollection+List ArrayList:AbstractList+RandomAccess+Cloneable
  LinkedList:AbstractList+Deque+Cloneable Vector:AbstractList+RandomAccess+Cloneable Stack:Vector
  AbstractSet:AbstractCollection+Set HashSet:AbstractSet+Cloneable LinkedHashSet:HashSet TreeSet:AbstractSet+SortedSet+Cloneable
  AbstractMap:Object+Map HashMap:AbstractMap+Cloneable LinkedHashMap:HashMap TreeMap:AbstractMap+SortedMap+Cloneable
  Hashtable:Object+Map Properties:Hashtable EnumMap:AbstractMap IdentityHashMap:AbstractMap EnumSet:AbstractSet
  RegularEnumSet:EnumSet BitSet:Object+Cloneable Scanner:Object+Iterator+java.io.Closeable ArrayDeque:AbstractCollection+Deque AbstractMap$SimpleEntry:Object+Map$Entry Collections
  Collections$UnmodifiableList:Object+List Collections$UnmodifiableSet:Object+Set Collections$UnmodifiableMap:Object+Map
  Arrays Arrays$ArrayList:AbstractList+RandomAccess Objects Optional IntSummaryStatistics
  PriorityQueue:AbstractCollection+Queue StringTokenizer:Object+Enumeration Date:Object+Comparable+Cloneable
  Calendar:Object+Comparable+Cloneable GregorianCalendar:Calendar TimeZone:Object+Cloneable Locale UUID:Object+Comparable
  Random Base64 Base64$Encoder Base64$Decoder StringJoiner NoSuchElementException:RuntimeException
  ConcurrentModificationException:RuntimeException EmptyStackException:RuntimeException
  InputMismatchException:NoSuchElementException MissingResourceException:RuntimeException
java.util.function @Function @BiFunction @Predicate @BiPredicate @Supplier @Consumer @BiConsumer @UnaryOperator:Function
  @BinaryOperator:BiFunction
java.util.regex Pattern @MatchResult Matcher:Object+MatchResult PatternSyntaxException:java.lang.IllegalArgumentException
java.util.logging Logger Level
java.sql Timestamp:java.util.Date
java.util.stream @Stream Collectors @Collector @IntStream
java.util.concurrent @Callable CopyOnWriteArrayList:Object+java.util.List+RandomAccess @ConcurrentMap:java.util.Map ConcurrentHashMap:java.util.AbstractMap+ConcurrentMap #TimeUnit TimeoutException:java.lang.Exception
  ExecutionException:java.lang.Exception
java.util.concurrent.atomic AtomicInteger:Number AtomicLong:Number AtomicBoolean AtomicReference
java.text Format DateFormat:Format SimpleDateFormat:DateFormat NumberFormat:Format DecimalFormat:NumberFormat MessageFormat:Format
  Normalizer #Normalizer$Form
  ParseException:Exception
java.math BigDecimal:Number+Comparable BigInteger:Number+Comparable #RoundingMode MathContext
java.net URLEncoder URLDecoder URISyntaxException:Exception MalformedURLException:java.io.IOException
java.io @Serializable @Closeable:AutoCloseable IOException:Exception FileNotFoundException:IOException
  UncheckedIOException:RuntimeException UnsupportedEncodingException:IOException InputStream:Object+Closeable
  ByteArrayInputStream:InputStream OutputStream:Object+Closeable ByteArrayOutputStream:OutputStream PrintStream:OutputStream PrintStream$OfBytes:PrintStream
  InputStreamReader:Reader OutputStreamWriter:Writer
  Reader:Object+Closeable StringReader:Reader BufferedReader:Reader
  Writer:Object+Appendable+Closeable StringWriter:Writer PrintWriter:Writer
java.nio.charset Charset StandardCharsets
java.security MessageDigest SecureRandom:Random GeneralSecurityException:Exception
  NoSuchAlgorithmException:GeneralSecurityException
java.time Instant:Object+Comparable+java.time.temporal.Temporal LocalDate:Object+Comparable+java.time.temporal.Temporal
  LocalTime:Object+Comparable+java.time.temporal.Temporal LocalDateTime:Object+Comparable+java.time.temporal.Temporal
  ZonedDateTime:Object+Comparable+java.time.temporal.Temporal OffsetDateTime:Object+Comparable+java.time.temporal.Temporal
  Clock ZoneId ZoneOffset:ZoneId ZoneRegion:ZoneId Duration:Object+Comparable+java.time.temporal.TemporalAmount
  Period:Object+java.time.temporal.TemporalAmount
  #DayOfWeek #Month Year:Object+Comparable YearMonth:Object+Comparable DateTimeException:RuntimeException
java.time.zone ZoneRules ZoneRulesException:java.time.DateTimeException
java.time.format DateTimeFormatter #TextStyle DateTimeParseException:java.time.DateTimeException
java.time.temporal #ChronoUnit #ChronoField TemporalAdjusters IsoFields @TemporalAdjuster @Temporal:TemporalAccessor @TemporalAccessor
  @TemporalAmount   UnsupportedTemporalTypeException:java.time.DateTimeException
groovy.lang @GroovyObject @GroovyInterceptable:GroovyObject @Writable Closure:Object+Runnable+Cloneable GString:Object+CharSequence+Comparable @Range:List
  IntRange:AbstractList+Range ObjectRange:AbstractList+Range EmptyRange:AbstractList+Range Tuple:AbstractList Binding Script
  GroovyRuntimeException:RuntimeException MissingPropertyException:GroovyRuntimeException
  MissingMethodException:GroovyRuntimeException MissingFieldException:GroovyRuntimeException
  ReadOnlyPropertyException:MissingPropertyException NumberRange:AbstractList+Range @MetaClass
  ExpandoMetaClass:Object+MetaClass ExpandoMetaClass$ExpandoMetaProperty ExpandoMetaClass$DefiningClosure MetaMethod
  MetaProperty MetaClassRegistry GroovySystem @Category @Lazy @Delegate @Singleton
groovy.time BaseDuration:Object+Comparable BaseDuration$From Duration:BaseDuration TimeDuration:Duration TimeCategory
  DatumDependentDuration:BaseDuration TimeDatumDependentDuration:DatumDependentDuration
groovy.util Expando GroovyCollections MapEntry:Object+Map$Entry ConfigObject:java.util.LinkedHashMap ConfigSlurper
  ConfigSlurper$Environments Node NodeList:java.util.ArrayList
groovy.xml XmlSlurper XmlParser XmlUtil MarkupBuilder MarkupBuilderHelper
groovy.xml.slurpersupport GPathResult:java.lang.Object+java.lang.Iterable NodeChildren:GPathResult NoChildren:GPathResult
org.xml.sax SAXException:java.lang.Exception SAXParseException:SAXException
groovy.json JsonDelegate JsonGenerator JsonGenerator$Options StreamingJsonBuilder JsonSlurper JsonSlurperClassic JsonBuilder JsonOutput JsonException:RuntimeException
groovy.text @Template TemplateEngine SimpleTemplateEngine:TemplateEngine GStringTemplateEngine:TemplateEngine
groovy.transform @Field @CompileStatic @TypeChecked @CompileDynamic @PackageScope @ToString @EqualsAndHashCode
  @TupleConstructor @Canonical @Immutable @TailRecursive @InheritConstructors @Memoized @Sortable
groovy.transform.builder @Builder
groovy.util.logging @Slf4j @Log
org.codehaus.groovy.runtime GStringImpl:groovy.lang.GString MethodClosure:groovy.lang.Closure
org.codehaus.groovy.runtime.typehandling GroovyCastException:java.lang.ClassCastException
org.codehaus.groovy.runtime.powerassert PowerAssertionError:java.lang.AssertionError
org.slf4j @Logger LoggerFactory
org.json JSONObject JSONArray:Object+Iterable JSONException:RuntimeException
org.forgerock.json JsonValue:Object+Iterable JsonPointer JsonException:RuntimeException JsonValueException:JsonException
org.forgerock.json.resource ResourceException:java.io.IOException BadRequestException:ResourceException
  ConflictException:ResourceException ForbiddenException:ResourceException InternalServerErrorException:ResourceException
  NotFoundException:ResourceException NotSupportedException:ResourceException PermanentException:ResourceException
  PreconditionFailedException:ResourceException PreconditionRequiredException:ResourceException
  RetryableException:ResourceException ServiceUnavailableException:RetryableException UncategorizedException:ResourceException
  #RequestType @Request @CreateRequest:Request @ReadRequest:Request @UpdateRequest:Request @DeleteRequest:Request
  @PatchRequest:Request @ActionRequest:Request @QueryRequest:Request ResourcePath:Object+Comparable+Iterable
org.forgerock.json.resource.http @HttpContext:org.forgerock.services.context.Context
org.forgerock.http.routing @UriRouterContext:org.forgerock.services.context.Context
org.forgerock.services.context @Context @SecurityContext:Context @ClientContext:Context RootContext:java.lang.Object+Context
  @AttributesContext:Context @RequestAuditContext:Context @SessionContext:Context @TransactionIdContext:Context
org.flowable.engine.delegate BpmnError:java.lang.RuntimeException @DelegateExecution @DelegateTask
org.flowable.task.service.delegate @DelegateTask
org.activiti.engine.delegate BpmnError:java.lang.RuntimeException @DelegateExecution @DelegateTask
`;

export interface ClassRow {
  readonly name: string;
  readonly form: 'class' | 'interface' | 'enum';
  /** Full names; the first is the parent of a class. */
  readonly parents: readonly string[];
}

/** Each package with the words of its classes, a blank in front of each and behind the last. */
const packages = new Map<string, string>();
const rows = new Map<string, ClassRow>();
const SIMPLE_PACKAGES = ['java.lang', 'java.util', 'java.io', 'groovy.lang'];

// A package stands at the beginning of a line, its classes may go on in the next ones.
for (const part of TABLE.trim().split(/\n(?=[a-z])/)) {
  const [name = '', ...words] = part.split(/\s+/);
  packages.set(name, ` ${words.join(' ')} `);
}

/** Rows are read from the table when somebody asks: a script needs few. */
export function findRow(name: string): ClassRow | undefined {
  const known = rows.get(name);
  if (known !== undefined) return known;
  const dot = name.lastIndexOf('.');
  const row = readRow(name.slice(0, dot), name.slice(dot + 1));
  if (row !== undefined) rows.set(name, row);
  return row;
}

function readRow(home: string, simple: string): ClassRow | undefined {
  const words = packages.get(home);
  if (words === undefined) return undefined;
  for (let at = words.indexOf(simple); at >= 0; at = words.indexOf(simple, at + 1)) {
    const mark = words[at - 1]!;
    const behind = words[at + simple.length]!;
    const begins = mark === ' ' || ((mark === '@' || mark === '#') && words[at - 2] === ' ');
    if (!begins || (behind !== ' ' && behind !== ':')) continue;
    const form = mark === '@' ? 'interface' : mark === '#' ? 'enum' : 'class';
    const end = words.indexOf(' ', at);
    const listed = behind === ' ' ? [] : words.slice(at + simple.length + 1, end).split('+');
    return { name: `${home}.${simple}`, form, parents: parentsOf(home, simple, form, listed) };
  }
  return undefined;
}

function parentsOf(home: string, simple: string, form: ClassRow['form'], listed: string[]): string[] {
  const parents = listed.map((parent) => fullName(parent, home));
  if (parents.length === 0 && form === 'class' && simple !== 'Object') parents.push('java.lang.Object');
  if (form === 'enum') parents.push('java.lang.Enum');
  return parents;
}

function fullName(name: string, home: string): string {
  if (name.includes('.')) return name;
  const found = [home, ...SIMPLE_PACKAGES].find((packageName) => hasClass(packageName, name));
  if (found === undefined) throw new Error(`The class table does not know ${name}`);
  return `${found}.${name}`;
}

function hasClass(home: string, simple: string): boolean {
  return findRow(`${home}.${simple}`) !== undefined;
}

/** The rows of all classes, which reads the whole table. */
export function* classRows(): Iterable<ClassRow> {
  for (const [home, words] of packages) {
    for (const word of words.trim().split(' ')) {
      const [name = ''] = word.replace(/^[@#]/, '').split(':');
      yield findRow(`${home}.${name}`)!;
    }
  }
}

/** Packages that had another name once. */
const MOVED: readonly (readonly [former: string, current: string])[] = [
  ['org.forgerock.json.fluent', 'org.forgerock.json'],
  ['groovy.util.slurpersupport', 'groovy.xml.slurpersupport'],
  ['groovy.util', 'groovy.xml'],
];

/** The full name as Java prints it; classes inside others are found with a dot too. */
export function findClassName(name: string): string | undefined {
  if (findRow(name) !== undefined) return name;
  const [former, current] = MOVED.find(([former]) => name.startsWith(`${former}.`)) ?? [];
  if (former !== undefined) return findClassName(name.replace(former, current!));
  const dot = name.lastIndexOf('.');
  const nested = dot < 0 ? '' : `${name.slice(0, dot)}$${name.slice(dot + 1)}`;
  return findRow(nested) === undefined ? undefined : nested;
}

export function nestedClassName(outer: string, inner: string): string | undefined {
  const name = `${outer}$${inner.replaceAll('.', '$')}`;
  return findRow(name) === undefined ? undefined : name;
}

export function isPackage(name: string): boolean {
  return (
    MOVED.some(([former]) => former === name) ||
    packages.has(name) ||
    [...packages.keys()].some((known) => known.startsWith(`${name}.`))
  );
}
