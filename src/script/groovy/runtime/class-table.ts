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
  Throwable Exception:Throwable Error:Throwable RuntimeException:Exception IllegalArgumentException:RuntimeException
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
  Hashtable:Object+Map ArrayDeque:AbstractCollection+Deque AbstractMap$SimpleEntry:Object+Map$Entry Collections
  Collections$UnmodifiableList:Object+List Collections$UnmodifiableSet:Object+Set Collections$UnmodifiableMap:Object+Map
  Arrays Arrays$ArrayList:AbstractList+RandomAccess Objects Optional Date:Object+Comparable+Cloneable
  Calendar:Object+Comparable+Cloneable GregorianCalendar:Calendar TimeZone:Object+Cloneable Locale UUID:Object+Comparable
  Random Base64 Base64$Encoder Base64$Decoder StringJoiner NoSuchElementException:RuntimeException
  ConcurrentModificationException:RuntimeException EmptyStackException:RuntimeException
  InputMismatchException:NoSuchElementException MissingResourceException:RuntimeException
java.util.function @Function @BiFunction @Predicate @BiPredicate @Supplier @Consumer @BiConsumer @UnaryOperator:Function
  @BinaryOperator:BiFunction
java.util.regex Pattern @MatchResult Matcher:Object+MatchResult PatternSyntaxException:java.lang.IllegalArgumentException
java.util.stream @Stream Collectors @Collector @IntStream
java.util.concurrent @Callable ConcurrentHashMap:java.util.AbstractMap #TimeUnit TimeoutException:java.lang.Exception
  ExecutionException:java.lang.Exception
java.util.concurrent.atomic AtomicInteger:Number AtomicLong:Number AtomicBoolean AtomicReference
java.text Format DateFormat:Format SimpleDateFormat:DateFormat NumberFormat:Format DecimalFormat:NumberFormat MessageFormat:Format
  ParseException:Exception
java.math BigDecimal:Number+Comparable BigInteger:Number+Comparable #RoundingMode MathContext
java.net URLEncoder URLDecoder URISyntaxException:Exception MalformedURLException:java.io.IOException
java.io @Serializable @Closeable:AutoCloseable IOException:Exception FileNotFoundException:IOException
  UncheckedIOException:RuntimeException UnsupportedEncodingException:IOException PrintStream
java.nio.charset Charset StandardCharsets
java.security MessageDigest SecureRandom:Random GeneralSecurityException:Exception
  NoSuchAlgorithmException:GeneralSecurityException
java.time Instant:Object+Comparable+java.time.temporal.Temporal LocalDate:Object+Comparable+java.time.temporal.Temporal
  LocalTime:Object+Comparable+java.time.temporal.Temporal LocalDateTime:Object+Comparable+java.time.temporal.Temporal
  ZonedDateTime:Object+Comparable+java.time.temporal.Temporal OffsetDateTime:Object+Comparable+java.time.temporal.Temporal
  ZoneId ZoneOffset:ZoneId ZoneRegion:ZoneId Duration:Object+Comparable+java.time.temporal.TemporalAmount
  Period:Object+java.time.temporal.TemporalAmount
  #DayOfWeek #Month Year:Object+Comparable YearMonth:Object+Comparable DateTimeException:RuntimeException
java.time.zone ZoneRules ZoneRulesException:java.time.DateTimeException
java.time.format DateTimeFormatter #TextStyle DateTimeParseException:java.time.DateTimeException
java.time.temporal #ChronoUnit #ChronoField TemporalAdjusters @TemporalAdjuster @Temporal:TemporalAccessor @TemporalAccessor
  @TemporalAmount   UnsupportedTemporalTypeException:java.time.DateTimeException
groovy.lang @GroovyObject Closure:Object+Runnable+Cloneable GString:Object+CharSequence+Comparable @Range:List
  IntRange:AbstractList+Range ObjectRange:AbstractList+Range EmptyRange:AbstractList+Range Tuple:AbstractList Binding Script
  GroovyRuntimeException:RuntimeException MissingPropertyException:GroovyRuntimeException
  MissingMethodException:GroovyRuntimeException MissingFieldException:GroovyRuntimeException
  ReadOnlyPropertyException:MissingPropertyException NumberRange:AbstractList+Range
