-- compatible

-- What is there was written by nobody knows whom: as what the process has written it is safe from callers.
alter table workflow_variable
  add column owner text not null default 'process' check (owner in ('process', 'form', 'caller'));
comment on column workflow_variable.owner is
  'Who wrote it: the process itself, a caller by a form that declares it, or a caller where no form says what may be written';
