-- compatible

-- A session is listed and ended by a handle, which is worth nothing as a cookie. Roles that a token brought are kept
-- apart from those of the account, which are read with each request.
alter table auth_session add column claimed_roles text[] not null default '{}';
alter table auth_session add column client_address text;
alter table auth_session add column user_agent text;
comment on column auth_session.roles is 'The roles when the session began; each request has those of its own time';
comment on column auth_session.claimed_roles is 'Roles that a bearer token brought; those of the account are not among them';
comment on column auth_session.client_address is 'Where the session was begun, and user_agent with what';

create function svc_session_handle(id text) returns text language sql immutable parallel safe
  return encode(sha256(convert_to(id, 'UTF8')), 'hex');
comment on function svc_session_handle is 'By what callers of the REST interface name a session';
create unique index auth_session_handle on auth_session (svc_session_handle(id));

create or replace view svc_session as
  select id, authentication_id, component || '/' || user_id as "user", module, roles, created_at, seen_at, expires_at,
         svc_session_handle(id) as handle, client_address, user_agent
  from auth_session where expires_at > now();
