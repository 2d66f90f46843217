-- compatible

-- A node behind a pooler has no session that could hold its lock, so that nobody having the lock says nothing about it.
-- Until a node tells, its heartbeat decides.
alter table cluster_node add column holds_session boolean not null default false;
comment on column cluster_node.holds_session is
  'Whether the node holds a lock for as long as it lives; of one that does not, behind a connection pooler, the heartbeat alone decides';

create or replace view svc_node as
  select name, svc_node_state(state, seen_at) as state, roles, epoch, started_at, seen_at, stopped_at, recovery, keys,
         drained_at, drained_by, report->>'version' as version, reported_at, report, holds_session
  from cluster_node left join cluster_report on node_id = id;
