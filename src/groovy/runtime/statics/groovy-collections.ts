import { best, combinations, sum, transpose } from '../collecting.ts';
import { listOf } from '../iterate.ts';
import { defineStatics } from '../method-table.ts';

defineStatics('groovy.util.GroovyCollections', {
  'combinations/1': (lists: unknown) => combinations(listOf(lists)),
  'transpose/1': (lists: unknown) => transpose(listOf(lists)),
  'max/1': (items: unknown) => best(listOf(items), undefined, 1),
  'min/1': (items: unknown) => best(listOf(items), undefined, -1),
  'sum/1': (items: unknown) => sum(listOf(items), undefined, undefined),
});
