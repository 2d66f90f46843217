-- compatible
-- stalls index-not-concurrent: only svc import writes into this table, and it waits

-- What another server has recorded is kept as long as the trail is; what is older is found by its time.
create index audit_history_age on audit_history (recorded_at);
