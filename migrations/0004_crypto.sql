-- compatible

-- A node that lacks a key under which something is stored can neither read it nor should it store anything under another.
create table crypto_key (
  alias         text collate "C" not null,
  key_id        text collate "C" not null,
  first_used_at timestamptz not null default clock_timestamp(),
  first_used_by text not null,
  primary key (alias, key_id)
);
comment on table crypto_key is
  'Keys under which something may be stored, by their ids: from the first value that a node encrypts with one until svc keys rotate finds none under it any more';

create view svc_key as
  select k.alias, k.key_id as key, k.first_used_at, k.first_used_by,
         array(select n.name from cluster_node n
               where svc_node_state(n.state, n.seen_at) = 'running' and n.keys->k.alias->>0 = k.key_id
               order by 1) as encrypting,
         array(select n.name from cluster_node n
               where svc_node_state(n.state, n.seen_at) = 'running' and n.keys is not null
                 and not coalesce(n.keys->k.alias, '[]') ? k.key_id
               order by 1) as lacking
  from crypto_key k;
comment on view svc_key is 'Each key under which something may be stored, with the live nodes that encrypt with it and those that lack it';
