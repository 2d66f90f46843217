-- compatible

-- A node with other keys writes what the rest cannot read; it finds that out as it joins.
alter table cluster_node add column keys jsonb;
comment on column cluster_node.keys is
  'For each alias of the key ring the ids of its keys, the one in use first: beginnings of hashes, no keys';

create or replace view svc_node as
  select name, svc_node_state(state, seen_at) as state, roles, epoch, started_at, seen_at, stopped_at, recovery, keys
  from cluster_node;
