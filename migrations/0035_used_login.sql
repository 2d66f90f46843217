-- compatible

-- Logins at an issuer from which somebody has come back: what a browser keeps of one counts once, on whichever node.
create table auth_used_login (
  state   text collate "C" primary key,
  used_at timestamptz not null default now()
);
comment on table auth_used_login is 'Logins at an issuer that have ended, for as long as a browser could come back to one';
comment on column auth_used_login.state is 'A hash of the state that its browser has kept';
create index auth_used_login_age on auth_used_login (used_at);
