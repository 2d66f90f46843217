-- compatible

-- Ids of transactions have parts now, T for a request, T/0 and T/1 for what it has done on its way. All that a request
-- caused begins with its id, so the index has to serve beginnings, in psql as in the filters of the REST interface.
drop view svc_audit;
alter table audit_event alter column transaction_id type text collate "C";
comment on column audit_event.transaction_id is
  'Of the request or run, with /n for each request on the way down to the one that did this: all of it has transaction_id ^@ ''<id>''';
create view svc_audit as
  select recorded_at, topic, user_id as "user", object_id as object, event->>'operation' as operation,
         coalesce(event->>'status', event->'response'->>'status', event->>'result') as status, transaction_id, event
  from audit_event;
comment on view svc_audit is 'The audit trail: who did what to what, and what came of it';
