-- compatible

-- Runs under way are few and looked for by their node only now and then; each claim paid for the index.
drop index if exists scheduler_run_node;
