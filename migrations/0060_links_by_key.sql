-- compatible
-- stalls index-not-concurrent: deliveries wait while links and states are read once

-- What tells rows apart stands first in each index. As long as Postgres takes a table for almost empty, since nothing has counted its rows yet,
-- an index that begins with the mapping looks as good to it as the right one, and a first reconciliation reads all of the mapping for each row.
create unique index sync_link_first_first on sync_link (first_key, link_type, qualifier);
create unique index sync_link_second_first on sync_link (second_key, link_type, qualifier);
drop index sync_link_first, sync_link_second, sync_link_first_letters, sync_link_second_letters;
alter index sync_link_first_first rename to sync_link_first;
alter index sync_link_second_first rename to sync_link_second;
create index sync_link_first_letters on sync_link (lower(first_id), link_type, qualifier);
create index sync_link_second_letters on sync_link (lower(second_id), link_type, qualifier);

create unique index sync_state_source on sync_state (source_id, mapping, qualifier);
alter table sync_state drop constraint sync_state_pkey, add constraint sync_state_pkey primary key using index sync_state_source;
drop index sync_state_target;
create index sync_state_target on sync_state (target_id, mapping);
