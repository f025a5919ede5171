import { useEffect, useRef, useState } from "preact/hooks";
import type { InspectedRun, InspectedRunPage } from "../../src/inspector/inspected-run.ts";
import { InspectorError } from "./inspector-client.ts";
import type { InspectorClient, RunFilter } from "./inspector-client.ts";
import { strings } from "../strings/strings.ts";

/** Milliseconds between two requests for new runs of the inspector's list. */
const lookMs = 2500;

type Runs = Omit<InspectedRunPage, "runs"> & { readonly runs: readonly InspectedRun[] };

/**
 * Returns the runs that match a filter, and a function that reads older runs. The list updates itself, unless each
 * request would search through many runs.
 */
export function useRuns(client: InspectorClient, filter: RunFilter) {
  const [page, setPage] = useState<Runs>();
  const [failure, setFailure] = useState<string>();
  const shown = useRef<Runs | undefined>(undefined);
  const listing = useRef(new AbortController());
  const show = (runs: Runs): void => setPage((shown.current = runs));
  useEffect(() => {
    const leaving = (listing.current = new AbortController());
    shown.current = undefined;
    setPage(undefined);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      let isFinal = false;
      try {
        const newest = document.hidden ? undefined : await client.list(filter, leaving.signal);
        if (newest !== undefined) show(merge(shown.current, newest));
        setFailure(undefined);
      } catch (error) {
        if (leaving.signal.aborted) return;
        isFinal = error instanceof InspectorError && error.isFinal;
        setFailure(isFinal ? (error as Error).message : strings.common.network);
      }
      const isOver = isFinal || isSearch(filter);
      if (!isOver && !leaving.signal.aborted) timer = setTimeout(() => void look(), lookMs);
    };
    void look();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [client, filter]);
  const loadMore = (): void => {
    const { current } = shown;
    if (current?.next === undefined) return;
    const { signal } = listing.current;
    client.list({ ...filter, after: current.next }, signal).then(
      (older) => signal.aborted || show(append(shown.current ?? current, older)),
      (error: Error) => signal.aborted || setFailure(error.message),
    );
  };
  return { runs: page?.runs, next: page?.next, sees: page?.sees, failure, loadMore };
}

/** Returns true if the service must look at each run to find the runs that match. */
function isSearch({ name, session, text, since, minTokens, minMs, tag }: RunFilter): boolean {
  return [name, session, text, since, minTokens, minMs, tag].some((value) => value !== undefined && value !== "");
}

/** Appends older runs to the shown runs. Some of them may have been added to the list in the meantime. */
function append(shown: Runs, { runs, next }: InspectedRunPage): Runs {
  const known = new Set(shown.runs.map(({ runId }) => runId));
  const older = runs.filter(({ runId }) => !known.has(runId));
  return { sees: shown.sees, runs: [...shown.runs, ...older], ...(next !== undefined && { next }) };
}

/** Puts the newest runs before older runs that are already loaded. */
function merge(before: Runs | undefined, newest: InspectedRunPage): Runs {
  const last = newest.runs.at(-1);
  const older = before?.runs.filter(
    ({ createdAt, runId }) =>
      last !== undefined && createdAt <= last.createdAt && !newest.runs.some((run) => run.runId === runId),
  );
  if (before === undefined || older === undefined || older.length === 0) return newest;
  const { next } = before;
  return { sees: newest.sees, runs: [...newest.runs, ...older], ...(next !== undefined && { next }) };
}
