-- compatible
-- Which delivery has written an attribute, when later ones have written others.
alter table sync_state add column deliveries jsonb;
comment on column sync_state.deliveries is 'Those that have written what the target has: a delivery of provenance is a place in it';

create or replace view svc_sync_state as
  select mapping, qualifier, source_id, target_id, situation, action, outcome, error->>'message' as error, provenance, source_rev,
    transaction_id, delivered_at, deliveries
  from sync_state;
comment on column svc_sync_state.deliveries is
  'Those that have written what the target has: when, for whom, in which transaction; a delivery of provenance is a place in it';
