-- compatible

-- Whoever changes the configuration over REST waits until every live node has the change in force.
alter table cluster_node add column configuration text;
comment on column cluster_node.configuration is
  'Which changes made through /config the node has in force; null while it has told nothing';
