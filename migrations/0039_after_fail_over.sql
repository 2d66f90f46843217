-- compatible

-- A fail-over to a standby that lagged behind may lose that a node has joined; another one may get its number and epoch then.
alter table cluster_node add column life uuid;
comment on column cluster_node.life is
  'Made anew with each joining: tells lives apart whose number and epoch are the same because a fail-over has lost one of them';

-- A standby has none of what is unlogged: whoever guesses passwords would begin anew with each fail-over. What is written here
-- does not wait for the disk.
alter table login_failure set logged;
