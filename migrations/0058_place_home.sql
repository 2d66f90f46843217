-- compatible

-- Whoever restores over the tables of a database that stays makes them anew, and this one with them.
alter table database_place add column home oid;
comment on column database_place.home is
  'The table as it was when it was noted: a dump that is loaded into the same database makes another one; null from before that was noted';
