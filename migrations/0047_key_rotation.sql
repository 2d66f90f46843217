-- compatible

-- All that is encrypted is gone through, to count it or to encrypt it again under the keys in use: slice by slice, each of
-- which is a job.
create table crypto_rotation (
  id       uuid primary key,
  act      text not null check (act in ('count', 'rotate')),
  state    text not null default 'ACTIVE' check (state in ('ACTIVE', 'COMPLETED', 'INCOMPLETE', 'CANCELLED', 'ERROR')),
  asked_by text not null,
  ring     jsonb not null,
  progress jsonb not null,
  asked_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
create unique index crypto_rotation_active on crypto_rotation (state) where state = 'ACTIVE';
comment on table crypto_rotation is 'Counts of what is encrypted, and rotations of it, the last ones';
comment on column crypto_rotation.ring is 'The ids of the keys of each alias, the one in use first: a node with another ring does not go on';
comment on column crypto_rotation.progress is 'How far it is, and what it has found';
