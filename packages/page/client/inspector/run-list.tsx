import { useEffect, useRef, useState } from "preact/hooks";
import type { InspectedRun, InspectedRunPage } from "../../src/inspector/inspected-run.ts";
import { formatDuration } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import type { InspectorClient } from "./inspector-client.ts";
import { InspectorError } from "./inspector-client.ts";
import { StatusMark } from "./status-mark.tsx";
import { toVisible } from "../ui/unseen.ts";

/** Milliseconds between two requests for new runs of the inspector's list. */
const lookMs = 2500;

const statuses = [
  "queued",
  "running",
  "waiting",
  "completed",
  "error",
  "cancelled",
] as const satisfies InspectedRun["status"][];

/** The runs that the caller may see, newest first. The list updates itself. */
export function RunList({ client, runId }: { client: InspectorClient; runId: string | undefined }) {
  const [status, setStatus] = useState("");
  const { runs, next, sees, failure, loadMore } = useRuns(client, status);
  return (
    <section class="runs" aria-label="Runs">
      <header>
        <h2>{sees === "own" ? "Your runs" : "All runs"}</h2>
        <label>
          <span class="unseen">Status</span>
          <select value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
            <option value="">Any status</option>
            {statuses.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </header>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {runs?.length === 0 && (
        <p class="muted empty">{status === "" ? "No runs yet. Start one in the chat." : "No runs of this status."}</p>
      )}
      {runs === undefined && failure === undefined && <p class="muted empty">Loading…</p>}
      <ul>
        {runs?.map((run) => (
          <RunItem key={run.runId} run={run} isShown={run.runId === runId} />
        ))}
      </ul>
      {next !== undefined && (
        <button type="button" onClick={loadMore}>
          Older runs
        </button>
      )}
    </section>
  );
}

function RunItem({ run, isShown }: { run: InspectedRun; isShown: boolean }) {
  return (
    <li>
      <a href={`#/inspector/${encodeURIComponent(run.runId)}`} aria-current={isShown ? "true" : undefined}>
        <Icon name={run.kind} size={18} />
        <span class="run-name">
          <bdi>{toVisible(run.name)}</bdi>
        </span>
        <StatusMark status={run.status} />
        <RunTime run={run} />
      </a>
    </li>
  );
}

function RunTime({ run }: { run: InspectedRun }) {
  const { createdAt, startedAt = createdAt, endedAt } = run;
  const at = new Date(createdAt);
  return (
    <small>
      <time dateTime={at.toISOString()}>{at.toLocaleString([], { dateStyle: "short", timeStyle: "medium" })}</time>
      {endedAt !== undefined && <span>{formatDuration(endedAt - startedAt)}</span>}
    </small>
  );
}

type Runs = Omit<InspectedRunPage, "runs"> & { readonly runs: readonly InspectedRun[] };

function useRuns(client: InspectorClient, status: string) {
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
        const newest = document.hidden ? undefined : await client.list({ status }, leaving.signal);
        if (newest !== undefined) show(merge(shown.current, newest));
        setFailure(undefined);
      } catch (error) {
        if (leaving.signal.aborted) return;
        isFinal = error instanceof InspectorError && error.isFinal;
        setFailure(isFinal ? (error as Error).message : "The service cannot be reached. This is tried again.");
      }
      if (!isFinal && !leaving.signal.aborted) timer = setTimeout(() => void look(), lookMs);
    };
    void look();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [client, status]);
  const loadMore = (): void => {
    const { current } = shown;
    if (current?.next === undefined) return;
    const { signal } = listing.current;
    client.list({ status, after: current.next }, signal).then(
      (older) => signal.aborted || show(append(shown.current ?? current, older)),
      (error: Error) => signal.aborted || setFailure(error.message),
    );
  };
  return { runs: page?.runs, next: page?.next, sees: page?.sees, failure, loadMore };
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
