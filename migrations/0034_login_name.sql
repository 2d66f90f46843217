-- compatible

-- Names by which people log in, in the form in which two that look alike are the same.
create table login_name (
  key        text collate "C" primary key,
  name       text not null,
  collection text collate "C" not null,
  id         text collate "C" not null
);
create index login_name_account on login_name (collection, id);
comment on table login_name is 'One row per account that may log in; the key is what keeps others from a name that looks the same';
comment on column login_name.name is 'As names are compared at the login: without case, width, blanks at the ends and what is not seen';
