-- compatible
-- stalls index-not-concurrent: no row has the new column yet, so that the index is empty, and one look through the queue makes it

-- By what that is known which a delivery has failed for the lack of: when it is there, the delivery is due.
alter table sync_outbox add column waits_for text;
create index sync_outbox_waits on sync_outbox (waits_for) where waits_for is not null;
