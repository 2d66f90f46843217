-- compatible

-- Targets that were found for sources are linked when all sources have been looked at: one that is like two of them belongs to neither.
alter table recon_run drop constraint recon_run_step_check;
alter table recon_run add constraint recon_run_step_check
  check (step in ('list', 'source', 'link', 'target', 'apply', 'remove', 'end')) not valid;
comment on column recon_run.step is 'What is under way: both sides are listed; sources are looked at, targets that were found for them are linked, then targets that none has led to; what was approved is done; what takes something away is done';
