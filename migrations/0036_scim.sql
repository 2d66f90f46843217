-- compatible

-- What clients of SCIM call our objects. Each client has names of its own, and they go with the object.
create table scim_external_id (
  client      text collate "C" not null,
  type        text collate "C" not null,
  id          text collate "C" not null,
  external_id text collate "C" not null,
  primary key (client, type, id),
  unique (client, type, external_id),
  foreign key (type, id) references managed_object (type, id) on delete cascade
);
create index on scim_external_id (type, id);
comment on table scim_external_id is 'externalId of SCIM resources, for each client that has given one';

create view svc_scim_external_id as
  select client, 'managed/' || type as collection, id, external_id from scim_external_id;
comment on view svc_scim_external_id is 'What SCIM clients call managed objects: their externalId';
