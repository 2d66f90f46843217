/** What is measured, in the order in which it runs; each name is a program in this folder. */
export interface Benchmark {
  readonly name: string;
  readonly what: string;
  readonly nextTo: string;
  /** Runs where it is named, and not with all of them. */
  readonly isApart?: true;
}

export const BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'start',
    what: 'From an empty folder to an embedded Postgres that answers, and to a node that listens',
    nextTo: 'the goals',
  },
  {
    name: 'console',
    what: 'The console in Chromium: from an empty and from a filled cache to its first screen; a key in a form until it is drawn',
    nextTo: 'the goals',
  },
  {
    name: 'cron',
    what: 'Microseconds to the next firing of six expressions in three time zones',
    nextTo: 'cron-parser',
  },
  {
    name: 'door',
    what: 'A GET of a static page over 32 kept connections: what the HTTP door costs by itself',
    nextTo: 'Hono with one body, and with the headers that all our answers have',
  },
  {
    name: 'read-by-id',
    what: '`GET /svc/managed/user/{id}` over 32 kept connections, 10,000 users, random ids, with HTTP Basic: rate and latency of a whole node',
    nextTo:
      'Hono with a static body; Hono with one query a request, by `pg` prepared and by Kysely; the query alone',
  },
  {
    name: 'creates',
    what: '`POST /svc/managed/user` by 64 clients, each waiting for its last answer: rate and latency',
    nextTo: 'Hono with one INSERT a request, by `pg` prepared and by Kysely',
  },
  {
    name: 'requests',
    what: 'Processor time of a request over 32 kept connections, in the main thread, in all of the node and in Postgres: a user by id and by name, a page, a new one, a changed one; processes',
    nextTo: 'with `--next-to <folder>` another checkout, in turn',
  },
  {
    name: 'import',
    what: '100,000 objects of 700 bytes and as many relationships of another server come by `svc import repository` (`--full`: a million of each): time, processor time and memory of the command',
    nextTo: 'the goals',
  },
  {
    name: 'scim',
    what: 'Users made, found by name, read and changed over `/scim/v2`, 32 connections: processor time of a request in the node and in Postgres, and rate',
    nextTo: 'the same over `/managed`',
  },
  {
    name: 'peers',
    what: 'The same process files and users by the same client on the same Postgres, 1, 8 and 32 connections: rate, p99, and processor time of the server and Postgres together. Needs `java` and `mvn`, and takes a quarter of an hour',
    nextTo: 'Flowable (without rules and trail) and Keycloak (without trail and hooks), from Maven Central',
    isApart: true,
  },
  {
    name: 'security',
    what: '`GET /svc/info/ping` over 32 kept connections with HTTP Basic, name and password in headers, a session and an API key; sessions begun a second',
    nextTo: '`GET /health/live`, which needs no credentials and goes through no rules',
  },
  {
    name: 'logins',
    what: '1,000 wrong logins a second from 1,000 addresses, all at once with right logins (compared anew, and seen before), reads, and 20 schedules that fire each second, on one node: p50 and p99 of each',
    nextTo: 'the same node a moment before, without the wrong ones',
  },
  {
    name: 'store',
    what: '1,000,000 objects: a filter on an indexed property over 32 connections; page 10,000 of 20; RSS of the node while everything is paged through',
    nextTo: 'Hono with the same SQL by `pg` prepared; page 1; the same node before',
  },
  {
    name: 'managed',
    what: 'Users with three relationships over 50 clients: create, read, patch, a page of 20 with all that they refer to; rate, p50 and p99 with two hooks. Then one role whose condition comes to fit, and ceases to fit, 100,000 users',
    nextTo: 'the same type without hooks; for the page, one statement by hand',
  },
  { name: 'script-hook', what: 'Milliseconds of a create with a hook', nextTo: 'a create without' },
  {
    name: 'script-sandbox',
    what: 'Microseconds of a script in the sandbox, of putting its memory back, and the memory of an idle one',
    nextTo: 'an instance of its own for each run, no isolation, `node:vm`',
  },
  {
    name: 'scripts',
    what: '`POST /svc/script?_action=eval` over 32 connections with 1, 2 and 4 script threads, of a trivial script and of one with 50 lines, four reads and a query',
    nextTo: 'the same scripts in the sandboxes of one thread without a server; Hono with a static body',
  },
  {
    name: 'groovy',
    what: 'Evaluations a second of the same logic in Groovy and in JavaScript; milliseconds to compile 200 lines of Groovy and to make the first sandbox of a thread',
    nextTo: 'JavaScript in the same sandbox',
  },
  {
    name: 'claims',
    what: 'Firings a second that 1, 2 and 4 claimers claim and complete, in batches of 1, 100 and 500 of 200,000 triggers that are always due, without running anything. The count is read from the tables, and at the end every trigger must be there exactly once',
    nextTo:
      '`pgbench` with the same statements; the claim is the text the product sends, taken from it at run time, the completions are in `sql/`',
  },
  {
    name: 'scheduler',
    what: 'Firings a second of the scheduler by itself, with a native service that does nothing, in 1, 2 and 4 processes',
    nextTo:
      '`pgbench` with the two statements of the product, word for word; graphile-worker (local queue of 500) and pg-boss (batches of 1000) with jobs that do nothing',
  },
  {
    name: 'scheduler-snapshot',
    what: 'The same in 2 processes while another session holds a snapshot for a minute, with `--full` for a quarter of an hour; CPU time of Postgres for a firing, and dead versions that one leaves',
    nextTo: 'itself without',
  },
  {
    name: 'scheduler-lateness',
    what: 'How late firings are that are due one after the other, 100, 2,000 and 10,000 a second in 2 processes; none may be early',
    nextTo: 'the goals',
  },
  {
    name: 'scheduler-growth',
    what: 'Firings a second among 1,000,000 triggers; CPU of a node, and of Postgres for it, with 1,000,000 schedules of which none is due',
    nextTo: 'itself among 1,000',
  },
  {
    name: 'lists',
    what: 'Milliseconds of pages of 50 users, schedules, tasks, processes, firings and entries of the audit, of a search and of `/status`, among 100,000 of each, with `--full` among 1,000,000, and 5,000,000 firings; how far behind its commit an event is heard',
    nextTo: 'the goals',
  },
  {
    name: 'firing-counts',
    what: 'Milliseconds of counts and percentiles of 1,000,000 firings, with `--full` of 5,000,000, by time, schedule, outcome and node; what counting a firing costs afterwards',
    nextTo: 'the goals',
  },
  {
    name: 'failover',
    what: 'From SIGKILL or SIGSTOP of a node that holds 100 started runs until they are due again; from a request that runs a schedule by hand on one node to its start on another',
    nextTo: 'the goals',
  },
  {
    name: 'firings',
    what: 'End to end: schedules that fire each second and run a script that does nothing, on one node and on two, as many as they can follow; and how late firings are that are due one after the other, 5 ms apart. From the ledger',
    nextTo:
      '`pgbench`, claiming and completing one firing at a time with as many clients as a node has slots',
  },
  {
    name: 'queue',
    what: 'From the commit that enqueued a job to its start on a node that listens; how late jobs are that are due at a time of their own',
    nextTo: 'pg-boss by itself, with its notices and its smallest polling interval',
  },
  {
    name: 'taskscanner',
    what: 'Objects a second that a scan processes, each claimed, run and completed in a transaction of its own, with a script that answers true and with one that patches the object, on 1, 2 and 4 nodes and 100,000 objects',
    nextTo:
      'the same statements by hand: a loop over one connection, and graphile-worker with one job for each object; neither has scripts, hooks or a record of failures',
  },
  {
    name: 'taskscanner-memory',
    what: 'Memory of a node while it scans 1,000,000 objects',
    nextTo: 'itself when it had begun',
  },
  {
    name: 'ways',
    what: 'How often common requests for managed users, and pieces of each kind of work, go to the database and wait for it; how long the statement takes that stores patches together, while their rows are locked; with `--full` what of a processor the requests cost the node and Postgres',
    nextTo: 'one patch alone, and for the processor one prepared statement by `pg`',
  },
  {
    name: 'sync',
    what: 'Seconds of a reconciliation of 10,000 managed objects with targets of another type, ten properties, by values and by scripts: planned, done, nothing changed, a hundredth changed',
    nextTo: 'one statement that inserts, joins or updates the same rows',
  },
  {
    name: 'connectors',
    what: 'Seconds of reconciliations of 100,000 entries of a directory (slapd) and of a table with managed objects, both ways, ten properties, two of them by scripts: planned, done, nothing changed, a hundredth changed. Memory of the node. Takes half an hour',
    nextTo: 'a bare loop with the same library that lists the same entries, or writes the same ones',
    isApart: true,
  },
  {
    name: 'livesync',
    what: 'From the answer to a PATCH until a directory (slapd) shows it; changes a second of a directory with a log that become managed objects; deliveries a second to a script that does nothing, by three nodes',
    nextTo: 'a modify with the same library; a loop that reads the log and its entries; the goals',
    isApart: true,
  },
  {
    name: 'workflow-engine',
    what: 'Process instances in memory: three service tasks; one user task with a round trip of its state; size of a state, time to compile a file, a task for a thousand',
    nextTo: 'bpmn-engine',
  },
  {
    name: 'workflow-service',
    what: 'Process instances a second over HTTP, on one node and two, at 8 and 32 clients: with one user task (start and complete), with three service tasks',
    nextTo: '',
  },
  {
    name: 'workflow-statements',
    what: 'Statements of one step of a process, its transaction included: start, claim and completion of a task, three service tasks, a timer by itself and among others',
    nextTo: '',
  },
  {
    name: 'workflow-timers',
    what: 'How late timers of processes are that are due at 1,000 a second, on one node that shares the machine with Postgres; processor time of a timer in the node and in Postgres',
    nextTo: '',
  },
  {
    name: 'workflow-lists',
    what: 'Milliseconds of a page of 50 tasks (of an assignee, of candidate groups, unassigned, all) among 1,000,000 open tasks and 5,000,000 ended ones',
    nextTo: '',
  },
  {
    name: 'growth',
    what: 'CPU time of Postgres for an operation (objects, audit, schedules, firings, processes, tasks) on databases with 1,000 to 1,000,000 of each; CPU time of nodes and Postgres for a firing on 1 to 8 processes',
    nextTo: 'itself with a thousand; itself on one process',
  },
  {
    name: 'bloat',
    what: "Sizes of tables and indexes while an hour's worth of firings at 500 a second goes through them, and while 500 objects are patched again and again; a month of the ledger dropped",
    nextTo: 'the same tables when the run had begun',
  },
];
