-- compatible

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
