-- compatible

-- What each node last said of itself, beside its heartbeat, so that one of them can answer for all. A row for each, made
-- anew every few seconds.
create table cluster_report (
  node_id     int primary key references cluster_node on delete cascade,
  reported_at timestamptz not null default clock_timestamp(),
  report      jsonb not null
) with (fillfactor = 50);
comment on table cluster_report is 'Figures and readiness of each node as it last told them; those of a node that is down are its last word';

-- A drained node claims no work and is not ready, until it is resumed or starts anew.
alter table cluster_node add column drained_at timestamptz, add column drained_by text;

-- The story of the nodes. It is short: the oldest go when there are more than ten thousand.
create table cluster_event (
  id     bigint generated always as identity primary key,
  at     timestamptz not null default clock_timestamp(),
  node   text collate "C" not null,
  kind   text not null,
  epoch  bigint not null,
  by     text,
  detail jsonb
);
comment on table cluster_event is 'Who joined, left, was lost and recovered, drained and resumed; the last 10,000 of that';

create function cluster_note_event(of_node text, of_kind text, of_epoch bigint, of_by text, of_detail jsonb) returns void
  language sql as $$
    delete from cluster_event where id <= (select max(id) from cluster_event) - 9999;
    insert into cluster_event (node, kind, epoch, by, detail) values (of_node, of_kind, of_epoch, of_by, of_detail);
  $$;

create or replace view svc_node as
  select name, svc_node_state(state, seen_at) as state, roles, epoch, started_at, seen_at, stopped_at, recovery, keys,
         drained_at, drained_by, report->>'version' as version, reported_at, report
  from cluster_node left join cluster_report on node_id = id;
comment on view svc_node is 'Who is in the cluster, who is alive, and what each last said of itself';

create view svc_node_event as
  select id, at, node, kind, epoch, by, detail from cluster_event;
comment on view svc_node_event is
  'What has become of nodes: joined, left, lost (by: who took over), recovered (detail: how many runs went back), drained, resumed';
