import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { InspectedRun } from "../../src/inspector/inspected-run.ts";
import { formatAgo, formatDuration } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { toVisible } from "../ui/unseen.ts";
import type { InspectorClient, RunFilter } from "./inspector-client.ts";
import { addressOfRun } from "./inspector-place.ts";
import { anyRun, RunFilters } from "./run-filters.tsx";
import { StatusMark } from "./status-mark.tsx";
import { useRuns } from "./use-runs.ts";
import { locale, strings } from "../strings/strings.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";

type ListProps = {
  readonly client: InspectorClient;
  readonly runId: string | undefined;
  /** The session whose runs are listed. Undefined for the runs of all sessions. */
  readonly sessionId?: string | undefined;
};

/** The runs that the caller may see, newest first: all runs, or the runs that match a filter. */
export function RunList({ client, runId, sessionId }: ListProps) {
  const [chosen, choose] = useState(anyRun);
  const filter = useMemo<RunFilter>(() => {
    const { period, ...rest } = chosen;
    const since = period === "" ? "" : String(Date.now() - Number(period));
    return { ...rest, since, session: sessionId ?? "" };
  }, [chosen, sessionId]);
  const { runs, next, sees, failure, loadMore } = useRuns(client, filter);
  const names = useNames(runs);
  // While another list is loaded, the controls stay as they are.
  const known = useRef(sees);
  known.current = sees ?? known.current;
  const seesAll = known.current === "all";
  const isAny = sessionId === undefined && Object.values(chosen).every((value) => value === "");
  const all = sees === "own" ? inspectorStrings.own : inspectorStrings.all;
  return (
    <section class="runs" aria-label={inspectorStrings.runs}>
      <header>
        <h2>{sessionId === undefined ? all : inspectorStrings.ofChat}</h2>
        {sessionId === undefined && <a href="#/overview">{strings.overview.title}</a>}
        {sessionId !== undefined && <a href={addressOfRun({ runId })}>{all}</a>}
      </header>
      <RunFilters filter={chosen} names={names} seesAll={seesAll} onChange={choose} />
      <Notes {...{ runs, next, failure }} isAny={isAny} />
      <ul>
        {runs?.map((run) => (
          <RunItem key={run.runId} run={run} isShown={run.runId === runId} sessionId={sessionId} />
        ))}
      </ul>
      {next !== undefined && (
        <button type="button" onClick={loadMore}>
          {inspectorStrings.older}
        </button>
      )}
    </section>
  );
}

type NotesProps = Pick<ReturnType<typeof useRuns>, "runs" | "next" | "failure"> & { isAny: boolean };

/** The sentence in place of runs: the reason why there are none, or a failure of the service. */
function Notes({ runs, next, failure, isAny }: NotesProps) {
  const none = next === undefined ? inspectorStrings.none : inspectorStrings.noneNew;
  return (
    <>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {runs?.length === 0 && <p class="muted empty">{isAny ? inspectorStrings.noneYet : none}</p>}
      {runs === undefined && failure === undefined && <p class="muted empty">{strings.common.loading}</p>}
    </>
  );
}

/** Returns the names of all agents, teams and workflows whose runs were listed so far. */
function useNames(runs: readonly InspectedRun[] | undefined): readonly string[] {
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    const found = new Set([...names, ...(runs ?? []).map(({ name }) => name)]);
    if (found.size > names.length) setNames([...found].toSorted((one, other) => one.localeCompare(other)));
  }, [runs]);
  return names;
}

type ItemProps = { run: InspectedRun; isShown: boolean; sessionId: string | undefined };

/** A run in the list: its question, or its name if there is no question. */
function RunItem({ run, isShown, sessionId }: ItemProps) {
  const { runId, kind, name, question, status, createdAt, startedAt = createdAt, endedAt, tags = [] } = run;
  const at = new Date(createdAt);
  const shownName = <bdi>{toVisible(name)}</bdi>;
  return (
    <li>
      <a href={addressOfRun({ runId, sessionId })} aria-current={isShown ? "true" : undefined}>
        <Icon name={kind} size={18} />
        <span class="run-name" title={question === undefined ? undefined : toVisible(question)}>
          {question === undefined ? shownName : <bdi>{toVisible(question)}</bdi>}
        </span>
        <small>
          <span class="run-of">
            {question !== undefined && <>{shownName} · </>}
            <time
              dateTime={at.toISOString()}
              title={at.toLocaleString(locale, { dateStyle: "medium", timeStyle: "medium" })}
            >
              {formatAgo(createdAt, Date.now())}
            </time>
          </span>
          {tags.length > 0 && <span class="run-tags">{tags.map(toVisible).join(", ")}</span>}
          {endedAt !== undefined && <span class="run-took">{formatDuration(endedAt - startedAt)}</span>}
          <StatusMark status={status} />
        </small>
      </a>
    </li>
  );
}
