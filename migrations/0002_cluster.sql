-- compatible

-- One row per node that ever joined. A take-over raises the epoch: what the old epoch still writes is refused. Its row
-- changes with each heartbeat, so its pages keep room for that.
create table cluster_node (
  id            int generated always as identity primary key,
  name          text collate "C" not null unique,
  epoch         bigint not null default 1,
  state         text not null default 'running' check (state in ('running', 'down')),
  roles         text[] not null default '{}',
  started_at    timestamptz not null default now(),
  seen_at       timestamptz not null default now(),
  stopped_at    timestamptz,
  recovery      jsonb,
  configuration text,
  keys          jsonb,
  alone         text
) with (fillfactor = 50);
comment on table cluster_node is 'Nodes of the cluster; seen_at is the last heartbeat, by the clock of the database';
-- Whoever changes the configuration over REST waits until every live node has the change in force.
comment on column cluster_node.configuration is
  'Which changes made through /config the node has in force; null while it has told nothing';
-- A node with other keys writes what the rest cannot read; it finds that out as it joins.
comment on column cluster_node.keys is
  'For each alias of the key ring the ids of its keys, the one in use first: beginnings of hashes, no keys';
-- What has been there at the end of two nodes is tried alone, runs and jobs alike: only the end that it meets alone
-- convicts it.
comment on column cluster_node.alone is
  'The run or job that the node tries with nothing else beside it: if the node ends now, that is why';

-- The one predicate of liveness, shared by recovery, the API and the views.
create function svc_node_state(state text, seen_at timestamptz) returns text
  language sql stable parallel safe
  return case when state = 'down' then 'down'
              when seen_at < clock_timestamp() - interval '3 seconds' then 'lost'
              else 'running' end;
comment on function svc_node_state is 'running, lost (no heartbeat for 3 s) or down (stopped, or recovered by another node)';

create view svc_node as
  select name, svc_node_state(state, seen_at) as state, roles, epoch, started_at, seen_at, stopped_at, recovery, keys
  from cluster_node;
comment on view svc_node is 'Who is in the cluster, and who is alive';
