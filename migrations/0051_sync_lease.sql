-- compatible

-- Of a delivery to another system: the job that is at it. When its node is lost, whoever takes over the job need not wait.
alter table sync_outbox add column leased_by text;