groovy.json JsonDelegate JsonSlurper JsonSlurperClassic JsonBuilder JsonOutput JsonException:RuntimeException
groovy.transform @Field @CompileStatic @TypeChecked @CompileDynamic @PackageScope
org.codehaus.groovy.runtime GStringImpl:groovy.lang.GString MethodClosure:groovy.lang.Closure
org.codehaus.groovy.runtime.typehandling GroovyCastException:java.lang.ClassCastException
org.codehaus.groovy.runtime.powerassert PowerAssertionError:java.lang.AssertionError
org.slf4j @Logger LoggerFactory
org.forgerock.json JsonValue:Object+Iterable JsonPointer JsonException:RuntimeException JsonValueException:JsonException
org.forgerock.json.resource ResourceException:java.io.IOException BadRequestException:ResourceException
  ConflictException:ResourceException ForbiddenException:ResourceException InternalServerErrorException:ResourceException
  NotFoundException:ResourceException NotSupportedException:ResourceException PermanentException:ResourceException
  PreconditionFailedException:ResourceException PreconditionRequiredException:ResourceException
  RetryableException:ResourceException ServiceUnavailableException:RetryableException UncategorizedException:ResourceException
  #RequestType @Request @CreateRequest:Request @ReadRequest:Request @UpdateRequest:Request @DeleteRequest:Request
  @PatchRequest:Request @ActionRequest:Request @QueryRequest:Request
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

const rows = new Map<string, ClassRow>();
const packages = new Set<string>();
const SIMPLE_PACKAGES = ['java.lang', 'java.util', 'java.io', 'groovy.lang'];

function load(): void {
  const unresolved: { name: string; form: ClassRow['form']; parents: string[] }[] = [];
  let packageName = '';
  for (const word of TABLE.trim().split(/\s+/)) {
    if (/^[a-z]/.test(word)) {
      packageName = word;
      packages.add(word);
      continue;
    }
    const form = word.startsWith('@') ? 'interface' : word.startsWith('#') ? 'enum' : 'class';
    const [name = '', parents = ''] = (form === 'class' ? word : word.slice(1)).split(':');
    const row = {
      name: `${packageName}.${name}`,
      form,
      parents: parents === '' ? [] : parents.split('+'),
    } as const;
    unresolved.push(row);
    rows.set(row.name, row);
  }
  for (const { name, form, parents } of unresolved) {
    const home = name.slice(0, name.lastIndexOf('.'));
    const full = parents.map((parent) => fullName(parent, home));
    if (full.length === 0 && form === 'class' && name !== 'java.lang.Object') full.push('java.lang.Object');
    if (form === 'enum') full.push('java.lang.Enum');
    rows.set(name, { name, form, parents: full });
  }
}

function fullName(name: string, home: string): string {
  if (rows.has(name)) return name;
  const found = [home, ...SIMPLE_PACKAGES].find((packageName) => rows.has(`${packageName}.${name}`));
  if (found === undefined) throw new Error(`The class table does not know ${name}`);
  return `${found}.${name}`;
}

load();

export function classRows(): Iterable<ClassRow> {
  return rows.values();
}

/** The full name as Java prints it; classes inside others are found with a dot too. */
export function findClassName(name: string): string | undefined {
  if (rows.has(name)) return name;
  const dot = name.lastIndexOf('.');
  const nested = dot < 0 ? '' : `${name.slice(0, dot)}$${name.slice(dot + 1)}`;
  return rows.has(nested) ? nested : undefined;
}

export function nestedClassName(outer: string, inner: string): string | undefined {
  const name = `${outer}$${inner.replaceAll('.', '$')}`;
  return rows.has(name) ? name : undefined;
}

export function isPackage(name: string): boolean {
  return packages.has(name) || [...packages].some((known) => known.startsWith(`${name}.`));
}
