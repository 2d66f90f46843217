-- compatible

-- What has been there at the end of two nodes is tried alone, runs and jobs alike: only the end that it meets alone
-- convicts it.
alter table cluster_node add column alone text;
comment on column cluster_node.alone is
  'The run or job that the node tries with nothing else beside it: if the node ends now, that is why';
