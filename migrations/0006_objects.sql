-- compatible

-- Managed objects: one row each. What users define is jsonb, what the server needs is a column.
create table managed_object (
  type       text collate "C" not null,
  id         text collate "C" not null check (id <> ''),
  rev        bigint not null default 0,
  data       jsonb not null check (jsonb_typeof(data) = 'object'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (type, id)
);
comment on table managed_object is 'Objects of the types in managed.json; data never holds _id or _rev';

-- Indexes on properties are made and dropped by the server, from managed.json; their comment says what for.
create view svc_index as
  select c.relname as name,
         obj_description(c.oid)::jsonb->>'type' as type,
         obj_description(c.oid)::jsonb->>'property' as property,
         a.amname as method,
         i.indisvalid as ready,
         pg_size_pretty(pg_relation_size(c.oid)) as size,
         coalesce(s.idx_scan, 0) as scans
  from pg_index i
  join pg_class c on c.oid = i.indexrelid
  join pg_am a on a.oid = c.relam
  left join pg_stat_user_indexes s on s.indexrelid = c.oid
  where c.relname like 'managed\_%\_auto'
    and c.relnamespace = current_schema()::regnamespace
  order by 2, 3;
comment on view svc_index is 'Indexes on properties of managed objects: those that are searchable or that queries by name ask for';

-- Everything else below /repo: internal users and roles, and what scripts keep there.
create table repo_object (
  type       text collate "C" not null,
  id         text collate "C" not null check (id <> ''),
  rev        bigint not null default 0,
  data       jsonb not null check (jsonb_typeof(data) = 'object'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (type, id)
);
comment on table repo_object is 'Raw objects below /repo; type is the path, such as internal/user';

-- Relationships between objects: one row per edge, whatever the types at its two ends. Which end is the first says
-- nothing about its meaning; it is decided by the names of the properties, so that both ends write the same row.
create table relationship (
  id                text collate "C" primary key check (id <> ''),
  rev               bigint not null default 0,
  first_collection  text collate "C" not null,
  first_id          text collate "C" not null,
  first_property    text collate "C" not null,
  first_single      boolean not null default false,
  second_collection text collate "C" not null,
  second_id         text collate "C" not null,
  second_property   text collate "C",
  second_single     boolean not null default false,
  properties        jsonb not null default '{}' check (jsonb_typeof(properties) = 'object'),
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now()
);
create index relationship_first on relationship (first_collection, first_id, first_property, id);
create index relationship_second on relationship (second_collection, second_id, second_property, id);
-- Two edges between the same ends differ in what they say: a manual and a conditional grant of one role.
create unique index relationship_edge on relationship
  (first_collection, first_id, first_property, second_collection, second_id, coalesce(second_property, ''),
   md5(properties::text));
create unique index relationship_first_single on relationship (first_collection, first_id, first_property)
  where first_single;
create unique index relationship_second_single on relationship (second_collection, second_id, second_property)
  where second_single;
comment on table relationship is 'One row per edge between two objects';
comment on column relationship.second_property is 'The property at the second end; null for a one-way relationship, which its second end does not know';
comment on column relationship.first_single is 'The property at the first end holds at most one edge';
comment on column relationship.properties is '_refProperties without _id and _rev';

-- Each edge as its ends see it: a one-way edge once, a two-way edge from both sides.
create view relationship_end as
  select id, rev, properties,
         first_collection as owner_collection, first_id as owner_id, first_property as owner_property,
         second_collection as target_collection, second_id as target_id, second_property as target_property
  from relationship
  union all
  select id, rev, properties, second_collection, second_id, second_property, first_collection, first_id, first_property
  from relationship
  where second_property is not null
    and (second_collection, second_id, second_property) <> (first_collection, first_id, first_property);
comment on view relationship_end is 'Each edge from each end that knows of it';

create view svc_relationship as
  select owner_collection || '/' || owner_id as object, owner_property as property,
         target_collection || '/' || target_id as ref, properties, id, rev
  from relationship_end;
comment on view svc_relationship is 'Who is related to whom, from both sides';

-- Whoever evaluates an object against conditions holds the lock of their type in common; who changes a condition holds
-- it alone. Lock and list are one round trip: each statement of a volatile function sees what was committed when it
-- begins, and so the list is read after the lock was given.
create function managed_conditions(object_type text, field text)
returns table (id text, condition jsonb)
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('conditions of managed/' || object_type, 0));
  return query
    select o.id, o.data->field from managed_object o
    where o.type = object_type and coalesce(o.data->>field, '') <> '' order by o.id;
end $$;
comment on function managed_conditions is 'The conditions of all objects of a type that have one, which stay as they are until the end of the transaction';

-- Whether no object of a type has a condition, which stays so until the end of the transaction; false also while
-- somebody changes one: who asks does not wait for that.
create function is_unconditioned(object_type text, field text) returns boolean language plpgsql volatile as $$
begin
  return pg_try_advisory_xact_lock_shared(hashtextextended('conditions of managed/' || object_type, 0))
    and not exists (select from managed_object o where o.type = object_type and coalesce(o.data->>field, '') <> '');
end
$$;
