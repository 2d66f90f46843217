-- compatible

-- What another system shows has no revision that is kept here: a print of it stands for one, and of managed objects the revision with their beginning.
alter table recon_object add column print text;
comment on column recon_object.print is 'Of what was shown of it; null where nobody needs it';
alter table recon_print add column source_print text, add column target_print text,
  alter column source_rev drop not null, alter column target_rev drop not null,
  alter column source_at drop not null, alter column target_at drop not null;
comment on column recon_print.source_print is 'Of the object as it was: of a managed one its revision and its beginning, else of what is shown of it';
comment on column recon_print.source_rev is 'Of nodes that know no prints of objects, as all columns of revisions and beginnings';
