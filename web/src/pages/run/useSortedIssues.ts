import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { Issue } from "~/api/artifact";
import { issuesQuery, type IssueFilter } from "~/api/queries";
import type { IssueCounts, Page, Run } from "~/api/types";
import { chosenCount, NO_FIELD, sorted, type Chosen, type Sort } from "~/logic/issues";

/** The server gives issues as they were found; in another order only what the page has loaded can be shown. */
export const MOST_SORTED = 20_000;

export interface SortedIssues {
  issues: UseInfiniteQueryResult<InfiniteData<Page<Issue>>>;
  shown: Issue[];
  matching: number;
  sort: Sort;
  setSort: (sort: Sort) => void;
  canSort: boolean;
  isSorting: boolean;
  more: () => void;
}

/** The issues that are chosen, in the order that is wanted, as far as they are loaded. */
export function useSortedIssues(run: Run, counts: IssueCounts, chosen: Chosen): SortedIssues {
  const [sort, setSort] = useState<Sort>("found");
  const issues = useInfiniteQuery(issuesQuery(run.id, filterOf(chosen)));
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = issues;
  const more = useCallback((): void => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const loaded = useMemo(() => issues.data?.pages.flatMap((page) => page.items) ?? [], [issues.data]);
  const matching = chosenCount(counts.groups, chosen);
  const canSort = counts.is_complete && matching <= MOST_SORTED;
  const isSorting = sort !== "found" && canSort;
  useEffect(() => {
    if (isSorting) more();
  }, [isSorting, more]);
  const shown = useMemo(() => (isSorting ? sorted(loaded, sort) : loaded), [isSorting, loaded, sort]);
  return { issues, shown, matching, sort, setSort, canSort, isSorting, more };
}

function filterOf({ field, ...rest }: Chosen): IssueFilter {
  return { ...rest, ...(field === NO_FIELD ? { has_no_field: true } : { field }) };
}
