-- compatible

create table scheduler_removed (
  trigger_id bigint primary key,
  id         text collate "C" not null
);
comment on table scheduler_removed is 'Schedules that were deleted while they ran: the ledger names them when such a run is lost';
