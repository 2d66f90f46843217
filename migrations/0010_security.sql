-- compatible

-- Sessions of callers who logged in for a cookie. The cookie names a row; the row says whether it still holds.
create table auth_session (
  id                text primary key,
  authentication_id text not null,
  component         text not null,
  user_id           text not null,
  module            text not null,
  roles             text[] not null,
  credential_stamp  text,
  created_at        timestamptz not null default now(),
  seen_at           timestamptz not null default now(),
  expires_at        timestamptz not null
) with (fillfactor = 70);
create index auth_session_user on auth_session (component, user_id);
create index auth_session_expiry on auth_session (expires_at);
comment on table auth_session is 'One row per session cookie; without its row a cookie is worth nothing';
comment on column auth_session.credential_stamp is 'A hash of the stored password at login: another password ends the session';
comment on column auth_session.seen_at is 'Last use, to the minute; the idle time counts from here';

-- Failed logins, to slow down guessing. Nobody misses them after a crash.
create unlogged table login_failure (
  key           text primary key,
  failures      int not null,
  last_at       timestamptz not null,
  blocked_until timestamptz not null
);
comment on table login_failure is 'Failed logins by account, by address, and by both; names are hashed, since passwords are typed there by mistake';

create view svc_session as
  select id, authentication_id, component || '/' || user_id as "user", module, roles, created_at, seen_at, expires_at
  from auth_session where expires_at > now();
comment on view svc_session is 'Who is logged in with a session cookie';
