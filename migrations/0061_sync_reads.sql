-- compatible

-- Of the mapping that has brought the target in line, as long as what it reads of a source is known: a change of anything else need not be
-- delivered.
alter table sync_state add column mapping_print text;
