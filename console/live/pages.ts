import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { Page, Stored } from '#client/index.ts';
import { client } from '../session/client.ts';

export interface Asked {
  /** Topic first, as for every query. */
  readonly key: readonly unknown[];
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/**
 * A list, page by page: each page begins behind the last row of the one before, however many there are. Old rows stay while
 * others are asked for.
 */
export function usePages<T extends object>({ key, path, parameters }: Asked) {
  const query = useInfiniteQuery({
    queryKey: [...key, parameters],
    queryFn: ({ pageParam, signal }) =>
      client.send<Page<Stored<T>>>({
        method: 'GET',
        path: path.split('/'),
        parameters: { ...parameters, _pagedResultsCookie: pageParam ?? undefined },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagedResultsCookie }) => pagedResultsCookie,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const pages = query.data?.pages;
  return {
    rows: pages?.flatMap(({ result }) => result),
    first: pages?.[0],
    error: query.error,
    isBusy: query.isPlaceholderData,
    hasMore: query.hasNextPage,
    isMoreComing: query.isFetchingNextPage,
    more: () => void query.fetchNextPage(),
    refetch: () => query.refetch(),
  };
}
