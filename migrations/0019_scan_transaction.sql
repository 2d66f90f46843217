-- compatible

alter table scan_run add column transaction_id text;
comment on column scan_run.transaction_id is 'Of the request or firing that started it: the audit has all that it does under this; null of old runs, which have their own id';
