import type pg from 'pg';

/**
 * What the load asked, and what happened: each mark that a run, a scanned object or a step of a process leaves is
 * noted by a trigger, in the transaction that leaves it. `entered_at` is when it was written, `left_at` when its
 * transaction began to commit, so that two runs that overlap show it; session, process, transaction and its begin say who wrote it, the server by whose clock. `soak.begun` has the starts of schedules that are
 * edited: which version, and when the statement that started it had come, which is before it looked at the schedule.
 * Another trigger is the disk that is full, the database that is slow, and the conflict: for as long as `soak.trouble`
 * has a row. `soak.quiet` is when the load had ended.
 */
const SCHEMA = `
create schema soak;
create table soak.answer (
  deed text not null, key text not null, node text not null, info text,
  outcome text not null check (outcome in ('done', 'refused', 'unknown')), status int not null, detail text,
  asked_at timestamptz not null, answered_at timestamptz not null
);
create table soak.effect (
  mark text primary key, data jsonb not null, session text,
  entered_at timestamptz not null default clock_timestamp(), left_at timestamptz,
  pid int not null default pg_backend_pid(), xid xid8 not null default pg_current_xact_id(),
  begun_at timestamptz not null default now(),
  server text default host(inet_server_addr()) || ':' || inet_server_port()
);
create table soak.trouble (state text not null, message text not null, share float8 not null, sleep_ms int not null default 0);
create table soak.schedule (
  id text primary key, kind text not null check (kind in ('exact', 'beside', 'loose', 'recoverable', 'local', 'edited', 'once', 'herd'))
);
create table soak.poison (kind text not null, key text not null, gave_up bool not null, deaths int not null);
create table soak.crowd (
  node text primary key, joined bool not null default false, listens bool not null default false, fired int not null default 0,
  most_sessions int not null default 0, budget int not null
);
create table soak.peak (name text primary key, rows bigint not null);
create table soak.item (id text primary key, scan text not null);
create table soak.begun (job text not null, version int, asked_at timestamptz not null);
create table soak.quiet (at timestamptz not null);

create function soak.enter() returns trigger language plpgsql as $$
begin
  if new.data ? 'sleepMs' then perform pg_sleep((new.data->>'sleepMs')::float8 / 1000); end if;
  insert into soak.effect (mark, data, session) values (new.id, new.data, current_setting('application_name'));
  return null;
end $$;
create function soak.leave() returns trigger language plpgsql as $$
begin
  update soak.effect set left_at = clock_timestamp() where mark = new.id;
  return null;
end $$;
create function soak.begin() returns trigger language plpgsql as $$
begin
  insert into soak.begun
  select j.id, (j.definition#>>'{invokeContext,input,version}')::int, statement_timestamp()
  from scheduler_job j join soak.schedule s on s.id = j.id and s.kind = 'edited'
  where j.trigger_id = new.trigger_id and j.generation = new.generation;
  return null;
end $$;
create function soak.trouble() returns trigger language plpgsql as $$
declare
  trouble soak.trouble;
begin
  if current_setting('application_name') like 'svc%' then
    for trouble in select * from soak.trouble loop
      if random() < trouble.share then
        if trouble.sleep_ms > 0 then perform pg_sleep(trouble.sleep_ms / 1000.0);
        else raise exception using errcode = trouble.state, message = trouble.message; end if;
      end if;
    end loop;
  end if;
  return null;
end $$;

create trigger soak_enter after insert on managed_object for each row when (new.type = 'mark') execute function soak.enter();
create constraint trigger soak_leave after insert on managed_object deferrable initially deferred
  for each row when (new.type = 'mark') execute function soak.leave();
create trigger soak_begin after insert or update of started_at on scheduler_run
  for each row when (new.started_at is not null) execute function soak.begin();
`;

/** Where trouble strikes: what requests, firings, scans, steps and jobs write. */
const TROUBLED = [
  'managed_object',
  'scheduler_due',
  'scheduler_run',
  'scheduler_firing',
  'workflow_state',
  'workflow_job',
  'scan_slice',
  'work_job',
];

export async function installOracle(db: pg.ClientBase): Promise<void> {
  await db.query(SCHEMA);
  for (const table of TROUBLED) {
    await db.query(
      `create trigger soak_trouble after insert or update or delete on ${table}
       for each statement execute function soak.trouble()`,
    );
  }
}
