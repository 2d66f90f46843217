-- breaking: nodes of the version before run what is asked for by hand in a slot that its planned firings no longer have

-- A key that is the same for all runs of a schedule gathers their dead versions while another session holds a snapshot,
-- and each claim passes them. So the slot of a run is that of its planned time. What is asked for by hand has the slot of
-- what waits to fire as planned just then, and an edit hands on the slot of what it leaves running.
alter table scheduler_due add slot bigint;
comment on column scheduler_due.slot is
  'The slot that its run will have, where that is not the one of its planned time: an edit left another run in it';
comment on column scheduler_run.slot is
  'Of its planned time; of a schedule without concurrent execution the same for all that must not run beside each other just then';
